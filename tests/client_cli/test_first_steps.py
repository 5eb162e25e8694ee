"""What somebody meets who follows the README: each step says what comes next, and each no says why."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from client_cli.client import RaceClient
from protocol import messages as wire

ROOT = Path(__file__).parents[2]
WAIT_S = 20.0
HOSTED = {"min_players": 1, "countdown_ms": 0}


class Program:
    """`crescent` as somebody runs it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.text = ""

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())

    async def see(self, pattern: str) -> re.Match[str]:
        """Read on until `pattern` stands in what was shown."""
        assert self.process.stdout is not None
        async with asyncio.timeout(WAIT_S):
            while (found := re.search(pattern, self.text)) is None:
                line = await self.process.stdout.readline()
                assert line, f"{pattern} is not in {self.text}"
                self.text += line.decode()
        return found

    async def end(self, how: str = "kill") -> None:
        with contextlib.suppress(ProcessLookupError):
            getattr(self.process, how)()
        await asyncio.wait_for(self.process.communicate(), WAIT_S)


class Programs:
    """Terminals of one machine: they share the configuration directory."""

    def __init__(self, url: str, config: Path) -> None:
        self.url = url
        self.config = config
        self.running: list[Program] = []

    async def run(self, *args: str) -> Program:
        kept = {
            name: v for name, v in os.environ.items() if not name.startswith(("CRESCENT_", "LC_", "LANG"))
        }
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "client_cli", *args, "--server", self.url, cwd=ROOT,
            env={
                **kept, "CRESCENT_CONFIG_DIR": str(self.config), "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1",
            },
            stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        self.running.append(Program(process))
        return self.running[-1]

    async def told(self, *args: str) -> tuple[int | None, str]:
        """Run one to its end and return its exit code and all that it said."""
        program = await self.run(*args)
        out, _ = await asyncio.wait_for(program.process.communicate(b""), WAIT_S)
        return program.process.returncode, out.decode()


@pytest.fixture
async def programs(race_server: Any, tmp_path: Path) -> AsyncIterator[Programs]:
    terminals = Programs(race_server.url, tmp_path)
    yield terminals
    for program in terminals.running:
        await program.end()


@pytest.fixture
async def host(race_server: Any) -> AsyncIterator[RaceClient]:
    async with RaceClient(race_server.url) as client:
        yield client


async def test_two_friends_at_one_machine_stay_who_they_are(programs: Programs) -> None:
    ada = await programs.run("host", "--name", "Ada")
    room = (await ada.see(r"crescent play (\w+) "))[1]
    bo = await programs.run("play", room, "--name", "Bo")
    await bo.see("get ready|“ready”")
    await ada.end()
    await bo.end()
    bo = await programs.run("play", room, "--name", "Bo")
    await bo.see("“ready”")
    assert "--name is not used" not in bo.text
    ada = await programs.run("play", room)
    await ada.see("You are “Ada” in this room")
    await ada.end()
    renamed = await programs.run("play", room, "--name", "Cy")
    await renamed.see("You are “Ada” in this room; --name is not used")


async def test_alone_one_is_told_how_to_begin(programs: Programs) -> None:
    ada = await programs.run("host")
    await ada.see(r"You are “.+” here; --name chooses another")
    await ada.see("--host 0.0.0.0")
    ada.type("start")
    await ada.see("2 players are needed and 1 is here; “set min-players 1”")
    await ada.see(r"add a bot:  crescent bot \w+ --server")
    ada.type("set limit 10")
    await ada.see("are changed: limit = 10 min")
    ada.type("set min-players 1")
    ada.type("set countdown 0")
    ada.type("start")
    await ada.see("It ends in 10 min")
    ada.type("start")
    await ada.see("The race is on already")
    ada.type("rematch")
    await ada.see("once this race is closed")
    ada.type("follow Nobody")
    ada.type("set limit 11")
    await ada.see("only name, chat, listed and password")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--start", "own"), "your own clock starts at that moment"),
        (("--start-at", "+15"), r"starts \d\d:\d\d \(in 15 min\)"),
        (("--start-at", "+15"), r"It starts by itself at \d\d:\d\d"),
        (("--referee", "--start", "ready"), "“help” tells what you can type"),
        (("--password", "x"), r"--password …\n"),
    ],
)
async def test_a_host_is_told_what_comes(programs: Programs, options: tuple[str, ...], said: str) -> None:
    ada = await programs.run("host", "--name", "Ada", *options)
    await ada.see(said)


async def test_new_options_reach_the_server(programs: Programs) -> None:
    ada = await programs.run(
        "host", "--after-win", "2", "--delay", "30", "--spectators", "delayed", "--no-chat"
    )
    await ada.see("ends 2 min after the first win · spectators see games 30 s later · no chat")


async def test_what_is_out_of_range_is_told_as_it_was_typed(programs: Programs) -> None:
    for args, said in (
        (("--start-at", "2020-01-01T20:30"), "“2020-01-01T20:30” is past"),
        (("--limit", "0.01"), "limit: allowed is 0, 0.17-10080 min"),
        (("--limit", "inf"), "must be a number"),
        (("--max-players", "1", "--min-players", "2"), "Option max-players"),
        (("--name", "x" * 30), "can be no player's name"),
    ):
        code, told = await programs.told("host", *args)
        assert (code, said in told) == (2, True), told
    assert await programs.told("play", "http://127.0.0.1:1/") == (
        2, "This link names no room; type its code, or a link that ends in #CODE.\n",
    )  # fmt: skip


async def test_no_room_is_left_by_a_bad_name(programs: Programs) -> None:
    await programs.told("host", "--listed", "--room-name", "Orphan", "--name", "x" * 30)
    assert "Orphan" not in (await programs.told("rooms"))[1]


async def test_who_plays_is_told_of_a_bad_name_as_who_hosts(programs: Programs) -> None:
    code, told = await programs.told("play", "ABCDEFGH", "--name", "x" * 400, "--lang", "da")
    assert (code, "kan ikke være en spillers navn" in told) == (2, True), told


async def test_at_the_door_one_is_told_why(programs: Programs, host: RaceClient) -> None:
    room = (await host.create({**HOSTED, "password": "sesame", "spectators": "none"})).room
    await host.enter(room, "player", "Ada")
    code, told = await programs.told("play", room)
    assert (code, "give it with --password" in told) == (1, True)
    assert "ask the host" in (await programs.told("play", room, "--password", "x"))[1]
    code, told = await programs.told("watch", room, "--password", "sesame")
    assert (code, "nobody look on" in told) == (1, True)
    await host.request(wire.Start())
    await asyncio.wait_for(host.game(), WAIT_S)
    code, told = await programs.told("play", room, "--password", "sesame")
    assert code == 1
    assert f"look on with:  crescent watch {room} --server {programs.url} --password …" in told


async def test_a_spectator_is_told_what_spectators_see(programs: Programs, host: RaceClient) -> None:
    room = (await host.create(HOSTED)).room
    await host.enter(room, "player", "Ada")
    eve = await programs.run("watch", room)
    await eve.see("“help” tells what you can type")
    eve.type("ready")
    await eve.see("you look on here")
    await host.request(wire.Start())
    await eve.see("The race is on")
    eve.type("follow Ada")
    await eve.see("spectators see the board only")
    eve.type("rematch")
    await eve.see("opens the rematch")
