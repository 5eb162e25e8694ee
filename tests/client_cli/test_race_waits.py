"""What the library waits for, against a real server: a game, a close; and how one's own game stands."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from client_cli.client import RaceClient
from client_cli.failures import ActionRefused, Ended, NoConnection, NoRace
from examples.bot import race
from protocol import messages as wire

WAIT_S = 60.0
DEAL = "CR1-N-AAAAAAB"
ALONE = {"min_players": 1, "start": "ready", "countdown_ms": 0, "deal": DEAL}


def client_of(race_server: Any, **more: Any) -> RaceClient:
    return RaceClient.connect(race_server.url, **more)


async def room_of(host: RaceClient, **options: Any) -> str:
    return (await host.create({**ALONE, **options})).room


async def until(client: RaceClient, kind: str) -> None:
    async for event in client.events():
        if isinstance(event, wire.Event) and event.kind == kind:
            return
    raise AssertionError(f"{kind} never came")


async def close(host: RaceClient) -> None:
    await host.request(wire.Manage(action="close"))


async def until_waiting(client: RaceClient, task: asyncio.Task[Any]) -> None:
    """Until a task waits for what is not there yet: it has had its turn, and an answer came after that."""
    await client.request(wire.Rooms())
    assert not task.done()


async def test_a_game_that_never_comes_is_not_waited_for(race_server: Any) -> None:
    async with client_of(race_server) as host, client_of(race_server) as bot, asyncio.timeout(WAIT_S):
        with pytest.raises(NoRace, match="in no room"):
            await bot.game()
        room = await room_of(host, min_players=2)
        with pytest.raises(NoRace, match="do not play"):
            await host.game()
        await host.enter(room, "spectator")
        with pytest.raises(NoRace, match="do not play"):
            await host.game()
        await bot.enter(room, "player", "Bo")
        waiting = asyncio.create_task(bot.game())
        await until_waiting(bot, waiting)
        await close(host)
        with pytest.raises(NoRace, match="closed before"):
            await waiting
        with pytest.raises(NoRace, match="closed before"):
            await bot.game()
        await bot.leave()
        with pytest.raises(NoRace, match="in no room"):
            await bot.game()


async def test_who_waits_for_a_game_and_leaves_waits_no_more(race_server: Any) -> None:
    async with client_of(race_server) as host, client_of(race_server) as bot, asyncio.timeout(WAIT_S):
        await bot.enter(await room_of(host, min_players=2), "player", "Bo")
        waits = [asyncio.create_task(bot.game()), asyncio.create_task(bot.closed())]
        for waiting in waits:
            await until_waiting(bot, waiting)
        await bot.leave()
        for waiting in waits:
            with pytest.raises(NoRace):
                await waiting


async def test_who_never_began_in_a_room_of_own_starts_has_no_game(race_server: Any) -> None:
    async with client_of(race_server) as host, client_of(race_server) as bot, asyncio.timeout(WAIT_S):
        await host.enter(room := await room_of(host, start="own"), "player", "Ada")
        await bot.enter(room, "player", "Bo")
        await host.ready()
        assert (await host.game()).status == "playing"
        waiting = asyncio.create_task(bot.game())
        await until_waiting(bot, waiting)
        await close(host)
        with pytest.raises(NoRace, match="closed before"):
            await waiting


async def test_the_game_of_a_closed_race_is_there_for_who_comes_back(race_server: Any) -> None:
    tokens: list[str] = []
    async with client_of(race_server, on_token=tokens.append) as client, asyncio.timeout(WAIT_S):
        await client.enter(room := await room_of(client), "player", "Ada")
        await client.ready()
        await client.game()
        await client.redeal()
        waiting = asyncio.create_task(client.closed())
        await until_waiting(client, waiting)
        await close(client)
        told = await waiting
        assert (told.id, told.state, told.reason) == (room, "closed", "host")
        assert [(row.name, row.redeals) for row in told.rows] == [("Ada", 2)]
        assert await client.closed() is told
    async with client_of(race_server, token=tokens[0]) as client, asyncio.timeout(WAIT_S):
        with pytest.raises(NoRace, match="in no room"):
            await client.closed()
        await client.enter(room)
        assert (await client.game()).redeals == 2
        with pytest.raises(ActionRefused) as refused:
            await client.redeal()
        assert refused.value.code == "not_running"


async def test_who_is_put_out_is_told_and_still_knows_the_room(race_server: Any) -> None:
    async with client_of(race_server) as host, client_of(race_server) as bot, asyncio.timeout(WAIT_S):
        await bot.enter(room := await room_of(host, min_players=2), "player", "Bo")
        waits = [asyncio.create_task(bot.game()), asyncio.create_task(bot.closed())]
        for waiting in waits:
            await until_waiting(bot, waiting)
        await host.request(wire.Manage(action="kick", player=bot.me))
        for waiting in waits:
            with pytest.raises(Ended) as ended:
                await waiting
            assert ended.value.kind == "banned"
        assert bot.room is not None
        assert bot.room.id == room


async def test_a_client_that_was_never_opened_says_so(race_server: Any) -> None:
    client = client_of(race_server)
    async with asyncio.timeout(WAIT_S):
        for asked in (client.say("hi"), client.move(0, 1), client.create({}), client.game(), client.closed()):
            with pytest.raises(NoConnection, match="open"):
                await asked
        with pytest.raises(NoConnection, match="open"):
            async for _ in client.events():
                pass


async def test_one_s_game_says_whether_one_is_out_of_the_race(race_server: Any) -> None:
    async with client_of(race_server) as host, client_of(race_server) as bot, asyncio.timeout(WAIT_S):
        await host.enter(room := await room_of(host, min_players=2), "player", "Ada")
        await bot.enter(room, "player", "Bo")
        for client in (host, bot):
            await client.ready()
        before = await bot.game()
        await bot.forfeit()
        assert (await bot.game()).status == "forfeited"
        assert before.status == "playing"
        await bot.unforfeit()
        assert (await bot.game()).status == "playing"
        assert (await bot.redeal()).status == "playing"
        for now in ("playing", "forfeited"):
            if now == "forfeited":
                await bot.forfeit()
            await host.request(wire.Manage(action="disqualify", player=bot.me))
            await until(bot, "disqualified")
            assert (await bot.game()).status == "disqualified"
            with pytest.raises(ActionRefused) as refused:
                await bot.redeal()
            assert refused.value.code == "not_running"
            await host.request(wire.Manage(action="reinstate", player=bot.me))
            await until(bot, "reinstated")
            assert (await bot.game()).status == now


async def test_a_game_that_was_returned_stays_as_it_was(race_server: Any) -> None:
    async with client_of(race_server) as client, client_of(race_server) as fan, asyncio.timeout(WAIT_S):
        await client.enter(
            room := await room_of(client, visibility="open", spectators="live"), "player", "Ada"
        )
        await client.ready()
        first = await client.game()
        kept = first.copy()
        await fan.enter(room, "spectator")
        await fan.follow(client.me)
        seen = fan.followed[client.me]
        assert seen == first
        second = await client.redeal()
        assert (first, second.redeals) == (kept, 2)
        assert first.piles != second.piles
        assert client.position is second
        async for event in fan.events():
            if isinstance(event, wire.Seen):
                break
        assert seen == kept
        assert fan.followed[client.me].tops == second.tops
        await fan.follow(None)
        assert fan.followed == {}


async def test_the_bot_of_the_examples_says_that_its_race_was_closed(
    race_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays, moves = asyncio.Event(), RaceClient.move

    async def once_closed(client: RaceClient, src: int, dst: int) -> Any:
        plays.set()
        await client.closed()
        return await moves(client, src, dst)

    monkeypatch.setattr(RaceClient, "move", once_closed)
    async with client_of(race_server) as host, asyncio.timeout(WAIT_S):
        playing = asyncio.create_task(race(await room_of(host), race_server.url))
        await plays.wait()
        await close(host)
        assert (await playing).startswith("1. bot ")


async def test_the_bot_of_the_examples_does_not_wait_for_a_race_that_never_comes(race_server: Any) -> None:
    async with client_of(race_server) as host, asyncio.timeout(WAIT_S):
        playing = asyncio.create_task(race(await room_of(host, min_players=2), race_server.url))
        await until(host, "ready")
        await close(host)
        with pytest.raises(NoRace, match="closed before"):
            await playing
