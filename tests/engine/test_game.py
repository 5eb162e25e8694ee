"""The rules one by one; positions are the smallest that show them."""

import pytest

from server.engine.codes import GameCode, parse_code
from server.engine.game import Game
from server.engine.refusals import Refusal

NORMAL, FOUR = parse_code("CR1-N-AAAAAAB"), parse_code("CR1-F-AAAAAAB")

COMPLETE = (13, 13, 13, 13)
ONE_PLACE = 25
FOUNDATION_AREA = 24


def one_card_short() -> Game:
    """A game whose last card, the ace of clubs in pile 1, completes the last king foundation."""
    return Game.position([["AC"]] + [[]] * 15, COMPLETE, (13, 13, 13, 12), 2)


def won() -> Game:
    game = one_card_short()
    game.move(0, 23)
    return game


def test_R1_a_game_begins_with_its_deal_and_the_bases():
    game = Game.deal(NORMAL)
    assert game.piles[0] == ["KC", "2D", "TD", "4D", "KH", "8C"]
    assert [game.count(place) for place in range(24)] == [6] * 16 + [1] * 8
    assert [game.top(place) for place in range(16, 24)] == ["AS", "AH", "AD", "AC", "KS", "KH", "KD", "KC"]
    assert (game.home, game.moves, game.undone, game.undoable) == (8, 0, 0, 0)
    assert game.status == "playing"


def test_R1_tops_and_counts(table):
    game = table("7S 3D", "", up=(3, 1, 1, 1), down=(4, 1, 1, 1))
    assert [game.top(place) for place in (0, 1, 16, 20)] == ["3D", None, "3S", "TS"]
    assert [game.count(place) for place in (0, 1, 16, 20)] == [2, 0, 3, 4]
    assert game.home == 13


def test_R3_the_top_card_moves(table):
    game = table("9D 7S", "2C 8S")
    assert game.move(0, 1) == 1
    assert game.piles[:2] == [["9D"], ["2C", "8S", "7S"]]


@pytest.mark.parametrize(
    ("card", "on", "answer"),
    [
        ("7S", "8S", None),
        ("7S", "6S", None),
        ("AS", "KS", None),
        ("KS", "AS", None),
        ("7S", "7S", Refusal.RANK),
        ("7S", "9S", Refusal.RANK),
        ("AS", "QS", Refusal.RANK),
        ("7S", "8C", Refusal.SUIT),
    ],
)
def test_R4_onto_a_pile(table, card, on, answer):
    game = table(card, on)
    assert game.refusal(0, 1) is answer


def test_R5_a_pile_holds_13_cards(table):
    game = table("7S", "8S 7S", "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH 8S")
    assert game.move(0, 2) == 2
    assert game.count(2) == 13
    assert game.move(1, 2) is Refusal.RANK
    assert game.undo() == (0, 2)
    assert game.move(1, 2) == 2
    assert game.refusal(1, 2) is Refusal.FULL_PILE
    assert game.refusal(2, 1) is None, "from a full pile a card may go"


def test_R6_an_emptied_pile_stays_empty(table):
    game = table("7S", "8S", "9S 9S", redeals=1)
    assert game.move(0, 1) == 1
    assert game.refusal(1, 0) is Refusal.EMPTY_PILE
    assert 0 not in game.destinations(1)
    assert game.redeal() is None
    assert game.piles[0] == []


def test_R7_ace_foundations_rise_and_king_foundations_fall(table):
    game = table("QS 2S", "3S", "JS")
    assert [game.refusal(0, place) for place in (16, 20)] == [None, Refusal.RANK]
    assert game.move(0, 16) == 16
    assert game.move(0, 20) == 20
    assert game.move(1, 20) is Refusal.RANK
    assert game.move(1, 16) == 16
    assert game.move(2, 20) == 20
    assert (game.up, game.down) == ([3, 1, 1, 1], [3, 1, 1, 1])


