"""What tests of races do again and again: get a room going, play in it, and look at what came."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.support.golden import Action
from tests.support.peer import Peer
from tests.support.table import Table

Map = dict[str, Any]
OWN = ("id", "ms", "start_at")  # fields that a fold of the actions does not know


def request(n: int, action: Action) -> Map:
    """The action as a client asks for it."""
    fields: Map = {"t": "op", "n": n, "op": action.op}
    return fields | ({"src": action.src, "dst": action.dst} if action.op == "m" else {})


async def gather_room(host: Peer, others: Iterable[Peer] = (), **options: Any) -> str:
    """A room of the host and the others, all with seats, named A, B, C …"""
    room = await host.create(**{"min_players": 1, "countdown_ms": 0, **options})
    for letter, peer in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", [host, *others], strict=False):
        await peer.enter(room, letter)
    return room


async def start_race(host: Peer, *others: Peer, **options: Any) -> str:
    """The same, and the race is on: everyone has their game."""
    room = await gather_room(host, others, **options)
    assert (await host.ask("start"))["t"] == "ok"
    for peer in (host, *others):
        game = await peer.next("game")
        assert game["n"] == 0
    return room


async def play(peer: Peer, actions: Iterable[Action], first: int = 1) -> list[Map]:
    """Play actions from the `first` on, none waiting for another; their answers."""
    return await peer.pipeline([request(n, action) for n, action in enumerate(actions, start=first)])


async def play_well(peer: Peer, actions: Iterable[Action], first: int = 1) -> list[Map]:
    """The same; all must be done."""
    answers = await play(peer, actions, first)
    assert all(answer["t"] == "done" for answer in answers), answers
    return answers


def told(code: str, actions: Iterable[Action], **options: Any) -> Table:
    """The table after these actions."""
    table = Table(code, **options)
    for action in actions:
        table.play(action.op, action.src, action.place)
    return table


def bare(message: Map, *more: str) -> Map:
    """A message without what differs from one telling to the next."""
    return {name: value for name, value in message.items() if name not in (*OWN, *more)}


async def game_on_entering(peer: Peer, room: str, **fields: Any) -> Map:
    """Come (back) into a room: the game that is told then."""
    answer = await peer.ask("enter", room=room, **fields)
    assert answer["t"] == "room", answer
    return await peer.next("game")


def events(peer: Peer) -> dict[int, Map]:
    """All events that came, by `v`; none came twice."""
    found = peer.all("event")
    assert len({event["v"] for event in found}) == len(found)
    return {event["v"]: event for event in found}
