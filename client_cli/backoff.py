"""How long to wait before connecting again, so that a thousand clients do not come back at one moment."""

import random
from collections.abc import Callable

from protocol import limits

BASE_S = 1.0
CAP_S = 30.0

STEADY_S = 10.0
"""A connection that lived this long ends a row of failures; a shorter one is part of it."""

_AT_LEAST_S = {
    limits.CLOSE_STORE_AWAY: 1.0,  # the server said: later
    limits.CLOSE_TOO_SLOW: 1.0,
    limits.CLOSE_TOO_MANY_MESSAGES: 5.0,  # the rates want a moment to be free again
}


class Backoff:
    """Exponential back-off with full jitter: after failure k, anything from 0 to base * 2**k, capped.

    `uniform` draws between two bounds; tests pass their own.
    """

    def __init__(self, uniform: Callable[[float, float], float] = random.uniform) -> None:
        self._uniform = uniform
        self._failures = 0

    def delay_s(self, close_code: int | None = None) -> float:
        """Return the next pause in seconds, after a connection that ended with `close_code`."""
        ceiling = min(CAP_S, BASE_S * 2 ** min(self._failures, 30))
        self._failures += 1
        return _AT_LEAST_S.get(close_code or 0, 0.0) + self._uniform(0.0, ceiling)

    def lived(self, seconds: float) -> None:
        """Note how long the last connection lived."""
        if seconds >= STEADY_S:
            self._failures = 0