def test_R7_ranks_do_not_go_round_on_foundations():
    piles = [["AC"], ["KD"]] + [[]] * 14
    game = Game.position(piles, (13, 13, 12, 13), (13, 13, 13, 12), 0)
    assert game.refusal(0, 19) is Refusal.FOUNDATION_COMPLETE, "no ace on a rising king"
    assert game.refusal(1, 22) is Refusal.FOUNDATION_COMPLETE, "no king on a falling ace"


def test_R8_no_card_returns_to_a_pile(table):
    game = table("3S", up=(2, 1, 1, 1))
    assert game.refusal(16, 0) is Refusal.FROM_FOUNDATION
    assert game.destinations(16) == []


def test_R8_from_foundation_to_foundation(table):
    game = table(up=(7, 1, 1, 1), down=(6, 1, 1, 1))
    assert game.destinations(16) == [20]
    assert game.destinations(20) == [16]
    assert game.move(16, 20) == 20
    assert (game.top(16), game.top(20)) == ("6S", "7S")
    assert game.move(20, 16) == 16
    assert game.move(20, 16) == 16
    assert (game.top(16), game.top(20)) == ("8S", "9S")


def test_R8_only_if_it_follows(table):
    game = table(up=(7, 1, 1, 1), down=(5, 1, 1, 1))
    assert game.refusal(16, 20) is Refusal.RANK
    assert game.refusal(20, 16) is Refusal.RANK
    assert game.refusal(16, 21) is Refusal.SUIT


def test_R8_the_base_never_moves(table):
    game = table(up=(12, 1, 1, 1), down=(1, 12, 1, 1))
    assert game.refusal(16, 20) is None
    assert game.refusal(20, 16) is Refusal.BASE_LOCKED
    assert game.refusal(21, 17) is None
    assert game.refusal(17, 21) is Refusal.BASE_LOCKED


def test_R9_foundation_moves_count_and_are_undone(table):
    game = table(up=(7, 1, 1, 1), down=(6, 1, 1, 1))
    game.move(16, 20)
    assert (game.moves, game.undoable, game.home) == (1, 1, 19)
    assert game.undo() == (16, 20)
    assert (game.up[0], game.down[0], game.moves) == (7, 6, 0)


def test_R10_the_bottom_card_goes_on_top(table):
    game = table("2H 9C JD JD", "5C", "", redeals=3)
    assert game.redeal() is None
    assert game.piles[:3] == [["9C", "JD", "JD", "2H"], ["5C"], []]
    assert game.redeals == 2


def test_R10_three_redeals_a_game():
    game = Game.deal(NORMAL)
    assert [game.redeal() for _ in range(4)] == [None, None, None, Refusal.NO_REDEALS]


def test_R11_a_redeal_is_no_move_and_ends_what_can_be_undone(table):
    game = table("7S", "8S", "9S 9S", redeals=1)
    game.move(0, 1)
    game.redeal()
    assert (game.moves, game.undoable, game.undone) == (1, 0, 0)
    assert game.undo() is Refusal.NOTHING_TO_UNDO
    assert game.move(2, 1) == 1
    assert (game.moves, game.undoable) == (2, 1)


def test_R12_a_redeal_that_changes_nothing_is_refused_and_costs_nothing():
    singles = [[rank + suit] for suit in "SHDC" for rank in "32A"]
    game = Game.position(singles + [[]] * 4, COMPLETE, (10,) * 4, 2)
    assert game.redeal() is Refusal.NOTHING_TO_REDEAL
    assert game.redeals == 2
    assert game.status == "playing", "of cards that lie singly one always goes to a foundation"


def test_R12_asks_for_a_pile_of_two_cards_even_if_they_are_the_same():
    singles = [[rank + "D"] for rank in "QKT98765432A"]
    game = Game.position([["JD", "JD"], *singles, [], [], []], (13, 13, 10, 13), (13, 13, 2, 13), 2)
    assert game.redeal() is None
    assert game.redeals == 1


