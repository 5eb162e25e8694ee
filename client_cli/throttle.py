"""No more often than so many seconds, and never the last one lost."""


class Throttle:
    """Decides when to show what keeps changing. Moments are monotonic seconds, given by the caller."""

    def __init__(self, interval_s: float) -> None:
        self._interval_s = interval_s
        self._last_s: float | None = None
        self._pending = False

    def changed(self) -> None:
        """Note that there is something new to show."""
        self._pending = True

    def due(self, now_s: float) -> bool:
        """Whether it is to be shown now; if so, the next interval begins."""
        if not self._pending or (self._last_s is not None and now_s - self._last_s < self._interval_s):
            return False
        self.shown(now_s)
        return True

    def shown(self, now_s: float) -> None:
        """Note that it was shown, for whatever reason."""
        self._pending, self._last_s = False, now_s
