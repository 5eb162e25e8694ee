"""Races over a real cluster: connections killed, slots moved and primaries killed under load."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from redis.crc import key_slot

from server.store import keys
from tests.faults.load import Count, Load, Racer
from tests.faults.nodes import Nodes
from tests.support.cluster import ClusterNode, ClusterProcess, move_slot

Map = dict[str, Any]
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


class Survivor(Racer):
    """One who may be told that what was acknowledged is no more: it is counted, and they go on from there."""

    lost = 0
    peer: Any = None

    async def _race(self, peer: Any) -> None:
        self.peer = peer
        await super()._race(peer)

    def _heard(self, message: Map) -> None:
        if message["t"] == "game" and message["n"] < len(self.done):
            self.lost += len(self.done) - message["n"]
            del self.done[message["n"] :]
            self.peer.abort()  # and ask again from where the log is now
        elif message["t"] != "refused":
            super()._heard(message)


async def fall_behind(primary: ClusterNode, replicas: list[ClusterNode]) -> None:
    """Have nothing reach these replicas any more, also nothing that is on its way."""
    for replica in replicas:
        os.kill(replica.pid, signal.SIGSTOP)
    await primary.ask("CLIENT", "KILL", "TYPE", "replica")


async def longest_wait_elsewhere_s(cluster: ClusterProcess, load: Load, here: list[ClusterNode]) -> float:
    """The longest that anybody waited for an answer in a room that is on none of these servers."""
    waits: list[float] = []
    for room in load.rooms:
        if await cluster.owner(key_slot(keys.head(room[0].room).encode())) not in here:
            waits += [wait for racer in room for _, wait in racer.waits]
    return max(waits)


@pytest.mark.faults
@pytest.mark.parametrize("wait_replicas", [0, 1])
@pytest.mark.parametrize("is_behind", [False, True])
async def test_a_primary_is_killed_under_load(
    cluster: ClusterProcess,
    tell: Tell,
    wait_replicas: int,
    is_behind: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.faults.load.Racer", Survivor)
    async with Nodes(cluster.url, 2, "--wait-replicas", str(wait_replicas)) as nodes:
        async with Load(lambda: nodes.urls, rooms=ROOMS, racers=2, pace_s=PACE_S) as load:
            slot = key_slot(keys.head(load.rooms[0][0].room).encode())
            primary = await cluster.owner(slot)
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
            elsewhere_s = await longest_wait_elsewhere_s(cluster, load, replicas)
            count = await load.finish(cluster.url)
        await cluster.until_whole()
    lost = sum(racer.lost for racer in load.racers if isinstance(racer, Survivor))
    how = "a primary killed" + (", its replica behind" if is_behind else "")
    row(
        tell,
        how,
        load,
        count._replace(lost=lost),
        wait_replicas=wait_replicas,
        back_after_s=back_s,
        elsewhere_s=elsewhere_s,
    )
    assert (count.lost, count.doubled) == (0, 0)  # whatever was lost, all agree on what is there
    assert elsewhere_s < back_s  # nobody waits for a server that their room is not on
    if wait_replicas:
        assert lost == 0
    elif is_behind:
        assert lost > 0  # or this test shows nothing
