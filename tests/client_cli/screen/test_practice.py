"""Practice at the screen, against a real server: the table at once, the result, and another deal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from client_cli.address import parse_address
from client_cli.client import RaceClient
from client_cli.output import Output
from client_cli.screen.app import RaceApp
from client_cli.screen.display import ScreenDisplay
from client_cli.screen.help import HelpScreen
from client_cli.screen.look import Look
from client_cli.screen.race import RaceScreen
from client_cli.screen.replay_screen import ReplayScreen
from client_cli.screen.result import ResultScreen
from client_cli.screen.typed import ScreenLines
from client_cli.session import Session
from client_cli.solo import Practice, practice_options
from client_cli.terminal import Settings, Terminal
from client_cli.typed_lines import Lines
from protocol.messages import Lang
from server.rooms.options import RANDOM_DEAL
from tests.client_cli.screen.seats import Sitting
from tests.support.golden import BLOCKED, SHORTEST_WIN, Golden

CODE = "CR1-N-AAAAAAB"


class PilotsTerminal(Terminal):
    """A terminal whose screen is a pilot's: the session it sits down with is handed over, and waited for."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, Output(), slot=None)
        self.session: asyncio.Future[Session] = asyncio.get_running_loop().create_future()
        self.code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.screen_lines: Lines | None = None

    async def sit(self, session: Session, lines: Lines) -> int:
        self.screen_lines = lines
        self.session.set_result(session)
        return await self.code


class Practising(Sitting):
    """Somebody who practises."""

    @property
    def room(self) -> Any:
        """The room one is in."""
        return self.app.seat.state.room

    async def sees(self, kind: type) -> None:
        """Wait for a screen of this kind."""
        await self.until(lambda: isinstance(self.app.screen, kind) and self.app.screen.is_mounted)

    async def plays_another_than(self, room: str) -> None:
        """Wait for the next deal's table."""
        await self.until(lambda: self.room.id != room and self.app.seat.plays)
        await self.sees(RaceScreen)


@asynccontextmanager
async def practising(url: str, code: str | None, lang: Lang = "en") -> AsyncIterator[Practising]:
    """Practise; what is done here ends with the practice's end."""
    settings = Settings(parse_address(url), lang, name="Ada", look=Look(), practice=True)
    async with PilotsTerminal(settings) as terminal:
        running = asyncio.create_task(Practice(terminal, None).run(practice_options(code)))
        session = await terminal.session
        display, lines = terminal.screen, terminal.screen_lines
        assert isinstance(display, ScreenDisplay)
        assert isinstance(lines, ScreenLines)
        app = RaceApp(terminal.client, display, lines, Look(), "Ada", practice=True)
        app.run_session(session)
        async with app.run_test(size=(80, 24)) as pilot:
            sitting = Practising(app, pilot)
            await sitting.until(lambda: app.seat.plays)
            yield sitting
            await sitting.until(lambda: app.return_value is not None)
        terminal.code.set_result(app.return_value or 0)
        assert await running == 0
    if app.failure is not None:
        raise app.failure


async def play(client: RaceClient, game: Golden) -> None:
    """Play a golden game, quicker than by keys."""
    for action in game.actions:
        if action.op == "m":
            await client.move(action.src, action.dst)
        else:
            await (client.redeal() if action.op == "r" else client.undo())


async def test_from_the_table_to_the_result_and_to_another_deal(
    race_server: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    async with practising(race_server.url, CODE) as ada:
        first = ada.room.id
        # The table is there at once, and what takes others is not offered.
        await ada.until(lambda: "home 8/104" in ada.text)
        assert CODE in ada.text
        keys = ada.text.splitlines()[-1]
        assert "redeal (3)" in keys
        assert "q end" in keys
        assert not any(other in keys for other in ("talk", "manage", "view", "ready"))
        assert "crescent play" not in ada.news
        # Given up, it is closed, and there is a result.
        await ada.app.seat.client.redeal()
        await ada.press("g", "g")
        await ada.sees(ResultScreen)
        await ada.until(lambda: "The race is over" in ada.text)
        assert "gave up" in ada.text
        assert "n another deal" in ada.text
        assert "crescent verify" not in ada.text
        assert "the host" not in ada.text
        await ada.press("n")
        await ada.plays_another_than(first)
        second = ada.room.id
        assert ada.room.options["deal"] == RANDOM_DEAL
        assert ada.room.options["max_players"] == 1
        await ada.until(lambda: "home 8/104" in ada.text)
        assert CODE not in ada.text.splitlines()[0]
        # To end it takes two presses, and the logs of both are told.
        await ada.press("q")
        assert "End the practice?" in ada.sentence
        await ada.press("q")
    told = capsys.readouterr().out
    assert [f"crescent verify {room} --server" in told for room in (first, second)] == [True, True]


async def test_another_deal_in_the_middle_of_one(race_server: Any) -> None:
    async with practising(race_server.url, None) as ada:
        first = ada.room.id
        await ada.press("n")
        assert "Give this deal up for another?" in ada.sentence
        await ada.press("n")
        await ada.plays_another_than(first)
        await ada.app.seat.client.redeal()
        await ada.until(lambda: "redeals 2" in ada.text)
        await ada.press("q", "q")


async def test_a_result_that_is_out_of_date_takes_nothing_away_but_itself(race_server: Any) -> None:
    async with practising(race_server.url, None) as ada:
        first = ada.room.id
        await ada.press("g", "g")
        await ada.sees(ResultScreen)
        result = ada.app.screen
        assert isinstance(result, ResultScreen)
        await ada.press("question_mark")
        await ada.sees(HelpScreen)
        ada.app.seat.lines.put("rematch")
        await ada.until(lambda: ada.room.id != first and ada.app.seat.plays)
        result._look()
        result._look()
        await ada.pilot.pause()
        assert isinstance(ada.app.screen, HelpScreen)
        await ada.press("escape")
        await ada.sees(RaceScreen)
        await ada.press("q", "q")


async def test_a_win_is_the_end_and_can_be_seen_again(race_server: Any) -> None:
    async with practising(race_server.url, SHORTEST_WIN.code) as ada:
        await play(ada.app.seat.client, SHORTEST_WIN)
        await ada.sees(ResultScreen)
        await ada.until(lambda: "won" in ada.text)
        await ada.press("p")
        await ada.sees(ReplayScreen)
        await ada.press("q")
        await ada.sees(ResultScreen)
        await ada.press("escape")
        await ada.until(lambda: "n another deal" in ada.text.splitlines()[-1])
        assert "The game is over.  n another deal" in ada.sentence
        await ada.press("q")


async def test_a_blocked_game_offers_another_in_the_players_language(race_server: Any) -> None:
    game = min(BLOCKED, key=lambda game: len(game.actions))
    async with practising(race_server.url, game.code, "de") as ada:
        first = ada.room.id
        await play(ada.app.seat.client, game)
        await ada.until(lambda: "Blockiert" in ada.sentence)
        await ada.press("n", "n")
        await ada.plays_another_than(first)
        await ada.press("q", "q")
