"""A store whose disk is slow is killed with -9: what was acknowledged had been written by then."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from redis.asyncio import Redis

from tests.faults.breaking import scene, store_killed
from tests.faults.conftest import Finish
from tests.faults.load import PATIENCE_S, Load
from tests.support.slow_disk import slow_disk, why_not

pytestmark = [pytest.mark.faults, pytest.mark.skipif(bool(why_not()), reason=why_not())]

SEED = 8
FSYNC_MS = 40
STUCK_MS = 800
KILLS = 8


async def test_a_store_on_a_slow_disk_is_killed(tmp_path: Path, finish: Finish) -> None:
    async with scene(3, seed=SEED) as there, Load(lambda: there.nodes.urls, rooms=3, seed=SEED) as load:
        there.valkey.environment = slow_disk(tmp_path, FSYNC_MS)
        await asyncio.to_thread(there.valkey.restart)
        back_after_s = 0.0
        for _ in range(KILLS):
            async with store_killed(there):
                back_after_s = max(back_after_s, await load.progressed())
                assert (await load.count(there.valkey.url))[1:] == (0, 0)
        there.valkey.environment = {}
        await asyncio.to_thread(there.valkey.restart)
        waits = sorted(wait for racer in load.racers for _, wait in racer.waits)
        assert waits[len(waits) // 2] > FSYNC_MS / 2000, "the disk was not slow"
        name = f"the store killed, its fsync {FSYNC_MS} ms late"
        await finish(name, load, there.valkey.url, times=KILLS, back_after_s=back_after_s)


async def holds_back(client: Redis) -> bool:
    """Whether there is something it has not yet written to its file."""
    return bool((await client.info("persistence"))["aof_buffer_length"])


async def test_the_count_finds_what_everysec_loses(tmp_path: Path, tell: Callable[..., None]) -> None:
    """The same with `appendfsync everysec`, which puts writes off while an fsync is under way. Were nothing
    counted as lost here, the other tests would count nothing either."""
    calm = scene(3, seed=SEED, appendfsync="everysec")
    async with calm as there, Load(lambda: there.nodes.urls, rooms=3, seed=SEED) as load:
        there.valkey.environment = slow_disk(tmp_path, STUCK_MS)
        await asyncio.to_thread(there.valkey.restart)
        began, kills, lost = time.time(), 0, 0
        while not lost:  # at the first kill, but for one that meets the end of an fsync
            async with asyncio.timeout(PATIENCE_S), there.valkey.client() as client:
                while not await holds_back(client):  # noqa: ASYNC110 - another process
                    await asyncio.sleep(0.05)
            there.valkey.kill()
            await asyncio.to_thread(there.valkey.start)
            kills += 1
            count = await load.count(there.valkey.url)
            lost = count.lost
            assert lost or kills < KILLS
        load.end()
    tell(
        "What the count finds where something is lost",
        fault=f"everysec, an fsync {STUCK_MS} ms late, the store killed",
        times=kills,
        **count._asdict(),
        **load.since(began)._asdict(),
    )
