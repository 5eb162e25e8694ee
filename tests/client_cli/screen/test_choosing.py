"""What is held, where it may go, and what comes of each gesture; without a terminal."""

from __future__ import annotations

import pytest

from client_cli.screen.choosing import Choosing
from client_cli.screen.forecast import UNKNOWN
from server.engine.actions import Action
from server.engine.game import Game
from server.engine.places import ASCENDING, DESCENDING, FOUNDATION_AREA, FOUNDATIONS
from server.engine.refusals import Refusal

ACE_SPADES, KING_SPADES = ASCENDING.start, DESCENDING.start


class Table:
    def __init__(self, *tops: str, up: int = 1, down: int = 1) -> None:
        piles = [[UNKNOWN, top] if top else [] for top in tops]
        piles += [["9C", "9C"] for _ in range(16 - len(piles))]
        self.game = Game(piles, [up, 1, 1, 1], [down, 1, 1, 1], 3)


def test_a_card_with_one_place_goes_there() -> None:
    choosing = Choosing(Table("5H", "6H", "2D"))
    assert choosing.choose(0) == Action("m", 0, 1)
    assert choosing.choose(2) == Action("m", 2, 18)
    assert choosing.held is None


def test_a_card_with_several_places_is_held_and_they_light_up() -> None:
    choosing = Choosing(Table("2S", "3S", "3S"))
    assert choosing.choose(0) is None
    assert (choosing.held, choosing.targets) == (0, (ACE_SPADES, 2, 1))
    assert choosing.cursor == ACE_SPADES
    assert choosing.choose(2) == Action("m", 0, 2)
    assert (choosing.held, choosing.targets) == (None, ())


def test_the_arrows_visit_only_legal_places_while_a_card_is_held() -> None:
    choosing = Choosing(Table("2S", "3S", "3S"))
    choosing.choose(0)
    visited = set()
    for direction in ("left", "right", "up", "down", "left", "left", "down", "right", "up") * 3:
        choosing.arrow(direction)
        visited.add(choosing.cursor)
    assert visited == {ACE_SPADES, 1, 2}


def test_the_arrows_reach_every_place_otherwise() -> None:
    choosing = Choosing(Table())
    reached, todo = {choosing.cursor}, [choosing.cursor]
    while todo:
        here = todo.pop()
        for direction in ("left", "right", "up", "down"):
            choosing.cursor = here
            choosing.arrow(direction)
            if choosing.cursor not in reached:
                reached.add(choosing.cursor)
                todo.append(choosing.cursor)
    assert reached == set(range(24))


@pytest.mark.parametrize(
    ("place", "refusal"),
    [
        (0, Refusal.NO_DESTINATION),
        (1, Refusal.EMPTY_SOURCE),
        (ACE_SPADES, Refusal.BASE_LOCKED),
    ],
)
def test_what_cannot_be_taken_is_refused(place: int, refusal: Refusal) -> None:
    choosing = Choosing(Table("7H", ""))
    assert choosing.choose(place) is refusal
    assert choosing.held is None


@pytest.mark.parametrize(
    ("place", "refusal"),
    [
        (3, Refusal.SUIT),
        (4, Refusal.RANK),
        (5, Refusal.EMPTY_PILE),
        (KING_SPADES, Refusal.RANK),
        (17, Refusal.SUIT),
    ],
)
def test_a_held_card_is_refused_for_the_engines_reason_and_stays_held(place: int, refusal: Refusal) -> None:
    choosing = Choosing(Table("2S", "3S", "3S", "2H", "7S", ""))
    choosing.choose(0)
    assert choosing.choose(place) is refusal
    assert choosing.held == 0


def test_nothing_is_taken_off_a_foundation_by_accident() -> None:
    choosing = Choosing(Table(up=7, down=6))  # 7 on the rising one, 8 on the falling one
    assert choosing.choose(ACE_SPADES) is None
    assert (choosing.held, choosing.targets) == (ACE_SPADES, (KING_SPADES,))
    assert choosing.confirm() == Action("m", ACE_SPADES, KING_SPADES)


def test_choosing_the_held_card_lets_it_go() -> None:
    choosing = Choosing(Table("2S", "3S", "3S"))
    choosing.choose(0)
    assert choosing.choose(0) is None
    assert (choosing.held, choosing.cursor) == (None, 0)


def test_home_is_the_foundation_that_takes_it() -> None:
    choosing = Choosing(Table("2S", "3S", "QS"))
    assert choosing.home(0) == Action("m", 0, ACE_SPADES)
    assert choosing.home(2) == Action("m", 2, KING_SPADES)
    assert choosing.home(1) is Refusal.RANK
    choosing.choose(0)
    assert choosing.home() == Action("m", 0, ACE_SPADES), "the held card"


@pytest.mark.parametrize("dropped", [FOUNDATION_AREA, *FOUNDATIONS])
def test_dropped_anywhere_on_the_foundations_the_right_one_takes_it(dropped: int) -> None:
    assert Choosing(Table("QS")).drop(0, dropped) == Action("m", 0, KING_SPADES)


