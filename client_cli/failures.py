"""What can go wrong between a client and its server, by whose fault."""

from typing import Literal

from protocol import limits
from protocol.messages import Error

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


class NoConnection(Exception):
    """Nobody answers at that address, or not as a server of this game; str() says why."""


class OwnServerEnded(Exception):
    """The server that was started for practice did not start, or has ended; str() says why."""


class UnknownToken(Exception):
    """The server does not know the token it was given (4401)."""


class LineLost(Exception):
    """The line broke before this was answered: it may have been done, and it may not."""


class Denied(Exception):
    """The server answered a request with `error`."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.text)
        self.code = error.code
        self.text = error.text


class Ended(Exception):
    """The connection is over for good: `kind` says why, `code` is the close code where there was one."""

    def __init__(self, kind: EndKind, code: int | None = None, reason: str = "") -> None:
        super().__init__(reason)
        self.kind = kind
        self.code = code
        self.reason = reason
