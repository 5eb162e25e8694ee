"""A node beside one of a newer version: it serves what it can read, and gives up the rest in words."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from server.store import keys
from server.store.items import Append, Verdict
from server.store.records import next_tip
from server.store.store import Store, connect
from tests.support.peer import Peer
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess
from tests.support.web import fetch

NEWER = b"\x02\x93new"


@pytest.fixture
async def shared() -> AsyncIterator[tuple[ServerProcess, Store]]:
    with ValkeyProcess() as valkey:
        node, store = ServerProcess("--redis", valkey.url).start(), Store(connect(valkey.url))
        try:
            yield node, store
            assert await asyncio.to_thread(node.stop) == 0, node.errors
        finally:
            node.kill()
            await store.close()


async def write_newer(store: Store, room: str, log: str, n: int, tip: str) -> None:
    """A record of the next format, as a node of a newer version stores it."""
    now_ms = time.monotonic() * 1000
    item = Append(room, log, n, tip, next_tip(tip, NEWER), NEWER, now_ms, ([], []), lambda *_: None)
    _, [answer] = await store.write([item], now_ms)
    assert answer.verdict == Verdict.STORED


async def racing(node: ServerProcess) -> tuple[Peer, str]:
    peer = await Peer.hello(node.url)
    room = await peer.create(min_players=1, start="ready", countdown_ms=0, listed=True)
    await peer.enter(room, "Ann")
    await peer.ask("ready", ready=True)
    await peer.next("game")
    return peer, room


async def test_a_room_event_of_a_newer_format_ends_that_room_on_this_node_alone(shared) -> None:
    node, store = shared
    (there, room), (here, other) = await racing(node), await racing(node)
    head, _ = await store.load_room(room)
    assert head is not None
    await write_newer(store, room, keys.ROOM_LOG, head.room.n + 1, head.room.tip)
    assert (await there.wait_closed())[0] == 1012, "another node can serve it"
    again = await Peer.hello(node.url, token=there.token)
    refused = await again.ask("enter", room=room)
    assert (refused["code"], refused["why"]) == ("wrong_state", "newer_version")
    assert [line["room"] for line in (await again.ask("rooms"))["list"]] == [other]
    assert (await here.op(1, "r"))["t"] == "done"
    # The looks at the store go on, or the node would not be ready for long.
    beats = [await beat_of(store, other, here.player)]
    async with asyncio.timeout(15):
        while len(set(beats)) < 3:
            await asyncio.sleep(0.2)
            beats.append(await beat_of(store, other, here.player))
    assert (await fetch(node.port, "/readyz")).status == 200
    for peer in (again, here):
        await peer.close()
    node.errors = ""


async def beat_of(store: Store, room: str, player: str) -> int:
    head, _ = await store.load_room(room)
    assert head is not None
    return head.seen[player].moment


async def test_an_action_of_a_newer_format_leaves_nobody_waiting(shared) -> None:
    node, store = shared
    peer, room = await racing(node)
    await write_newer(store, room, keys.game_log(peer.player), 1, "")
    await peer.send(t="op", id=900, n=1, op="r")
    assert (await peer.wait_closed())[0] == 1013
    again = await Peer.hello(node.url, token=peer.token)
    assert (await again.ask("enter", room=room))["code"] == "wrong_state"
    await again.close()
