"""How the bots play, against the rules themselves: legally, to an end, and from what is seen alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from client_cli.cli_options import StrategyName
from client_cli.memory import Memory
from client_cli.position import Position
from client_cli.strategies import STRATEGIES
from client_cli.strategies.lookahead import Known, best_moves
from client_cli.strategies.strategy import ACTIONS_MAX
from server.engine.codes import GameCode
from server.engine.game import Game
from tests.client_cli.samples import Table

DEALS = random.Random(20).sample(range(26**7), 200)


def play(
    name: str, game: Game, seed: int = 1, *, full: bool = False, most: int = ACTIONS_MAX
) -> tuple[Game, list[str]]:
    """Play a game as a strategy does it from what is told; return the game and what was played."""
    table = Table(game, full=full)
    seen = Position.from_game(table.message())
    strategy = STRATEGIES[name](seen, random.Random(seed))
    played: list[str] = []
    while len(played) < most and (action := strategy.choose(seen)) is not None:
        done = table.do(action.op, *((action.src, action.dst) if action.op == "m" else ()))
        seen.fold(done)
        strategy.played(done, seen)
        played.append(f"{action.op}{action.src}>{action.dst}")
    return table.game, played


def dealt(number: int, variant: Any = "N") -> Game:
    return Game.deal(GameCode(1, variant, number))


def test_the_command_knows_them_all() -> None:
    assert set(StrategyName) == set(STRATEGIES)


@pytest.mark.parametrize(
    ("name", "full"),
    [("random", False), ("greedy", False), ("greedy", True), ("careful", False), ("careful", True)],
)
def test_it_plays_legally_and_ends(name: str, full: bool) -> None:
    for seed in range(1 if name == "careful" else 8):
        game, played = play(name, dealt(seed * 7919), seed, full=full)
        assert len(played) < ACTIONS_MAX
        assert game.won or game.redeals == 0 or not any(len(pile) > 1 for pile in game.piles)


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_a_seed_makes_it_repeatable(name: str) -> None:
    assert play(name, dealt(5), 1)[1] == play(name, dealt(5), 1)[1]
    assert play(name, dealt(5), 1)[1] != play(name, dealt(5), 2)[1]


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_what_is_buried_it_does_not_know(name: str) -> None:
    """Two tables that look the same are played the same, until something else turns up."""
    here = dealt(4711)
    tops = [pile[-1] for pile in here.piles]
    buried = [card for pile in here.piles for card in pile[:-1]]
    random.Random(1).shuffle(buried)
    piles = [[*(buried.pop() for _ in range(5)), top] for top in tops]
    there = Game.position(piles, here.up, here.down, here.redeals)
    first = [play(name, game, most=1)[1] for game in (here, there)]
    assert first[0] == first[1]
    assert first[0]


@pytest.mark.soak
def test_the_better_one_is_better() -> None:
    """Of the same few deals; `test_how_well_they_play` counts many."""
    home = {name: sum(play(name, dealt(number))[0].home for number in DEALS[:2]) for name in STRATEGIES}
    assert home["random"] + 20 < home["greedy"]
    assert home["greedy"] + 10 < home["careful"]


def test_it_finds_a_win_that_lies_some_moves_ahead() -> None:
    """The last spades: the nine is wanted first, and lies under two cards that have to go elsewhere."""
    piles = (("9S", "TS", "JS"), ("QS",))
    others = tuple(() for _ in range(14))
    table = Known((*piles, *others), (8, 13, 13, 13), (13, 13, 13, 13))
    moves = best_moves(table, width=20, depth=10)
    # R4: the jack goes onto the queen and the ten onto it; then nine, ten, jack and queen can go home.
    assert moves[:2] == [(0, 1), (0, 1)]
    assert len(moves) == 6


def test_it_stops_where_something_unknown_turns_up() -> None:
    """The three could follow the two home, but first it is to see what lay under the two."""
    table = Known(((None, "2S"), ("3S",), *(() for _ in range(14))), (1, 13, 13, 13), (11, 13, 13, 13))
    assert best_moves(table, width=20, depth=10) == [(0, 16)]
    seen = table._replace(piles=(("4S", "2S"), *table.piles[1:]))
    assert best_moves(seen, width=20, depth=10) == [(0, 16), (1, 16), (0, 16)]


def test_nothing_better_is_no_move() -> None:
    table = Known((("5S", "9S"), ("3H",), *(() for _ in range(14))), (1, 2, 13, 13), (13, 13, 13, 13))
    assert best_moves(table, width=20, depth=10) == [(1, 17)]
    table = Known((("5S", "9S"), *(() for _ in range(15))), (1, 13, 13, 13), (13, 13, 13, 13))
    assert best_moves(table, width=20, depth=10) == []


@pytest.mark.parametrize("seed", range(3))
def test_what_it_remembers_is_true(seed: int) -> None:
    rng = random.Random(seed)
    table = Table(dealt(seed, "F"))
    seen = Position.from_game(table.message())
    memory = Memory(seen)
    for _ in range(200):
        done = table.do_something(rng)
        if done is None:
            break
        seen.fold(done)
        memory.play(done, seen)
        for known, pile in zip(memory.piles, table.game.piles, strict=True):
            assert len(known) == len(pile)
            assert all(card in (None, real) for card, real in zip(known, pile, strict=True))


@pytest.mark.soak
@pytest.mark.parametrize("full", [False, True], ids=["top", "open"])
@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_how_well_they_play(name: str, full: bool, tell: Callable[..., None]) -> None:
    """The figures of `docs/bots.md`: 200 deals, the same for all."""
    games = [play(name, dealt(number), full=full)[0] for number in DEALS]
    won = sum(game.won for game in games)
    home = sum(game.home for game in games) / len(games)
    moves = sum(game.moves for game in games) / len(games)
    tell(
        "How the bots play",
        strategy=name,
        room="open" if full else "top",
        deals=len(games),
        won=f"{won / len(games):.1%}",
        home=f"{home:.1f}",
        moves=f"{moves:.0f}",
    )
    assert home > {"random": 30, "greedy": 55, "careful": 75}[name]
