"""What the line to the server is like: there, slow or lost."""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

SLOW_S = 1.0
"""An answer that takes longer than this is waited for, and people are told so."""

PROBE_S = 5.0
"""How often the line is tried, so that it is known to be slow before somebody plays."""


class Told(NamedTuple):
    """What is said of the line: the words' key and values, and how bad it is."""

    kind: Literal["online", "slow", "lost"]
    key: str
    values: dict[str, object]


class LineState:
    """Folded from the client's notices and from how long answers take."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._lost = False
        self._again_s = 0.0
        self._asked_s: float | None = None
        self._took_s: float | None = None

    def lost(self, retry_in_s: float) -> None:
        """The line is gone; the next attempt is made after that long."""
        self._lost, self._again_s = True, self._now_s() + retry_in_s

    def back(self) -> None:
        """The line is there again. What was asked meanwhile is asked now."""
        self._lost, self._asked_s, self._took_s = False, None, None

    def asked(self) -> None:
        """Something was asked to see how long the answer takes."""
        self._asked_s = self._now_s()

    def answered(self) -> None:
        """The answer came."""
        if self._asked_s is not None:
            self._took_s = self._now_s() - self._asked_s
        self._asked_s = None

    def told(self, action_sent_s: float | None = None) -> Told:
        """Return what to say now; `action_sent_s` is when an action still unanswered was sent."""
        now_s = self._now_s()
        if self._lost:
            left_s = math.ceil(self._again_s - now_s)
            if left_s > 0:
                return Told("lost", "line_lost_in", {"seconds": left_s})
            return Told("lost", "line_lost", {})
        since = [asked_s for asked_s in (self._asked_s, action_sent_s) if asked_s is not None]
        waited_s = now_s - min(since) if since else 0.0
        slowest_s = max(waited_s, self._took_s or 0.0)
        if slowest_s > SLOW_S:
            return Told("slow", "line_slow", {"seconds": round(slowest_s)})
        if self._took_s is None:
            return Told("online", "line_online", {})
        return Told("online", "line_online_ms", {"ms": round(self._took_s * 1000)})