def test_where_both_foundations_take_it_the_one_it_is_dropped_on_does() -> None:
    table = Table("7S", up=6, down=6)
    assert Choosing(table).drop(0, KING_SPADES) == Action("m", 0, KING_SPADES)
    assert Choosing(table).drop(0, ACE_SPADES) == Action("m", 0, ACE_SPADES)
    assert Choosing(table).drop(0, FOUNDATION_AREA) == Action("m", 0, ACE_SPADES)


def test_dropped_beside_everything_or_on_itself_nothing_happens() -> None:
    assert Choosing(Table("QS")).drop(0, None) is None
    assert Choosing(Table("QS")).drop(0, 0) is None


def test_numbers_choose_piles() -> None:
    choosing = Choosing(Table(*["4C"] * 16))
    for number in range(2, 17):
        outcomes = [choosing.digit(digit) for digit in str(number)]
        assert (choosing.cursor, outcomes[-1]) == (number - 1, Refusal.NO_DESTINATION)
    assert choosing.digit("1") is None
    assert choosing.waits_for_digit
    assert choosing.confirm() is Refusal.NO_DESTINATION
    assert choosing.cursor == 0
    assert choosing.digit("0") is None


def test_a_one_and_a_seven_are_no_pile() -> None:
    choosing = Choosing(Table(*["2S", "3S", "3S"]))
    choosing.digit("1")
    assert choosing.digit("7") is None
    assert (choosing.held, choosing.waits_for_digit) == (None, False)


def test_a_double_click_sends_home_what_the_first_click_took() -> None:
    choosing = Choosing(Table("2S", "3S", "3S"))
    assert choosing.click(0) is None
    assert choosing.double_click(0) == Action("m", 0, ACE_SPADES)


def test_a_double_click_does_not_move_the_card_below_as_well() -> None:
    table = Table("5H", "6H")
    choosing = Choosing(table)
    assert choosing.click(0) == Action("m", 0, 1)
    table.game.move(0, 1)
    table.game.piles[0][-1] = "2D"
    assert choosing.double_click(0) is None


def test_an_unknown_card_is_waited_for() -> None:
    choosing = Choosing(Table(UNKNOWN, "6H"))
    assert choosing.choose(0) == "wait"
    assert choosing.home(0) == "wait"
    assert choosing.drop(0, 1) == "wait"


def test_a_held_card_that_is_gone_is_let_go() -> None:
    table = Table("2S", "3S", "3S")
    choosing = Choosing(table)
    choosing.choose(0)
    table.game.move(0, 1)
    choosing.look_again()
    assert choosing.held is None


def test_after_a_redeal_the_held_cards_places_are_others() -> None:
    table = Table("2S", "3S", "3S")
    choosing = Choosing(table)
    choosing.choose(0)
    choosing.arrow("left")
    table.game.piles[1][-1] = "9H"
    table.game.piles[2][-1] = "9H"
    choosing.look_again()
    assert choosing.targets == (ACE_SPADES,)
    assert choosing.cursor == ACE_SPADES


@pytest.mark.parametrize("again", ["confirm", "home"])
def test_what_follows_a_card_that_went_by_itself_does_not_play_the_one_beneath(again: str) -> None:
    table = Table("5H", "6H")
    table.game.piles[0].insert(1, "7H")
    choosing = Choosing(table)
    assert choosing.digit("2") == Action("m", 1, 0)
    assert choosing.went == ("6H", "5H", 0)
    press = getattr(choosing, again)
    assert press() == "gone"
    assert press() != "gone", "once"


@pytest.mark.parametrize("between", ["settle", "arrow", "digit"])
def test_after_another_key_the_card_beneath_is_meant(between: str) -> None:
    choosing = Choosing(Table("2D", "7H", "7H"))
    assert choosing.choose(0) == Action("m", 0, 18)
    getattr(choosing, between)(*{"arrow": ("down",), "digit": ("2",)}.get(between, ()))
    assert choosing.home() != "gone"


def test_a_card_whose_place_was_refused_is_not_sent_by_the_next_key() -> None:
    choosing = Choosing(Table("2S", "3S", "3S", "7H"))
    assert choosing.choose(0) is None
    assert choosing.digit("4") is Refusal.SUIT
    assert (choosing.held, choosing.tried) == (0, (0, 3))
    assert choosing.home() == "held"
    assert choosing.home() == Action("m", 0, ACE_SPADES)


def test_a_refused_number_leaves_the_cursor_on_a_place_that_takes_the_card() -> None:
    table = Table(*["2S"], *["7H"] * 12)
    table.game.piles[15] = ["3S"]
    choosing = Choosing(table)
    assert choosing.choose(0) is None
    assert choosing.digit("1") is None
    assert choosing.digit("3") is Refusal.SUIT
    assert choosing.cursor in choosing.targets
    assert choosing.confirm() == "held"
    assert isinstance(choosing.confirm(), Action)
