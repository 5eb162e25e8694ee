"""What a screen reader is told: a whole race as text in each language, and the words by themselves."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client_cli.asking import Asking
from client_cli.backoff import Backoff
from client_cli.client import RaceClient
from client_cli.output import Output
from client_cli.plain_lines import PlainScreen
from client_cli.plain_words import (
    action_words,
    card_words,
    holds_words,
    place_words,
    sentence,
    time_words,
    where_words,
)
from client_cli.race_state import RaceState
from client_cli.session import Session
from protocol import messages as wire
from protocol.messages import Lang
from server.engine.actions import REDEAL, UNDO, Action
from server.engine.cards import CARDS
from server.engine.codes import parse_code
from server.engine.game import Game
from server.engine.texts import LANGUAGES
from tests.client_cli.samples import Table, room, row
from tests.client_cli.typed import Typed
from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import play_well

GOLDEN = Path(__file__).parent / "golden"
WAIT_S = 20.0
# Times differ from run to run, and with them their words; `test_times_in_words` has those.
ONE = r"\d+ (?:hours?|timer?|Stunden?|minutes?|minut(?:ter)?|Minuten?|seconds?|sekund(?:er)?|Sekunden?)"
TIME = re.compile(rf"{ONE}(?: {ONE})*")


class Quiet(PlainScreen):
    """Tells who leads once; later it depends on how quick the machine is."""

    STANDINGS_S = 1e9


class Sitting:
    """Somebody who reads with a screen reader, and what they are told."""

    def __init__(self, url: str, lang: Lang, capsys: pytest.CaptureFixture[str]) -> None:
        self.client = RaceClient(url, lang=lang, backoff=Backoff(lambda low, high: 0.01))
        self.typed = Typed()
        self.screen = Quiet(Output(), lang, self.client.state)
        self.session = Session(self.client, self.screen, self.typed, "Ada")  # type: ignore[arg-type]
        self.told = ""
        self._capsys = capsys

    async def until(self, condition: Callable[[str], bool]) -> None:
        """Wait until what was told since the last time is so."""
        here, end_s = "", time.monotonic() + WAIT_S
        while not condition(here):
            assert time.monotonic() < end_s, f"{self.told}--- and then:\n{here}"
            await asyncio.sleep(0.01)
            here += self._capsys.readouterr().out
        self.told += here

    async def type(self, line: str, lines: int = 1) -> None:
        """Type a line, and wait for so many."""
        self.typed.type(line)
        await self.until(lambda here: here.count("\n") >= lines)


async def a_race(sitting: Sitting, bo: Peer) -> None:
    """Host, a guest, some moves of every kind, a loss, and the close."""
    client = sitting.client

    def rows() -> list[wire.Row]:
        return client.room.rows if client.room is not None else []

    options = {
        "deal": SHORTEST_WIN.code,
        "min_players": 2,
        "countdown_ms": 0,
        "undo": True,
        "rank_by": "moves",
    }
    room_id = (await client.create(options)).room
    await client.enter(room_id, "player", "Ada")
    running = asyncio.create_task(sitting.session.run())
    await sitting.until(lambda here: "Ada" in here)
    await bo.enter(room_id, "Bo")
    await sitting.until(lambda here: "Bo" in here)
    await bo.ask("say", text="Good luck · \x1b[2J")
    await sitting.until(lambda here: "Good luck" in here)
    await sitting.type("start", 27)
    await sitting.type("look 10")
    await sitting.type("places 10")
    await sitting.type("look x")
    await sitting.type("10>F", 3)  # it goes home, another card turns up, and nobody else has one there
    await sitting.type("1>1")
    await sitting.type("U", 2)
    await sitting.type("5>6")
    await sitting.type("R", 17)
    await sitting.type("say thanks")
    await bo.next("game")
    await play_well(bo, SHORTEST_WIN.actions)
    # The board comes a tenth of a second after the event.
    await sitting.until(lambda here: "Bo" in here and rows()[0].status == "won")
    await sitting.type("board", 2)
    await sitting.type("close that is all", 5)
    await sitting.type("quit", 0)
    await asyncio.wait_for(running, WAIT_S)
    sitting.told = sitting.told.replace(room_id, "ROOM").replace(client.url, "SERVER")


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_a_whole_race_as_text(race_server: Any, lang: Lang, capsys: pytest.CaptureFixture[str]) -> None:
    bo = await Peer.hello(race_server.url)
    sitting = Sitting(race_server.url, lang, capsys)
    try:
        async with sitting.client:
            await a_race(sitting, bo)
    finally:
        await bo.close()
    told = TIME.sub("TIME", sitting.told)
    assert told == (GOLDEN / f"plain_{lang}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_card_and_place_has_words_of_its_own(lang: Lang) -> None:
    cards = {card_words(card, lang) for card in CARDS}
    assert len(cards) == len(CARDS)
    places = {place_words(place, lang) for place in range(24)}
    assert len(places) == 24
    assert len({where_words(place, lang) for place in range(24)}) == 24
    assert all(re.fullmatch(r"[\w ,-]+", words) for words in cards | places)


def test_the_words_of_each_language() -> None:
    assert [card_words("QH", lang) for lang in LANGUAGES] == ["queen of hearts", "hjerter dame", "Herz-Dame"]
    assert [card_words("TS", lang) for lang in LANGUAGES] == ["ten of spades", "spar ti", "Pik-Zehn"]
    assert where_words(0, "en") == "pile 1, left side, number 1 from below"
    assert where_words(4, "da") == "bunke 5, øverst, nummer 1 fra venstre"
    assert where_words(15, "de") == "Stapel 16, rechte Seite, Nummer 4 von oben"
    assert where_words(21, "en") == "king foundation of hearts, middle, lower row"
    assert action_words(Action("m", 9, 13), "de") == "Stapel 10 auf Stapel 14"
    assert [action_words(action, "en") for action in (REDEAL, UNDO)] == ["redeal", "undo"]


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "0 seconds"), (999, "0 seconds"), (1000, "1 second"), (61_999, "1 minute 1 second"),
        (120_000, "2 minutes"), (3_600_000, "1 hour"), (7_325_000, "2 hours 2 minutes 5 seconds"),
    ],
)  # fmt: skip
def test_times_in_words(ms: int, words: str) -> None:
    assert time_words(ms, "en") == words


def test_a_place_with_what_lies_there() -> None:
    table = Table().game
    assert sentence(holds_words(table, 0, "pile 1", "en")) == "Pile 1: eight of clubs, 6 cards."
    table.piles[0] = ["AS"]
    assert holds_words(table, 0, "Stapel 1", "de") == "Stapel 1: Pik-Ass, 1 Karte"
    table.piles[0] = []
    assert holds_words(table, 0, "bunke 1", "da") == "bunke 1: tom"


def screen_of(state: RaceState) -> PlainScreen:
    return PlainScreen(Output(), "en", state)


def test_a_game_that_comes_again_is_told_where_it_differs(capsys: pytest.CaptureFixture[str]) -> None:
    state, table = RaceState(), Table(Game.deal(parse_code(SHORTEST_WIN.code)))
    screen = screen_of(state)
    state.fold(table.message())
    screen.message(table.message())
    assert len(capsys.readouterr().out.splitlines()) == 26
    table.do("m", 9, 24)
    state.fold(table.message())
    screen.message(table.message())
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 2
    assert told[0].startswith("Pile 10: ")
    screen.message(table.message())
    assert capsys.readouterr().out == ""


def test_who_leads_is_told_when_it_is_another(capsys: pytest.CaptureFixture[str]) -> None:
    state = RaceState()
    state.me = "ID-Ada"
    state.fold(room(state="running"))
    screen = screen_of(state)
    screen.STANDINGS_S = 0.0
    screen._standings._interval_s = 0.0

    def board(seq: int, *rows: wire.Row) -> list[str]:
        message = wire.Board(room="7K3M9QXT", seq=seq, at=1, rows=list(rows))
        state.fold(message)
        screen.message(message)
        return capsys.readouterr().out.splitlines()

    assert board(2, row(1, "Ada"), row(1, "Bo")) == []
    assert board(3, row(1, "Ada", home=21), row(2, "Bo")) == ["You lead, of 2."]
    assert board(4, row(1, "Ada", home=22), row(2, "Bo")) == []
    assert board(5, row(1, "Bo", home=23), row(2, "Ada", home=22)) == ["You are number 2 of 2; Bo leads."]
    state.me = "ID-Cy"
    assert board(6, row(1, "Ada", home=24), row(2, "Bo")) == ["Ada leads."]


@pytest.mark.parametrize(
    ("name", "host", "told"),
    [
        ("Friday", "Ada", "R: Friday, waiting to start, players: 1 of 8, host: Ada."),
        ("Friday", "", "R: Friday, waiting to start, players: 1 of 8."),
        ("", "", "R: waiting to start, players: 1 of 8."),
    ],
)
async def test_a_public_room_without_a_host_s_name_is_told_without_one(
    capsys: pytest.CaptureFixture[str], name: str, host: str, told: str
) -> None:
    summary = wire.RoomSummary(
        room="R", name=name, state="lobby", players=1, max_players=8, variant="N", password=False,
        start="host", host=host,
    )  # fmt: skip

    class Client:
        lang = "en"

        async def request(self, _: object) -> wire.RoomsAnswer:
            return wire.RoomsAnswer(rooms=[summary])

    screen = PlainScreen(Output(), "en", RaceState())
    await Asking(Client(), screen).handlers()["rooms"]("")  # type: ignore[arg-type]
    assert capsys.readouterr().out == f"{told}\n"
