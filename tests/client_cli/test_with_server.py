"""The client against the server as it is started by people."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from client_cli.backoff import Backoff
from client_cli.client import RaceClient
from client_cli.failures import Denied
from client_cli.notices import Resumed
from protocol import messages as wire

ROOT = Path(__file__).parents[2]
SOLO = {"min_players": 1, "start": "ready", "countdown_ms": 0, "deal": "CR1-N-AAAAAAB"}
RUN_S = 60.0


def client_of(race_server: Any, **more: Any) -> RaceClient:
    return RaceClient(race_server.url, backoff=Backoff(lambda low, high: min(high, 0.05)), **more)


async def run(tmp_path: Path, *args: str) -> tuple[int, str, str]:
    """Run a program of ours to its end and return exit code, output and complaints."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("CRESCENT_", "LC_", "LANG"))
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, *args, cwd=ROOT,
        env={**kept, "CRESCENT_CONFIG_DIR": str(tmp_path), "LANG": "C.UTF-8"},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        out, complaints = await asyncio.wait_for(process.communicate(), RUN_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return process.returncode, out.decode(), complaints.decode()


async def solo(client: RaceClient) -> wire.Room:
    room = await client.create(SOLO)
    await client.enter(room.room, "player", "Ada")
    await client.request(wire.Ready(ready=True))
    await asyncio.wait_for(client.game(), RUN_S)
    return room


async def test_moves_and_refusals(race_server: Any) -> None:
    async with client_of(race_server) as client:
        await solo(client)
        refused = await client.op("m", 0, 1)
        assert isinstance(refused, wire.Refused)
        assert refused.code == "rank"
        done = await client.op("r")
        assert isinstance(done, wire.Done)
        assert client.state.position is not None
        assert (client.state.position.n, client.state.position.redeals) == (1, 2)
        await client.request(wire.Forfeit())


async def test_a_broken_line_is_resumed_and_nothing_played_twice(race_server: Any) -> None:
    async with client_of(race_server) as client:
        await solo(client)
        for n in (1, 2, 3):
            assert client._link is not None
            playing = asyncio.create_task(client.op("r"))
            await asyncio.sleep(0.001 * n)
            client._link.transport.abort()
            answer = await asyncio.wait_for(playing, RUN_S)
            assert isinstance(answer, wire.Done)
            assert (answer.n, answer.redeals) == (n, 3 - n)
            async for message in client:
                if isinstance(message, Resumed):
                    break
        assert client.state.position is not None
        assert client.state.position.n == 3


async def test_the_newest_of_two_connections_wins(race_server: Any) -> None:
    tokens: list[str] = []
    async with client_of(race_server, on_token=tokens.append) as older:
        room = await solo(older)
        async with client_of(race_server, token=tokens[0]) as newer:
            await newer.enter(room.room)
            async for _ in older:
                pass
            assert older.ended is not None
            assert older.ended.kind == "replaced"
            assert isinstance(await newer.op("r"), wire.Done)


async def test_an_unknown_token_is_replaced(race_server: Any) -> None:
    async with client_of(race_server, token="A" * 22) as client:
        await solo(client)
        assert client.ended is None


async def test_an_unknown_room_is_denied(race_server: Any) -> None:
    async with client_of(race_server) as client:
        with pytest.raises(Denied) as denied:
            await client.enter("ABCDEFGH", "spectator")
        assert denied.value.code == "unknown_room"


async def test_a_bot_plays_to_its_end(race_server: Any, tmp_path: Path) -> None:
    async with client_of(race_server) as client:
        room = await client.create(SOLO)
        code, out, complaints = await run(
            tmp_path, "-m", "client_cli", "bot", room.room, "--server", race_server.http,
            "--strategy", "greedy", "--speed", "fast", "--seed", "1",
        )  # fmt: skip
        assert (code, complaints) == (0, "")
        assert "> " in out
        row = client.state.room.rows[0] if client.state.room is not None else None
        assert row is not None
        assert row.status in ("won", "forfeited")
        assert row.home > 8


async def test_the_commands_of_a_stranger(race_server: Any, tmp_path: Path) -> None:
    code, _, complaints = await run(
        tmp_path, "-m", "client_cli", "play", "ABCDEFGH", "--server", race_server.url
    )
    assert code == 1
    assert complaints
    code, _, complaints = await run(
        tmp_path, "-m", "client_cli", "host", "--max-players", "5000", "--server", race_server.url
    )
    assert code == 2
    assert "max-players" in complaints
    code, out, _ = await run(tmp_path, "-m", "client_cli", "rooms", "--json", "--server", race_server.url)
    assert code == 0
    assert [json.loads(line)["t"] for line in out.splitlines()] == ["welcome", "rooms"]


async def listed(client: RaceClient) -> list[str]:
    answer = await client.request(wire.Rooms())
    assert isinstance(answer, wire.RoomsAnswer)
    return [summary.room for summary in answer.rooms]


async def test_a_host_without_a_name_is_listed_without_one(race_server: Any, tmp_path: Path) -> None:
    async with client_of(race_server) as client:
        room = (await client.create({"listed": True, "name": "Friday"})).room
        async with asyncio.timeout(RUN_S):
            while room not in await listed(client):  # noqa: ASYNC110 - the server looks now and then
                await asyncio.sleep(0.1)
        code, out, _ = await run(tmp_path, "-m", "client_cli", "rooms", "--server", race_server.url)
    assert code == 0
    (line,) = (line for line in out.splitlines() if room in line)
    assert "Friday" in line
    assert "(" not in line


async def test_the_minimal_client_races_alone(race_server: Any, tmp_path: Path) -> None:
    code, out, complaints = await run(tmp_path, "examples/minimal_client.py", race_server.url)
    assert (code, complaints) == (0, "")
    assert "'status': 'forfeited'" in out or "'status': 'won'" in out


async def test_the_bot_of_the_examples_races_to_the_end(race_server: Any, tmp_path: Path) -> None:
    code, out, complaints = await run(tmp_path, "examples/bot.py", "", race_server.url)
    assert (code, complaints) == (0, "")
    assert re.fullmatch(r"bot \w{6}: (won|forfeited), \d+ cards at home, \d+ moves\n", out)


def test_the_bot_of_the_examples_is_short() -> None:
    lines = (ROOT / "examples/bot.py").read_text().split('"""', 2)[2].splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 35


async def test_the_bot_of_the_examples_without_a_server_says_so(tmp_path: Path) -> None:
    code, _, complaints = await run(tmp_path, "examples/bot.py", "", "ws://127.0.0.1:1/ws")
    assert code == 1
    assert complaints == "Connection refused\n"


@pytest.mark.parametrize("strategy", ["random", "greedy", "careful"])
async def test_a_bot_of_each_kind_plays(race_server: Any, tmp_path: Path, strategy: str) -> None:
    async with client_of(race_server) as client:
        room = await client.create({**SOLO, "limit_ms": 60_000})
        playing = asyncio.create_task(
            run(
                tmp_path, "-m", "client_cli", "bot", room.room, "--server", race_server.http,
                "--strategy", strategy, "--speed", "fast", "--plain",
            )
        )  # fmt: skip
        async for _ in client.events():
            if client.room is not None and client.room.rows and client.room.rows[0].home >= 12:
                break
        await client.request(wire.Manage(action="close"))
        code, out, complaints = await playing
        assert (code, complaints) == (0, "")
        assert " to ace foundation of " in out or " to king foundation of " in out


async def test_a_bot_whose_race_is_called_off_goes(race_server: Any, tmp_path: Path) -> None:
    async with client_of(race_server) as client:
        room = await client.create({**SOLO, "min_players": 2})
        playing = asyncio.create_task(
            run(tmp_path, "-m", "client_cli", "bot", room.room, "--server", race_server.http)
        )
        async for event in client.events():
            if isinstance(event, wire.Event) and event.kind == "ready":
                break
        await client.request(wire.Manage(action="close"))
        code, _, complaints = await playing
        assert (code, complaints) == (0, "")


async def test_a_careful_bot_takes_moves_back_where_it_may(race_server: Any, tmp_path: Path) -> None:
    """This deal's first moves lead nowhere; they show what leads further."""
    async with client_of(race_server) as client:
        room = await client.create({**SOLO, "deal": "CR1-N-MPAEZAQ", "limit_ms": 60_000})
        playing = asyncio.create_task(
            run(
                tmp_path, "-m", "client_cli", "bot", room.room, "--server", race_server.http,
                "--speed", "fast", "--seed", "1",
            )
        )  # fmt: skip
        async for _ in client.events():
            if client.room is None or client.room.state == "closed":
                break
            if client.room.rows and client.room.rows[0].undone:
                break
        assert client.room is not None
        assert client.room.rows[0].undone > 0
        await client.request(wire.Manage(action="close"))
        code, _, complaints = await playing
        assert (code, complaints) == (0, "")


@pytest.mark.parametrize("action", ["close", "kick"])
async def test_the_minimal_client_says_why_there_is_no_race(
    race_server: Any, tmp_path: Path, action: str
) -> None:
    async with client_of(race_server) as client:
        room = (await client.create({"min_players": 2})).room
        playing = asyncio.create_task(run(tmp_path, "examples/minimal_client.py", race_server.url, room))
        async for event in client.events():
            if isinstance(event, wire.Event) and event.kind == "ready":
                break
        player = event.player if action == "kick" else None
        await client.request(wire.Manage(action=action, player=player))  # type: ignore[arg-type]
        code, out, complaints = await playing
    assert (code, out) == (1, "")
    assert len(complaints.splitlines()) == 1
    assert "The race was closed." in complaints if action == "close" else "4403" in complaints


async def test_the_minimal_client_without_a_server_says_so(tmp_path: Path) -> None:
    code, _, complaints = await run(tmp_path, "examples/minimal_client.py", "ws://127.0.0.1:1/ws")
    assert code == 1
    assert complaints.startswith("No server answers: ")
    assert "Traceback" not in complaints
