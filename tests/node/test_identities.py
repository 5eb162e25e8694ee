"""An identity comes before the seat: no seat is left whose owner nobody can be."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from protocol import messages as wire
from server.node.requests import HANDLERS
from server.store.store import Store
from tests.support.nodes import node_on
from tests.support.peer import Peer


class Held:
    """The storing of an identity that has never been stored, held till it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.let_go, self.over = asyncio.Event(), asyncio.Event(), asyncio.Event()
        save = Store.save_identity

        async def held(store: Store, token_hash: str, player: str, name: str) -> Any:
            self.begun.set()
            await self.let_go.wait()
            return await save(store, token_hash, player, name)

        monkeypatch.setattr(Store, "save_identity", held)
        for kind in (wire.Create, wire.Enter):
            monkeypatch.setitem(HANDLERS, kind, self._noted(HANDLERS[kind]))

    def _noted(self, handler: Any) -> Any:
        async def serve(session: Any, request: Any) -> None:
            try:
                await handler(session, request)
            finally:
                self.over.set()

        return serve


async def test_a_line_that_drops_while_one_comes_in_leaves_no_seat_that_nobody_can_come_back_to(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node_on(valkey_url) as here, node_on(valkey_url) as there, await Peer.hello(here) as host:
        room = await host.create()
        held = Held(monkeypatch)
        ann = await Peer.hello(here)
        await ann.send(**{"t": "enter", "room": room, "as": "player", "name": "Ann"})
        await held.begun.wait()
        ann.abort()
        again = await Peer.open(there)
        await again.send(t="hello", token=ann.token)
        assert (await again.wait_closed())[0] == 4401
        held.let_go.set()
        await held.over.wait()
        monkeypatch.undo()
        assert (await host.ask("enter", room=room))["players"] == []
        async with await Peer.hello(there) as anew:
            assert [person["name"] for person in (await anew.enter(room, "Ann"))["players"]] == ["Ann"]


async def test_who_was_stored_before_the_line_dropped_comes_back_to_the_seat(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node_on(valkey_url) as here, node_on(valkey_url) as there, await Peer.hello(here) as host:
        room = await host.create()
        held = Held(monkeypatch)
        held.let_go.set()
        ann = await Peer.hello(here)
        await ann.send(**{"t": "enter", "room": room, "as": "player", "name": "Ann"})
        await held.begun.wait()
        ann.abort()
        await held.over.wait()
        async with await Peer.hello(there, token=ann.token) as again:
            assert again.player == ann.player
            assert (await again.ask("enter", room=room))["you"] == ["player"]


async def test_a_room_is_not_made_for_who_was_told_that_nobody_has_their_token(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node_on(valkey_url) as url:
        held = Held(monkeypatch)
        async with await Peer.hello(url) as ann, await Peer.open(url) as again:
            await ann.send(t="create", options={"listed": True, "name": "Nobody's"})
            await held.begun.wait()
            await again.send(t="hello", token=ann.token)
            assert (await again.wait_closed())[0] == 4401
            held.let_go.set()
            assert (await ann.wait_closed())[0] == 4401, "the same is told to both"
        async with await Peer.hello(url) as eve:
            assert "Nobody's" not in [room["name"] for room in (await eve.ask("rooms"))["list"]]
