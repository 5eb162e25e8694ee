"""Everybody's line breaks at once, and everybody comes back at once."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable
from typing import Any

import pytest

from tests.hostile.conftest import Start
from tests.hostile.measure import racers
from tests.hostile.raw import Crowd, converse, cpu_s, message_frame, opening, packed, script
from tests.support.peer import Peer
from tests.support.server import ServerProcess

SEATS = 20  # a room
Map = dict[str, Any]


def say(*messages: Map) -> bytes:
    return b"".join(message_frame(packed(message, "msgpack"), "msgpack") for message in messages)


async def open_rooms(url: str, count: int) -> tuple[list[Peer], list[str]]:
    """Hosts who do not play, and their rooms."""
    hosts = [await Peer.hello(url) for _ in range(count)]
    options = {"max_players": SEATS, "min_players": 1, "countdown_ms": 0}
    return hosts, [await host.create(**options) for host in hosts]


async def storm(server: ServerProcess, count: int, tell: Callable[..., None]) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    crowd = Crowd(server.port)
    hosts, rooms = await open_rooms(server.url, count // SEATS)
    seats = [(room, f"p{number}") for room in rooms for number in range(SEATS)]
    tokens = []
    for start in range(0, count, SEATS):  # a room after the other: this is no storm yet
        scripts = [
            script("msgpack", {"t": "hello"}, {"t": "enter", "room": room, "as": "player", "name": name})
            for room, name in seats[start : start + SEATS]
        ]
        heard = await asyncio.to_thread(converse, server.port, scripts, "msgpack")
        tokens += [each.of("welcome")[0]["token"] for each in heard]
    come = [
        opening("msgpack") + say({"t": "hello", "token": token}, {"t": "enter", "room": room})
        for token, (room, _) in zip(tokens, seats, strict=True)
    ]
    await asyncio.to_thread(crowd.come, come, "room")
    for host in hosts:
        assert (await host.ask("start"))["t"] == "ok"
        await host.close()
    await asyncio.to_thread(crowd.hear, "game")
    crowd.say(say({"t": "op", "n": 1, "op": "r"}))
    await asyncio.to_thread(crowd.hear, "done")
    back = [each + say({"t": "op", "n": 2, "op": "r"}) for each in come]
    async with racers(server.url) as honest:
        before = await honest.during(asyncio.sleep(0), rounds_min=15)
        assert server.process is not None
        used_s = cpu_s(server.process.pid)
        crowd.break_lines()
        coming = asyncio.ensure_future(asyncio.to_thread(crowd.come, back, "done"))
        meanwhile = await honest.during(coming, rounds_min=15)
        used_s = cpu_s(server.process.pid) - used_s
    for guest, (room, _) in zip(crowd.guests, seats, strict=True):
        kinds = {message["t"]: message for message in reversed(guest.messages)}
        assert kinds["room"]["room"] == room
        assert kinds["game"]["n"] in (1, 2), "the game is as it was"
        assert kinds["done"]["n"] == 2, "and goes on"
    took_s = sorted(guest.took_s for guest in crowd.guests)
    came_again = sum(guest.times_come - 1 for guest in crowd.guests)
    crowd.break_lines()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    tell(
        "A storm of reconnects",
        at_once=f"{count:,}",
        rooms=len(rooms),
        half_back_after_s=f"{took_s[count // 2]:.1f}",
        all_back_after_s=f"{took_s[-1]:.1f}",
        came_again=came_again,
        node_cpu_s=f"{used_s:.1f}",
        others_before_ms=before.shown,
        others_meanwhile_ms=meanwhile.shown,
    )


@pytest.mark.soak
async def test_three_hundred_come_back_at_once(start_server: Start, tell: Callable[..., None]) -> None:
    await storm(start_server(), 300, tell)


@pytest.mark.soak
async def test_two_thousand_come_back_at_once(start_server: Start, tell: Callable[..., None]) -> None:
    await storm(start_server(), 2_000, tell)
