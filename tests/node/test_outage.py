"""The store away: nothing is acknowledged that is not stored, and what it was is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.support.peer import Peer
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess


@pytest.fixture
def valkey() -> Iterator[ValkeyProcess]:
    with ValkeyProcess() as valkey:
        yield valkey


@pytest.fixture
async def node(valkey: ValkeyProcess) -> AsyncIterator[ServerProcess]:
    node = ServerProcess("--redis", valkey.url).start()
    try:
        yield node
        assert await asyncio.to_thread(node.stop) == 0, node.errors
    finally:
        node.kill()


async def racing(node: ServerProcess) -> tuple[Peer, str]:
    """A player alone in a race that is on."""
    peer = await Peer.hello(node.url)
    room = await peer.create(min_players=1, start="ready", countdown_ms=0, deal="CR1-N-AAAAAAB")
    await peer.enter(room, "Ann")
    await peer.ask("ready", ready=True)
    await peer.next("game")
    return peer, room


async def test_a_short_absence_is_waited_for_and_nothing_is_played_twice(valkey, node):
    peer, room = await racing(node)
    valkey.pause()
    answer = asyncio.create_task(peer.op(1, "r"))
    await asyncio.sleep(1.0)  # the absence itself
    assert not answer.done()
    valkey.resume()
    assert (await answer)["t"] == "done"
    assert (await peer.op(1, "r"))["t"] == "done"  # a repeat: the same answer, not a second redeal
    again = await Peer.hello(node.url, token=peer.token)
    await again.ask("enter", room=room)
    game = await again.next("game")
    assert (game["n"], game["redeals"]) == (1, 2)
    await again.close()
    await peer.close()


async def test_a_long_absence_is_told_as_what_it_is_and_healed_from(valkey, node):
    peer, room = await racing(node)
    assert (await peer.op(1, "r"))["t"] == "done"
    valkey.pause()
    await peer.send(t="op", id=77, n=2, op="r")
    error = await peer.next("error", code="store_unavailable")
    assert (error["id"], error["n"]) == (77, 2)
    assert (await peer.wait_closed())[0] == 1013
    valkey.resume()
    again = await Peer.hello(node.url, token=peer.token)
    await again.ask("enter", room=room)
    game = await again.next("game")
    assert game["n"] in (1, 2)  # it was not known; the log says
    assert (await again.op(2, "r"))["t"] == "done"  # sent again: stored now, or the same answer
    assert (await again.op(3, "r"))["redeals"] == 0
    await again.close()


async def test_a_store_that_is_killed_and_started_again_has_all_that_was_acknowledged(valkey, node):
    peer, room = await racing(node)
    acknowledged = 0
    for n in range(1, 4):
        assert (await peer.op(n, "r"))["t"] == "done"
        acknowledged = n
    valkey.kill()
    valkey.start()
    again = await Peer.hello(node.url, token=peer.token)
    await again.ask("enter", room=room)
    assert (await again.next("game"))["n"] == acknowledged
    await again.close()
    await peer.close()


async def test_reading_is_paused_while_the_store_is_away_and_nothing_sent_is_lost(valkey, node):
    peer, _ = await racing(node)
    valkey.pause()
    total = 600
    sender = asyncio.create_task(send_all(peer, total))
    await asyncio.sleep(0.5)  # the absence itself
    valkey.resume()
    await sender
    for n in range(1, total + 1):
        answer = await peer.next("refused", n=n) if n > 3 else await peer.next("done", n=n)
        assert answer["n"] == n
        if n == 4:
            assert answer["code"] == "no_redeals"
    await peer.close()


async def send_all(peer: Peer, total: int) -> None:
    for n in range(1, total + 1):
        await peer.send(t="op", n=n, op="r")