def test_R13_the_latest_100_moves_newest_first(table):
    game = table("7S 8S", "7S")
    for move in range(101):
        src = move % 2
        assert game.move(src, 1 - src) == 1 - src
    assert (game.moves, game.undoable) == (101, 100)
    for move in range(100, 0, -1):
        assert game.undo() == (move % 2, 1 - move % 2)
    assert game.undo() is Refusal.NOTHING_TO_UNDO
    assert (game.moves, game.undone, game.undoable) == (1, 100, 0)
    assert game.piles[:2] == [["7S"], ["7S", "8S"]]


def test_R13_an_undo_is_not_itself_undone(table):
    game = table("7S 8S", "7S")
    game.move(0, 1)
    assert game.undo() == (0, 1)
    assert game.undo() is Refusal.NOTHING_TO_UNDO


def test_R14_won_when_all_foundations_are_complete():
    game = one_card_short()
    assert (game.won, game.status, game.home) == (False, "playing", 103)
    assert game.move(0, ONE_PLACE) == 23
    assert (game.won, game.status, game.home) == (True, "won", 104)


def test_R14_nothing_can_be_played_or_undone_after_that(state):
    game = won()
    before = state(game)
    answers = {game.move(src, dst) for src in range(24) for dst in range(26)}
    assert answers | {game.redeal(), game.undo()} == {Refusal.GAME_OVER}
    assert all(game.destinations(src) == [] for src in range(24))
    assert state(game) == before


def test_R15_blocked():
    pile = ["7C", "9C", "TC", "JC", "QC", "KC", "6C", "5C", "4C", "3C", "2C", "AC"]
    game = Game.position([pile] + [[]] * 15, (13, 13, 13, 8), (13, 13, 13, 6), 0)
    assert game.status == "blocked"


def test_R15_a_redeal_is_a_way_out():
    pile = ["7C", "9C", "TC", "JC", "QC", "KC", "6C", "5C", "4C", "3C", "2C", "AC"]
    game = Game.position([pile] + [[]] * 15, (13, 13, 13, 8), (13, 13, 13, 6), 1)
    assert game.status == "playing"


def test_R15_a_move_between_foundations_is_a_possible_move():
    pile = ["7C", "8C", "9C", "TC", "JC", "QC", "KC", "6C", "5C", "4C", "3C", "2C", "AC"]
    game = Game.position([pile] + [[]] * 15, (13, 13, 13, 7), (13, 13, 13, 6), 0)
    assert game.status == "playing"
    assert [(src, dst) for src in range(24) for dst in game.destinations(src)] == [(19, 23), (23, 19)]


def test_R15_full_piles_do_not_take_each_others_cards():
    jack = ["7C", "8C", "9C", "TC", "KC", "6C", "5C", "4C", "3C", "2C", "AC", "6C", "JC"]
    queen = ["8H", "9H", "TH", "JH", "QH", "KH", "6H", "5H", "4H", "3H", "2H", "AH", "QC"]
    up, down = (13, 7, 13, 5), (13, 7, 13, 7)
    game = Game.position([jack, queen] + [[]] * 14, up, down, 0)
    assert game.status == "blocked"
    game = Game.position([jack, queen[1:], queen[:1]] + [[]] * 13, up, down, 0)
    assert game.status == "playing"
    game = Game.position([jack, queen[:11] + queen[12:], ["AH"]] + [[]] * 13, up, down, 0)
    assert [(src, dst) for src in range(24) for dst in game.destinations(src)] == [(0, 1)]
    assert game.status == "playing"
    game = Game.position([jack[:10] + jack[11:], queen, ["AC"]] + [[]] * 13, up, down, 0)
    assert [(src, dst) for src in range(24) for dst in game.destinations(src)] == [(1, 0)]
    assert game.status == "playing"


def test_R15_a_blocked_game_can_be_undone_out_of():
    game = Game.position(
        [["7C", "9C", "TC", "JC", "QC", "KC", "6C", "5C", "4C", "3C", "2C", "AC", "8C"]] + [[]] * 15,
        (13, 13, 13, 7),
        (13, 13, 13, 6),
        0,
    )
    game.move(0, 19)
    assert game.status == "blocked"
    assert game.undo() == (0, 19)
    assert game.status == "playing"


