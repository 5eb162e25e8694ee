"""What a node asks the script to write: appends to logs, and beats of presence; and what it answers."""

from collections.abc import Callable
from enum import IntEnum
from typing import Any, Literal, NamedTuple, Self

from server.store import keys

PRESENCE_LEASE_MS = 10_000  # three beats may be lost before somebody counts as offline
PRESENCE_BEAT_MS = 3_000


class Verdict(IntEnum):
    """What became of an item. The numbers are `script.lua`'s; UNAVAILABLE is the journal's own."""

    STORED = 0
    STORED_BEFORE = 1  # a retry of what was stored: success
    OTHER_TIP = 2  # the log has gone on, or is gone
    FENCED = 3  # who may play, or when, has changed
    LATE = 4  # at or past the moment until which it could be stored
    EARLY = 5  # the store's clock has not reached the moment from which it can be
    TAKEN = 6  # presence: the player is on a newer connection
    FAILED = 7  # an error of this item alone
    UNAVAILABLE = 8  # unknown: the store has not answered in time


class Answer(NamedTuple):
    """The script's answer to one item; `stamp` is race clock, `seq` the room's after it (0: unchanged)."""

    verdict: Verdict
    stamp: int = 0
    seq: int = 0
    error: str = ""

    @property
    def stored(self) -> bool:
        """Whether the item is in the store."""
        return self.verdict <= Verdict.STORED_BEFORE


class Extra(NamedTuple):
    """Conditions and effects that only room events have; each None: none.

    `stamp` instead of the clock's; `from_ms` and `till_ms` bound the moment of storing; `absent` must have no
    living presence; `fences` are head fields set to this event's tip; `ends_at` is set in `ends_field`;
    `expire_at` holds for the room's log and for all of `logs` that there are.
    """

    stamp: int | None = None
    from_ms: int | None = None
    till_ms: int | None = None
    absent: str | None = None
    fences: tuple[str, ...] = ()
    ends_at: int | None = None
    ends_field: str = keys.ENDS_AT
    expire_at: int | None = None
    logs: tuple[str, ...] = ()
    listed: bool | None = None


class Append:
    """One entry to be appended to one log, if the log's tip is `before` and the fences still stand.

    `received_ms` is this node's monotonic clock when it came in; `fences` are head fields with the tips that
    they must have; `floor_ms` is the least stamp. Of actions only: `row` is the player's
    new row, and the head's `ends_field` says until when they are taken.
    `answered` is called once, with the item and its answer.
    """

    __slots__ = (
        "answered", "before", "ends_field", "extra", "fences", "floor_ms", "log", "n", "payload",
        "received_ms", "room", "row", "row_field", "tip",
    )  # fmt: skip

    def __init__(
        self,
        room: str,
        log: str,
        n: int,
        before: str,
        tip: str,
        payload: bytes,
        received_ms: float,
        fences: tuple[list[str], list[str]],
        answered: Callable[[Self, Answer], None],
        *,
        floor_ms: int = 0,
        row_field: str = "",
        row: bytes | None = None,
        ends_field: str = keys.ENDS_AT,
        extra: Extra | None = None,
    ) -> None:
        self.room, self.log, self.n = room, log, n
        self.before, self.tip, self.payload = before, tip, payload
        self.received_ms, self.fences, self.answered = received_ms, fences, answered
        self.floor_ms, self.row_field, self.row = floor_ms, row_field, row
        self.ends_field, self.extra = ends_field, extra

    def packed(self, prefix: str, monotonic_ms: float) -> list[Any]:
        """The item as the script reads it."""
        return [
            prefix,
            self.log,
            self.n,
            self.before,
            self.tip,
            int(monotonic_ms - self.received_ms),
            self.payload,
            self.fences,
            self.floor_ms,
            self.row_field,
            self.row if self.row is not None else False,
            self._packed_extra() if self.extra is not None else False,
            self.ends_field,
        ]

    def touched(self) -> list[str]:
        """Every key that the script may touch for it, the room's head first."""
        touched = [keys.head(self.room), keys.log(self.room, self.log)]
        if self.extra is not None:
            touched += [keys.log(self.room, log) for log in self.extra.logs]
            if self.extra.expire_at is not None or self.extra.listed is not None:
                touched.append(keys.listed(keys.partition(self.room)))
        return touched

    def _packed_extra(self) -> dict[str, Any]:
        extra = self.extra
        assert extra is not None
        packed = {
            "stamp": extra.stamp,
            "from": extra.from_ms,
            "till": extra.till_ms,
            "absent": extra.absent,
            "lease": PRESENCE_LEASE_MS,
            "fences": list(extra.fences),
            "ends": extra.ends_at,
            "ends_field": extra.ends_field,
            "expire": extra.expire_at,
            "listed": extra.listed,
            "list_key": keys.listed(keys.partition(self.room)),
        }
        return {name: value for name, value in packed.items() if value is not None}


class Seen:
    """A beat of presence: `here` on entering and from then on, `gone` on leaving or losing the line.

    Of two connections of one player the later to come into the room has the greater name.
    """

    __slots__ = ("answered", "connection", "mode", "player", "room")

    def __init__(
        self,
        room: str,
        player: str,
        connection: str,
        mode: Literal["here", "gone"],
        answered: Callable[[Self, Answer], None],
    ) -> None:
        self.room, self.player, self.connection = room, player, connection
        self.mode, self.answered = mode, answered

    def packed(self, prefix: str, monotonic_ms: float) -> list[Any]:
        """The item as the script reads it."""
        return [prefix, "seen", self.player, self.connection, self.mode, PRESENCE_LEASE_MS]

    def touched(self) -> list[str]:
        """Every key that the script may touch for it."""
        return [keys.head(self.room)]


Item = Append | Seen
