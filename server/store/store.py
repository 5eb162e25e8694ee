"""The store as a node sees it: one write for all waiting items, and reads of rooms, games and identities.

Errors of the connection or of the server as a whole come out as `StoreUnavailableError`: the outcome is then
unknown, and the same items may be written again (`docs/architecture.md`).
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from hashlib import sha1
from importlib.resources import files
from itertools import zip_longest
from typing import Any, NamedTuple, Self, TypeVar

import msgpack
from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster
from redis.asyncio.client import Pipeline
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisClusterException, RedisError, ResponseError

from server.store import keys
from server.store.cancelling import cancel_all
from server.store.cluster import Cluster, Server
from server.store.cluster_subscription import ClusterSubscription
from server.store.heads import Glance, Head, Presence, parse_entry, parse_head, parse_presence, parse_tip
from server.store.items import Answer, Item, Verdict
from server.store.records import Entry
from server.store.subscription import Subscription

CALL_TIMEOUT_S = 2.0  # an answer later than this is no answer: the connection is dropped, the outcome unknown
FREE_CONNECTION_TIMEOUT_S = 30.0  # behind many reads; that a store is silent is told by CALL_TIMEOUT_S
CONNECTIONS_MAX = 16  # of one node to one server, whatever the number of its players
READ_PATIENCE_S = 5.0  # so long a read goes on asking where in a cluster its keys are
TOPOLOGY_TIMEOUT_S = 1.0  # a server of a cluster that does not tell by then who has what is passed over
WAIT_MS = 1_000  # within CALL_TIMEOUT_S
IDENTITY_LIFE_MS = 400 * 24 * 3600 * 1000
TOLD_UNKNOWN_LIFE_MS = 5 * 60 * 1000  # longer than a request is under way
TRIAL_LIFE_MS = 60_000
LISTED_MAX = 100
PASSWORD_TRIES_MAX = 5
PASSWORD_TRIES_S = 60
VERDICTS = tuple(Verdict)
OF_PIPELINE = " of pipeline caused error: "  # between the command and what the server said, in redis-py
WITH_ARGUMENTS = ", with args beginning with"  # in what a server says of a command that it does not know

Result = TypeVar("Result")


class StoreUnavailableError(Exception):
    """The store did not answer, or cannot serve: nothing is known of what was asked."""


class Tries(NamedTuple):
    """Tries at a room's password from one address: how many were wrong, and how many are not judged yet."""

    wrong: int
    under_way: int

    @classmethod
    def of(cls, stored: Collection[bytes]) -> Self:
        """As the store has them."""
        wrong = sum(member.startswith(keys.WRONG.encode()) for member in stored)
        return cls(wrong, len(stored) - wrong)


def connect(url: str, *, host: str | None = None, port: int | None = None) -> Redis:
    """A client for this URL, its own retries off: what failed is tried again by who knows what it was.

    `host` and `port`: of another server of the same cluster. Raises ValueError for a URL that is none.
    """
    options: dict[str, Any] = {
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": CALL_TIMEOUT_S,
        "socket_connect_timeout": CALL_TIMEOUT_S,
        "max_connections": CONNECTIONS_MAX,
        "timeout": FREE_CONNECTION_TIMEOUT_S,
        **parse_url(url),
    }
    if host is not None:
        options |= {"host": host, "port": port}
    return Redis.from_pool(BlockingConnectionPool(**options))


def connect_cluster(url: str) -> Cluster:
    """The cluster that the server at this URL is of.

    Raises ValueError for a URL that is none, and `RedisClusterException` for one that no cluster can have.
    """
    topology = RedisCluster.from_url(
        url,
        require_full_coverage=False,  # whoever has rooms in a slot that somebody has is served
        retry=Retry(NoBackoff(), 0),
        socket_timeout=TOPOLOGY_TIMEOUT_S,
        socket_connect_timeout=TOPOLOGY_TIMEOUT_S,
    )

    def open_server(host: str, port: int) -> Server:
        return Server(*(connect(url, host=host, port=port) for _ in range(2)))

    return Cluster(topology, open_server)


