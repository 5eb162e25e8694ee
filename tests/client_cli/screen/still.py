"""A screen that stands still: a race made of messages, at a fixed moment, without a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from client_cli.client import RaceClient
from client_cli.notices import Lost
from client_cli.output import Output
from client_cli.race_clock import RaceClock
from client_cli.race_state import RaceState
from client_cli.screen.app import RaceApp
from client_cli.screen.display import ScreenDisplay
from client_cli.screen.line_state import LineState
from client_cli.screen.look import Look
from client_cli.screen.typed import ScreenLines
from protocol import messages as wire
from protocol.messages import Lang
from server.engine.actions import Action
from server.engine.codes import parse_code
from server.engine.game import Game
from tests.client_cli.screen.seats import Sitting
from tests.support.golden import BLOCKED, SHORTEST_WIN, Golden

START = 1_796_000_000_000
NOW = START + 83_456
ME, BO, CY = "P00000000001", "P00000000002", "P00000000003"
NAMES = {ME: "Ada", BO: "Bo", CY: "Åse Nørgård-Lindström"}


def row(
    player: str, rank: int, home: int, moves: int, ms: int, status: str = "playing", online: bool = True
) -> wire.Row:
    return wire.Row(
        rank=rank, player=player, name=NAMES[player], status=status, moves=moves, undone=0, redeals=2,  # type: ignore[arg-type]
        home=home, ms=ms, online=online,
    )  # fmt: skip


def told_game(game: Game, n: int, *, open_room: bool = False, ms: int | None = None) -> wire.GameState:
    """What a server tells of a game."""
    piles: list[Any] = [
        pile[:] if open_room else [pile[-1] if pile else None, len(pile)] for pile in game.piles
    ]
    return wire.GameState(
        n=n, piles=piles, up=game.up[:], down=game.down[:], redeals=game.redeals, moves=game.moves,
        undone=game.undone, undoable=game.undoable, status=game.status, start_at=START, ms=ms,
    )  # fmt: skip


def played(golden: Golden, actions: int | None = None) -> tuple[Game, int]:
    """A golden game after so many of its actions."""
    game = Game.deal(parse_code(golden.code))
    done = golden.actions[:actions]
    for op, src, dst, _ in done:
        {"m": lambda src=src, dst=dst: game.move(src, dst), "r": game.redeal, "u": game.undo}[op]()
    return game, len(done)


class SilentClient(RaceClient):
    """One that nobody answers: it was never connected, and what is asked waits."""

    def _must_be_on(self) -> None:
        """Let it be used all the same."""


class Still:
    """The parts of a still race, to be put together before it is shown."""

    def __init__(self, lang: Lang = "en", *, start: str = "host", code: str = SHORTEST_WIN.code) -> None:
        self.lang = lang
        self.client = SilentClient("ws://play.example:8000/ws", lang=lang)
        self.state = RaceState(RaceClock(lambda: 0.0))
        self.client.state = self.state
        self.state.fold(wire.Welcome(player=ME, now=NOW, server="1"), 0.0)
        self.options = {"name": "Friday", "start": start, "max_players": 8, "deal": code, "limit_ms": 600_000}
        self.code = code
        self.rows: list[wire.Row] = []

    def room(self, state: str, *rows: wire.Row) -> None:
        """Where the room stands."""
        people = [
            wire.Person(id=ME, name="Ada", role="player", referee=False, ready=True, online=True),
            wire.Person(id=BO, name="Bo", role="player", referee=False, ready=False, online=True),
            wire.Person(id=CY, name=NAMES[CY], role="player", referee=False, ready=False, online=False),
        ]
        running = state != "lobby"
        self.state.fold(
            wire.Room(
                room="4F7K2M9Q", v=7, options=self.options, state=state, host=ME, you=["host", "player"],  # type: ignore[arg-type]
                players=people, board=wire.BoardData(seq=1, at=NOW, rows=list(rows)), now=NOW,
                start_at=START if running else None, ends_at=START + 600_000 if running else None,
                code=self.code if running else None,
            ),
            0.0,
        )  # fmt: skip

    def game(self, game: Game, n: int, **more: Any) -> None:
        """Where this player's game stands."""
        self.state.fold(told_game(game, n, **more))


