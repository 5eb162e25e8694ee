"""Races over a real cluster: connections killed, slots moved and primaries killed under load."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable

import pytest
from redis.crc import key_slot

from server.store import keys
from tests.faults.load import Count, Load, Racer, Survivor
from tests.faults.nodes import Nodes
from tests.support.cluster import ClusterNode, ClusterProcess, move_slot

Tell = Callable[..., None]
ROOMS = 8
PACE_S = 0.15
TURNS = 2
BEHIND_S = 1.0  # so long a replica hears nothing of its primary before that is killed


@pytest.fixture
async def nodes(cluster: ClusterProcess) -> AsyncIterator[Nodes]:
    async with Nodes(cluster.url, 2) as nodes:
        yield nodes


def row(tell: Tell, fault: str, load: Load, count: Count, **more: object) -> None:
    tell("A cluster", fault=fault, **more, **count._asdict(), **load.since(0)._asdict())


def survived(
    tell: Tell, fault: str, load: Load, count: Count, wait_replicas: int, back_s: float, elsewhere_s: float
) -> None:
    """The row of a failover, of which `Survivor`s tell what it lost."""
    row(
        tell,
        fault,
        load,
        count._replace(lost=load.survived),
        wait_replicas=wait_replicas,
        back_after_s=back_s,
        elsewhere_s=elsewhere_s,
    )
    assert (count.lost, count.doubled) == (0, 0)  # whatever was lost, all agree on what is there
    if wait_replicas:
        assert load.survived == 0


async def test_whole_races_also_when_all_connections_are_killed(
    cluster: ClusterProcess, nodes: Nodes, tell: Tell
) -> None:
    async with Load(lambda: nodes.urls, rooms=ROOMS, racers=2, pace_s=PACE_S) as load:
        killed = 0
        for _ in range(3):
            killed += await cluster.kill_connections()
            await load.progressed()
        count = await load.finish(cluster.url)
    row(tell, "connections killed", load, count, times=killed)
    assert killed > 3 * 6
    assert (count.lost, count.doubled) == (0, 0)


@pytest.mark.faults
async def test_slots_are_moved_with_their_keys_under_load(
    cluster: ClusterProcess, nodes: Nodes, tell: Tell
) -> None:
    async with Load(lambda: nodes.urls, rooms=ROOMS, racers=2, pace_s=PACE_S) as load:
        slots = {key_slot(keys.head(room[0].room).encode()) for room in load.rooms}
        moved = 0
        for turn in range(TURNS):
            for slot in slots:
                source = await cluster.owner(slot)
                others = [node for node in await cluster.primaries() if node is not source]
                moved += await move_slot(slot, source, others[turn % 2], pause_s=0.02, at_once=1)
            await load.progressed()
        await cluster.until_whole()
        count = await load.finish(cluster.url)
    row(tell, "slots moved", load, count, times=TURNS * len(slots), keys=moved)
    assert moved >= TURNS * ROOMS * 4  # of each room its head and three logs
    assert (count.lost, count.doubled) == (0, 0)


async def of_one_primary(cluster: ClusterProcess, load: Load) -> tuple[ClusterNode, list[list[Racer]]]:
    """A primary that has rooms of these, and the rooms that others have."""
    owners = [await cluster.owner(key_slot(keys.head(room[0].room).encode())) for room in load.rooms]
    return owners[0], [room for room, owner in zip(load.rooms, owners, strict=True) if owner is not owners[0]]


async def fall_behind(primary: ClusterNode, replicas: list[ClusterNode]) -> None:
    """Have nothing reach these replicas any more, also nothing that is on its way."""
    for replica in replicas:
        os.kill(replica.pid, signal.SIGSTOP)
    await primary.ask("CLIENT", "KILL", "TYPE", "replica")


@pytest.mark.faults
@pytest.mark.parametrize("wait_replicas", [0, 1])
@pytest.mark.parametrize("is_behind", [False, True])
async def test_a_primary_is_killed_under_load(
    cluster: ClusterProcess,
    tell: Tell,
    wait_replicas: int,
    is_behind: bool,
) -> None:
    async with Nodes(cluster.url, 2, "--wait-replicas", str(wait_replicas)) as nodes:
        async with Load(lambda: nodes.urls, rooms=ROOMS, racers=2, pace_s=PACE_S, racer=Survivor) as load:
            primary, elsewhere = await of_one_primary(cluster, load)
            replicas = await cluster.replicas(primary)
            if is_behind:
                await fall_behind(primary, replicas)
                await asyncio.sleep(BEHIND_S)
            primary.kill()
            if is_behind:
                for replica in replicas:
                    os.kill(replica.pid, signal.SIGCONT)
            going_on = asyncio.create_task(load.progressed())
            await cluster.until_promoted(replicas)
            primary.start()  # as a replica, for it has been replaced
            back_s = await going_on
            elsewhere_s = load.longest_wait_s(*elsewhere)
            count = await load.finish(cluster.url)
        await cluster.until_whole()
    how = "a primary killed" + (", its replica behind" if is_behind else "")
    survived(tell, how, load, count, wait_replicas, back_s, elsewhere_s)
    assert elsewhere_s < back_s  # nobody waits for a server that their room is not on
    if is_behind and not wait_replicas:
        assert load.survived > 0  # or this test shows nothing
