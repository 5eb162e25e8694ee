"""The rules alone: a move and the status after it, against a reference of the same kind.

The reference is a method call that takes from one list, adds to another and looks a name up in a dict: what
a move is made of, in pure Python. Something written in C (a `json.dumps`, say) would move with the library
and the compiler, not with the interpreter.
"""

import json
import time

from bench.figures import Figure, Report, middle, ratio
from bench.script import CASES, play
from server.engine.actions import Action
from server.engine.codes import parse_code
from server.engine.game import Game

ROUNDS = 7
REFERENCE_STEPS = 100_000


class Reference:
    """A step of known shape."""

    __slots__ = ("names", "piles")

    def __init__(self) -> None:
        self.piles = [list(range(6)) for _ in range(16)]
        self.names = {card: str(card) for card in range(6)}

    def step(self, src: int, dst: int) -> str:
        """Move a card and tell its name."""
        card = self.piles[src].pop()
        self.piles[dst].append(card)
        return self.names[card]


def measure() -> Report:
    """See the module."""
    games = _golden_games()
    moves = sum(len(actions) for _, actions in games)
    raw: dict[str, list[float]] = {"reference_us": [], "move_us": [], "games_a_second": []}
    for _ in range(ROUNDS):
        raw["reference_us"].append(_reference_us())
        deals = [Game.deal(parse_code(code)) for code, _ in games]
        began = time.process_time()
        for game, (_, actions) in zip(deals, games, strict=True):
            for action in actions:
                play(game, action)
                _ = game.status
        raw["move_us"].append((time.process_time() - began) / moves * 1e6)
        began = time.process_time()
        for code, actions in games:
            game = Game.deal(parse_code(code))
            for action in actions:
                play(game, action)
        raw["games_a_second"].append(len(games) / (time.process_time() - began))
    figures = [
        ratio("action and status / reference step", raw["move_us"], raw["reference_us"]),
        middle("action and status", raw["move_us"], "µs"),
        middle("reference step", raw["reference_us"], "µs"),
        middle("games dealt and replayed", raw["games_a_second"], "/s"),
        Figure("accepted actions a game", moves / len(games), "actions"),
    ]
    return Report(f"Engine: {len(games)} golden games, no I/O", figures, {**raw})


def _reference_us() -> float:
    step = Reference().step
    began = time.process_time()
    for _ in range(REFERENCE_STEPS // 2):
        step(3, 4)
        step(4, 3)
    return (time.process_time() - began) / REFERENCE_STEPS * 1e6


def _golden_games() -> list[tuple[str, list[Action]]]:
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [
        (case["code"], [Action(*step[:3]) for step in case["steps"] if step[3].startswith("ok")])
        for case in cases
        if "start" not in case
    ]
