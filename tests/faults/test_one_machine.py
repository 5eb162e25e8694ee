"""`--workers` on the embedded store, all on one machine: its parts are killed with -9 under load, and the
parent starts them again."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.conftest import Finish
from tests.faults.load import Load
from tests.support.server import ServerProcess

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc to find the workers"),
]

SEED = 4
KILLS = 8


def a_worker(server: ServerProcess, data: Path, chance: random.Random) -> int:
    assert server.process is not None
    parent = server.process.pid
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    workers = [pid for pid in children if b"--worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return int(chance.choice(workers))


def its_store(server: ServerProcess, data: Path, chance: random.Random) -> int | None:
    """None while it is being started."""
    pid: int | None = json.loads((data / "valkey.pid").read_text())["pid"]
    return pid


@pytest.mark.parametrize(("name", "victim"), [("a worker", a_worker), ("the embedded store", its_store)])
async def test_what_is_killed_is_started_again(
    tmp_path: Path, finish: Finish, name: str, victim: Callable[..., int]
) -> None:
    chance, data = random.Random(SEED), tmp_path / "data"
    server = ServerProcess("--data", str(data), "--workers", "3")
    await asyncio.to_thread(server.start)
    store_url = f"unix://{data / 'valkey.sock'}"
    try:
        async with Load(lambda: [server.url], rooms=3, seed=SEED) as load:
            back_after_s, killed = 0.0, 0
            for _ in range(KILLS):
                await asyncio.sleep(chance.uniform(0.3, 1.5))  # the random moment
                async with asyncio.timeout(20):
                    while (pid := victim(server, data, chance)) is None or pid == killed:  # noqa: ASYNC110
                        await asyncio.sleep(0.02)
                killed = pid
                os.kill(killed, signal.SIGKILL)
                back_after_s = max(back_after_s, await load.progressed())
                assert (await load.count(store_url))[1:] == (0, 0)
            await finish(
                f"{name} of one machine killed", load, store_url, times=KILLS, back_after_s=back_after_s
            )
    finally:
        # Not killed: its workers and its store would be left.
        code = await asyncio.to_thread(server.stop)
    assert code == 0, server.errors
