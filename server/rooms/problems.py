"""What a room answers when a command cannot be done: a code of `docs/protocol.md`, and what it was about."""

from server.engine.texts import Texts, in_every_language
from server.rooms.whys import Why

NOTHING = in_every_language("")


class RoomProblem(Exception):
    """A command that cannot be done; it changed nothing.

    `code` is the wire's (`name_taken`, `wrong_state` …); `why` is the cause, where the code has several. For
    `bad_options`, `option` names the option, `allowed` its range and `more` what else is to be said of it,
    for people.
    """

    def __init__(
        self,
        code: str,
        why: Why | None = None,
        *,
        option: str = "",
        allowed: Texts = NOTHING,
        more: Texts = NOTHING,
    ) -> None:
        super().__init__(f"{code} {why or ''} {option} {allowed.en}".strip())
        self.code = code
        self.why = why
        self.option = option
        self.allowed = allowed
        self.more = more
