"""Each fault under load: shortly, one after the other, and long, many times in races of its own."""

from __future__ import annotations

import time

import pytest

from tests.faults.breaking import (
    Fault,
    link_cut,
    link_silent,
    link_slow,
    link_too_slow,
    node_killed,
    scene,
    store_killed,
    store_stopped,
)
from tests.faults.conftest import Finish, Row
from tests.faults.load import Load

SEED = 20

SHORT: dict[str, Fault] = {
    "a node killed": node_killed,
    "the store killed": store_killed,
    "the store stopped for 2 s": store_stopped(2),
    "the link to the store cut for 0.5 s": link_cut(0.5),
    "the link late by 0.1 s each way": link_slow(0.1),
    "the link half-open": link_silent(0.5),
}

LONG: list[tuple[str, Fault, int]] = [
    ("a node killed", node_killed, 12),
    ("the store killed", store_killed, 12),
    ("the store stopped for 2 s", store_stopped(2), 3),
    ("the store stopped for 30 s", store_stopped(30), 1),
    ("the link to the store cut for 0.5 s", link_cut(0.5), 6),
    ("the link cut for 10 s", link_cut(10), 1),
    ("the link late by 0.5 s each way", link_slow(0.5), 3),
    ("the link later than is waited for, for 8 s", link_too_slow(1.2, 8), 1),
    ("the link half-open", link_silent(0.5), 3),
    ("the link half-open, new ones too for 10 s", link_silent(10), 1),
]


async def test_each_fault_shortly(row: Row, finish: Finish) -> None:
    async with scene(3, seed=SEED) as there, Load(lambda: there.nodes.urls, seed=SEED) as load:
        for name, fault in SHORT.items():
            began = time.time()
            async with fault(there):
                back_after_s = await load.progressed()
                count = await load.count(there.valkey.url)
            row(name, count, load.since(began), times=1, back_after_s=back_after_s)
        await finish("all of these", load, there.valkey.url, times=len(SHORT))


@pytest.mark.faults
@pytest.mark.parametrize(("name", "fault", "times"), LONG, ids=[name for name, _, _ in LONG])
async def test_a_fault_again_and_again(finish: Finish, name: str, fault: Fault, times: int) -> None:
    async with (
        scene(3, seed=SEED) as there,
        Load(lambda: there.nodes.urls, rooms=3, pace_s=0.03, seed=SEED) as load,
    ):
        back_after_s = 0.0
        for _ in range(times):
            async with fault(there):
                back_after_s = max(back_after_s, await load.progressed())
                assert (await load.count(there.valkey.url))[1:] == (0, 0)
        await finish(name, load, there.valkey.url, times=times, back_after_s=back_after_s)
