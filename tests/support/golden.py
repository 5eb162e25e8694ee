"""The golden games of `tests/cases`, as far as they begin from a deal and so can be played over the wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).parents[1] / "cases" / "games.jsonl"


class Action(NamedTuple):
    """An action as asked (`dst`, may be 24 or 25) and as recorded (`place`, resolved)."""

    op: str
    src: int = 0
    dst: int = 0
    place: int = 0


class Golden(NamedTuple):
    """A game: its accepted actions, and its refused ones as `(accepted before, action, code)`."""

    code: str
    actions: list[Action]
    refusals: list[tuple[int, Action, str]]
    final: dict[str, Any]


def _read(case: dict[str, Any]) -> Golden:
    actions: list[Action] = []
    refusals = []
    for op, src, dst, answer in case["steps"]:
        verdict, _, place = answer.partition(":")
        action = Action(op, src, dst, int(place or dst))
        if verdict == "ok":
            actions.append(action)
        else:
            refusals.append((len(actions), action, verdict))
    return Golden(case["code"], actions, refusals, case["final"])


_cases = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
GAMES = [_read(case) for case in _cases if "start" not in case]
WON = [game for game in GAMES if game.final["status"] == "won"]
BLOCKED = [game for game in GAMES if game.final["status"] == "blocked"]
SHORTEST_WIN = min(WON, key=lambda game: len(game.actions))


def shortest_refusal(code: str) -> tuple[Golden, int, Action] | None:
    """The game that shows this refusal after the fewest actions, how many, and what is refused."""
    found = [
        (game, before, action)
        for game in GAMES
        for before, action, refusal in game.refusals
        if refusal == code
    ]
    return min(found, key=lambda item: item[1], default=None)
