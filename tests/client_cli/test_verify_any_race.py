"""Races in which people do whatever comes to their mind: what the server has let happen must agree."""

from __future__ import annotations

import asyncio
import random
import urllib.request
from contextlib import suppress
from typing import Any

from websockets.exceptions import ConnectionClosed

from client_cli.verify import verify
from client_cli.verify_texts import finding_text
from tests.client_cli.race_logs import CODE, MOVES, Club
from tests.support.peer import Peer
from tests.support.races import request

RACES = 8
PEOPLE = 4
SETTINGS: list[dict[str, Any]] = [
    {"undo": False}, {"max_players": 4}, {"max_players": 8}, {"rank_by": "moves"}, {"start": "ready"},
    {"start": "own"}, {"start": "host"}, {"name": "Club"}, {"late": True}, {"after_win_ms": 1000},
]  # fmt: skip


def whim(rng: random.Random, others: list[Peer], seat: dict[str, Any]) -> dict[str, Any]:
    """Something that somebody might ask for, whether or not it is allowed."""
    other, on = rng.choice(others).player, rng.random() < 0.5
    about = {"t": "manage", "player": other}
    return rng.choice(
        [
            *[{"t": "ready", "ready": rng.random() < 0.7}] * 6,
            *[{"t": rng.choice(["start", "start", "hold"])}] * 2,
            *[{"t": rng.choice(["forfeit", "unforfeit"])}] * 2,
            {"t": "follow", "player": other},
            *[{**about, "action": rng.choice(["disqualify", "reinstate", "kick"])}] * 2,
            {**about, "action": rng.choice(["referee", "mute"]), "on": on},
            {**about, "action": "host"},
            *[{"t": "manage", "action": "set", "options": rng.choice(SETTINGS)}] * 2,
            {"t": "leave"},
            *[{"t": "enter", **seat, "as_": rng.choice(["player", "spectator"])}] * 2,
        ]
    )


async def live(peer: Peer, others: list[Peer], seat: dict[str, Any], rng: random.Random) -> None:
    """Do this and that, and play in between, until put out of the room."""
    played = 0
    with suppress(ConnectionError, ConnectionClosed):
        await peer.ask("enter", **seat)
        for _ in range(rng.randint(15, 40)):
            if rng.random() < 0.7:
                await peer.ask(**whim(rng, others, seat))
                continue
            some = MOVES[played : played + rng.choice([1, 5, 30, len(MOVES)])]
            answers = await peer.pipeline([request(n, a) for n, a in enumerate(some, start=played + 1)])
            played += sum(answer["t"] == "done" for answer in answers)


async def race(url: str, seed: int) -> str:
    """One of them, to its close."""
    club, rng = Club(url), random.Random(seed)
    peers = await club.meet(PEOPLE)
    room = await peers[0].create(min_players=1, countdown_ms=rng.choice([0, 100]), deal=CODE)
    seats = [{"room": room, "as_": "player", "name": f"N{number}"} for number in range(PEOPLE)]
    try:
        await asyncio.gather(
            *(
                live(peer, peers, seat, random.Random(rng.random()))
                for peer, seat in zip(peers, seats, strict=True)
            )
        )
        for peer in list(peers):
            again = await Peer.hello(url, token=peer.token)
            club.peers.append(again)
            with suppress(ConnectionError, ConnectionClosed):
                await again.ask("enter", room=room)
                await again.ask("manage", action="close")  # one of them hosts
    finally:
        await club.close()
    return room


async def test_what_has_happened_agrees(race_server: Any) -> None:
    rooms = await asyncio.gather(*(race(race_server.url, seed) for seed in range(RACES)))
    for room in rooms:
        page = f"{race_server.http}/api/rooms/{room}/log.jsonl"
        log = await asyncio.to_thread(lambda page=page: urllib.request.urlopen(page, timeout=30).read())
        report = verify(log.splitlines())
        assert [finding_text(finding, "en") for finding in report.differs] == [], log
