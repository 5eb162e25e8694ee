"""A sitting from typed lines to what is shown, for people and for programs."""

from __future__ import annotations

import asyncio
import json
import re
import typing
from collections.abc import AsyncIterator, Callable, Coroutine

import pytest

from client_cli import exits
from client_cli.backoff import Backoff
from client_cli.client import RaceClient
from client_cli.json_lines import JsonScreen
from client_cli.lines import LineScreen
from client_cli.output import Output
from client_cli.session import Session
from protocol import messages as wire
from tests.client_cli.fake_server import ROOM, FakeServer
from tests.client_cli.typed import Typed

WAIT_S = 20.0


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    async with FakeServer() as running:
        yield running


async def sit(
    server: FakeServer,
    typed: Typed,
    json_lines: list[str] | None = None,
    meanwhile: Callable[[], Coroutine[None, None, None]] | None = None,
) -> tuple[RaceClient, int]:
    """Enter the room and sit there; `meanwhile` runs once it is entered."""
    client = RaceClient(server.url, backoff=Backoff(lambda low, high: 0.01))
    screen: JsonScreen | LineScreen
    if json_lines is None:
        screen = LineScreen(Output(), "en", client.state)
    else:
        screen = JsonScreen(json_lines.append, client.state)
        client._on_message = screen.received
    async with client:
        await client.enter(ROOM, "player", "Ada")
        session = Session(client, screen, typed, "Ada")  # type: ignore[arg-type]
        beside = asyncio.create_task(meanwhile()) if meanwhile is not None else None
        code = await asyncio.wait_for(session.run(), WAIT_S)
        if beside is not None:
            await beside
    return client, code


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 - what is waited for happens in the server
            await asyncio.sleep(0.01)


async def test_a_refusal_names_card_and_place(server: FakeServer, capsys: pytest.CaptureFixture[str]) -> None:
    await sit(server, Typed("ready", "1>F", "undo", "redeal", "U", "home", "quit", interactive=False))
    out = capsys.readouterr().out
    assert re.search(r"^\S+ cannot go home: \S+ or \S+ comes next there\.$", out, re.MULTILINE)
    assert "Nothing can be undone: no move was played yet." in out
    assert "R played." in out
    assert "“home 5” (or 5>F) sends pile 5's home." in out


async def test_moves_and_commands_in_order(server: FakeServer, capsys: pytest.CaptureFixture[str]) -> None:
    typed = Typed(
        "ready", "10>14", "R", "3>", "dance", "say hi\x1b[2J", "board", "table", "quit", interactive=False
    )
    _, code = await sit(server, typed)
    assert code == exits.OK
    out = capsys.readouterr().out
    assert "The race is on! The deal is CR1-N-AAAAAAB." in out
    assert "R played." in out
    assert "redeals 2" in out
    assert "“dance” is neither a move nor a command" in out
    assert "After the > stands where the card goes" in out
    assert "<Ada> hi[2J" in out
    assert "Nobody has won yet: by cards home" in out
    assert "\x1b" not in out
    first = server.ops()[0]
    assert (first.n, first.op, first.src, first.dst) == (1, "m", 9, 13)


async def test_for_programs_every_message_is_a_line(server: FakeServer) -> None:
    lines: list[str] = []
    typed = Typed("ready", "R", "1>1", "dance", "table", "board", "quit", interactive=False)
    await sit(server, typed, lines)
    assert all(line.isascii() for line in lines)
    values = [json.loads(line) for line in lines]
    kinds = [value["t"] for value in values if "t" in value]
    assert kinds[:3] == ["welcome", "room", "ok"]
    assert {"event", "game", "done", "refused", "board"} <= set(kinds)
    assert all("token" not in value for value in values)
    assert {"notice": "unknown_command", "text": "dance"} in values
    table = next(value["table"] for value in values if "table" in value)
    assert (table["n"], table["redeals"], len(table["piles"])) == (1, 2, 16)
    assert any(isinstance(value.get("board"), list) for value in values)


async def test_a_person_can_leave_while_an_answer_is_awaited(server: FakeServer) -> None:
    typed = Typed("ready")

    async def hang_then_quit() -> None:
        await until(lambda: server.state == "running")
        server.cut_at = "say"
        assert server._server is not None
        server._server.close(close_connections=False)
        for line in ("say x", "R", "quit"):
            typed.type(line)

    _, code = await sit(server, typed, meanwhile=hang_then_quit)
    assert code == exits.OK


async def test_the_end_of_a_person_s_input_is_leaving(server: FakeServer) -> None:
    person = Typed()
    person.type(None)
    assert (await sit(server, person))[1] == exits.OK


async def test_the_end_of_a_file_is_not_but_the_end_of_the_race_is(server: FakeServer) -> None:
    file = Typed("ready", interactive=False)
    file.type(None)

    async def close() -> None:
        await until(lambda: server.state == "running")
        await server.send(wire.Event(room=ROOM, v=server.v + 1, at=1, kind="closed", reason="limit"))

    client, code = await sit(server, file, meanwhile=close)
    assert code == exits.OK
    assert client.state.room is not None
    assert client.state.room.state == "closed"


@pytest.mark.parametrize(
    ("code", "said"), [(4409, "newer connection"), (4403, "removed"), (4400, "out of date")]
)
async def test_a_final_close_is_explained(
    server: FakeServer, capsys: pytest.CaptureFixture[str], code: int, said: str
) -> None:
    async def close() -> None:
        await server.links[-1].close(code, "why\x1b[2J")

    _, exit_code = await sit(server, Typed(), meanwhile=close)
    assert exit_code == exits.REFUSED
    out = capsys.readouterr().out
    assert said in out
    assert "\x1b" not in out


async def test_everything_one_can_ask_can_be_typed(server: FakeServer) -> None:
    """But `create`, which is a command of the program: `crescent host`."""
    people = ("kick", "ban", "disqualify", "reinstate", "mute", "unmute", "referee", "unreferee", "host")
    typed = Typed(
        "ready", "unready", "start", "hold", "R", "look 5", "places 5", "clock", "rooms", "say hi",
        "follow Ada", "unfollow", "forfeit", "unforfeit", *(f"{word} Ada" for word in people),
        "set limit 5", "close", "rematch", "leave", interactive=False,
    )  # fmt: skip
    await sit(server, typed, [])
    server.names.clear()
    await sit(server, Typed("forget me", interactive=False), [])
    asked = {type(request) for request in server.received}
    assert asked == set(typing.get_args(wire.ClientMessage)) - {wire.Create}
    actions = {request.action for request in server.received if isinstance(request, wire.Manage)}
    assert actions == set(wire.MANAGE_FIELDS)
