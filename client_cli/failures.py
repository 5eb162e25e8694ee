"""What can go wrong between a client and its server, by whose fault."""

from typing import Literal

from protocol import limits
from protocol.messages import Error, Refused

EndKind = Literal["done", "banned", "replaced", "malformed", "unknown_token", "denied", "away"]

_FINAL: dict[int, EndKind] = {
    limits.CLOSE_DONE: "done",
    limits.CLOSE_BANNED: "banned",
    limits.CLOSE_NEWER_CONNECTION: "replaced",
    limits.CLOSE_MALFORMED: "malformed",
    # RFC 6455's names for the same: one side does not speak the other's protocol, and will not next time.
    1002: "malformed",
    limits.CLOSE_NOT_OF_THE_ENCODING: "malformed",
    limits.CLOSE_TOO_BIG: "malformed",
}


def final_end(code: int | None) -> EndKind | None:
    """Return why a connection closed with `code` is over for good, None if a client connects again."""
    return None if code is None else _FINAL.get(code)


class ClientFailure(Exception):
    """Anything a client can meet; str() says what."""


class NoConnection(ClientFailure):
    """Nobody answers at that address, or not as a server of this game; or nobody was asked: the client was
    never opened. str() says why.
    """


class OwnServerEnded(ClientFailure):
    """The server that was started for practice did not start, or has ended; str() says why."""


class UnknownToken(ClientFailure):
    """The server does not know the token it was given (4401)."""


class LineLost(ClientFailure):
    """The line broke before this was answered: it may have been done, and it may not."""

    def __init__(self) -> None:
        super().__init__("the line broke before the answer")


class NoRace(ClientFailure):
    """What was waited for will not come: there is no room, or no game of one's own in it. str() says why."""


class Denied(ClientFailure):
    """The server answered a request with `error`: its `code`, `why` (None where the code says it all), and
    `text` for people.
    """

    def __init__(self, error: Error) -> None:
        super().__init__(error.text)
        self.code = error.code
        self.why = error.why
        self.text = error.text


class InvalidRequest(Denied):
    """A request that the wire has no place for, such as a text that is too long: nothing was sent.

    The server would close the connection for it. `code` is `malformed`; `field` is the argument that does not
    fit, "" where it is none alone.
    """

    def __init__(self, text: str, field: str) -> None:
        super().__init__(Error(code="malformed", text=text))
        self.field = field


class ActionRefused(ClientFailure):
    """An action that may not be played, and changed nothing.

    `code` is its name in `docs/rules.md` or `docs/protocol.md` (`rank`, `no_redeals`, `not_running` …),
    `why` its cause where it has several, `text` the sentence for people, `stored` how many actions the game's
    log has.
    """

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.text)
        self.code = refused.code
        self.why = refused.why
        self.text = refused.text
        self.stored = refused.stored


class Ended(ClientFailure):
    """The connection is over for good: `kind` says why, `code` is the close code where there was one."""

    def __init__(self, kind: EndKind, code: int | None = None, reason: str = "") -> None:
        super().__init__(reason or kind)
        self.kind = kind
        self.code = code
        self.reason = reason

    def again(self) -> "Ended":
        """Return the same once more, to be raised: an exception grows by the way it takes each time."""
        return Ended(self.kind, self.code, self.reason)
