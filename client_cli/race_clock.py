"""The race clock as this client estimates it: the server's moments, carried on by a monotonic clock."""

import time
from collections.abc import Callable

_UNKNOWN_DELAY_S = 0.5  # how late a message nobody asked for may be
_DRIFT = 0.001  # how far a machine's monotonic clock may run off, as a share of the time that passed


class RaceClock:
    """An estimate of the race clock. This machine's own wall clock is never asked: it may be wrong."""

    def __init__(self, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._monotonic_s = monotonic_s
        self._now_ms = 0.0
        self._at_s: float | None = None
        self._error_s = 0.0

    def sample(self, now_ms: int, asked_s: float | None = None) -> None:
        """Take in a `now` that just arrived; `asked_s` is the monotonic moment at which it was asked for.

        The sample with the least possible error is kept: half the way there and back, growing with age.
        """
        received_s = self._monotonic_s()
        delay_s = _UNKNOWN_DELAY_S if asked_s is None else received_s - asked_s
        error_s = delay_s / 2
        if self._at_s is None or error_s <= self._error_s + (received_s - self._at_s) * _DRIFT:
            self._now_ms = now_ms + (0.0 if asked_s is None else delay_s * 500)
            self._at_s, self._error_s = received_s, error_s

    @property
    def known(self) -> bool:
        """Whether any `now` has arrived yet."""
        return self._at_s is not None

    def now_ms(self) -> int:
        """Return the race clock's moment now, in Unix milliseconds; 0 before the first sample."""
        if self._at_s is None:
            return 0
        return int(self._now_ms + (self._monotonic_s() - self._at_s) * 1000)
