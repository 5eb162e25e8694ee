"""What the library says of requests that it cannot have answered: what is so, and to each who asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from client_cli.backoff import Backoff
from client_cli.client import RaceClient
from client_cli.failures import ActionRefused, Denied, Ended, InvalidRequest
from client_cli.notices import Lost
from protocol import messages as wire
from tests.client_cli.fake_server import ROOM, FakeServer

WAIT_S = 20.0
Asks = Callable[[RaceClient], Awaitable[Any]]

INVALID: dict[str, tuple[str, Asks]] = {
    "a long text": ("text", lambda client: client.say("x" * 301)),
    "a text longer than a frame": ("text", lambda client: client.say("x" * 5000)),
    "half a character": ("", lambda client: client.say("\ud800")),
    "an unknown role": ("role", lambda client: client.enter(ROOM, "boss", "x")),  # type: ignore[arg-type]
    "no room": ("room", lambda client: client.enter(None)),  # type: ignore[arg-type]
    "a long name": ("name", lambda client: client.enter(ROOM, "player", "x" * 400)),
    "options that are none": ("options", lambda client: client.create("x")),  # type: ignore[arg-type]
    "options of no known type": ("", lambda client: client.create({"name": object()})),
    "options longer than a frame": ("", lambda client: client.create({"name": "x" * 5000})),
    "a place that is none": ("dst", lambda client: client.move(0, 99)),
    "a place that is no number": ("src", lambda client: client.move("1", 2)),  # type: ignore[arg-type]
    "an unknown action": ("op", lambda client: client.op("x")),  # type: ignore[arg-type]
    "a move of nothing": ("", lambda client: client.op("m")),
}


@pytest.mark.parametrize("case", INVALID)
async def test_what_the_wire_has_no_place_for_is_not_sent(race_server: Any, case: str) -> None:
    field, asked = INVALID[case]
    async with RaceClient.connect(race_server.url) as client, asyncio.timeout(WAIT_S):
        with pytest.raises(InvalidRequest) as invalid:
            await asked(client)
        assert (invalid.value.field, invalid.value.code) == (field, "malformed")
        assert str(invalid.value) == invalid.value.text
        assert invalid.value.text.startswith(f"Not sent: {field}")
        assert isinstance(await client.request(wire.Rooms()), wire.RoomsAnswer)
        assert client.ended is None


async def test_a_client_that_is_closed_at_once_leaves_no_connection_behind() -> None:
    async with FakeServer() as server, asyncio.timeout(WAIT_S):
        client = RaceClient(server.url)
        await client.open()
        await client.close()
        await server.links[-1].wait_closed()


async def test_the_longest_text_of_the_widest_characters_is_sent(race_server: Any) -> None:
    async with RaceClient.connect(race_server.url) as client, asyncio.timeout(WAIT_S):
        await client.create({})
        await client.say("🂡" * 300)


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "Not sent: text: at most 300 characters"),
        ("da", "Ikke sendt: text: højst 300 tegn"),
        ("de", "Nicht gesendet: text: höchstens 300 Zeichen"),
    ],
)
async def test_it_is_said_in_the_player_s_language(race_server: Any, lang: Any, said: str) -> None:
    async with RaceClient.connect(race_server.url, lang=lang) as client:
        with pytest.raises(Denied) as denied:
            await client.say("x" * 301)
        assert denied.value.text == said


@pytest.mark.parametrize(("field", "arguments"), [("lang", {"lang": "fr"}), ("token", {"token": "x" * 65})])
async def test_who_cannot_say_hello_is_told_why(race_server: Any, field: str, arguments: Any) -> None:
    with pytest.raises(InvalidRequest) as invalid:
        await RaceClient.connect(race_server.url, **arguments).open()
    assert invalid.value.field == field


async def test_a_move_in_no_room_is_refused_and_no_line_is_lost(race_server: Any) -> None:
    async with RaceClient.connect(race_server.url) as client, asyncio.timeout(WAIT_S):
        for _ in range(2):  # the first before the connection has begun to be read
            with pytest.raises(ActionRefused) as refused:
                await client.move(0, 1)
            assert refused.value.code == "not_player"
        await client.create({})
        await client.leave()
        with pytest.raises(ActionRefused) as refused:
            await client.redeal()
        assert refused.value.code == "not_player"


async def test_a_move_in_no_room_that_waited_for_the_line_is_answered() -> None:
    async with FakeServer() as server, asyncio.timeout(WAIT_S):
        client = RaceClient(server.url, backoff=Backoff(lambda low, high: 0.01))
        await client.open()
        server.links[-1].transport.abort()
        async for event in client.events():
            if isinstance(event, Lost):
                break
        with pytest.raises(ActionRefused) as refused:
            await client.redeal()
        assert refused.value.code == "not_running"
        await client.close()


async def test_a_forfeit_is_taken_back_only_where_there_is_one(race_server: Any) -> None:
    async with RaceClient.connect(race_server.url) as client, asyncio.timeout(WAIT_S):
        room = (await client.create({"min_players": 1, "start": "ready", "countdown_ms": 0})).room
        await client.enter(room, "player", "Ada")
        with pytest.raises(Denied) as denied:
            await client.unforfeit()
        assert denied.value.code == "wrong_state"
        await client.ready()
        await client.game()
        with pytest.raises(Denied) as denied:
            await client.unforfeit()
        assert (denied.value.code, denied.value.why) == ("not_allowed", "not_forfeited")
        await client.forfeit()
        with pytest.raises(ActionRefused) as refused:
            await client.redeal()
        assert (refused.value.code, refused.value.why) == ("not_running", "forfeited")


async def test_an_error_is_raised_where_it_was_asked_and_is_no_event(race_server: Any) -> None:
    async with RaceClient.connect(race_server.url) as client, asyncio.timeout(WAIT_S):
        with pytest.raises(Denied):
            await client.say("to nobody")
        await client.request(wire.Rooms())
        async for event in client.events():
            assert not isinstance(event, wire.Error)
            if isinstance(event, wire.RoomsAnswer):
                break


async def test_the_end_is_told_to_each_who_waits_and_never_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeServer() as server, asyncio.timeout(WAIT_S):
        client = RaceClient(server.url)
        await client.open()
        asked = asyncio.Event()

        def answers(_link: Any, _player: str, request: wire.Request) -> list[wire.Message]:
            if isinstance(request, wire.Rooms):
                asked.set()
            return []

        monkeypatch.setattr(server, "_answers", answers)
        waits = [asyncio.create_task(client.say("hi")), asyncio.create_task(client.request(wire.Rooms()))]
        await asked.wait()
        await server.links[-1].close(4403, "kicked")
        ends = list(await asyncio.gather(*waits, return_exceptions=True))
        for _ in range(20):
            with pytest.raises(Ended) as ended:
                await client.say("anybody?")
            ends.append(ended.value)
        assert {(type(end), getattr(end, "kind", "")) for end in ends} == {(Ended, "banned")}
        assert len({id(end) for end in (*ends, client.ended)}) == len(ends) + 1
        assert client.ended is not None
        assert client.ended.__traceback__ is None
        assert (client.ended.code, type(client.ended.code)) == (4403, int)
        await client.close()


@pytest.mark.parametrize("code", [1006, 1012])
async def test_the_code_of_a_lost_line_is_a_number(code: int) -> None:
    async with FakeServer() as server, asyncio.timeout(WAIT_S):
        client = RaceClient(server.url, backoff=Backoff(lambda low, high: 0.01))
        await client.open()
        if code == 1006:
            server.links[-1].transport.abort()
        else:
            await server.links[-1].close(code)
        async for event in client.events():
            if isinstance(event, Lost):
                assert (event.code, type(event.code)) == (code, int)
                break
        await client.close()
