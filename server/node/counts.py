"""What a node has done since it started: plain integers on a move's way, read when somebody scrapes them."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

TIME_BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)


class Histogram:
    """How many values fell between which bounds; one that equals a bound is below it."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[int]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def add(self, value: float) -> None:
        """One value more."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    def take(self, other: "Histogram") -> None:
        """All values of another one, which has the same bounds."""
        self.counts = [mine + more for mine, more in zip(self.counts, other.counts, strict=True)]
        self.sum += other.sum

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(self.counts)


class Counts:
    """Of connections, actions and the event loop. The journal and the store count their own."""

    __slots__ = ("acknowledged_ms", "closed", "connections", "late_ms", "refused", "repeated", "unknown")

    def __init__(self) -> None:
        self.connections = 0
        self.closed: Counter[int] = Counter()  # connections that ended, by close code
        self.acknowledged_ms = Histogram(TIME_BOUNDS_MS)  # from an action's arrival to its `done`
        self.repeated = 0  # actions that were stored before
        self.refused: Counter[str] = Counter()  # actions, by the refusal's code
        self.unknown = 0  # actions of which the store said nothing
        self.late_ms = Histogram(TIME_BOUNDS_MS)  # how much later than asked the event loop called
