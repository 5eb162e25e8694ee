"""A cluster whose parts do not reach one another: a primary that does not know that it was replaced, and one
that one of the nodes does not reach."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack

import pytest

from tests.faults.load import Load, Survivor
from tests.faults.nodes import Nodes
from tests.faults.test_cluster import PACE_S, ROOMS, of_one_primary, survived
from tests.support.cluster import ClusterNode, ClusterProcess
from tests.support.proxy import Proxy

Tell = Callable[..., None]
pytestmark = pytest.mark.faults

CUT_S = 10.0
DEAF_S = 2.5  # as long as a primary is sure to be one that misses all others
BEHIND_A_PROXY, IN_FRONT = "127.0.0.2", "::1"


async def until_replica(cluster: ClusterProcess, node: ClusterNode) -> None:
    """Wait until it knows that it was replaced."""

    async def knows(node: ClusterNode) -> bool:
        return await node.role() == "slave"

    await cluster.until_all(knows, [node])


@pytest.mark.parametrize("wait_replicas", [0, 1])
@pytest.mark.parametrize("woken_after_s", [0.0, 5.0])
async def test_a_primary_that_was_stopped_wakes_when_it_is_none_any_more(
    cluster: ClusterProcess, tell: Tell, wait_replicas: int, woken_after_s: float
) -> None:
    """What was sent to it meanwhile it does when it wakes, before it hears that another has its place."""
    async with (
        Nodes(cluster.url, 2, "--wait-replicas", str(wait_replicas)) as nodes,
        Load(lambda: nodes.urls, rooms=ROOMS, racers=2, pace_s=PACE_S, racer=Survivor) as load,
    ):
        primary, elsewhere = await of_one_primary(cluster, load)
        replicas = await cluster.replicas(primary)
        os.kill(primary.pid, signal.SIGSTOP)
        try:
            going_on = asyncio.create_task(load.progressed())
            await cluster.until_promoted(replicas)
            await asyncio.sleep(woken_after_s)
        finally:
            os.kill(primary.pid, signal.SIGCONT)
        await until_replica(cluster, primary)
        back_s = await going_on
        elsewhere_s = load.longest_wait_s(*elsewhere)
        await cluster.until_whole()
        count = await load.finish(cluster.url)
    how = f"a primary stopped, woken {woken_after_s:.0f} s after it was replaced"
    survived(tell, how, load, count, wait_replicas, back_s, elsewhere_s)
    assert elsewhere_s < back_s


@pytest.fixture
def cluster_of_its_own() -> Iterator[ClusterProcess]:
    """One that takes its time to agree again, and need not."""
    with ClusterProcess() as cluster:
        yield cluster


@pytest.mark.parametrize("wait_replicas", [0, 1])
async def test_a_primary_that_hears_no_other_is_replaced_while_nodes_still_reach_it(
    cluster_of_its_own: ClusterProcess, tell: Tell, wait_replicas: int
) -> None:
    """It goes on as a primary until it has missed the others for the node time-out, and all that is lost."""
    cluster = cluster_of_its_own
    async with (
        Nodes(cluster.url, 2, "--wait-replicas", str(wait_replicas)) as nodes,
        Load(lambda: nodes.urls, rooms=ROOMS, racers=2, pace_s=PACE_S, racer=Survivor) as load,
    ):
        primary, elsewhere = await of_one_primary(cluster, load)
        (replica,) = await cluster.replicas(primary)
        await primary.hear_others(False)
        try:
            # By itself a replica stands in only for a primary that is silent, and this one still speaks.
            await replica.ask("CLUSTER", "FAILOVER", "TAKEOVER")
            await asyncio.sleep(DEAF_S)
        finally:
            await primary.hear_others(True)
        await until_replica(cluster, primary)
        back_s = await load.progressed()
        elsewhere_s = load.longest_wait_s(*elsewhere)
        count = await load.finish(cluster.url)
    how = "a primary that hears no other replaced"
    survived(tell, how, load, count, wait_replicas, back_s, elsewhere_s)
    assert load.survived > 0 or wait_replicas


@pytest.mark.parametrize("silent", [False, True])
async def test_a_primary_that_one_node_does_not_reach(tell: Tell, silent: bool) -> None:
    """Who asks over IPv4 is told other addresses than who asks over IPv6: so one node goes over proxies."""
    async with AsyncExitStack() as stack:
        cluster = stack.enter_context(
            ClusterProcess(
                bind=("127.0.0.1", IN_FRONT),
                cluster_announce_client_ipv4=BEHIND_A_PROXY,
                cluster_announce_client_ipv6=IN_FRONT,
            )
        )
        port = cluster.nodes[0].port
        links = {
            node: await stack.enter_async_context(Proxy(("127.0.0.1", node.port), BEHIND_A_PROXY, node.port))
            for node in cluster.nodes
        }
        (there,) = (await stack.enter_async_context(Nodes(f"redis://[{IN_FRONT}]:{port}", 1))).all
        (here,) = (await stack.enter_async_context(Nodes(f"redis://{BEHIND_A_PROXY}:{port}", 1))).all
        load = await stack.enter_async_context(Load(lambda: [here.url], rooms=ROOMS, racers=2, pace_s=PACE_S))
        others = await stack.enter_async_context(
            Load(lambda: [there.url], rooms=ROOMS, racers=2, pace_s=PACE_S, seed=2)
        )
        primary, elsewhere = await of_one_primary(cluster, load)
        link = links[primary]
        assert link.links
        if silent:
            link.fall_silent()
        else:
            await link.close()
        await asyncio.sleep(CUT_S)  # the cut itself
        if silent:
            link.silent = False
        else:
            await link.open()
        back_s = await load.progressed()
        url = f"redis://[{IN_FRONT}]:{port}"
        waits_s = [
            load.since(0).longest_wait_s,
            load.longest_wait_s(*elsewhere),
            others.since(0).longest_wait_s,
        ]
        counts = [await one.finish(url) for one in (load, others)]
        tell(
            "A primary that one node does not reach for 10 s",
            link="silent" if silent else "cut",
            **counts[0]._asdict(),
            back_after_s=back_s,
            longest_wait_s=waits_s[0],
            in_rooms_elsewhere_s=waits_s[1],
            on_the_other_node_s=waits_s[2],
        )
    assert [count[1:] for count in counts] == [(0, 0)] * 2
    assert waits_s[0] > CUT_S / 2 > max(waits_s[1:])
