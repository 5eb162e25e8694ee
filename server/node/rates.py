"""How many messages an identity may send: token buckets, counted by this node in memory."""

from typing import NamedTuple

NO_FREE_SECOND_MS = 1_000
TOO_MANY_FOR_MS = 10_000  # ten seconds with no second free of `too_many`: the connection is closed


class Rate(NamedTuple):
    """So many a second, and so many at once."""

    per_second: float
    burst: int


class Rates(NamedTuple):
    """The rates of a server; the protocol's are the default. The first four count by identity and kind of
    message, the last three by address: an address's burst is a minute's worth."""

    op: Rate = Rate(20, 40)
    say: Rate = Rate(1, 5)
    create: Rate = Rate(6 / 60, 3)
    other: Rate = Rate(5, 20)
    address_hello: Rate = Rate(60 / 60, 60)
    address_create: Rate = Rate(20 / 60, 20)
    address_page: Rate = Rate(1200 / 60, 1200)  # of rooms; a whole school that looks on may be behind one


class Bucket:
    """A token bucket: full at first."""

    __slots__ = ("_at_ms", "_rate", "_tokens")

    def __init__(self, rate: Rate, now_ms: float) -> None:
        self._rate, self._tokens, self._at_ms = rate, float(rate.burst), now_ms

    def full(self, now_ms: float) -> bool:
        """Whether it is as good as new: nothing need be remembered of it."""
        return self._tokens + (now_ms - self._at_ms) * self._rate.per_second / 1000 >= self._rate.burst

    def take(self, now_ms: float) -> bool:
        """Take one token, if there is one."""
        gained = (now_ms - self._at_ms) * self._rate.per_second / 1000
        self._tokens = min(self._rate.burst, self._tokens + gained)
        self._at_ms = now_ms
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Buckets:
    """One identity's buckets: of actions, of chat, of new rooms, and of everything else."""

    __slots__ = ("_by_kind", "_other", "used_ms")

    def __init__(self, rates: Rates, now_ms: float) -> None:
        self._other = Bucket(rates.other, now_ms)
        self._by_kind = {
            "op": Bucket(rates.op, now_ms),
            "say": Bucket(rates.say, now_ms),
            "create": Bucket(rates.create, now_ms),
        }
        self.used_ms = now_ms

    def take(self, kind: str, now_ms: float) -> bool:
        """Whether one more message of this kind is within its rate."""
        self.used_ms = now_ms
        return self._by_kind.get(kind, self._other).take(now_ms)


class Flood:
    """Tells when somebody has sent too many for ten seconds on end."""

    __slots__ = ("_last_ms", "_since_ms")

    def __init__(self) -> None:
        self._since_ms = self._last_ms = float("-inf")

    def too_many(self, now_ms: float) -> bool:
        """One more was too many; True: ten seconds have had no second free of it."""
        if now_ms - self._last_ms >= NO_FREE_SECOND_MS:
            self._since_ms = now_ms
        self._last_ms = now_ms
        return now_ms - self._since_ms >= TOO_MANY_FOR_MS