class Store:
    """One Redis or Valkey, or a cluster of them.

    What is asked of it goes in `lanes` that do not wait for one another: a single server has one, a cluster
    one a partition, whose keys are on one server at a time.
    """

    def __init__(
        self,
        redis: Redis,
        writing: Redis | None = None,
        *,
        cluster: Cluster | None = None,
        wait_replicas: int = 0,
    ) -> None:
        """`writing`: another client of the same store, so that no write waits behind many reads. `cluster`:
        the one that this server is of. `wait_replicas`: how many replicas must have a write by its answer."""
        self.redis = redis
        self._server = Server(redis, writing or redis)
        self._cluster, self._wait_replicas = cluster, wait_replicas
        self.lanes = 1 if cluster is None else keys.PARTITIONS
        self._unheard: set[asyncio.Task[object]] = set()
        self.errors: Counter[str] = Counter()  # calls that failed, by the kind of error
        script = files("server.store").joinpath("script.lua").read_bytes()
        self._script, self._sha = script.decode(), sha1(script).hexdigest()
        # bin as str: the scripting engine's cmsgpack knows no bin type.
        self._pack = msgpack.Packer(use_bin_type=False).pack

    async def close(self) -> None:
        """Give the connections back."""
        if self._unheard:
            await cancel_all(self._unheard)
        await self._server.close()
        if self._cluster is not None:
            await self._cluster.close()

    async def write(self, items: Sequence[Item], monotonic_ms: float) -> tuple[int, list[Answer]]:
        """Write all items, which are of one lane, in one call: the store's clock (ms), and an answer for
        each, in order.

        Raises `StoreUnavailableError`: then nothing is known of any of them.
        """
        packed = self._pack([item.packed(keys.prefix(item.room), monotonic_ms) for item in items])
        if self._cluster is None:
            reply = await self._call(self._evaluate(self._server, packed))
        else:
            # Undeclared keys fork a log while their slot is on its way to another server.
            touched = list(dict.fromkeys(key for item in items for key in item.touched()))
            reply = await self._call(
                self._cluster.at(touched[0], lambda at, asking: self._evaluate(at, packed, touched, asking))
            )
        now_ms, answers = msgpack.unpackb(reply, unicode_errors="replace")
        return now_ms, [Answer(VERDICTS[verdict], *rest) for verdict, *rest in answers]

    async def _evaluate(
        self, server: Server, packed: bytes, touched: Sequence[str] = (), asking: bool = False
    ) -> bytes:
        arguments = (self._sha, len(touched), *touched, packed)
        try:
            return await self._run_script(server.writing, arguments, asking)
        except NoScriptError:  # a server that was started or whose scripts were flushed; nothing has run
            await server.writing.script_load(self._script)
            return await self._run_script(server.writing, arguments, asking)

    async def _run_script(self, redis: Redis, arguments: tuple[Any, ...], asking: bool) -> bytes:
        if not asking and not self._wait_replicas:
            reply: Any = redis.evalsha(*arguments)
            return bytes(await reply)
        # ASKING and WAIT count on their own connection only.
        pipe = redis.pipeline(transaction=False)
        if asking:
            pipe.execute_command("ASKING")
        if self._wait_replicas:
            pipe.evalsha(*arguments, "wait")
            pipe.execute_command("WAIT", self._wait_replicas, WAIT_MS)
        else:
            pipe.evalsha(*arguments)
        replies = await pipe.execute(raise_on_error=False)
        for reply in replies:
            if isinstance(reply, Exception):
                raise reply
        if self._wait_replicas and replies[-1] < self._wait_replicas:
            raise StoreUnavailableError(f"{replies[-1]} of {self._wait_replicas} replicas have the write")
        return bytes(replies[1 if asking else 0])

    async def _call(self, command: Awaitable[Result]) -> Result:
        try:
            return await command
        except (RedisError, RedisClusterException, OSError, TimeoutError, RuntimeError) as error:
            # RuntimeError is uvloop's for a connection that the other side has just closed.
            self.errors[type(error).__name__] += 1
            _forget_command(error)
            raise StoreUnavailableError(f"{type(error).__name__}: {error}") from error

    async def _ask(self, key: str, fill: Callable[[Pipeline], object], *, whole: bool = False) -> list[Any]:
        """Ask what `fill` puts into a pipeline, all of it of this key's slot; `whole`: as one transaction.

        On a cluster it is asked again while the slot is on its way or its server away.
        """

        async def ask(server: Server, asking: bool) -> list[Any]:
            async with server.redis.pipeline(transaction=whole or asking) as pipe:
                if asking:  # it holds for the transaction that follows on this connection
                    await pipe.immediate_execute_command("ASKING")  # type: ignore[no-untyped-call]
                fill(pipe)
                return await pipe.execute()

        if self._cluster is None:
            return await self._call(ask(self._server, False))
        return await self._call(self._cluster.at(key, ask, patience_s=READ_PATIENCE_S))

    async def now_ms(self, lane: int = 0) -> int:
        """A lane's clock."""
        server = self._server if self._cluster is None else self._cluster.server_of(keys.listed(lane))
        seconds, microseconds = await self._call(server.redis.time())
        return int(seconds) * 1000 + int(microseconds) // 1000

    async def answers(self) -> bool:
        """Whether the store answers; a cluster, if any of its lanes does: some rooms can be served."""
        try:
            await self._any_lane(self.now_ms)
        except StoreUnavailableError:
            return False
        return True

    async def try_write(self) -> None:
        """Write something that means nothing, as moves are written: on the disk, and on replicas.

        Raises `StoreUnavailableError` when it is not taken; of a cluster, when none of its lanes takes it.
        """
        await self._any_lane(self._try_lane)

    async def _any_lane(self, ask: Callable[[int], Coroutine[Any, Any, object]]) -> None:
        """Wait for the first lane that answers. Raises `StoreUnavailableError` when none does."""
        asked = {asyncio.create_task(ask(lane)) for lane in range(self.lanes)}
        self._unheard |= asked  # those that are silent may take seconds to say so
        for task in asked:
            task.add_done_callback(self._hear)
        failure: BaseException | None = None
        while asked:
            done, asked = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                failure = task.exception()
                if failure is None:
                    return
        assert failure is not None, "a store has a lane at least"
        raise failure

    def _hear(self, task: asyncio.Task[object]) -> None:
        self._unheard.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits raises it; nobody may be waiting any more

    async def _try_lane(self, lane: int) -> None:
        key = keys.trial(lane)

        async def write(server: Server, asking: bool) -> list[Any]:
            pipe = server.redis.pipeline(transaction=False)
            if asking:
                pipe.execute_command("ASKING")
            pipe.set(key, b"", px=TRIAL_LIFE_MS)
            if self._wait_replicas:
                pipe.execute_command("WAIT", self._wait_replicas, WAIT_MS)
            return await pipe.execute()

        if self._cluster is None:
            replies = await self._call(write(self._server, False))
        else:
            replies = await self._call(self._cluster.at(key, write))
        if self._wait_replicas and replies[-1] < self._wait_replicas:
            raise StoreUnavailableError(f"{replies[-1]} of {self._wait_replicas} replicas have a write")

    async def moment(self, room: str, player: str) -> tuple[int, Presence | None]:
        """The room's clock in microseconds, and the player's last presence: who asks later is told a later
        moment, through whichever node, unless the clock was set back."""

        def fill(pipe: Pipeline) -> None:
            pipe.time()
            pipe.hget(keys.head(room), keys.seen_field(player))

        (seconds, microseconds), seen = await self._ask(keys.head(room), fill)
        return int(seconds) * 1_000_000 + int(microseconds), None if seen is None else parse_presence(seen)

    async def load_room(self, room: str, after_v: int = 0) -> tuple[Head | None, list[Entry]]:
        """The room's head (None: there is no such room) and its events after `after_v`, read as one."""

        def fill(pipe: Pipeline) -> None:
            pipe.hgetall(keys.head(room))
            pipe.xrange(keys.log(room, keys.ROOM_LOG), min=f"{after_v + 1}-0")

        fields, entries = await self._ask(keys.head(room), fill, whole=True)
        return (parse_head(fields) if fields else None), [parse_entry(*entry) for entry in entries]

    async def load_log(
        self, room: str, log: str, after_n: int = 0, count_max: int | None = None
    ) -> list[Entry]:
        """A log's entries after number `after_n`, `count_max` of them at most."""
        key = keys.log(room, log)
        (entries,) = await self._ask(
            key, lambda pipe: pipe.xrange(key, min=f"{after_n + 1}-0", count=count_max)
        )
        return [parse_entry(*entry) for entry in entries]

    async def log_length(self, room: str, log: str) -> int:
        """How many entries a log has; entries are never removed, so that is its last one's number."""
        key = keys.log(room, log)
        (length,) = await self._ask(key, lambda pipe: pipe.xlen(key))
        return int(length)

    async def glance(self, rooms: Sequence[tuple[str, Sequence[str]]]) -> list[Glance | None]:
        """For each room, with the players whose presence is asked for: a look at it; None: it is gone. All
        must be of one lane."""

        def fill(pipe: Pipeline) -> None:
            for room, players in rooms:
                fields = [keys.SEQ, keys.tip_field(keys.ROOM_LOG), *map(keys.seen_field, players)]
                pipe.hmget(keys.head(room), fields)

        replies = await self._ask(keys.head(rooms[0][0]), fill) if rooms else []
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
    ) -> Subscription | ClusterSubscription:
        """Hints from other nodes; see `Subscription`."""
        if self._cluster is not None:
            return ClusterSubscription(self._cluster, own_channel, heard, gap)
        return Subscription(self.redis, own_channel, heard, gap)

    async def publish(self, messages: Sequence[tuple[str, bytes]]) -> list[int]:
        """Hints to other nodes, by channel: how many connections heard each. All must be of one lane."""

        async def ask(server: Server, asking: bool) -> list[Any]:
            pipe = server.redis.pipeline(transaction=False)
            for channel, message in messages:
                pipe.execute_command("SPUBLISH", channel, message)
            return await pipe.execute()

        if self._cluster is None:
            counts = await self._call(ask(self._server, False))
        else:
            counts = await self._call(self._cluster.at(messages[0][0], ask))
        return [int(count) for count in counts]

    async def listed_rooms(self, now_ms: int) -> list[str]:
        """Rooms that were listed when last heard of, at most so many a partition: look before you tell.

        The partitions take turns, so that one which is full of rooms hides none of the others'. Of a cluster
        that is not whole: those of the lanes that answer.
        """
        lanes = [range(keys.PARTITIONS)] if self.lanes == 1 else [[lane] for lane in range(self.lanes)]
        found = await asyncio.gather(*(self._listed(lane, now_ms) for lane in lanes), return_exceptions=True)
        answered = [listed for listed in found if not isinstance(listed, BaseException)]
        for failure in found:
            if isinstance(failure, BaseException) and not (
                answered and isinstance(failure, StoreUnavailableError)
            ):
                raise failure
        turns = zip_longest(*(rooms for listed in answered for rooms in listed))
        return [room.decode() for turn in turns for room in turn if room is not None]

    async def _listed(self, partitions: Sequence[int], now_ms: int) -> list[list[bytes]]:
        def fill(pipe: Pipeline) -> None:
            for partition in partitions:
                pipe.zremrangebyscore(keys.listed(partition), 0, now_ms)
                pipe.zrevrange(keys.listed(partition), 0, LISTED_MAX - 1)

        return (await self._ask(keys.listed(partitions[0]), fill))[1::2]

    async def password_try(self, room: str, address: str, id: str) -> Tries:
        """A try at a room's password begins; `id`: a word for it, which no other has. Counts it in.

        It is forgotten a minute after the first of those it is counted with, whatever becomes of it.
        """
        key = keys.password_tries(room, address)

        def fill(pipe: Pipeline) -> None:
            pipe.sadd(key, keys.UNDER_WAY + id)
            pipe.expire(key, PASSWORD_TRIES_S, nx=True)
            pipe.smembers(key)

        return Tries.of((await self._ask(key, fill, whole=True))[-1])

    async def password_tried(self, room: str, address: str, id: str, wrong: bool) -> None:
        """It is over. Only a wrong one counts on."""
        key = keys.password_tries(room, address)

        def fill(pipe: Pipeline) -> None:
            pipe.srem(key, keys.UNDER_WAY + id)
            if wrong:
                pipe.sadd(key, keys.WRONG + id)
                pipe.expire(key, PASSWORD_TRIES_S, nx=True)

        await self._ask(key, fill, whole=True)

    async def password_tries(self, room: str, address: str) -> Tries:
        """An address's tries at a room's password in the last minute."""
        key = keys.password_tries(room, address)
        return Tries.of((await self._ask(key, lambda pipe: pipe.smembers(key)))[0])

    async def forget_identity(self, token_hash: str, player: str) -> list[str]:
        """Delete an identity: the rooms it has been in."""
        identity, rooms_of = keys.identity(token_hash), keys.rooms_of(player)
        (rooms,) = await self._ask(rooms_of, lambda pipe: pipe.smembers(rooms_of))
        await self._ask(identity, lambda pipe: pipe.delete(identity))
        await self._ask(rooms_of, lambda pipe: pipe.delete(rooms_of))
        return [room.decode() for room in rooms]

    async def been_in(self, player: str, room: str) -> None:
        """Remember that this identity has been in a room, to take its name out when it is forgotten."""
        key = keys.rooms_of(player)

        def fill(pipe: Pipeline) -> None:
            pipe.sadd(key, room)
            pipe.pexpire(key, IDENTITY_LIFE_MS)

        await self._ask(key, fill)

    async def identity(self, token_hash: str) -> tuple[str, str] | None:
        """The player's id and last name of who has this token's hash; its life begins anew.

        None: nobody. That is noted, for whoever is about to be stored with it (see `save_identity`).
        """
        key, unknown = keys.identity(token_hash), keys.told_unknown(token_hash)

        def note(pipe: Pipeline) -> None:
            pipe.set(unknown, b"", px=TOLD_UNKNOWN_LIFE_MS)
            pipe.getex(key, px=IDENTITY_LIFE_MS)

        (value,) = await self._ask(key, lambda pipe: pipe.getex(key, px=IDENTITY_LIFE_MS))
        if value is None:
            _, value = await self._ask(key, note, whole=True)
        if value is None:
            return None
        player, _, name = value.decode().partition("\x00")
        return player, name

    async def save_identity(self, token_hash: str, player: str, name: str) -> bool:
        """Keep an identity; only a hash of its token is ever stored. False: it is not kept, for somebody with
        this token was told lately that nobody has it, and will have let go of it."""
        key, value = keys.identity(token_hash), f"{player}\x00{name}"

        def fill(pipe: Pipeline) -> None:
            pipe.set(key, value, px=IDENTITY_LIFE_MS)
            pipe.exists(keys.told_unknown(token_hash))

        _, told_unknown = await self._ask(key, fill, whole=True)
        if told_unknown:
            await self._ask(key, lambda pipe: pipe.delete(key))
        return not told_unknown

    async def rename_identity(self, token_hash: str, player: str, name: str) -> bool:
        """Keep an identity under a new name; False: it has been forgotten, and stays so."""
        key, value = keys.identity(token_hash), f"{player}\x00{name}"
        (renamed,) = await self._ask(key, lambda pipe: pipe.set(key, value, px=IDENTITY_LIFE_MS, xx=True))
        return bool(renamed)


def _forget_command(error: BaseException) -> None:
    """Take the command out of an error's text, for that comes into the log: there are hashes of tokens in
    commands, addresses and names. What the server said of it, and the number in its pipeline, stay."""
    if not isinstance(error, ResponseError):
        return
    told = str(error)
    command, pipeline, reply = told.rpartition(OF_PIPELINE)
    if pipeline:
        number = command.split(" (", 1)[0].removeprefix("Command ")
        told = f"{reply.removeprefix('(').rstrip(',)')} ({number} of a pipeline)"
    error.args = (told.split(WITH_ARGUMENTS, 1)[0],)
