"""The bot's play against the rules themselves: it plays legally, and it always ends."""

from __future__ import annotations

import random

import pytest

from client_cli.memory import Memory
from client_cli.position import Position
from client_cli.strategy import ACTIONS_MAX, Strategy
from server.engine.codes import GameCode
from server.engine.game import Game
from tests.client_cli.samples import Table


def play(number: int, seed: int, *, full: bool) -> tuple[Table, list[str]]:
    table = Table(Game.deal(GameCode(1, "N", number)), full=full)
    seen = Position.from_game(table.message())
    strategy = Strategy(seen, random.Random(seed))
    played = []
    while (action := strategy.choose(seen)) is not None:
        done = table.do(action.op, *((action.src, action.dst) if action.op == "m" else ()))
        seen.fold(done)
        strategy.played(done, seen)
        played.append(f"{action.op}{action.src}>{action.dst}")
    return table, played


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_it_plays_legally_and_ends(seed: int, full: bool) -> None:
    table, played = play(seed * 7919, seed, full=full)
    assert len(played) < ACTIONS_MAX
    assert table.game.won or table.game.redeals == 0 or not any(len(pile) > 1 for pile in table.game.piles)
    assert table.game.home > 20


def test_a_seed_makes_it_repeatable() -> None:
    assert play(5, 1, full=False)[1] == play(5, 1, full=False)[1]
    assert play(5, 1, full=False)[1] != play(5, 2, full=False)[1]


@pytest.mark.parametrize("seed", range(3))
def test_what_it_remembers_is_true(seed: int) -> None:
    rng = random.Random(seed)
    table = Table(Game.deal(GameCode(1, "F", seed)))
    seen = Position.from_game(table.message())
    memory = Memory(seen)
    for _ in range(200):
        moves = [(src, dst) for src in range(24) for dst in table.game.destinations(src)]
        if table.game.undoable and rng.random() < 0.2:
            done = table.do("u")
        elif moves and rng.random() < 0.95:
            done = table.do("m", *rng.choice(moves))
        elif table.game.redeal_refusal() is None:
            done = table.do("r")
        else:
            break
        seen.fold(done)
        memory.play(done, seen)
        for known, pile in zip(memory.piles, table.game.piles, strict=True):
            assert len(known) == len(pile)
            assert all(card in (None, real) for card, real in zip(known, pile, strict=True))
