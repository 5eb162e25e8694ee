"""How workers end: with their parent, whatever becomes of it, and by force where nothing else helps."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest
import structlog

from server.node.workers import ENDING_S, Keeper
from server.transport.limits import Limits
from tests.support.figures import scrape
from tests.support.peer import Peer
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess

PATIENCE_S = 30.0

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="reads /proc to find the workers"
)


@pytest.fixture
async def locked() -> AsyncIterator[str]:
    """The URL of a store with a password, which is in it."""
    with ValkeyProcess(requirepass="se53cret") as valkey:
        yield valkey.url.replace("unix://", "unix://:se53cret@")


def workers_of(server: ServerProcess) -> dict[int, bytes]:
    """The process ids of the nodes, each with its command line."""
    assert server.process is not None
    parent = server.process.pid
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children}


def running(pids: Iterable[int]) -> list[int]:
    """Those of them that there still are."""
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


async def test_workers_of_a_killed_parent_leave_in_good_order(valkey_url: str) -> None:
    server = ServerProcess("--redis", valkey_url, "--workers", "2").start()
    workers = workers_of(server)
    peer = await Peer.hello(server.url)
    try:
        server.kill()
        assert await peer.wait_closed() == (1012, "the server is leaving")
        async with asyncio.timeout(PATIENCE_S):
            while running(workers):  # noqa: ASYNC110 - others' children
                await asyncio.sleep(0.02)
    finally:
        for pid in running(workers):
            os.kill(pid, signal.SIGKILL)
    assert len(workers) == 2


async def test_the_password_of_the_store_is_in_nobody_s_arguments_and_in_no_line(locked: str) -> None:
    server = ServerProcess("--workers", "2", environment={"CRESCENT_REDIS": locked}).start()
    try:
        workers = workers_of(server)
        peer = await Peer.hello(server.url)
        await peer.close()
        assert await asyncio.to_thread(server.stop) == 0, server.errors
    finally:
        server.close()
    assert len(workers) == 2
    assert not [arguments for arguments in workers.values() if b"se53cret" in arguments]
    assert "se53cret" not in server.errors


async def test_with_a_long_path_for_temporary_files_the_figures_are_those_of_all(
    valkey_url: str, tmp_path: Path
) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    server = ServerProcess("--redis", valkey_url, "--workers", "2", environment={"TMPDIR": str(deep)}).start()
    try:
        assert set((await scrape(server.port)).by("crescent_connections", "worker")) == {"0", "1"}
        assert await asyncio.to_thread(server.stop) == 0, server.errors
    finally:
        server.close()


async def test_a_worker_that_does_not_leave_is_killed_and_that_is_told() -> None:
    stays = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(600)"
    ended = asyncio.Event()
    keeper = Keeper([sys.executable, "-c", stays], ended, os.environ, patience_s=0.1)
    with structlog.testing.capture_logs() as logs:
        task = asyncio.create_task(keeper.run())
        async with asyncio.timeout(PATIENCE_S):
            await keeper.first_ready
            ended.set()
            await task
    (line,) = logs
    assert (line["event"], line["log_level"], line["after_s"]) == ("worker killed", "error", 0.1)


def test_nobody_is_killed_who_still_shakes_hands_or_writes() -> None:
    last_writes_s = 6
    assert Limits().close_seconds + last_writes_s < ENDING_S, "and the drain comes before"
