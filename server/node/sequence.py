"""Which of a room's numbered changes are known on this node."""


class Sequence:
    """Which of a room's numbered changes are known here: `whole` is the last before which none is missing."""

    __slots__ = ("_ahead", "whole")

    def __init__(self) -> None:
        self.whole = 0
        self._ahead: set[int] = set()

    @property
    def last(self) -> int:
        """The last that was told of, whether others before it are missing or not."""
        return max(self._ahead, default=self.whole)

    def note(self, seq: int) -> None:
        """This change is known (0: no change)."""
        if seq == self.whole + 1:
            self.whole = seq
            while self._ahead and self.whole + 1 in self._ahead:
                self.whole += 1
                self._ahead.remove(self.whole)
        elif seq > self.whole:
            self._ahead.add(seq)

    def at_least(self, seq: int) -> None:
        """All changes up to this one are known."""
        if seq > self.whole:
            self.whole = seq
            self._ahead = {ahead for ahead in self._ahead if ahead > seq}
            self.note(seq)
            while self.whole + 1 in self._ahead:
                self.whole += 1
                self._ahead.remove(self.whole)

    @property
    def missing(self) -> bool:
        """Whether something is known to have happened and not what."""
        return bool(self._ahead)
