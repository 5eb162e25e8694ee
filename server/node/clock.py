"""The race clock as this node sees it: the store's clock, estimated from the node's monotonic one.

It serves `now` in messages and the moments timers fire, never a result: those come from stamps.
"""

from collections.abc import Callable


class RaceClock:
    """An estimate of the store's clock, better with each answer of the store."""

    def __init__(self, monotonic_ms: Callable[[], float]) -> None:
        self._monotonic_ms = monotonic_ms
        self._ahead_ms = 0.0  # store's clock less ours
        self._uncertain_ms = float("inf")

    def heard(self, store_ms: int, asked_ms: float, answered_ms: float) -> None:
        """The store's clock stood at `store_ms` at some moment between asking and answering (monotonic ms).

        An estimate that agrees with this bound is kept unless the bound is a narrower one; one that
        does not (the store's clock was set, or another store took over) is dropped.
        """
        half_ms = (answered_ms - asked_ms) / 2 + 1  # the store tells whole milliseconds
        ahead_ms = store_ms - (asked_ms + answered_ms) / 2
        if half_ms <= self._uncertain_ms or abs(ahead_ms - self._ahead_ms) > half_ms:
            self._ahead_ms, self._uncertain_ms = ahead_ms, half_ms

    def now_ms(self) -> int:
        """The race clock's now, in Unix milliseconds."""
        return int(self._monotonic_ms() + self._ahead_ms)
