"""A cluster: which primary has a key, a client of each primary, and what to do with its answers.

The client library's own cluster client is asked who has which slots, and for nothing else: commands go by a
plain client a primary, as they go to a single server. `docs/decisions/0006-a-cluster.md` says why.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

import structlog
from redis.asyncio import Redis, RedisCluster
from redis.cluster import PRIMARY, REPLICA
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from redis.exceptions import (
    AskError,
    ClusterDownError,
    ConnectionError,
    MovedError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    SlotNotCoveredError,
    TimeoutError,
    TryAgainError,
)

REDIRECTIONS_MAX = 5  # at once, one after the other; what is sent elsewhere more often waits a moment
AGAIN_S = 0.05
REFRESH_PAUSE_S = 0.25
KEPT_GONE_S = 10.0  # longer than any call: the library does not bear a connection that is closed under it

# The primary is away, or is none any more: somebody else may have its slots by now. RuntimeError is uvloop's
# for a connection that the other side has just closed.
AWAY = (
    ConnectionError, TimeoutError, OSError, ClusterDownError, ReadOnlyError, RedisClusterException,
    RuntimeError,
)  # fmt: skip

Result = TypeVar("Result")

log = structlog.get_logger()


class Server(NamedTuple):
    """Two clients of one server, so that no write waits behind many reads."""

    redis: Redis
    writing: Redis

    async def close(self) -> None:
        """Give the connections back."""
        await self.redis.aclose()
        await self.writing.aclose()


class Cluster:
    """See the module. `open_server(host, port)` makes a server's clients; none connects before it is used."""

    def __init__(self, client: RedisCluster, open_server: Callable[[str, int], Server]) -> None:
        # Of the whole client only what finds the nodes: the rest would also ask what commands there are.
        self._nodes, self._open_server = client.nodes_manager, open_server
        self._servers: dict[str, Server] = {}
        self._gone: list[tuple[float, Server]] = []  # since when (monotonic seconds)
        self._refreshing: asyncio.Task[None] | None = None
        self._refreshed_s = float("-inf")
        self._changed: list[Callable[[], None]] = []

    async def begin(self) -> None:
        """Find the nodes. Raises `RedisClusterException` when there is no cluster at the address."""
        try:
            await self._nodes.initialize()
        except IndexError:
            raise RedisClusterException("no primary has any slot") from None

    async def close(self) -> None:
        """Give all connections back."""
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.gather(self._refreshing, return_exceptions=True)
        await self._nodes.aclose()
        await self._nodes.aclose("startup_nodes")
        for server in [*self._servers.values(), *(server for _, server in self._gone)]:
            await server.close()

    # Who has what

    def on_change(self, callback: Callable[[], None]) -> None:
        """Be called back when keys may be elsewhere than before."""
        self._changed.append(callback)

    @property
    def whole(self) -> bool:
        """Whether every slot is somebody's."""
        return len(self._nodes.slots_cache) == REDIS_CLUSTER_HASH_SLOTS

    def name_of(self, key: str) -> str:
        """`host:port` of the primary that has this key's slot. Raises `SlotNotCoveredError`."""
        return self._node_of(key)[0]

    def _node_of(self, key: str) -> tuple[str, str, int]:
        slot = key_slot(key.encode())
        nodes = self._nodes.slots_cache.get(slot)
        if not nodes:
            raise SlotNotCoveredError(f"slot {slot} is nobody's")
        primary = nodes[0]
        return primary.name, primary.host, int(primary.port)

    def server_of(self, key: str) -> Server:
        """The clients of that primary. Raises `SlotNotCoveredError`."""
        return self._server(*self._node_of(key))

    def primaries(self) -> dict[str, Server]:
        """The clients of all primaries, by `host:port`."""
        nodes = self._nodes.get_nodes_by_server_type(PRIMARY)
        return {node.name: self._server(node.name, node.host, int(node.port)) for node in nodes}

    def replicas(self) -> dict[str, Server]:
        """The clients of all replicas, by `host:port`: kept till the cluster is asked next who has what."""
        nodes = self._nodes.get_nodes_by_server_type(REPLICA)
        return {node.name: self._server(node.name, node.host, int(node.port)) for node in nodes}

    def _server(self, name: str, host: str, port: int) -> Server:
        server = self._servers.get(name)
        if server is None:
            server = self._servers[name] = self._open_server(host, port)
        return server

    async def moved(self, error: MovedError) -> None:
        """A server has said who has a slot now."""
        if error.slot_id in self._nodes.slots_cache:
            await self._nodes.move_slot(error)
            self._tell_changed()
        else:
            self.doubt()

    def doubt(self) -> None:
        """Something is not where it was thought to be: ask who has what, soon and not too often."""
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.create_task(self._refresh(), name="cluster topology")

    async def _refreshed(self) -> None:
        """Wait for the answer."""
        if self._refreshing is not None:
            await asyncio.shield(self._refreshing)

    async def _refresh(self) -> None:
        pause_s = self._refreshed_s + REFRESH_PAUSE_S - time.monotonic()
        if pause_s > 0:
            await asyncio.sleep(pause_s)
        try:
            await self.begin()
        except (RedisError, RedisClusterException, OSError) as error:
            log.warning("cluster not found", error=str(error))
        finally:
            self._refreshed_s = time.monotonic()
        await self._close_gone()
        self._tell_changed()

    async def _close_gone(self) -> None:
        names = {node.name for node in self._nodes.get_nodes_by_server_type(PRIMARY)}
        now_s = time.monotonic()
        self._gone += [(now_s, self._servers.pop(name)) for name in list(self._servers) if name not in names]
        while self._gone and self._gone[0][0] < now_s - KEPT_GONE_S:
            await self._gone.pop(0)[1].close()

    def _tell_changed(self) -> None:
        for callback in self._changed:
            callback()

    # Asking

    async def at(
        self, key: str, work: Callable[[Server, bool], Awaitable[Result]], *, patience_s: float = 0.0
    ) -> Result:
        """Do `work(server, asking)` where the key is, and again where a server sends it; `asking`: a slot on
        its way is asked for, so ASKING must come before each command.

        What a server refuses to do because of where keys are it has not done. Anything else that fails is
        unknown, and done again only within `patience_s`. Raises what the client library raised last.
        """
        give_up_s = time.monotonic() + patience_s
        redirections = 0
        ask: AskError | None = None
        while True:
            try:
                if ask is None:
                    return await work(self.server_of(key), False)
                server, ask = self._server(f"{ask.host}:{ask.port}", ask.host, ask.port), None
                return await work(server, True)
            except AskError as error:  # MOVED is one too
                redirections += 1
                if redirections > REDIRECTIONS_MAX:
                    await _pause_or_raise(error, give_up_s)
                if not isinstance(error, MovedError):
                    ask = error
                else:
                    await self.moved(error)
            except TryAgainError as error:
                await _pause_or_raise(error, give_up_s)
            except AWAY as error:
                self.doubt()
                await _pause_or_raise(error, give_up_s)
                await self._refreshed()


async def _pause_or_raise(error: Exception, give_up_s: float) -> None:
    if time.monotonic() >= give_up_s:
        raise error
    await asyncio.sleep(AGAIN_S)
