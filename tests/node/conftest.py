"""Peers that come to the server, and are gone at the end of the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from server.node.clock import RaceClock
from tests.support.peer import Peer
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess

Meet = Callable[..., Awaitable[Peer]]


@pytest.fixture
async def meet(race_server: ServerProcess) -> AsyncIterator[Meet]:
    """Make a peer that has said `hello`: `await meet()`, `await meet("json", token=…, url=…)`."""
    peers: list[Peer] = []

    async def hello(encoding: str = "msgpack", *, url: str = "", **fields: Any) -> Peer:
        peer = await Peer.hello(url or race_server.url, encoding, **fields)
        peers.append(peer)
        return peer

    yield hello
    for peer in peers:
        await peer.close()


@pytest.fixture(scope="session")
def two_nodes() -> Iterator[tuple[ServerProcess, ServerProcess]]:
    """Two servers on one store."""
    with ValkeyProcess() as valkey:
        nodes = [ServerProcess("--redis", valkey.url).start() for _ in range(2)]
        yield nodes[0], nodes[1]
        for node in nodes:
            assert node.stop() == 0, node.errors


@pytest.fixture
async def own_server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    """A server for one test, to be stopped, killed and started again."""
    server = ServerProcess("--data", str(tmp_path / "data")).start()
    try:
        yield server
        if server.running:
            # In a thread, so that peers which are still there can answer the closing handshake.
            assert await asyncio.to_thread(server.stop) == 0, server.errors
    finally:
        server.close()


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The clocks of the nodes, in the order of their start; each is wrong by its `wrong_ms`."""
    made: list[Any] = []
    begin, now_ms = RaceClock.__init__, RaceClock.now_ms

    def begun(clock: Any, *args: Any) -> None:
        begin(clock, *args)
        clock.wrong_ms = 0
        made.append(clock)

    monkeypatch.setattr(RaceClock, "__init__", begun)
    monkeypatch.setattr(RaceClock, "now_ms", lambda clock: now_ms(clock) + clock.wrong_ms)
    return made
