"""What the operator is told: lines of JSON that name the room and the player, and what is asked for."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from structlog.contextvars import bound_contextvars, get_contextvars, merge_contextvars
from structlog.testing import capture_logs

from protocol import messages as wire
from server.node.requests import HANDLERS
from server.node.session import Session
from server.node.world import RealWorld
from tests.support.golden import SHORTEST_WIN
from tests.support.nodes import node_on
from tests.support.peer import Peer
from tests.support.races import play_well, start_race
from tests.support.server import ServerProcess

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
PATIENCE_S = 20.0


@pytest.mark.parametrize("level", ["debug", "info"])
async def test_every_line_of_a_race_is_json_and_names_its_room_and_player(tmp_path: Path, level: str) -> None:
    server = ServerProcess("--data", str(tmp_path / "data"), "--log-level", level).start()
    ann, bob = await Peer.hello(server.url), await Peer.hello(server.url, "json")
    room = await start_race(ann, bob, deal=CODE)
    await play_well(ann, MOVES[:5])
    await bob.send(t="nonsense")
    await bob.wait_closed()
    await ann.ask("manage", action="close")
    await ann.close()
    assert await asyncio.to_thread(server.stop) == 0
    lines = [json.loads(line) for line in server.errors.splitlines()]
    for line in lines:
        assert line.pop("timestamp").endswith("Z")
    told: list[dict[str, Any]] = [
        {"event": "room made", "level": "info", "room": room, "player": ann.player},
        {"event": "race started", "level": "info", "room": room, "players": 2},
        {"event": "closing", "level": "debug", "room": room, "player": bob.player, "code": 4400},
        {"event": "disconnected", "level": "debug", "player": bob.player, "code": 4400},
        {"event": "race closed", "level": "info", "room": room, "players": 2, "reason": "host"},
        {"event": "disconnected", "level": "debug", "room": room, "player": ann.player, "code": 1000},
        {"event": "leaving", "level": "info", "connections": 0},
    ]
    wanted = {"debug": ("debug", "info"), "info": ("info",)}[level]
    assert lines == [line for line in told if line["level"] in wanted]


@pytest.mark.parametrize("asked", ["an action", "a request"])
async def test_a_fault_of_the_server_is_told_with_whom_it_befell_and_without_what_was_said(
    meet: Any, valkey_url: str, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a fault")

    async with node_on(valkey_url) as url:
        ann, bob = await meet(url=url), await meet(url=url)
        room = await start_race(ann, bob, deal=CODE)
        monkeypatch.setattr(Session, "_op", fails)
        monkeypatch.setitem(HANDLERS, wire.Say, fails)
        with capture_logs([merge_contextvars]) as logs:
            request = {"t": "op", "n": 1, "op": "r"} if asked == "an action" else {"t": "say", "text": "psst"}
            await ann.send(**request)
            code, reason = await ann.wait_closed()
            faults = [line for line in logs if line["log_level"] == "error"]
        assert (code, reason) == (1011, "a fault of the server; connect again")
        (fault,) = faults
        assert (fault["room"], fault["player"]) == (room, ann.player)
        assert fault["event"] == ("a request failed" if asked == "an action" else "task failed")
        assert "psst" not in str(fault)
        assert (await bob.ask("clock", sent=1))["t"] == "clock", "nobody else is touched"


async def test_work_and_timers_are_about_what_they_say_and_not_about_who_set_them_going() -> None:
    world, seen = RealWorld(), []
    done = asyncio.Event()

    async def inner() -> None:
        seen.append(get_contextvars())
        done.set()

    async def outer() -> None:
        seen.append(get_contextvars())
        world.spawn(inner(), "inner", player="Bo")

    with bound_contextvars(player="Ann", room="R"):
        world.call_later(0, lambda: seen.append(get_contextvars()))
        world.spawn(outer(), "outer", room="S")
        async with asyncio.timeout(PATIENCE_S):
            await done.wait()
    assert seen.count({}) == 1
    assert [bound for bound in seen if bound] == [{"room": "S"}, {"player": "Bo"}]
    await world.close()
