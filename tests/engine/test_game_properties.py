"""What holds in every game."""

import random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from server.engine.game import Game
from server.engine.places import DESTINATIONS, FOUNDATION_AREA, ONLY_PLACE, PLACES, sibling
from server.engine.position import check_position
from server.engine.refusals import Refusal

GAMES = st.from_type(Game)
SEEDS = st.integers(0, 2**32)


def accepted(game: Game) -> list[tuple[int, int]]:
    return [(src, dst) for src in PLACES for dst in PLACES if game.refusal(src, dst) is None]


def act(game: Game, rng: random.Random) -> Any:
    """Do anything at all, refused things too."""
    chance = rng.random()
    if chance < 0.1:
        return game.undo()
    if chance < 0.15:
        return game.redeal()
    moves = accepted(game)
    if moves and chance < 0.8:
        return game.move(*rng.choice(moves))
    return game.move(rng.choice(PLACES), rng.choice(DESTINATIONS))


@given(GAMES, SEEDS)
def test_cards_are_neither_made_nor_lost(game, seed):
    rng = random.Random(seed)
    for _ in range(20):
        act(game, rng)
        check_position(game.piles, game.up, game.down, game.redeals)
        assert game.home == 104 - sum(map(len, game.piles))
        assert game.won == (game.up == game.down == [13] * 4)


@given(GAMES)
def test_an_undo_is_the_exact_inverse_of_a_move(state, game):
    before = state(game)
    for src, dst in accepted(game):
        twin = game.copy()
        assert twin.move(src, dst) == dst
        assert twin.moves == game.moves + 1
        if twin.won:
            assert twin.undo() is Refusal.GAME_OVER
            continue
        assert twin.undo() == (src, dst)
        # Of a hundred remembered moves, the oldest went for the one that was taken back (R13).
        undoable = min(before["undoable"], 99)
        assert state(twin) == before | {"undone": before["undone"] + 1, "undoable": undoable}


@given(GAMES, SEEDS)
def test_undoing_everything_leads_back_to_the_last_redeal(state, game, seed):
    assume(not game.won)
    rng = random.Random(seed)
    game.redeal()
    while game.undo_refusal() is None:
        game.undo()
    before = state(game)
    for _ in range(60):
        moves = accepted(game)
        if not moves:
            break
        game.move(*rng.choice(moves))
    assume(not game.won)
    taken_back = 0
    while not isinstance(game.undo(), Refusal):
        taken_back += 1
    assert state(game) == before | {"undone": before["undone"] + taken_back}


@given(GAMES)
def test_a_refused_action_changes_nothing(state, game):
    before = state(game)
    twin = game.copy()
    for src in PLACES:
        for dst in DESTINATIONS:
            refusal = game.refusal(src, dst)
            if refusal is not None:
                assert game.move(src, dst) is refusal
    if game.redeal_refusal() is not None:
        assert game.redeal() is game.redeal_refusal()
    if game.undo_refusal() is not None:
        assert game.undo() is game.undo_refusal()
    assert state(game) == before
    # Nor is anything forgotten that could be undone.
    assert [game.undo() for _ in range(101)] == [twin.undo() for _ in range(101)]
    assert state(game) == state(twin)


@given(GAMES)
def test_asking_changes_nothing(state, game):
    before = state(game)
    for src in PLACES:
        game.destinations(src)
        for dst in DESTINATIONS:
            game.refusal(src, dst)
            game.resolve(src, dst)
    game.redeal_refusal()
    game.undo_refusal()
    assert state(game) == before


@given(GAMES)
def test_destinations_agree_with_refusals(game):
    for src in PLACES:
        assert game.destinations(src) == [dst for dst in PLACES if game.refusal(src, dst) is None]


@given(GAMES)
def test_the_foundation_area_agrees_with_destinations(game):
    for src in PLACES:
        foundations = [place for place in game.destinations(src) if place >= 16]
        answer = game.resolve(src, FOUNDATION_AREA)
        if foundations:
            assert answer == foundations[0]
        elif src >= 16:
            assert answer is game.refusal(src, sibling(src))
        elif not game.won:
            assert answer is (Refusal.RANK if game.piles[src] else Refusal.EMPTY_SOURCE)
        assert game.refusal(src, FOUNDATION_AREA) == (None if foundations else answer)


@given(GAMES)
def test_the_only_place_agrees_with_destinations(game):
    for src in PLACES:
        places = game.destinations(src)
        answer = game.resolve(src, ONLY_PLACE)
        if places:
            assert answer == (places[0] if len(places) == 1 else Refusal.AMBIGUOUS)
        elif game.won:
            assert answer is Refusal.GAME_OVER
        elif not game.count(src):
            assert answer is Refusal.EMPTY_SOURCE
        elif src >= 16 and game.count(src) == 1:
            assert answer is Refusal.BASE_LOCKED
        else:
            assert answer is Refusal.NO_DESTINATION
        assert game.refusal(src, ONLY_PLACE) == (None if len(places) == 1 else answer)


@given(GAMES)
def test_R15_the_status_agrees_with_brute_force(game):
    if all(game.count(place) == 13 for place in range(16, 24)):
        expected = "won"
    elif accepted(game) or game.redeal_refusal() is None:
        expected = "playing"
    else:
        expected = "blocked"
    assert game.status == expected


def test_games_of_every_status_are_drawn():
    """The property above says little unless blocked and won games are among its examples."""
    seen = dict.fromkeys(("playing", "won", "blocked"), 0)

    @given(GAMES)
    def look(game):
        seen[game.status] += 1

    look()
    assert min(seen.values()) >= 3, seen


@given(GAMES, SEEDS)
def test_a_copy_goes_its_own_way(state, game, seed):
    twin = game.copy()
    before = state(game)
    assert state(twin) == before
    first, second = random.Random(seed), random.Random(seed)
    answers = [act(twin, first) for _ in range(10)]
    assert state(game) == before
    assert [act(game, second) for _ in range(10)] == answers
    assert state(game) == state(twin)
