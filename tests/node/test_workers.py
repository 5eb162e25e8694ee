"""`--workers N`: several nodes on one port, one store, one parent."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.figures import Figures, scrape
from tests.support.peer import Peer
from tests.support.server import ServerProcess

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="reads /proc to find the workers"
)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    server = ServerProcess("--data", str(tmp_path / "data"), "--workers", "2").start()
    try:
        yield server
        assert await asyncio.to_thread(server.stop) == 0, server.errors
    finally:
        server.close()


def workers_of(server: ServerProcess) -> list[int]:
    """The process ids of the nodes."""
    assert server.process is not None
    parent = server.process.pid
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [
        int(pid) for pid in children if "--worker" in Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    ]


async def test_the_start_is_told_when_all_workers_listen(server):
    assert len(workers_of(server)) == 2
    peer = await Peer.hello(server.url)
    await peer.close()


async def test_players_of_one_room_race_on_whichever_worker_they_are(server):
    peers = [await Peer.hello(server.url) for _ in range(12)]  # the kernel spreads them over the nodes
    host, *players = peers
    room = await host.create(min_players=2, max_players=20, countdown_ms=0, deal="CR1-N-AAAAAAB")
    for number, player in enumerate(players):
        await player.enter(room, f"p{number}")
    await host.ask("start")
    for player in players:
        await player.next("game")
    answers = await asyncio.gather(*(player.op(1, "r") for player in players))
    assert {answer["t"] for answer in answers} == {"done"}
    ms = {player.player: answer["ms"] for player, answer in zip(players, answers, strict=True)}
    for peer in peers:
        board = await peer.next(
            "board", lambda m: m["rows"] and all(row["redeals"] == 2 for row in m["rows"])
        )
        assert {row["player"]: row["ms"] for row in board["rows"]} == ms
    for peer in peers:
        await peer.close()


async def test_a_worker_that_dies_is_started_again(server):
    killed, other = workers_of(server)
    os.kill(killed, signal.SIGKILL)
    async with asyncio.timeout(20):
        while len(after := workers_of(server)) != 2 or killed in after:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)
    assert other in after
    peer = await Peer.hello(server.url)
    await peer.close()


async def test_whichever_worker_is_asked_tells_the_figures_of_all(server):
    peers = [await Peer.hello(server.url) for _ in range(12)]  # the kernel spreads them
    for _ in range(8):
        figures = await scrape(server.port)
        by_worker = figures.by("crescent_connections", "worker")
        assert set(by_worker) == {"0", "1"}
        assert sum(by_worker.values()) == len(peers)
        assert len({family.name for family in figures.families}) == len(figures.families)
    for peer in peers:
        await peer.close()
    stopped, _ = workers_of(server)
    os.kill(stopped, signal.SIGSTOP)
    try:
        assert len((await scrape_of_who_answers(server)).by("crescent_connections", "worker")) == 1
    finally:
        os.kill(stopped, signal.SIGCONT)


async def scrape_of_who_answers(server: ServerProcess) -> Figures:
    """Asked again until it is not the stopped one that is asked: the kernel chooses."""
    async with asyncio.timeout(30):
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(3):
                    return await scrape(server.port)
