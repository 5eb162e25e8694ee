import pytest

from server.engine.codes import GameCode
from server.engine.deal import deal
from server.engine.position import check_position


@pytest.fixture
def piles():
    """The piles of a deal, to be spoilt."""
    return deal(GameCode(1, "N", 1))


ONES = [1, 1, 1, 1]


def test_a_deal_is_a_position(piles):
    check_position(piles, ONES, ONES, 4)


def test_a_won_game_is_a_position():
    check_position([[]] * 16, [13] * 4, [13] * 4, 0)


def test_R1_not_16_piles(piles):
    with pytest.raises(ValueError, match="16 piles, not 15"):
        check_position(piles[1:], ONES, ONES, 3)


def test_R1_a_card_too_few(piles):
    card = piles[3].pop()
    with pytest.raises(ValueError, match=f"but {card} 1 times"):
        check_position(piles, ONES, ONES, 3)


def test_R1_a_card_too_many(piles):
    piles[3].append("7H")
    with pytest.raises(ValueError, match="but 7H 3 times"):
        check_position(piles, ONES, ONES, 3)


def test_R1_the_foundations_count(piles):
    with pytest.raises(ValueError, match="but 2H 3 times"):
        check_position(piles, [1, 2, 1, 1], ONES, 3)
    with pytest.raises(ValueError, match="but QD 3 times"):
        check_position(piles, ONES, [1, 1, 2, 1], 3)


@pytest.mark.parametrize("card", ["", "1H", "10H", "7h", "7", "H7"])
def test_R1_what_is_no_card(piles, card):
    piles[3][0] = card
    with pytest.raises(ValueError, match="There is no card"):
        check_position(piles, ONES, ONES, 3)


def test_R5_a_pile_of_14(piles):
    piles[3] += piles[4] + piles[5][:2]
    with pytest.raises(ValueError, match="Pile 4 has 14 cards"):
        check_position(piles, ONES, ONES, 3)


@pytest.mark.parametrize("height", [-1, 0, 14])
def test_R7_wrong_heights(piles, height):
    with pytest.raises(ValueError, match=f"1 to 13 cards, not {height}"):
        check_position(piles, [1, height, 1, 1], ONES, 3)
    with pytest.raises(ValueError, match=f"1 to 13 cards, not {height}"):
        check_position(piles, ONES, [1, height, 1, 1], 3)


def test_R7_not_four_and_four_foundations(piles):
    with pytest.raises(ValueError, match="4 ace foundations, not 3"):
        check_position(piles, [1, 1, 1], ONES, 3)
    with pytest.raises(ValueError, match="4 king foundations, not 5"):
        check_position(piles, ONES, [1] * 5, 3)


@pytest.mark.parametrize("redeals", [-1, 5])
def test_R17_no_variant_has_so_many_redeals(piles, redeals):
    with pytest.raises(ValueError, match=f"0 to 4 redeals left, not {redeals}"):
        check_position(piles, ONES, ONES, redeals)
