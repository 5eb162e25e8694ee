"""Who is online, as one is told it: by `room`, by `presence` and by the rows of a board, which must agree."""

from __future__ import annotations

from typing import Any

import pytest

from server.node.hub import Hub
from tests.support.nodes import node_on
from tests.support.peer import Peer
from tests.support.races import start_race

LATE_MS = 15_000  # longer than a lease lives

Map = dict[str, Any]


def online_in(room: Map) -> dict[str, bool]:
    return {person["name"]: person["online"] for person in room["players"]}


async def test_who_comes_while_others_seem_to_be_away_is_told_when_they_are_not(
    valkey_url: str, clocks: list[Any]
) -> None:
    """As after a pause of the store, when leases look as if they had run out, and nobody was told so yet."""
    async with (
        node_on(valkey_url) as here,
        node_on(valkey_url) as there,
        await Peer.hello(here) as ann,
        await Peer.hello(there) as bob,
        await Peer.hello(here) as eve,
    ):
        room = await start_race(ann, bob)
        await ann.first("presence", player=bob.player, online=True)
        clocks[0].wrong_ms = LATE_MS
        shown = await eve.enter(room, "Eve", as_="spectator")
        clocks[0].wrong_ms = 0
        assert online_in(shown) == {"A": True, "B": False, "Eve": True}
        await eve.next("presence", player=bob.player, online=True)
        await ann.next("presence", player=bob.player, online=False)  # who was here is told the same
        await ann.next("presence", player=bob.player, online=True)


async def test_a_board_shows_nobody_online_whose_going_was_told_and_not_heard(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = Hub._heard_of_room

    def deaf_to_presence(hub: Hub, room_id: str, message: bytes) -> None:
        if b"\xa4seen" not in message[:6]:
            heard(hub, room_id, message)

    async with node_on(valkey_url) as here, node_on(valkey_url) as there, await Peer.hello(here) as ann:
        bob = await Peer.hello(there)
        room = await start_race(ann, bob)
        await ann.first("presence", player=bob.player, online=True)
        since = (await ann.ask("enter", room=room))["board"]["seq"]
        monkeypatch.setattr(Hub, "_heard_of_room", deaf_to_presence)
        await bob.close()
        board = await ann.next("board", where=lambda board: board["seq"] > since)
        assert {row["name"]: row["online"] for row in board["rows"]} == {"A": True, "B": False}
        await ann.first("presence", player=bob.player, online=False)
