"""The screens around the race, standing still: without a server, at a fixed moment."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.widgets import Input

from client_cli.output import Output
from client_cli.replay_model import Replay
from client_cli.screen.display import ScreenDisplay
from client_cli.screen.line_state import LineState
from client_cli.screen.lobby_app import LobbyApp
from client_cli.screen.look import Look
from client_cli.screen.replay_app import ReplayApp
from client_cli.screen.result import ResultScreen
from client_cli.screen.typed import ScreenLines
from client_cli.unfinished import Unfinished
from protocol import messages as wire
from protocol.messages import Lang
from server.engine.actions import Action
from server.engine.codes import parse_code
from server.engine.game import Game
from server.engine.notation import format_action
from tests.client_cli.screen import still
from tests.client_cli.screen.lobbies import InLobby
from tests.client_cli.screen.seats import Sitting
from tests.client_cli.screen.still import BO, CY, ME, NAMES, START, Still
from tests.support.golden import SHORTEST_WIN

PACE_MS = 800


def rooms() -> list[wire.RoomSummary]:
    """Some public rooms."""

    def room(code: str, name: str, host: str, **more: Any) -> wire.RoomSummary:
        values: dict[str, Any] = {
            "state": "lobby", "players": 3, "max_players": 8, "variant": "N", "password": False,
            "start": "host",
        }  # fmt: skip
        return wire.RoomSummary(room=code, name=name, host=host, **{**values, **more})

    return [
        room("4F7K2M9Q", "Friday", "Ada"),
        room(
            "9QXT7K3M", "Køge mestre\x1b[2J", "Åse", start="ready", players=12, max_players=100, password=True
        ),
        room("C0FFEE12", "A name of a room that is as long as names of rooms may be", "Bo", state="running"),
        room("D1G3STED", "", "漢字", start="own", state="countdown"),
    ]


@asynccontextmanager
async def lobby(
    size: tuple[int, int],
    look: Look | None = None,
    lang: Lang = "en",
    summaries: list[wire.RoomSummary] | None = None,
) -> AsyncIterator[InLobby]:
    """The lobby with these rooms."""
    parts = Still(lang)
    display = ScreenDisplay(Output(), lang)
    app = LobbyApp(parts.client, display, ScreenLines(), look or Look(), "Ada", Unfinished(("4F7K2M9Q",)))
    app.seat.line = LineState(lambda: 0.0)
    async with app.run_test(size=size) as pilot:
        app.lobby.list_rooms(rooms() if summaries is None else summaries)
        await pilot.pause()
        yield InLobby(app, pilot)
    if app.failure is not None:
        raise app.failure


@asynccontextmanager
async def wrong_form(size: tuple[int, int]) -> AsyncIterator[Sitting]:
    """The form with what cannot be in two of its fields."""
    async with lobby(size) as sitting:
        await sitting.press("o")
        for option, text in (("close_at", "soon"), ("max_players", "8000")):
            sitting.app.screen.query_one(f"#{option}", Input).value = text
        await sitting.press("enter")
        yield sitting


def countdown() -> Still:
    """Four seconds before the start."""
    parts = Still()
    parts.options["countdown_ms"] = 5000
    parts.room("lobby")
    assert parts.state.room is not None
    event = wire.Event(room="4F7K2M9Q", v=8, at=still.NOW, kind="countdown", start_at=still.NOW + 3_600)
    parts.state.fold(event)
    return parts


def log_lines() -> list[bytes]:
    """The log of a race of three: one wins, one stops halfway, one gives up."""
    everything = actions(len(SHORTEST_WIN.actions))
    logs = {ME: everything, BO: everything[:60], CY: everything[:9]}
    end_ms = everything[-1][0]
    events: list[dict[str, Any]] = [
        {
            "kind": "joined",
            "player": player,
            "name": name,
            "role": "player",
            "at": START - 60_000 + 9_000 * at,
        }
        for at, (player, name) in enumerate(NAMES.items())
    ]
    events += [
        {"kind": "ready", "player": BO, "ready": True, "at": START - 12_000},
        {"kind": "countdown", "start_at": START, "at": START - 5_000},
        {"kind": "started", "start_at": START, "code": SHORTEST_WIN.code, "at": START},
        {"kind": "forfeited", "player": CY, "at": START + 12_000},
        {"kind": "won", "player": ME, "ms": end_ms, "moves": 107, "at": START + end_ms},
        {
            "kind": "closed", "reason": "host", "text": "Well played, all of you!", "code": SHORTEST_WIN.code,
            "at": START + end_ms + 9_000,
        },
    ]  # fmt: skip
    board = [
        {
            "rank": rank, "player": player, "name": NAMES[player], "status": status,
            "moves": len(logs[player]), "undone": 0, "redeals": 2, "home": home, "ms": logs[player][-1][0],
        }
        for rank, (player, status, home) in enumerate(
            ((ME, "won", 104), (BO, "playing", 51), (CY, "forfeited", 12)), start=1
        )
    ]  # fmt: skip
    header = {
        "room": "4F7K2M9Q", "options": {}, "code": SHORTEST_WIN.code, "board": board,
        "events": [{"v": v, **event} for v, event in enumerate(events, start=1)],
    }  # fmt: skip
    players = [{"player": player, "name": NAMES[player], "log": log} for player, log in logs.items()]
    return [json.dumps(line).encode() + b"\n" for line in (header, *players)]


def actions(count: int) -> list[tuple[int, str]]:
    """A golden game's first actions as a log has them, one every so often."""
    game = Game.deal(parse_code(SHORTEST_WIN.code))
    log = []
    for number, (op, src, dst, _) in enumerate(SHORTEST_WIN.actions[:count], start=1):
        action = Action(op, src, dst) if op == "m" else Action(op)  # type: ignore[arg-type]
        log.append((PACE_MS * number, format_action(game, action)))
        {"m": lambda src=src, dst=dst: game.move(src, dst), "r": game.redeal, "u": game.undo}[op]()
    return log


def race() -> Replay:
    """That race, to be seen again."""
    return Replay.read(log_lines())


@asynccontextmanager
async def replay(
    size: tuple[int, int],
    look: Look | None = None,
    lang: Lang = "en",
    at_ms: int = 40_000,
    speed: float | None = None,
) -> AsyncIterator[Sitting]:
    """The replay at a moment."""
    app = ReplayApp(race(), lang, look or Look(), player=BO, at_ms=at_ms, speed=speed)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Sitting(app, pilot)  # type: ignore[arg-type]


@asynccontextmanager
async def result(
    size: tuple[int, int], look: Look | None = None, lang: Lang = "en"
) -> AsyncIterator[Sitting]:
    """The result of a closed race, whose log is that one."""
    parts = still.closed()
    parts.lang = parts.client.lang = lang
    async with still.shown(parts, size, look) as sitting:
        screen = ResultScreen(sitting.app.seat)
        screen._log._lines = log_lines()
        await sitting.app.push_screen(screen)
        await sitting.until(lambda: screen._happenings is not None)
        screen._look()
        await sitting.pilot.pause()
        yield sitting
