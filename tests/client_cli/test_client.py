"""The client against a server that breaks lines: what is lost, what is resent, what ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec import structs

from client_cli.backoff import Backoff
from client_cli.client import RaceClient
from client_cli.failures import Denied, Ended, LineLost, NoConnection
from client_cli.kept_line import OLDER_NODES_MAX
from client_cli.notices import Lost, NewIdentity, Resumed
from protocol import messages as wire
from tests.client_cli.fake_server import NOW_MS, ROOM, FakeServer

WAIT_S = 20.0


def fast() -> Backoff:
    return Backoff(uniform=lambda low, high: min(high, 0.02))


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    async with FakeServer() as running:
        yield running


async def playing(server: FakeServer, **kwargs: object) -> RaceClient:
    client = RaceClient(server.url, backoff=fast(), **kwargs)  # type: ignore[arg-type]
    await client.open()
    await client.enter(ROOM, "player", "Ada")
    await client.request(wire.Ready(ready=True))
    await client.game()
    return client


async def until(client: RaceClient, kind: type) -> object:
    async def search() -> object:
        async for message in client:
            if isinstance(message, kind):
                return message
        raise AssertionError(f"no {kind.__name__} came")

    return await asyncio.wait_for(search(), WAIT_S)


async def test_a_race_from_hello_to_a_move(server: FakeServer) -> None:
    tokens: list[str] = []
    client = await playing(server, on_token=tokens.append)
    answer = await client.op("m", 9, 11)  # a 7 onto an 8? no: another suit
    assert isinstance(answer, wire.Refused)
    redealt = await client.op("r")
    assert isinstance(redealt, wire.Done)
    assert client.state.position is not None
    assert client.state.position.redeals == 2
    assert tokens == ["token-0"]
    assert abs(client.state.clock.now_ms() - NOW_MS) < 2000
    await client.close()
    with pytest.raises(Ended):
        await client.op("r")


@pytest.mark.parametrize("fault", ["before", "after"])
async def test_an_action_whose_line_broke_is_played_exactly_once(server: FakeServer, fault: str) -> None:
    client = await playing(server)
    server.cut_at = fault
    answer = await asyncio.wait_for(client.op("r"), WAIT_S)
    assert isinstance(answer, wire.Done)
    assert (answer.n, answer.redeals) == (1, 2)
    player = next(iter(server.games))
    assert server.games[player].redeals == 2
    assert [(op.n, op.op) for op in server.ops()] == [(1, "r"), (1, "r")]
    again = server.enters()[-1]
    assert (again.room, again.role, again.name) == (ROOM, None, None)
    assert client.state.position is not None
    assert (client.state.position.n, client.state.position.redeals) == (1, 2)
    assert isinstance(await until(client, Lost), Lost)
    assert isinstance(await until(client, Resumed), Resumed)
    assert isinstance(await client.op("r"), wire.Done)
    await client.close()


async def test_an_action_typed_while_the_line_is_away_waits(server: FakeServer) -> None:
    client = await playing(server)
    server.links[-1].transport.abort()
    await until(client, Lost)
    answer = await asyncio.wait_for(client.op("r"), WAIT_S)
    assert isinstance(answer, wire.Done)
    await client.close()


@pytest.mark.parametrize("code", [1001, 1012, 1013, 1011])
async def test_a_node_that_leaves_is_left_for_another(server: FakeServer, code: int) -> None:
    client = await playing(server)
    if code == 1013:
        client._backoff.delay_s = lambda code=None: 0.01  # type: ignore[method-assign]
    await server.links[-1].close(code)
    await until(client, Resumed)
    assert len(server.links) == 2
    await client.close()


@pytest.mark.parametrize(
    ("code", "kind"),
    [(1000, "done"), (4400, "malformed"), (4403, "banned"), (4409, "replaced"), (1007, "malformed")],
)
async def test_codes_after_which_it_does_not_come_back(server: FakeServer, code: int, kind: str) -> None:
    client = await playing(server)
    await server.links[-1].close(code, "why")
    async for _ in client:
        pass
    assert client.ended is not None
    assert (client.ended.kind, client.ended.code) == (kind, code)
    await asyncio.sleep(0.1)
    assert len(server.links) == 1
    with pytest.raises(Ended):
        await client.request(wire.Rooms())
    await client.close()


async def test_an_unknown_token_makes_a_new_identity_once(server: FakeServer) -> None:
    kept: list[str] = []
    client = RaceClient(server.url, token="lost", on_token=kept.append, backoff=fast())
    await client.open()
    await until(client, NewIdentity)
    assert kept == []  # nothing is stored before it enters
    await client.enter(ROOM, "player", "Ada")
    assert kept == ["token-0"]
    server.tokens.clear()
    server.links[-1].transport.abort()
    async for _ in client:
        pass
    assert client.ended is not None
    assert client.ended.kind == "unknown_token"
    await client.close()


async def test_somebody_new_says_again_who_to_enter_as(server: FakeServer) -> None:
    server.tokens["old"] = "PLAYEROLD"
    client = RaceClient(server.url, token="old", backoff=fast())
    await client.open()
    await client.enter(ROOM, "player", "Ada")
    server.tokens.clear()
    server.names.clear()
    server.links[-1].transport.abort()
    await until(client, Resumed)
    assert (server.enters()[-1].role, server.enters()[-1].name) == ("player", "Ada")
    await client.close()


async def test_a_create_cut_off_makes_no_second_room(server: FakeServer) -> None:
    client = RaceClient(server.url, backoff=fast())
    await client.open()
    server.cut_at = "create"
    await asyncio.wait_for(client.create({}), WAIT_S)
    keys = [request.key for request in server.received if isinstance(request, wire.Create)]
    assert len(keys) == 2
    assert len(set(keys)) == 1
    await client.close()


async def test_what_may_have_been_said_is_not_said_twice(server: FakeServer) -> None:
    client = await playing(server)
    server.cut_at = "say"
    with pytest.raises(LineLost):
        await asyncio.wait_for(client.request(wire.Say(text="hi")), WAIT_S)
    await until(client, Resumed)
    assert sum(isinstance(request, wire.Say) for request in server.received) == 1
    await client.close()


async def test_a_gap_in_the_events_is_closed_by_entering_again(server: FakeServer) -> None:
    client = await playing(server)
    before = len(server.enters())
    server.v += 2
    await server.send(wire.Event(room=ROOM, v=server.v, at=1, kind="ready", player="x", ready=True))
    room = await until(client, wire.Room)  # the one of the first `enter`
    room = await until(client, wire.Room)
    assert isinstance(room, wire.Room)
    assert room.v == server.v
    assert len(server.enters()) == before + 1
    await client.close()


async def test_an_action_held_till_the_game_is_known_is_given_up_by_who_leaves(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = await playing(server)
    answers, asked = server._answers, asyncio.Event()

    def never_in(link: Any, player: str, request: wire.Request) -> list[wire.Message]:
        if isinstance(request, wire.Enter):
            asked.set()
            return []
        return answers(link, player, request)

    monkeypatch.setattr(server, "_answers", never_in)
    await server.send(wire.Event(room=ROOM, v=server.v + 5, at=1, kind="ready"))
    await asked.wait()
    held = asyncio.create_task(client.op("r"))
    await asyncio.sleep(0)
    await client.leave()
    with pytest.raises(LineLost):
        await asyncio.wait_for(held, WAIT_S)
    await client.close()


async def test_who_was_out_and_is_in_again_asks_how_the_game_stands(server: FakeServer) -> None:
    """And is told of it as well: it may have been given up before this client came."""
    client = await playing(server)
    game = server.game(client.me)
    game.status = "disqualified"
    await server.send(game)
    entered = len(server.enters())
    await server.send(wire.Event(room=ROOM, v=server.v + 1, at=1, kind="reinstated", player=client.me))
    async with asyncio.timeout(WAIT_S):
        async for message in client.events():
            if isinstance(message, wire.Event) and message.kind == "reinstated":
                break
        async for message in client.events():
            if isinstance(message, wire.GameState):
                break
    assert len(server.enters()) == entered + 1
    await client.close()


async def test_a_room_that_is_gone_ends_it(server: FakeServer) -> None:
    client = await playing(server)
    server.enter_error = "unknown_room"
    server.links[-1].transport.abort()
    async for _ in client:
        pass
    assert client.ended is not None
    assert (client.ended.kind, client.ended.reason) == ("denied", "no: unknown_room")
    await client.close()


async def test_a_store_that_is_away_for_now_is_waited_for(server: FakeServer) -> None:
    client = await playing(server)
    client._backoff.delay_s = lambda code=None: 0.01  # type: ignore[method-assign]
    server.enter_error = "store_unavailable"
    server.links[-1].transport.abort()
    await until(client, Resumed)
    assert len(server.links) == 3
    await client.close()


async def test_a_node_that_is_too_old_for_the_room_is_left_for_another(server: FakeServer) -> None:
    client = await playing(server)
    server.enter_error = "wrong_state"
    server.links[-1].transport.abort()
    await until(client, Resumed)
    assert len(server.links) == 3
    assert isinstance(await client.op("r"), wire.Done)
    await client.close()


async def test_a_server_of_nothing_but_older_nodes_ends_it_in_its_words(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = await playing(server)
    told = [wire.Error(id=None, code="wrong_state", text="a newer version has this room")]
    monkeypatch.setattr(server, "_enter", lambda _, asked: [structs.replace(told[0], id=asked.id)])
    server.links[-1].transport.abort()
    async for _ in client:
        pass
    assert client.ended is not None
    assert (client.ended.kind, client.ended.reason) == ("denied", "a newer version has this room")
    assert len(server.links) == 1 + OLDER_NODES_MAX
    await client.close()


async def test_a_followed_game_is_followed_again(server: FakeServer) -> None:
    client = await playing(server)
    await client.follow("PLAYER000000")
    server.links[-1].transport.abort()
    await until(client, Resumed)
    await client.request(wire.Rooms())
    assert sum(isinstance(request, wire.Follow) for request in server.received) == 2
    await client.close()


async def test_an_error_answers_its_request(server: FakeServer) -> None:
    client = RaceClient(server.url, backoff=fast())
    await client.open()
    server.enter_error = "room_full"
    with pytest.raises(Denied) as denied:
        await client.enter(ROOM, "player", "Ada")
    assert denied.value.code == "room_full"
    await client.close()


async def test_nobody_there_is_no_connection(server: FakeServer) -> None:
    client = RaceClient("ws://127.0.0.1:1/ws")
    with pytest.raises(NoConnection, match="refused"):
        await client.open()
    await client.close()


async def test_it_gives_up_in_the_end(server: FakeServer) -> None:
    client = await playing(server, give_up_s=0.1)
    assert server._server is not None
    server._server.close(close_connections=False)
    server.links[-1].transport.abort()
    async for _ in client:
        pass
    assert client.ended is not None
    assert client.ended.kind == "away"
    await client.close()
