from __future__ import annotations

import random

import pytest

from client_cli.moves import foundation_moves, home_moves, pile_moves
from client_cli.position import OutOfStep, Position
from server.engine.codes import GameCode
from server.engine.game import Game
from tests.client_cli.samples import Table, position


def assert_same(seen: Position, game: Game) -> None:
    for place in range(24):
        assert (seen.top(place), seen.count(place)) == (game.top(place), game.count(place))
    assert (seen.redeals, seen.moves, seen.undone) == (game.redeals, game.moves, game.undone)
    assert (seen.status, seen.home, seen.undoable) == (game.status, game.home, game.undoable)
    if seen.piles is not None:
        assert seen.piles == game.piles


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_folding_every_done_gives_what_the_server_has(seed: int, full: bool) -> None:
    rng = random.Random(seed)
    table = Table(Game.deal(GameCode(1, "N", seed)), full=full)
    seen = Position.from_game(table.message())
    for _ in range(150):
        moves = [(src, dst) for src in range(24) for dst in table.game.destinations(src)]
        assert sorted(home_moves(seen) + pile_moves(seen) + foundation_moves(seen)) == sorted(moves)
        done = table.do_something(rng)
        if done is None:
            break
        assert seen.fold(done)
        assert_same(seen, table.game)
        assert not seen.fold(done)  # a repeat
        assert_same(seen, table.game)
    assert_same(Position.from_game(table.message()), table.game)


def test_a_done_that_does_not_continue_is_out_of_step() -> None:
    table = Table()
    seen = Position.from_game(table.message())
    table.do("r")
    with pytest.raises(OutOfStep):
        seen.fold(table.do("r"))


def test_an_open_pile_that_is_not_what_the_server_says_is_out_of_step() -> None:
    table = Table(full=True)
    seen = Position.from_game(table.message())
    assert seen.piles is not None
    src, dst = pile_moves(seen)[0]
    seen.piles[src].reverse()
    with pytest.raises(OutOfStep):
        seen.fold(table.do("m", src, dst))


def test_empty_piles_in_both_visibilities() -> None:
    empty = [[] for _ in range(16)]
    game = Game(empty, [13] * 4, [13] * 4, 0)
    for full in (False, True):
        seen = position(game, full=full)
        assert (seen.tops, seen.counts) == ([None] * 16, [0] * 16)
        assert seen.top(16) == "KS"
        assert seen.top(23) == "AC"
