"""The store as a node sees it: one write for all waiting items, and reads of rooms, games and identities.

Errors of the connection or of the server as a whole come out as `StoreUnavailableError`: the outcome is then
unknown, and the same items may be written again (`docs/architecture.md`).
"""

from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files
from itertools import zip_longest
from typing import Any, NamedTuple, TypeVar

import msgpack
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from server.rooms.standings import Progress
from server.store import keys
from server.store.items import PRESENCE_LEASE_MS, Answer, Item, Verdict
from server.store.records import Entry, unpack_row
from server.store.subscription import Subscription

CALL_TIMEOUT_S = 2.0  # an answer later than this is no answer: the connection is dropped, the outcome unknown
FREE_CONNECTION_TIMEOUT_S = 5.0  # when many rooms are read at once; as long as a write is tried
CONNECTIONS_MAX = 16  # of one node, whatever the number of its players
IDENTITY_LIFE_MS = 400 * 24 * 3600 * 1000
LISTED_MAX = 100
PASSWORD_TRIES_MAX = 5
PASSWORD_TRIES_S = 60
VERDICTS = tuple(Verdict)

Result = TypeVar("Result")


class StoreUnavailableError(Exception):
    """The store did not answer, or cannot serve: nothing is known of what was asked."""


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


def connect(url: str) -> Redis:
    """A client for this URL, its own retries off: what failed is tried again by who knows what it was.

    Raises ValueError for a URL that is none.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=CALL_TIMEOUT_S,
        socket_connect_timeout=CALL_TIMEOUT_S,
        max_connections=CONNECTIONS_MAX,
        timeout=FREE_CONNECTION_TIMEOUT_S,
    )
    return Redis.from_pool(pool)


class Store:
    """One Redis or Valkey."""

    def __init__(self, redis: Redis, writing: Redis | None = None) -> None:
        """`writing`: another client of the same store, so that no write waits behind many reads."""
        self.redis, self._writing = redis, writing or redis
        self._script = files("server.store").joinpath("script.lua").read_bytes()
        self._sha = ""
        # bin as str: the scripting engine's cmsgpack knows no bin type.
        self._pack = msgpack.Packer(use_bin_type=False).pack

    async def close(self) -> None:
        """Give the connections back."""
        await self.redis.aclose()
        await self._writing.aclose()

    async def write(self, items: Sequence[Item], monotonic_ms: float) -> tuple[int, list[Answer]]:
        """Write all items in one call: the store's clock (ms), and an answer for each, in order.

        Raises `StoreUnavailableError`: then nothing is known of any of them.
        """
        packed = self._pack([item.packed(keys.prefix(item.room), monotonic_ms) for item in items])
        reply = await self._call(self._evaluate(packed))
        now_ms, answers = msgpack.unpackb(reply, unicode_errors="replace")
        return now_ms, [Answer(VERDICTS[verdict], *rest) for verdict, *rest in answers]

    async def _evaluate(self, packed: bytes) -> bytes:
        reply: Any
        if self._sha:
            try:
                reply = self._writing.evalsha(self._sha, 0, packed)
                return bytes(await reply)
            except NoScriptError:  # the server was restarted or its scripts flushed; nothing has run
                pass
        self._sha = await self._writing.script_load(self._script.decode())
        reply = self._writing.evalsha(self._sha, 0, packed)
        return bytes(await reply)

    async def _call(self, command: Awaitable[Result]) -> Result:
        try:
            return await command
        except (RedisError, OSError, TimeoutError) as error:
            raise StoreUnavailableError(f"{type(error).__name__}: {error}") from error

    async def now_ms(self) -> int:
        """The store's clock."""
        seconds, microseconds = await self._call(self.redis.time())
        return int(seconds) * 1000 + int(microseconds) // 1000

    async def load_room(self, room: str, after_v: int = 0) -> tuple[Head | None, list[Entry]]:
        """The room's head (None: there is no such room) and its events after `after_v`, read as one."""
        pipe = self.redis.pipeline(transaction=True)
        pipe.hgetall(keys.head(room))
        pipe.xrange(keys.log(room, keys.ROOM_LOG), min=f"{after_v + 1}-0")
        fields, entries = await self._call(pipe.execute())
        return (parse_head(fields) if fields else None), [parse_entry(*entry) for entry in entries]

    async def load_log(self, room: str, log: str, after_n: int = 0) -> list[Entry]:
        """A log's entries after number `after_n`."""
        entries: Any = await self._call(self.redis.xrange(keys.log(room, log), min=f"{after_n + 1}-0"))
        return [parse_entry(*entry) for entry in entries]

    async def log_length(self, room: str, log: str) -> int:
        """How many entries a log has; entries are never removed, so that is its last one's number."""
        return int(await self._call(self.redis.xlen(keys.log(room, log))))

    async def glance(self, rooms: Sequence[tuple[str, Sequence[str]]]) -> list[Glance | None]:
        """For each room, with the players whose presence is asked for: a look at it; None: it is gone."""
        pipe = self.redis.pipeline(transaction=False)
        for room, players in rooms:
            fields = [keys.SEQ, keys.tip_field(keys.ROOM_LOG), *map(keys.seen_field, players)]
            pipe.hmget(keys.head(room), fields)
        replies = await self._call(pipe.execute())
        glances: list[Glance | None] = []
        for (_, players), (seq, tip, *seen) in zip(rooms, replies, strict=True):
            present = {
                player: parse_presence(value)
                for player, value in zip(players, seen, strict=True)
                if value is not None
            }
            glances.append(None if tip is None else Glance(int(seq), parse_tip(tip).tip, present))
        return glances

    def subscription(
        self, own_channel: str, heard: Callable[[str, bytes], None], gap: Callable[[], None]
    ) -> Subscription:
        """Hints from other nodes; see `Subscription`."""
        return Subscription(self.redis, own_channel, heard, gap)

    async def publish(self, messages: Sequence[tuple[str, bytes]]) -> list[int]:
        """Hints to other nodes, by channel: how many connections heard each."""
        pipe = self.redis.pipeline(transaction=False)
        for channel, message in messages:
            pipe.execute_command("SPUBLISH", channel, message)
        return [int(count) for count in await self._call(pipe.execute())]

    async def listed_rooms(self, now_ms: int) -> list[str]:
        """Rooms that were listed when last heard of, at most so many a partition: look before you tell.

        The partitions take turns, so that one which is full of rooms hides none of the others'.
        """
        pipe = self.redis.pipeline(transaction=False)
        for partition in range(keys.PARTITIONS):
            pipe.zremrangebyscore(keys.listed(partition), 0, now_ms)
            pipe.zrevrange(keys.listed(partition), 0, LISTED_MAX - 1)
        replies = await self._call(pipe.execute())
        turns = zip_longest(*replies[1::2])
        return [room.decode() for turn in turns for room in turn if room is not None]

    async def password_try(self, room: str, address: str) -> bool:
        """Count one try at a room's password from an address: whether it is among the minute's first few."""
        key = keys.password_tries(room, address)
        pipe = self.redis.pipeline(transaction=True)
        pipe.incr(key)
        pipe.expire(key, PASSWORD_TRIES_S, nx=True)
        tries, _ = await self._call(pipe.execute())
        return int(tries) <= PASSWORD_TRIES_MAX

    async def password_fitted(self, room: str, address: str) -> None:
        """Count the last try no longer: only wrong ones are meant to be few."""
        key = keys.password_tries(room, address)
        pipe = self.redis.pipeline(transaction=True)
        pipe.decr(key)
        pipe.expire(key, PASSWORD_TRIES_S, nx=True)
        await self._call(pipe.execute())

    async def forget_identity(self, token_hash: str, player: str) -> list[str]:
        """Delete an identity: the rooms it has been in."""
        pipe = self.redis.pipeline(transaction=True)
        pipe.delete(keys.identity(token_hash))
        pipe.smembers(keys.rooms_of(player))
        pipe.delete(keys.rooms_of(player))
        _, rooms, _ = await self._call(pipe.execute())
        return [room.decode() for room in rooms]

    async def been_in(self, player: str, room: str) -> None:
        """Remember that this identity has been in a room, to take its name out when it is forgotten."""
        pipe = self.redis.pipeline(transaction=False)
        pipe.sadd(keys.rooms_of(player), room)
        pipe.pexpire(keys.rooms_of(player), IDENTITY_LIFE_MS)
        await self._call(pipe.execute())

    async def identity(self, token_hash: str) -> tuple[str, str] | None:
        """The player's id and last name of who has this token's hash; its life begins anew. None: nobody."""
        value: Any = await self._call(self.redis.getex(keys.identity(token_hash), px=IDENTITY_LIFE_MS))
        if value is None:
            return None
        player, _, name = value.decode().partition("\x00")
        return player, name

    async def save_identity(self, token_hash: str, player: str, name: str) -> None:
        """Keep an identity; only a hash of its token is ever stored."""
        value = f"{player}\x00{name}"
        await self._call(self.redis.set(keys.identity(token_hash), value, px=IDENTITY_LIFE_MS))


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
    """Whether this presence is a living one at this moment of the race clock."""
    return presence is not None and now_ms - presence.moment < PRESENCE_LEASE_MS
