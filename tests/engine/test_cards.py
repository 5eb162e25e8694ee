from collections import Counter

import pytest

from server.engine.cards import CARDS, NEIGHBOURS, PACK, RANK, RANKS, SUIT, SUITS, card_text


def test_R1_two_packs_without_the_bases():
    bases = Counter("A" + suit for suit in SUITS) + Counter("K" + suit for suit in SUITS)
    assert Counter(PACK) + bases == Counter(dict.fromkeys(CARDS, 2))
    assert len(set(CARDS)) == 52


def test_R20_pack_order():
    assert list(PACK) == [rank + suit for suit in "SHDC" for rank in "A2233445566778899TTJJQQK"]


def test_ranks_and_suits_are_numbered():
    assert [RANK[rank + "H"] for rank in RANKS] == list(range(1, 14))
    assert [SUIT["Q" + suit] for suit in SUITS] == [0, 1, 2, 3]
    assert set(RANK) == set(SUIT) == set(CARDS)


@pytest.mark.parametrize(
    ("card", "neighbours"),
    [("7D", {"6D", "8D"}), ("AS", {"KS", "2S"}), ("KC", {"QC", "AC"}), ("TH", {"9H", "JH"})],
)
def test_R4_neighbours_go_round(card, neighbours):
    assert set(NEIGHBOURS[card]) == neighbours


def test_R4_being_neighbours_is_mutual():
    assert all(card in NEIGHBOURS[other] for card in CARDS for other in NEIGHBOURS[card])


@pytest.mark.parametrize(
    ("lang", "letters"),
    [("en", "A 10 J Q K"), ("da", "E 10 J D K"), ("de", "A 10 B D K")],
)
def test_people_see_their_own_letters(lang, letters):
    assert [card_text(rank + "H", lang) for rank in "ATJQK"] == [letter + "♥" for letter in letters.split()]
    assert card_text("7S", lang) == "7♠"
    assert card_text("2D", lang) == "2♦"
    assert card_text("9C", lang) == "9♣"


@pytest.mark.parametrize("card", ["", "A", "1S", "10H", "as", "AX", "??"])
def test_no_text_for_what_is_no_card(card):
    with pytest.raises(ValueError, match="no card"):
        card_text(card, "en")


def test_no_text_in_another_language():
    with pytest.raises(ValueError, match="en, da or de"):
        card_text("AS", "fr")
