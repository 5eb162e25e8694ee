"""The page for who writes a bot: what it shows runs, and what it names is there."""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Awaitable, Callable
from dataclasses import fields
from typing import Any, get_args

import pytest

from client_cli import failures
from client_cli.client import RaceClient
from client_cli.failures import ClientFailure, EndKind, OwnServerEnded, UnknownToken
from client_cli.position import Position
from client_cli.room_view import RoomView
from examples import bot
from protocol import messages as wire
from tests.client_cli.samples import position, room
from tests.support.house import read

WAIT_S = 60.0
PAGE = read("docs/bots.md")
OWN = PAGE[PAGE.index("## Your own") : PAGE.index("## See how they did")]
BLOCKS = re.findall(r"^```python\n(.*?)^```", OWN, re.MULTILINE | re.DOTALL)


def named_in_table_after(words: str) -> set[str]:
    """What stands as code in the first column of the table that follows these words."""
    table = OWN[OWN.index(words) :].split("|---|---|\n", 1)[1].split("\n\n", 1)[0]
    cells = [line.split(" | ")[0] for line in table.splitlines()]
    return {name for cell in cells for name in re.findall(r"`(?:client\.)?(\w+)", cell)}


async def test_the_first_block_plays_a_race_to_its_end(
    race_server: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: dict[str, Any] = {}
    exec(BLOCKS[0], shown)  # the page's own words
    async with RaceClient.connect(race_server.url) as host, asyncio.timeout(WAIT_S):
        created = await host.create({"min_players": 1, "start": "ready", "countdown_ms": 0})
        playing = asyncio.create_task(shown["play"](race_server.url, created.room))
        async for event in host.events():
            if isinstance(event, wire.Event) and event.kind == "forfeited":
                break
        await host.request(wire.Manage(action="close"))
        await playing
    assert re.fullmatch(r"1 Ada forfeited \d+\n", capsys.readouterr().out)


async def closed_before_giving_up(
    race_server: Any, monkeypatch: pytest.MonkeyPatch, play: Callable[[str, str], Awaitable[Any]]
) -> Any:
    """Have a race closed at the moment in which a bot gives up, and return what the bot does."""
    async with RaceClient.connect(race_server.url) as host, asyncio.timeout(WAIT_S):
        room = (await host.create({"min_players": 1, "start": "ready", "countdown_ms": 0})).room
        give_up = RaceClient.forfeit

        async def forfeit(client: RaceClient) -> None:
            await host.request(wire.Manage(action="close"))
            await give_up(client)

        monkeypatch.setattr(RaceClient, "forfeit", forfeit)
        return await play(race_server.url, room)


async def test_the_first_block_has_a_race_that_closes_before_it_gives_up(
    race_server: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: dict[str, Any] = {}
    exec(BLOCKS[0], shown)  # the page's own words
    await closed_before_giving_up(race_server, monkeypatch, shown["play"])
    assert re.fullmatch(r"1 Ada (playing|blocked) \d+\n", capsys.readouterr().out)


async def test_so_has_the_bot_of_the_examples(race_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # No move is any good to it: it gives up at once.
    for name in ("home_moves", "pile_moves", "may_redeal"):
        monkeypatch.setattr(bot, name, lambda _: [])
    told = await closed_before_giving_up(race_server, monkeypatch, lambda url, room: bot.race(room, url))
    assert re.fullmatch(r"1\. bot \w{6}: 8", told)


async def test_the_requests_without_a_method_are_answered(race_server: Any) -> None:
    lines = BLOCKS[1].replace("print(", "shown.append(").splitlines()
    code = "async def ask(client, shown):\n" + "\n".join(f"    {line}" for line in lines)
    names = {name: kind for name, kind in vars(wire).items() if isinstance(kind, type)}
    exec(code, names)  # the page's own words
    shown: list[Any] = []
    connect = RaceClient.connect
    async with connect(race_server.url) as bo, connect(race_server.url) as host, asyncio.timeout(WAIT_S):
        created = await host.create({"min_players": 1, "start": "host", "countdown_ms": 60_000})
        await bo.enter(created.room, "player", "Bo")
        async for event in host.events():
            if isinstance(event, wire.Event) and event.kind == "joined":
                break
        await host.start()
        await names["ask"](host, shown)  # type: ignore[operator]
        async for _ in host.events():
            pass
        assert host.ended is not None
        assert host.ended.kind == "done"
    assert isinstance(shown[0], list)


def test_every_method_is_told() -> None:
    public = {name for name in vars(RaceClient) if not name.startswith("_")} - {"connect", "op"}
    assert public - {"followed"} <= named_in_table_after("in short:\n\n| |") | {"request"}
    for name in re.findall(r"(?<!\.)\bclient\.(\w+)", OWN):
        assert hasattr(RaceClient, name) or name == "ended", name


def test_every_field_of_a_game_is_told() -> None:
    told = named_in_table_after("**A game**")
    assert {field.name for field in fields(Position)} <= told
    assert all(hasattr(position(), name) for name in told)


def test_what_is_told_of_a_room_is_there() -> None:
    view = RoomView(room(), "ID-Ada")
    told = named_in_table_after("**A room**")
    assert told >= {"id", "rows", "people", "roles"}
    assert [name for name in told if not hasattr(view, name)] == []


def test_every_failure_is_told_and_every_end() -> None:
    kinds = {
        name
        for name, kind in vars(failures).items()
        if isinstance(kind, type) and issubclass(kind, ClientFailure)
    }
    inside = {
        ClientFailure.__name__,
        OwnServerEnded.__name__,
        UnknownToken.__name__,
    }  # none of them reaches a bot
    assert named_in_table_after("**Failures**") == kinds - inside
    row = next(line for line in OWN.splitlines() if line.startswith("| `Ended`"))
    assert set(re.findall(r"`(\w+)`", row)) - {"Ended", "kind"} == set(get_args(EndKind))


def test_what_is_imported_and_where_it_is_said_to_be_is_there() -> None:
    modules = re.findall(r"`((?:client_cli|protocol)\.[\w.]+)`", OWN)
    assert len(modules) >= 6
    for name in modules:
        module, _, last = name.rpartition(".")
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            assert hasattr(importlib.import_module(module), last), name
    for name in ("OpRequest", "GameState", "RoomsAnswer", "ClockAnswer"):
        assert name in OWN
        tag = getattr(wire, name).__struct_config__.tag
        assert f"`{name}` (`{tag}`" in OWN
