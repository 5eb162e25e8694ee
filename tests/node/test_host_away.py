"""Who follows a host that is away, on nodes whose minute is half a second."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from server.node import room_writer
from tests.support.nodes import node_on
from tests.support.peer import Peer
from tests.support.races import gather_room

ABSENCE_MS = 500


@pytest.fixture
async def nodes(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[str, str]]:
    """Two nodes on one store."""
    monkeypatch.setattr(room_writer, "HOST_ABSENCE_MS", ABSENCE_MS)
    async with node_on(valkey_url) as one, node_on(valkey_url) as other:
        yield one, other


async def test_a_host_whose_line_is_gone_is_followed_by_the_longest_present_player(nodes) -> None:
    one, other = nodes
    async with (
        await Peer.hello(one) as host,
        await Peer.hello(other) as bob,
        await Peer.hello(one, "json") as cid,
        await Peer.hello(other) as eve,
    ):
        room = await gather_room(host)
        await eve.enter(room, "Eve", as_="spectator")
        await bob.enter(room, "B")
        await cid.enter(room, "C")
        now = (await cid.ask("clock", sent=1))["now"]
        host.abort()
        for peer in (bob, cid, eve):
            event = await peer.next("event", kind="host")
            assert (event["player"], event["name"], event.get("by")) == (bob.player, "B", None)
            assert event["at"] >= now + ABSENCE_MS - 20
        assert (await bob.ask("start"))["t"] == "ok"
        assert len([e for e in eve.all("event") if e["kind"] == "host"]) == 1, "once, on whichever node"
        back = await Peer.hello(other, token=host.token)
        async with back:
            shown = await back.ask("enter", room=room)
            assert (shown["host"], shown["you"]) == (bob.player, ["player"])
            assert (await back.ask("manage", action="close"))["code"] == "not_host"


async def test_a_referee_follows_before_a_longer_present_player(nodes) -> None:
    one, other = nodes
    async with (
        await Peer.hello(one) as host,
        await Peer.hello(other) as bob,
        await Peer.hello(other) as ref,
    ):
        room = await gather_room(host, [bob])
        await ref.enter(room, "Ref", as_="spectator")
        await host.ask("manage", action="referee", player=ref.player, on=True)
        host.abort()
        assert (await bob.next("event", kind="host"))["player"] == ref.player


async def test_a_host_who_comes_back_in_time_stays_the_host(nodes) -> None:
    one, other = nodes
    async with await Peer.hello(one) as host, await Peer.hello(other) as bob:
        room = await gather_room(host, [bob])
        host.abort()
        await bob.next("presence", player=host.player, online=False)
        async with await Peer.hello(other, token=host.token) as back:
            await back.ask("enter", room=room)
            await bob.next("presence", player=host.player, online=True)
            await asyncio.sleep(1.5 * ABSENCE_MS / 1000)  # the time in which it would happen
            shown = await bob.ask("enter", room=room)
            assert shown["host"] == host.player


async def test_a_room_that_nobody_can_follow_in_waits_in_peace_for_a_player(
    nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    write = room_writer.RoomWriter._write

    async def counted(writer: room_writer.RoomWriter) -> bool:
        nonlocal looks
        looks += 1
        return await write(writer)

    one, other = nodes
    async with await Peer.hello(one) as host, await Peer.hello(other) as eve:
        room = await gather_room(host)
        await eve.enter(room, "Eve", as_="spectator")
        host.abort()
        await eve.next("presence", player=host.player, online=False)
        await asyncio.sleep(1.2 * ABSENCE_MS / 1000)
        monkeypatch.setattr(room_writer.RoomWriter, "_write", counted)
        await asyncio.sleep(0.5)
        assert looks < 20, "it looks again and again though nothing can come of it"
        async with await Peer.hello(other) as bob:
            await bob.enter(room, "B")
            assert (await bob.next("event", kind="host"))["player"] == bob.player