def test_R16_moves_are_counted_and_refusals_are_not(table):
    game = table("7S 8S", "7S")
    game.move(0, 1)
    game.move(0, 5)
    game.move(1, 0)
    assert game.moves == 2


def test_R17_redeals_of_the_variants_and_nothing_else_differs():
    normal, four = Game.deal(NORMAL), Game.deal(FOUR)
    assert (normal.redeals, four.redeals) == (3, 4)
    assert normal.piles == four.piles


def test_R21_a_long_code_begins_a_game_too():
    assert Game.deal(GameCode(2, "F", 26**28 - 1)).redeals == 4


# Places 24 and 25


def test_the_foundation_area_prefers_the_ascending_one(table):
    game = table("7S", up=(6, 1, 1, 1), down=(6, 1, 1, 1))
    assert game.destinations(0) == [16, 20]
    assert game.resolve(0, FOUNDATION_AREA) == 16
    assert game.move(0, FOUNDATION_AREA) == 16


def test_the_foundation_area_takes_the_descending_one_else_rank(table):
    game = table("8S 7S", up=(1, 1, 1, 1), down=(6, 1, 1, 1))
    assert game.move(0, FOUNDATION_AREA) == 20
    assert game.move(0, FOUNDATION_AREA) is Refusal.RANK


@pytest.mark.parametrize(
    ("up", "down", "answer"),
    [
        ((7, 1, 1, 1), (6, 1, 1, 1), 20),
        ((7, 1, 1, 1), (5, 1, 1, 1), Refusal.RANK),
        ((1, 1, 1, 1), (5, 1, 1, 1), Refusal.BASE_LOCKED),
        ((7, 1, 1, 1), (13, 1, 1, 1), Refusal.FOUNDATION_COMPLETE),
    ],
)
def test_the_foundation_area_of_a_foundation_is_the_other_of_its_suit(table, up, down, answer):
    game = table(up=up, down=down)
    assert game.resolve(16, FOUNDATION_AREA) == answer
    assert (game.refusal(16, 20) or 20) == answer


def test_the_only_place(table):
    game = table("2D 7S", "8S", "6S", "3D 9H")
    assert game.move(0, ONE_PLACE) is Refusal.AMBIGUOUS
    assert game.move(3, ONE_PLACE) is Refusal.NO_DESTINATION
    game.move(1, 0)
    assert game.resolve(2, ONE_PLACE) is Refusal.NO_DESTINATION
    game.undo()
    game.move(2, 0)
    assert game.move(1, ONE_PLACE) is Refusal.NO_DESTINATION


def test_the_only_place_of_a_foundation_is_the_other_of_its_suit(table):
    game = table("8S", up=(7, 3, 1, 1), down=(6, 3, 1, 1))
    assert game.resolve(16, ONE_PLACE) == 20
    assert game.resolve(17, ONE_PLACE) is Refusal.NO_DESTINATION
    assert game.resolve(18, ONE_PLACE) is Refusal.BASE_LOCKED


def test_a_real_place_is_resolved_without_a_judgement(table):
    game = table("7S", "")
    assert [game.resolve(1, dst) for dst in range(24)] == list(range(24))


# The first that applies


