"""What a room answers when a command cannot be done: a code of `docs/protocol.md`, and what it was about."""

from server.engine.texts import Texts, in_every_language

NOTHING = in_every_language("")


class RoomProblem(Exception):
    """A command that cannot be done; it changed nothing.

    `code` is the wire's (`name_taken`, `wrong_state` …). For `bad_options`, `option` names the option and
    `allowed` its range, for people.
    """

    def __init__(self, code: str, *, option: str = "", allowed: Texts = NOTHING) -> None:
        super().__init__(f"{code} {option} {allowed.en}".strip())
        self.code = code
        self.option = option
        self.allowed = allowed
