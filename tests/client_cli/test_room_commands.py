"""What is typed in a room, against a real server: everybody is told what came of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from client_cli import exits
from client_cli.backoff import Backoff
from client_cli.client import RaceClient
from client_cli.json_lines import JsonScreen
from client_cli.session import Session
from tests.client_cli.typed import Typed

WAIT_S = 20.0
CODE = "CR1-N-AAAAAAB"


class Seat:
    """Somebody at a terminal: what they type, and what they are shown."""

    def __init__(self, url: str) -> None:
        self.lines: list[dict[str, Any]] = []
        self.typed = Typed()
        self.client = RaceClient(url, backoff=Backoff(lambda low, high: 0.01))
        self.screen = JsonScreen(lambda line: self.lines.append(json.loads(line)), self.client.state)
        self.client._on_message = self.screen.received
        self.session: Session
        self.sitting: asyncio.Task[int]

    def sit(self, name: str, password: str | None = None) -> None:
        self.session = Session(self.client, self.screen, self.typed, name, password)  # type: ignore[arg-type]
        self.sitting = asyncio.create_task(self.session.run())

    async def type(self, line: str, **shown: Any) -> dict[str, Any]:
        """Type a line and wait until something is shown that has these fields."""
        since = len(self.lines)
        self.typed.type(line)
        return await self.see(since, **shown)

    async def see(self, since: int = 0, **shown: Any) -> dict[str, Any]:
        async with asyncio.timeout(WAIT_S):
            while True:
                for line in self.lines[since:]:
                    if all(line.get(name) == value for name, value in shown.items()):
                        return line
                await asyncio.sleep(0.01)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what follows from what was shown."""
        async with asyncio.timeout(WAIT_S):
            while True:
                if condition():
                    return
                await asyncio.sleep(0.01)

    async def ended(self) -> int:
        return await asyncio.wait_for(self.sitting, WAIT_S)


SeatMaker = Callable[..., Awaitable[Seat]]


@pytest.fixture
async def seats(race_server: Any) -> AsyncIterator[SeatMaker]:
    made: list[Seat] = []

    async def make(
        name: str, room: str | None = None, role: Any = "player", password: str | None = None, **options: Any
    ) -> Seat:
        seat = Seat(race_server.url)
        made.append(seat)
        await seat.client.open()
        if room is None:
            fixed = {"min_players": 1, "countdown_ms": 0, "deal": CODE, "password": password, **options}
            room = (await seat.client.create(fixed)).room
        await seat.client.enter(room, role, name if role == "player" else None, password)
        seat.sit(name, password)
        return seat

    yield make
    for seat in made:
        seat.sitting.cancel()
        await asyncio.gather(seat.sitting, return_exceptions=True)
        await seat.client.close()


def room_of(seat: Seat) -> str:
    assert seat.client.state.room is not None
    return seat.client.state.room.id


async def test_people_are_managed_by_their_names(seats: SeatMaker) -> None:
    ada = await seats("Ada")
    bo = await seats("Bo B", room_of(ada))
    player = bo.client.state.me
    await ada.see(t="event", kind="joined", player=player)
    for line, fields in (
        ("mute bo b", {"kind": "muted", "on": True}),
        ("unmute “Bo B”", {"kind": "muted", "on": False}),
        ('referee "Bo B"', {"kind": "referee", "on": True}),
        ("unreferee Bo B", {"kind": "referee", "on": False}),
        ("host Bo B", {"kind": "host"}),
    ):
        await ada.type(line, t="event", player=player, **fields)
    await ada.type("kick Bo B", t="error", code="not_host")
    await bo.type("host Ada", t="event", kind="host")
    await ada.type("kick Cy", notice="unknown_name", text="Cy")
    await ada.type("kick Bo B now", notice="unknown_name")
    await ada.type("start", t="game")
    await ada.type("disqualify Bo B wrong deal", t="event", kind="disqualified", reason="wrong deal")
    await ada.type('reinstate "Bo B" a mistake', t="event", kind="reinstated", reason="a mistake")
    await ada.type("kick Bo B", t="event", kind="kicked", player=player)
    await bo.see(notice="ended_banned")
    assert await bo.ended() == exits.REFUSED
    await ada.type("reinstate bo b", t="event", kind="reinstated")
    await ada.type("ban bo b", t="event", kind="banned")
    await ada.type("close enough", t="event", kind="closed", text="enough")


async def test_the_muted_are_told_so_and_nothing_is_sent(seats: SeatMaker) -> None:
    ada = await seats("Ada")
    bo = await seats("Bo", room_of(ada))
    await bo.see(t="room")
    await ada.type("mute Bo", t="event", kind="muted")
    await bo.see(t="event", kind="muted", on=True)
    await bo.type("say hello", notice="muted")
    await ada.type("unmute Bo", t="event", kind="muted", on=False)
    await bo.see(t="event", kind="muted", on=False)
    await bo.type("say hello again", t="said")
    await ada.see(t="said", text="hello again")
    assert not any(
        line.get("text") == "hello" or line.get("code") == "muted" for line in bo.lines + ada.lines
    )


