"""Nodes are told to leave under load and others take over, of the same version and of another."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress

import pytest
from websockets.exceptions import InvalidHandshake

from tests.faults.conftest import Finish
from tests.faults.load import Load
from tests.faults.nodes import Nodes
from tests.support.peer import Peer
from tests.support.valkey import ValkeyProcess
from tests.support.web import fetch

NEWER = ("-m", "tests.faults.newer_node")
ONLOOKERS = 8
NODE_LEAVING, SAID_GOODBYE = 1012, 1000


async def leave(nodes: Nodes, index: int, drain_s: float) -> None:
    """Tell a node to leave, and see how it does: it takes nobody any more, sends away who is there bit by
    bit, and ends with 0."""
    url = nodes[index].url
    onlookers = [await Peer.hello(url) for _ in range(ONLOOKERS)]
    sent_away = [asyncio.create_task(moment_of_end(peer)) for peer in onlookers]
    began = time.monotonic()
    leaving = asyncio.create_task(nodes.stop(index))
    while await takes(url):  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.01)
    assert not all(task.done() for task in sent_away), "refused while it still has connections"
    moments = sorted(await asyncio.gather(*sent_away))
    await leaving
    assert not await takes(url)
    assert {peer.closed and peer.closed[0] for peer in onlookers} == {NODE_LEAVING}
    gaps = [after - before for before, after in zip([began, *moments[:-1]], moments, strict=True)]
    assert moments[-1] - moments[0] > drain_s / 2, "spread, not all at once"
    assert max(gaps) < moments[-1] - began - drain_s / 2, "spread evenly, not in two heaps"


async def moment_of_end(peer: Peer) -> float:
    await peer.wait_closed()
    return time.monotonic()


async def takes(url: str) -> bool:
    """Whether a node takes another connection."""
    with suppress(ConnectionError, InvalidHandshake):
        peer = await Peer.open(url)
        await peer.close()
        return True
    return False


@pytest.mark.faults
async def test_every_node_is_replaced_under_load(valkey: ValkeyProcess, finish: Finish) -> None:
    drain_s, rounds = 3.0, 2
    async with (
        Nodes(valkey.url, 3, "--drain", str(drain_s)) as nodes,
        Load(lambda: nodes.urls, rooms=3, seed=1) as load,
    ):
        for index in [0, 1, 2] * rounds:
            await leave(nodes, index, drain_s)
            await nodes.start(index)
        back_after_s = await load.progressed()
        assert {code for racer in load.racers for _, code in racer.lines_lost} == {NODE_LEAVING}
        await finish("a node replaced", load, valkey.url, times=3 * rounds, back_after_s=back_after_s)


async def test_old_nodes_are_replaced_by_newer_ones_under_load(valkey: ValkeyProcess, finish: Finish) -> None:
    drain_s = 2.0
    async with (
        Nodes(valkey.url, 2, "--drain", str(drain_s)) as old,
        Nodes(valkey.url, 1, program=NEWER) as new,
    ):
        urls = [*old.urls]
        async with Load(lambda: urls, racers=2, seed=2) as load:
            urls.append(new[0].url)
            # Somebody comes into one room through the newer node: the older ones have no part in it any more,
            # while in the other room both go on, till those who are sent away come to the newer.
            async with await Peer.hello(new[0].url) as peer:
                await peer.enter(load.rooms[0][0].room, "Eve", as_="spectator")
            back_after_s = await load.progressed()
            # Some also came to an older one again, and were told that it cannot.
            assert NODE_LEAVING in (codes := {code for r in load.rooms[0] for _, code in r.lines_lost})
            assert codes <= {NODE_LEAVING, SAID_GOODBYE}
            for index in range(2):
                await leave(old, index, drain_s)
                urls.remove(old[index].url)
                assert "this reads 1" in old[index].errors
            back_after_s = max(back_after_s, await load.progressed())
            await finish("a node replaced by a newer", load, valkey.url, times=2, back_after_s=back_after_s)


async def test_going_back_to_an_older_version_is_refused_in_words(
    valkey: ValkeyProcess, finish: Finish
) -> None:
    async with Nodes(valkey.url, 1, program=NEWER) as new, Nodes(valkey.url, 1) as old:
        urls = [*new.urls]
        async with Load(lambda: urls, rooms=1, seed=3) as load:
            urls[:] = old.urls
            await new.stop(0)
            racer = load.racers[0]
            async with await Peer.hello(old[0].url, token=racer.token) as peer:
                answer = await peer.ask("enter", room=racer.room)
                assert (answer["t"], answer["code"]) == ("error", "wrong_state")
                assert "newer version" in answer["text"]
                await peer.create()  # everything else is served
            page = await fetch(old[0].port, f"/api/rooms/{racer.room}")
            assert (page.status, b"newer version" in page.body) == (503, True)
            assert (await fetch(old[0].port, "/readyz")).status == 200
            urls[:] = new.urls
            await new.start(0)
            back_after_s = await load.progressed()
            await finish("an older version tried", load, valkey.url, times=1, back_after_s=back_after_s)
    lines = [json.loads(line) for line in old[0].errors.splitlines()]
    assert any("format 2, this reads 1" in line.get("error", "") for line in lines)