@pytest.mark.parametrize(
    ("src", "dst", "answer"),
    [
        (1, 1, Refusal.EMPTY_SOURCE),  # before same_place
        (1, 2, Refusal.EMPTY_SOURCE),  # before empty_pile
        (1, 16, Refusal.EMPTY_SOURCE),
        (1, FOUNDATION_AREA, Refusal.EMPTY_SOURCE),
        (1, ONE_PLACE, Refusal.EMPTY_SOURCE),
        (0, 0, Refusal.SAME_PLACE),  # before rank
        (3, 3, Refusal.SAME_PLACE),
        (18, 18, Refusal.SAME_PLACE),  # before base_locked
        (17, 17, Refusal.SAME_PLACE),  # before foundation_complete
        (18, 0, Refusal.BASE_LOCKED),  # before from_foundation
        (18, 1, Refusal.BASE_LOCKED),  # before empty_pile
        (18, 17, Refusal.BASE_LOCKED),  # before suit
        (18, 22, Refusal.BASE_LOCKED),  # before rank
        (18, FOUNDATION_AREA, Refusal.BASE_LOCKED),
        (18, ONE_PLACE, Refusal.BASE_LOCKED),
        (16, 0, Refusal.FROM_FOUNDATION),  # though a neighbour
        (16, 1, Refusal.FROM_FOUNDATION),  # before empty_pile
        (17, 0, Refusal.FROM_FOUNDATION),  # before suit
        (0, 1, Refusal.EMPTY_PILE),
        (0, 4, Refusal.SUIT),  # before rank
        (0, 5, Refusal.SUIT),  # before full_pile
        (0, 17, Refusal.SUIT),  # before foundation_complete
        (16, 17, Refusal.SUIT),
        (0, 6, Refusal.RANK),  # before full_pile
        (0, 7, Refusal.FULL_PILE),
        (0, 16, None),
        (0, 20, Refusal.RANK),
        (8, 17, Refusal.FOUNDATION_COMPLETE),  # before rank
        (8, 21, Refusal.RANK),
        (8, FOUNDATION_AREA, Refusal.RANK),
        (8, ONE_PLACE, Refusal.NO_DESTINATION),
    ],
)
def test_the_first_reason_that_applies_is_the_answer(src, dst, answer):
    piles = [
        "3S",
        "",
        "",
        "4D 5D",
        "9C 9D",
        "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC 2C",
        "3D 6D 7D 8D 9D TD JD QD KD AD 2D 5S 6S",
        "2D 3D 4D 5D 6D 7D 8D 7S 8S 9S TS JS 4S",
        "7H",
        "3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS 2S",
        "TD JD QD AC 3C 4C 5C 6C 7C 8C TC JC QC",
        "QS 2H 3H 4H 5H 6H 8H 9H TH JH QH AH",
    ]
    game = Game.position([pile.split() for pile in piles] + [[]] * 4, (2, 13, 1, 1), (1,) * 4, 0)
    assert game.refusal(src, dst) is answer


def test_no_redeals_is_told_before_nothing_to_redeal():
    game = Game.position([["AC"]] + [[]] * 15, COMPLETE, (13, 13, 13, 12), 0)
    assert game.redeal() is Refusal.NO_REDEALS


# Malformed input is no refusal


@pytest.mark.parametrize(("src", "dst"), [(-1, 0), (24, 0), (25, 24), (0, -1), (0, 26), (-1, 25), (99, 99)])
@pytest.mark.parametrize("make", [lambda: Game.deal(NORMAL), won], ids=["playing", "won"])
def test_places_of_other_numbers_are_malformed(make, src, dst, state):
    game = make()
    before = state(game)
    for method in (game.move, game.refusal, game.resolve):
        with pytest.raises(ValueError, match="is no place"):
            method(src, dst)
    assert state(game) == before


@pytest.mark.parametrize("place", [-1, 24, 25, 26])
def test_other_numbers_are_no_place_to_look_at(place):
    game = Game.deal(NORMAL)
    for method in (game.top, game.count, game.destinations):
        with pytest.raises(ValueError, match="is no place"):
            method(place)


def test_a_position_is_checked_and_copied():
    piles = [["AC"]] + [[] for _ in range(15)]
    up, down = [13] * 4, [13, 13, 13, 12]
    with pytest.raises(ValueError, match="but AC 1 times"):
        Game.position([[]] * 16, up, down, 0)
    Game.position(piles, up, down, 0).move(0, 23)
    assert (piles[0], up, down) == (["AC"], [13] * 4, [13, 13, 13, 12])
