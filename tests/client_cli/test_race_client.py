"""The library for bots, against a real server: it plays, it tells, and it comes back by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from client_cli.backoff import Backoff
from client_cli.client import RaceClient
from client_cli.failures import ActionRefused, ClientFailure, Denied, Ended, NoConnection
from client_cli.notices import Lost, Resumed
from protocol import messages as wire
from tests.support.golden import SHORTEST_WIN
from tests.support.server import ServerProcess

WAIT_S = 60.0
RACE = {"min_players": 1, "start": "ready", "countdown_ms": 0, "deal": SHORTEST_WIN.code}
SLOW_RATES = (
    "op=20:3,other=100000:100000,create=1000:1000,address_hello=100000:100000,address_create=1000:1000"
)


async def seated(client: RaceClient, **options: Any) -> str:
    room = (await client.create({**RACE, **options})).room
    await client.enter(room, "player", "Ada")
    return room


async def test_a_race_from_the_library(race_server: Any) -> None:
    async with RaceClient.connect(race_server.url) as client:
        assert client.room is None
        room = await seated(client)
        await client.ready()
        game = await client.game()
        assert (game.n, game.status, game.moves) == (0, "playing", 0)
        assert client.room is not None
        assert client.room.id == room
        for n, action in enumerate(SHORTEST_WIN.actions, start=1):
            if action.op == "m":
                game = await client.move(action.src, action.dst)
            else:
                game = await (client.redeal() if action.op == "r" else client.undo())
            assert game.n == n
        assert (game.status, game.home) == ("won", 104)
        assert client.position is not None
        assert client.position.home == 104
        kinds = []
        async for event in client.events():
            if isinstance(event, wire.Event):
                kinds.append(event.kind)
            if kinds[-1:] == ["closed"]:
                break
        assert kinds == ["joined", "ready", "countdown", "started", "won", "closed"]
        again = await client.rematch()
        assert await client.rematch() == again != room


async def test_what_is_refused_has_a_name_and_changes_nothing(race_server: Any) -> None:
    async with RaceClient.connect(race_server.url, lang="da") as client:
        await seated(client, undo=False)
        with pytest.raises(ActionRefused) as refused:
            await client.move(0, 1)
        assert refused.value.code == "not_running"
        await client.ready()
        game = await client.game()
        with pytest.raises(ActionRefused) as refused:
            await client.move(0, 0)
        assert (refused.value.code, refused.value.stored) == ("same_place", 0)
        assert str(refused.value) == refused.value.text == "Vælg en anden destination"
        await client.redeal()
        with pytest.raises(ActionRefused) as refused:
            await client.undo()
        assert (refused.value.code, refused.value.stored) == ("no_undo", 1)
        assert (client.position or game).n == 1
        with pytest.raises(Denied) as denied:
            await client.follow("nobody")
        assert denied.value.code == "unknown_player"
        await client.forfeit()
        with pytest.raises(ActionRefused):
            await client.redeal()
        await client.unforfeit()
        assert (await client.redeal()).redeals == 1
    assert client.ended is not None
    with pytest.raises(Ended):
        await client.ready()


@pytest.fixture
def slow_server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server that allows few actions at a time, and can be started again."""
    server = ServerProcess("--data", str(tmp_path / "data"), rates=SLOW_RATES).start()
    yield server
    assert server.stop() == 0, server.errors


async def test_it_slows_down_where_it_is_asked_to_and_outlives_a_restart(slow_server: ServerProcess) -> None:
    actions = [action for action in SHORTEST_WIN.actions if action.op == "m"][:12]
    client = RaceClient(slow_server.url, backoff=Backoff(lambda low, high: 0.1))
    denials = []
    client._on_message = lambda message: denials.append(message) if isinstance(message, wire.Error) else None
    async with client, asyncio.timeout(WAIT_S):
        await seated(client)
        await client.ready()
        await client.game()
        for action in actions[:8]:
            await client.move(action.src, action.dst)
        assert any(error.code == "too_many" for error in denials)
        playing = asyncio.create_task(client.move(actions[8].src, actions[8].dst))
        await asyncio.to_thread(slow_server.stop)
        await asyncio.to_thread(slow_server.start)
        assert (await playing).n == 9
        for n, action in enumerate(actions[9:], start=10):
            assert (await client.move(action.src, action.dst)).n == n
        notices = []
        async for event in client.events():
            if isinstance(event, Lost | Resumed):
                notices.append(type(event))
            if isinstance(event, Resumed):
                break
        assert notices[0] is Lost
        assert notices.count(Resumed) == 1


async def test_the_same_player_comes_back_with_the_token(race_server: Any) -> None:
    tokens: list[str] = []
    async with RaceClient.connect(race_server.url, on_token=tokens.append) as client:
        room = await seated(client)
        await client.ready()
        await client.game()
        await client.redeal()
        me = client.me
    async with RaceClient.connect(race_server.url, token=tokens[0]) as client:
        assert client.me == me
        await client.enter(room)
        assert (await client.game()).redeals == 2
        await client.leave()
        assert client.room is None


async def test_nobody_there_is_a_failure_with_a_reason() -> None:
    with pytest.raises(NoConnection, match="refused") as failed:
        async with RaceClient.connect("ws://127.0.0.1:1/ws"):
            pass
    assert isinstance(failed.value, ClientFailure)
