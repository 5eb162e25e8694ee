"""What a check of a log found, as codes with values: sentences come of them in `verify_texts`."""

import msgspec

from server.engine.texts import Texts

DIFFERENCES_MAX = 100
"""A log that differs in more places is another log; to count on would only take time."""

Value = str | int | Texts


class NotALogError(Exception):
    """The file is no log of a race: `code` and `values` name the sentence that says what is wrong."""

    def __init__(self, code: str, /, **values: Value) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


class EnoughError(Exception):
    """So much differs that nothing more need be looked at."""


class Finding(msgspec.Struct, frozen=True):
    """One thing that was checked: what holds, or what does not."""

    code: str
    values: dict[str, Value] = {}


class Report(msgspec.Struct):
    """What was checked, of which room."""

    room: str = ""
    confirmed: list[Finding] = []
    differs: list[Finding] = []

    @property
    def agrees(self) -> bool:
        """Whether nothing differs."""
        return not self.differs

    def confirm(self, code: str, /, **values: Value) -> None:
        """Note what holds."""
        self.confirmed.append(Finding(code, values))

    def differ(self, code: str, /, **values: Value) -> None:
        """Note what does not. Raises `EnoughError` once that is too much."""
        if len(self.differs) >= DIFFERENCES_MAX:
            self.differs.append(Finding("too_many"))
            raise EnoughError
        self.differs.append(Finding(code, values))
