"""A real cluster to test against: three primaries, three replicas, formed, resharded and killed at will."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import threading
from collections.abc import Awaitable, Callable, Iterable
from types import TracebackType
from typing import Any, Self

from redis import Redis
from redis.exceptions import RedisError

from tests.support.valkey import ValkeyProcess

SLOTS = 16_384
PRIMARIES = 3
PATIENCE_S = 60.0
POLL_S = 0.05
MOVED_AT_ONCE = 50  # keys a MIGRATE
NODE_TIMEOUT_MS = 3_000  # so much silence, and a primary counts as failed


class ClusterNode(ValkeyProcess):
    """One server of a cluster: on a Unix socket for the test, on TCP for everybody else."""

    def __init__(self, **settings: Any) -> None:
        self.port, bus = _free_port(), _free_port()
        super().__init__(
            **{
                "port": self.port,
                "bind": "127.0.0.1",
                "cluster_enabled": "yes",
                "cluster_port": bus,
                "cluster_node_timeout": NODE_TIMEOUT_MS,
                "cluster_require_full_coverage": "no",  # what one primary has concerns the others not
                "cluster_replica_validity_factor": 0,  # a replica stands in however long it was cut off
                "repl_diskless_sync_delay": 0,
                "enable_debug_command": "yes",  # by which a server is made deaf to the others
                **settings,
            }
        )
        self.bus = bus
        self.id = ""
        self._client = Redis(unix_socket_path=str(self.socket_path))

    @property
    def name(self) -> str:
        """As clients know it."""
        return f"127.0.0.1:{self.port}"

    @property
    def running(self) -> bool:
        """Whether it was started and not ended."""
        return self._process is not None

    async def ask(self, *command: Any) -> Any:
        """Ask this very server, whatever it has to say of others."""
        # In a thread, by a client that stays: a test's own loop is slow under load, and this is asked often.
        return await asyncio.to_thread(self._client.execute_command, *command)

    def kill(self) -> None:
        """End it as a machine that fails would."""
        self._client.close()
        super().kill()

    async def hear_others(self, hears: bool) -> None:
        """Whether what the other servers tell it reaches it: clients and replication always do."""
        # Kinds of packets to be dropped: none, or all.
        await self.ask("DEBUG", "DROP-CLUSTER-PACKET-FILTER", -1 if hears else -2)

    async def role(self) -> str:
        """`master` or `slave`, as it calls itself."""
        return str((await self.ask("ROLE"))[0].decode())


class ClusterProcess:
    """Six servers that are a cluster. A context manager; `settings` are for each of them."""

    def __init__(self, **settings: Any) -> None:
        self.nodes = [ClusterNode(**settings) for _ in range(2 * PRIMARIES)]

    @property
    def url(self) -> str:
        """A URL for redis-py: of any server that runs."""
        return f"redis://{next(node for node in self.nodes if node.running).name}"

    def __enter__(self) -> Self:
        try:
            for node in self.nodes:
                node.start()
            # In a thread of its own: a test that asks for a cluster may have an event loop already.
            _run_apart(self._form)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all of it."""
        for node in self.nodes:
            node.close()

    async def _form(self) -> None:
        first = self.nodes[0]
        for node in self.nodes:
            node.id = (await node.ask("CLUSTER", "MYID")).decode()
        for number, node in enumerate(self.nodes, start=1):
            await node.ask("CLUSTER", "SET-CONFIG-EPOCH", number)
        for node in self.nodes[1:]:
            await first.ask("CLUSTER", "MEET", "127.0.0.1", node.port, node.bus)
        bounds = [SLOTS * part // PRIMARIES for part in range(PRIMARIES + 1)]
        for node, begin, end in zip(self.nodes, bounds, bounds[1:], strict=False):
            await node.ask("CLUSTER", "ADDSLOTSRANGE", begin, end - 1)
        await self.until_all(self._known, self.nodes)
        for replica, primary in zip(self.nodes[PRIMARIES:], self.nodes, strict=False):
            await replica.ask("CLUSTER", "REPLICATE", primary.id)
        await self.until_whole()

    async def until_all(
        self, holds: Callable[[ClusterNode], Awaitable[bool]], nodes: Iterable[ClusterNode]
    ) -> None:
        """Wait until something holds of all these."""
        async with asyncio.timeout(PATIENCE_S):
            for node in nodes:
                while not await _calmly(holds(node)):  # noqa: ASYNC110 - another process
                    await asyncio.sleep(POLL_S)

    async def _known(self, node: ClusterNode) -> bool:
        lines = (await node.ask("CLUSTER", "NODES")).decode().splitlines()
        return len(lines) == len(self.nodes) and not any("handshake" in line for line in lines)

    async def until_whole(self) -> None:
        """Wait until all that run agree on who has which slots, and every replica follows its primary."""
        running = [node for node in self.nodes if node.running]

        async def whole(node: ClusterNode) -> bool:
            info = (await node.ask("CLUSTER", "INFO")).decode()
            role = await node.ask("ROLE")
            follows = role[0] == b"master" or role[3] == b"connected"
            return "cluster_state:ok" in info and follows

        async def agrees(node: ClusterNode) -> bool:
            return await self._view(node) == await self._view(running[0])

        await self.until_all(whole, running)
        await self.until_all(agrees, running[1:])

    async def _view(self, node: ClusterNode) -> list[tuple[object, ...]]:
        """Each server's id, role and slots, as this one knows them."""
        lines = (await node.ask("CLUSTER", "NODES")).decode().replace("myself,", "").splitlines()
        known = [line.split() for line in lines]
        return sorted((words[0], words[2], *words[8:]) for words in known if "fail" not in words[2])

    async def primaries(self) -> list[ClusterNode]:
        """Those that run and are primaries."""
        return [node for node in self.nodes if node.running and await node.role() == "master"]

    async def owner(self, slot: int) -> ClusterNode:
        """The primary that has this slot."""
        for node in await self.primaries():
            for begin, end, (_, port, *_), *_ in await node.ask("CLUSTER", "SLOTS"):
                if begin <= slot <= end and port == node.port:
                    return node
        raise AssertionError(f"nobody has slot {slot}")

    async def replicas(self, primary: ClusterNode) -> list[ClusterNode]:
        """Those that follow this primary."""
        return [
            node
            for node in self.nodes
            if node.running and (await node.ask("ROLE"))[0:3:2] == [b"slave", primary.port]
        ]

    async def until_promoted(self, replicas: list[ClusterNode]) -> None:
        """Wait until one of these has taken the place of its primary."""
        async with asyncio.timeout(PATIENCE_S):
            while "master" not in [await replica.role() for replica in replicas]:  # noqa: ASYNC110 - as above
                await asyncio.sleep(POLL_S)

    async def kill_connections(self) -> int:
        """End every client's connection to every server but the asker's: how many there were."""
        count = 0
        for node in self.nodes:
            if node.running:
                for kind in ("normal", "pubsub"):
                    count += await node.ask("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes")
        return count


def _free_port() -> int:
    """A port that nobody listens on, from below those that the system gives to connections by itself."""
    while True:
        port = random.randrange(12_000, 32_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


async def move_slot(
    slot: int, source: ClusterNode, target: ClusterNode, *, at_once: int = MOVED_AT_ONCE, pause_s: float = 0.0
) -> int:
    """Move a slot with its keys, as resharding tools do: how many keys. It is half here and half there for a
    while: longer with `pause_s` after each MIGRATE, and with fewer keys `at_once`.
    """
    await target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
    await source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
    moved = 0
    while keys := await source.ask("CLUSTER", "GETKEYSINSLOT", slot, at_once):
        await source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
        moved += len(keys)
        await asyncio.sleep(pause_s)
    for node in (target, source):  # the new owner first, so that the slot is never nobody's
        await node.ask("CLUSTER", "SETSLOT", slot, "NODE", target.id)
    return moved


async def _calmly(work: Awaitable[bool]) -> bool:
    """Whether it holds; False while the server cannot say."""
    try:
        return await work
    except (RedisError, OSError):
        return False


def _run_apart(work: Callable[[], Any]) -> None:
    failures: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(work())
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