@asynccontextmanager
async def shown(still: Still, size: tuple[int, int], look: Look | None = None) -> AsyncIterator[Sitting]:
    """Show it."""
    display = ScreenDisplay(Output(), still.lang)
    app = RaceApp(still.client, display, ScreenLines(), look or Look(), "Ada")
    app.seat.line = LineState(lambda: 0.0)
    app.race._was_here = True  # from the start
    app.title = "crescent"
    async with app.run_test(size=size) as pilot:
        app.race.add_news("Bo is here.")
        app.race.add_news("The race is on!")
        app.race.add_news(
            "<Bo> Good luck, both of you: may the fastest one win, and the others soon after!", "italic"
        )
        await pilot.pause()
        yield Sitting(app, pilot)


def race(lang: Lang = "en", **more: Any) -> Still:
    """In the middle of a race, with one friend ahead and one offline."""
    still = Still(lang)
    still.room(
        "running",
        row(BO, 1, 31, 40, 80_120),
        row(ME, 2, 27, 38, 83_000),
        row(CY, 3, 9, 2, 12_000, online=False),
    )
    still.game(*played(SHORTEST_WIN, 40), **more)
    return still


def lobby(lang: Lang = "en") -> Still:
    """Before the start."""
    still = Still(lang)
    still.room("lobby")
    return still


def won() -> Still:
    """Won, and the others play on."""
    still = Still()
    game, n = played(SHORTEST_WIN)
    still.room(
        "running", row(ME, 1, 104, game.moves, 83_019, "won"), row(BO, 2, 31, 40, 80_120),
        row(CY, 3, 9, 2, 12_000, "forfeited"),
    )  # fmt: skip
    still.game(game, n, ms=83_019)
    return still


def blocked() -> Still:
    """No card can move."""
    golden = min(BLOCKED, key=lambda game: len(game.actions))
    still = Still(code=golden.code)
    game, n = played(golden)
    still.room("running", row(ME, 1, game.home, game.moves, 83_019, "blocked"), row(BO, 2, 31, 40, 80_120))
    still.game(game, n, ms=83_019)
    return still


def closed() -> Still:
    """After the close of the race whose log `still_around` has."""
    still = won()
    still.room(
        "closed", row(ME, 1, 104, 107, 99_200, "won"), row(BO, 2, 51, 60, 48_000),
        row(CY, 3, 12, 9, 7_200, "forfeited"),
    )  # fmt: skip
    return still


async def hold(sitting: Sitting) -> None:
    """Take a card that has several places."""
    choosing, game = sitting.app.race.choosing, sitting.app.seat.playing.game
    choosing.cursor = max(range(16), key=lambda place: len(game.destinations(place)))
    await sitting.press("h")


async def leave_unconfirmed(sitting: Sitting) -> None:
    """Play a card on a line that is lost."""
    game = sitting.app.seat.playing.game
    src = next(place for place in range(16) if game.destinations(place))
    sitting.app.seat.playing.play(Action("m", src, game.destinations(src)[0]))
    sitting.app.line_changed(Lost(None, "", 4.0))
    await sitting.pilot.pause()


async def drag(sitting: Sitting) -> None:
    """Be about to drop a card."""
    game = sitting.app.seat.playing.game
    src = max(range(16), key=lambda place: len(game.destinations(place)))
    await sitting.pilot.mouse_down("#table", offset=sitting.spot(src))
    await sitting.pilot.hover("#table", offset=(18, 6))
    await sitting.pilot.pause()


async def refuse(sitting: Sitting) -> None:
    """Ask for what cannot be."""
    game = sitting.app.seat.playing.game
    sitting.app.race.choosing.cursor = next(p for p in range(16) if game.top(p) and not game.destinations(p))
    await sitting.press("enter")


async def read_help(sitting: Sitting) -> None:
    """Open the help."""
    await sitting.press("question_mark")


async def look(sitting: Sitting) -> None:
    """Nothing."""
    await sitting.pilot.pause()
