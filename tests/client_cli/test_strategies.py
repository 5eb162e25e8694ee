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
from client_cli.strategies.careful import UNDOS_MAX
from client_cli.strategies.known import Known, actions, taken_back
from client_cli.strategies.lookahead import best_plan
from client_cli.strategies.strategy import ACTIONS_MAX
from server.engine.actions import REDEAL, Action
from server.engine.cards import RANKS, SUITS
from server.engine.codes import GameCode
from server.engine.game import Game
from tests.client_cli.samples import Table

DEALS = random.Random(20).sample(range(26**7), 200)


def play(
    name: str,
    game: Game,
    seed: int = 1,
    *,
    full: bool = False,
    undo: bool = False,
    most: int = ACTIONS_MAX,
) -> tuple[Game, list[str]]:
    """Play a game as a strategy does it from what is told; return the game and what was played."""
    table = Table(game, full=full)
    seen = Position.from_game(table.message())
    strategy = STRATEGIES[name](seen, random.Random(seed), undo=undo)
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
    [("random", False), ("greedy", False), ("greedy", True), ("careful", False)],
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


def planned(table: Known) -> list[tuple[int, int]]:
    return [(action.src, action.dst) for action in best_plan(table, width=20, depth=10).actions]


def test_it_finds_a_win_that_lies_some_moves_ahead() -> None:
    """The last spades: the nine is wanted first, and lies under two cards that have to go elsewhere."""
    piles = (("9S", "TS", "JS"), ("QS",))
    others = tuple(() for _ in range(14))
    table = Known((*piles, *others), (8, 13, 13, 13), (13, 13, 13, 13))
    moves = planned(table)
    # R4: the jack goes onto the queen and the ten onto it; then nine, ten, jack and queen can go home.
    assert moves[:2] == [(0, 1), (0, 1)]
    assert len(moves) == 6


def test_it_sees_that_a_redeal_wins() -> None:
    """R10: the four lies at the bottom and is wanted first; no other pile takes what is above it."""
    piles = (("4S", "9S", "5S"), *(() for _ in range(15)))
    table = Known(piles, (3, 13, 13, 13), (4, 13, 13, 13), redeals=1)
    plan = best_plan(table, width=20, depth=10)
    assert plan.actions[0] == REDEAL
    assert plan.table.home > table.home
    assert best_plan(table._replace(redeals=0), width=20, depth=10).actions == []


def test_it_stops_where_something_unknown_turns_up() -> None:
    """The three could follow the two home, but first it is to see what lay under the two."""
    table = Known(((None, "2S"), ("3S",), *(() for _ in range(14))), (1, 13, 13, 13), (11, 13, 13, 13))
    assert planned(table) == [(0, 16)]
    seen = table._replace(piles=(("4S", "2S"), *table.piles[1:]))
    assert planned(seen) == [(0, 16), (1, 16), (0, 16)]


def test_nothing_better_is_no_move() -> None:
    table = Known((("5S", "9S"), ("3H",), *(() for _ in range(14))), (1, 2, 13, 13), (13, 13, 13, 13))
    assert planned(table) == [(1, 17)]
    table = Known((("5S", "9S"), *(() for _ in range(15))), (1, 13, 13, 13), (13, 13, 13, 13))
    assert planned(table) == []


@pytest.mark.parametrize("seed", range(3))
def test_what_it_thinks_ahead_is_what_the_rules_make_of_it(seed: int) -> None:
    """Every action it knows of, on the way of a random game, and each way taken back."""
    rng = random.Random(seed)
    game = dealt(seed)
    moves: list[Action] = []
    start = all_known(game)
    while found := dict(actions(all_known(game))):
        legal = {Action("m", src, dst) for src in range(24) for dst in game.destinations(src)}
        assert found.keys() == legal | ({REDEAL} if game.redeals else set())
        action = rng.choice(sorted(found, key=lambda action: (action.op != "r" or len(found) > 1, action)))
        assert (game.redeal() if action == REDEAL else game.move(action.src, action.dst)) in (
            None,
            action.dst,
        )
        assert found[action] == all_known(game)
        moves = [] if action == REDEAL else [*moves, action]
        start = all_known(game) if action == REDEAL else start
        assert taken_back(all_known(game), moves) == start
        if len(moves) > 150:
            break


def all_known(game: Game) -> Known:
    return Known(tuple(map(tuple, game.piles)), tuple(game.up), tuple(game.down), game.redeals)


def late_game(seed: int, redeals: int) -> Game:
    """Eight piles of four cards, each suit's foundations holding eighteen together."""
    rng = random.Random(seed)
    up = [rng.randint(5, 13) for _ in SUITS]
    down = [18 - height for height in up]
    cards = [
        rank + suit
        for suit, rising, falling in zip(SUITS, up, down, strict=True)
        for rank in (*RANKS[rising:], *RANKS[: 13 - falling])
    ]
    rng.shuffle(cards)
    return Game.position([cards[4 * pile : 4 * pile + 4] for pile in range(16)], up, down, redeals)


def test_taking_back_wins_where_it_is_allowed() -> None:
    """A game that is lost by who goes on, and won by who goes back for what has been seen since."""
    game, played = play("careful", late_game(26, 1))
    assert not game.won
    assert not any(action.startswith("u") for action in played)
    game, played = play("careful", late_game(26, 1), undo=True)
    assert game.won
    assert 0 < game.undone == sum(action.startswith("u") for action in played) <= UNDOS_MAX


@pytest.mark.parametrize(("full", "won", "home"), [(False, 6, 101.0), (True, 9, 102.5)], ids=["top", "open"])
def test_it_plays_late_games_well(full: bool, won: int, home: float) -> None:
    """Floors a little below what it was seen to do; of the same games the greedy player wins two."""
    games = [play("careful", late_game(seed, 3), full=full, undo=not full)[0] for seed in range(12)]
    assert sum(game.won for game in games) >= won
    assert sum(game.home for game in games) >= home * len(games)


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


HOW_THEY_PLAY = [
    *((name, full, False) for name in sorted(STRATEGIES) for full in (False, True)),
    *(("careful", full, True) for full in (False, True)),  # the others never take a move back
]


@pytest.mark.soak
@pytest.mark.parametrize(("name", "full", "undo"), HOW_THEY_PLAY)
def test_how_well_they_play(name: str, full: bool, undo: bool, tell: Callable[..., None]) -> None:
    """As the figures of `docs/bots.md`: 200 deals, the same for all."""
    games = [play(name, dealt(number), full=full, undo=undo)[0] for number in DEALS]
    won = sum(game.won for game in games)
    home = sum(game.home for game in games) / len(games)
    moves = sum(game.moves for game in games) / len(games)
    tell(
        "How the bots play",
        strategy=name,
        room="open" if full else "top",
        undo="yes" if undo else "no",
        deals=len(games),
        won=f"{won / len(games):.1%}",
        home=f"{home:.1f}",
        moves=f"{moves:.0f}",
    )
    assert home > {"random": 30, "greedy": 55, "careful": 75}[name]
