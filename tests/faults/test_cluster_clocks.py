"""A cluster whose servers' clocks are minutes apart: races by each of them, and a failover to an earlier."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from redis.crc import key_slot

from server.store import keys
from server.store.opening import open_store
from tests.faults.load import CLOCK_MS, Acknowledged, Load, Survivor
from tests.faults.nodes import Nodes
from tests.faults.test_cluster import PACE_S, of_one_primary, survived
from tests.support.cluster import PRIMARIES, SLOTS, ClusterProcess
from tests.support.wrong_clock import WrongClock, why_not

pytestmark = [pytest.mark.faults, pytest.mark.skipif(bool(why_not()), reason=why_not())]

ROOMS = 12
AHEAD_MS = (0, 240_000, -420_000)  # each primary's clock, and its replica's before it takes over
BACK_MS = 300_000


class Elsewhen(Survivor):
    """One whose room has a clock of its own; and after a failover an earlier one: it stands still."""

    set_back: ClassVar[set[int]] = set()  # servers that were replaced by one with an earlier clock

    @property
    def server(self) -> int:
        """Which of the primaries, as they are at first, has their room."""
        slot = key_slot(keys.head(self.room).encode())
        return next(part for part in range(PRIMARIES) if slot < SLOTS * (part + 1) // PRIMARIES)

    def _is_in_time(self, sent_at: float, done: Acknowledged, now: float) -> bool:
        ahead_ms = AHEAD_MS[self.server]
        least_ms = sent_at * 1000 + ahead_ms - CLOCK_MS - self.start_at
        if self.server in self.set_back:
            least_ms = self.done[-1].ms if self.done else 0
        return max(least_ms, 0) <= done.ms <= now * 1000 + ahead_ms + CLOCK_MS - self.start_at


@pytest.fixture
def clocks(tmp_path: Path) -> list[WrongClock]:
    return [WrongClock(tmp_path / str(number)) for number in range(2 * PRIMARIES)]


@pytest.fixture
def cluster(clocks: list[WrongClock]) -> Iterator[ClusterProcess]:
    cluster = ClusterProcess()
    for node, clock, ahead_ms in zip(cluster.nodes, clocks, AHEAD_MS * 2, strict=True):
        node.environment = clock.environment
        clock.set_ms(ahead_ms)
    with cluster:
        yield cluster


async def test_races_go_by_the_clock_of_their_server_and_on_by_an_earlier_one(
    cluster: ClusterProcess,
    clocks: list[WrongClock],
    tell: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Elsewhen, "set_back", set())
    store, warnings = await open_store(cluster.url)
    await store.close()
    (warning,) = warnings
    assert "is 660 s ahead of" in warning
    async with (
        Nodes(cluster.url, 2) as nodes,
        Load(lambda: nodes.urls, rooms=ROOMS, racers=2, pace_s=PACE_S, racer=Elsewhen) as load,
    ):
        primary, elsewhere = await of_one_primary(cluster, load)
        (replica,) = await cluster.replicas(primary)
        number = cluster.nodes.index(primary)
        clocks[cluster.nodes.index(replica)].set_ms(AHEAD_MS[number] - BACK_MS)
        Elsewhen.set_back.add(number)
        primary.kill()
        going_on = asyncio.create_task(load.progressed())
        await cluster.until_promoted([replica])
        primary.start()
        back_s = await going_on
        elsewhere_s = load.longest_wait_s(*elsewhere)
        count = await load.finish(cluster.url)
    how = "a primary killed, and its replica's clock five minutes behind"
    survived(tell, how, load, count, 0, back_s, elsewhere_s)
    assert elsewhere_s < back_s