async def test_options_are_set(seats: SeatMaker) -> None:
    ada = await seats("Ada")
    await ada.type("set limit 15", t="event", kind="options", options={"limit_ms": 900_000})
    await ada.type("set name The club", t="event", kind="options", options={"name": "The club"})
    await ada.type("set undo no", t="event", kind="options", options={"undo": False})
    await ada.type("set password secret", t="event", kind="options", options={"password": True})
    await ada.type("set colour red", notice="unknown_option", text="colour")
    await ada.type("set undo", notice="no_value")
    await ada.type("set start_at soon", notice="bad_moment")
    await ada.type("set max-players 5000", t="error", code="bad_options")


async def test_a_game_is_followed_once_ones_own_is_given_up(seats: SeatMaker) -> None:
    ada = await seats("Ada")
    bo = await seats("Bo", room_of(ada))
    await bo.see(t="room")
    await ada.type("start", t="game")
    await bo.see(t="game")
    refused = await bo.type("follow Ada", t="error")
    assert refused["code"] == "not_allowed"
    await bo.type("forfeit", t="event", kind="forfeited")
    await bo.type("follow Ada", t="view", player=ada.client.state.me)
    await ada.type("R", t="done")
    await bo.see(t="seen", op="r")
    await bo.type("unfollow", t="ok")
    await bo.until(lambda: bo.client.state.followed == {})
    await ada.type("follow Ada", t="error")
    await bo.type("unforfeit", t="error")


@pytest.mark.parametrize("password", [None, "pass word"])
async def test_a_rematch_takes_everybody_along(seats: SeatMaker, password: str | None) -> None:
    ada = await seats("Ada", password=password)
    first = room_of(ada)
    bo = await seats("Bo", first, password=password)
    cy = await seats("Cy", first, "spectator", password=password)
    await cy.see(t="room")
    await bo.type("next", notice="no_next")
    await ada.type("start", t="game")
    await ada.type("close", t="event", kind="closed")
    await bo.see(t="event", kind="closed")
    await bo.type("rematch", notice="get_ready")
    assert room_of(bo) != first
    await ada.see(t="event", kind="rematch", next=room_of(bo))
    await ada.type("next", notice="host_start")
    await cy.see(t="event", kind="rematch")
    await cy.type("next", t="room", room=room_of(bo), you=["spectator"])
    assert room_of(ada) == room_of(bo)
    assert ada.client.state.room is not None
    assert ada.client.state.room.roles == {"host", "player"}
    await ada.type("start", t="game")
    await bo.type("R", t="done", n=1)


async def test_a_host_who_only_leads_leads_the_rematch_too(seats: SeatMaker) -> None:
    ada = await seats("Ada", role=None)
    bo = await seats("Bo", room_of(ada))
    await ada.see(t="event", kind="joined")
    await ada.type("start", t="event", kind="started")
    await ada.type("close", t="event", kind="closed")
    await ada.type("rematch", notice="host_start")
    assert ada.client.state.room is not None
    assert ada.client.state.room.roles == {"host"}
    await bo.see(t="event", kind="rematch")


async def test_to_be_forgotten_takes_a_word_more(seats: SeatMaker) -> None:
    ada = await seats("Ada")
    await ada.type("forget", notice="forget_sure", word="me")
    await ada.type("forget you", notice="forget_sure")
    await ada.type("forget me", notice="forgotten")
    assert await ada.ended() == exits.OK
    assert ada.session.forgotten


async def test_help_is_for_who_asks(seats: SeatMaker) -> None:
    ada = await seats("Ada")
    bo = await seats("Bo", room_of(ada))
    await ada.type("help", notice="help_managers")
    await ada.see(notice="help_host")
    await ada.type("help set", notice="help_set")
    limit = await ada.see(notice="help_option", option="limit")
    assert "min)" in limit["words"]
    undo = await ada.see(notice="help_option", option="undo")
    assert undo["words"].endswith("(yes, no)")
    await bo.type("help", notice="help")
    await bo.type("ready", t="ok")
    assert not any(line.get("notice") == "help_managers" for line in bo.lines)


async def test_a_moment_to_start_at_is_set(seats: SeatMaker) -> None:
    ada = await seats("Ada")
    told = await ada.type("set start-at +15", t="event", kind="options")
    assert told["options"]["start"] == "at"
    await ada.type("set start at", notice="start_at_set")
    await ada.type("set start-at 2020-01-01T20:30", notice="moment_past")
    await ada.type("start", error="This race starts by itself at its time; “set start-at” changes it.")
