"""What the store has of a room besides its logs, and how the script writes it down."""

from typing import NamedTuple

from server.rooms.standings import Progress
from server.store import keys
from server.store.items import PRESENCE_LEASE_MS
from server.store.records import Entry, unpack_row


class LogTip(NamedTuple):
    """Where a log stands."""

    tip: str = ""
    stamp: int = 0
    n: int = 0


class Presence(NamedTuple):
    """The connection a player is on, and its last beat (race clock)."""

    connection: str
    moment: int


class Head(NamedTuple):
    """A room's hash, read whole."""

    seq: int
    room: LogTip
    games: dict[str, LogTip]
    progress: dict[str, Progress]
    room_fence: str
    fences: dict[str, str]
    seen: dict[str, Presence]


class Glance(NamedTuple):
    """What a look at a room shows: its `seq`, its log's tip, and the presence of those asked for."""

    seq: int
    tip: str
    seen: dict[str, Presence]


def parse_tip(value: bytes) -> LogTip:
    """`<tip>:<stamp>:<n>`, as the script writes it."""
    tip, stamp, n = value.decode().split(":")
    return LogTip(tip, int(stamp), int(n))


def parse_presence(value: bytes) -> Presence:
    """`<connection>:<moment>`, as the script writes it."""
    connection, _, moment = value.decode().rpartition(":")
    return Presence(connection, int(moment))


def parse_entry(entry_id: bytes, fields: dict[bytes, bytes]) -> Entry:
    """A stream's entry as the client library gives it."""
    n = int(entry_id.partition(b"-")[0])
    return Entry(n, fields[b"t"].decode(), int(fields[b"s"]), fields[b"d"])


def parse_head(fields: dict[bytes, bytes]) -> Head:
    """A room's hash."""
    games: dict[str, LogTip] = {}
    rows: dict[str, bytes] = {}
    fences: dict[str, str] = {}
    seen: dict[str, Presence] = {}
    plain: dict[str, bytes] = {}
    for field, value in fields.items():
        kind, _, rest = field.decode().partition(":")
        if kind == "log" and rest.startswith("game:"):
            games[rest.removeprefix("game:")] = parse_tip(value)
        elif kind == "row":
            rows[rest] = value
        elif kind == "fence" and rest:
            fences[rest] = value.decode()
        elif kind == "seen":
            seen[rest] = parse_presence(value)
        else:
            plain[field.decode()] = value
    progress = {player: unpack_row(row, games[player].n, games[player].stamp) for player, row in rows.items()}
    return Head(
        seq=int(plain.get(keys.SEQ, b"0")),
        room=parse_tip(plain[keys.tip_field(keys.ROOM_LOG)]),
        games=games,
        progress=progress,
        room_fence=plain.get(keys.ROOM_FENCE, b"").decode(),
        fences=fences,
        seen=seen,
    )


def is_online(presence: Presence | None, now_ms: int) -> bool:
    """Whether this presence is a living one at this moment of the race clock; one of the future, by a clock
    that was set back since, lives no longer than others."""
    return presence is not None and abs(now_ms - presence.moment) < PRESENCE_LEASE_MS
