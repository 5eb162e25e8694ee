"""What a room answers when a command cannot be done: a code of `docs/protocol.md`, and what it was about."""


class RoomProblem(Exception):
    """A command that cannot be done; it changed nothing.

    `code` is the wire's (`name_taken`, `wrong_state` …). For `bad_options`, `option` names the option and
    `allowed` its range, in a notation that needs no translation (`0, 10000-604800000`).
    """

    def __init__(self, code: str, *, option: str = "", allowed: str = "") -> None:
        super().__init__(f"{code} {option} {allowed}".strip())
        self.code = code
        self.option = option
        self.allowed = allowed
