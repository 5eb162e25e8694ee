from collections import Counter
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.engine.cards import PACK
from server.engine.codes import GameCode, parse_code
from server.engine.deal import deal


@given(st.from_type(GameCode))
def test_R1_every_deal_is_16_piles_of_six_of_the_pack(code):
    piles = deal(code)
    assert [len(pile) for pile in piles] == [6] * 16
    assert Counter(card for pile in piles for card in pile) == Counter(PACK)


def test_R20_the_first_and_last_pile_of_deal_0():
    piles = [" ".join(pile) for pile in deal(parse_code("CR1-N-AAAAAAA"))]
    assert piles[0] == "2S TC 6H 6S 2D 3S"
    assert piles[15] == "5H 7C 9C 8H JS 7S"


def plainly_dealt(number: int, dropped: list[int]) -> list[str]:
    """Deal `number` once more, R20 word by word, and note the words that were dropped."""
    blocks = [sha256(b"CR1:%d:%d" % (number, block)).hexdigest() for block in range(20)]
    words = [int(block[at : at + 8], 16) for block in blocks for at in range(0, 64, 8)]
    cards = list(PACK)
    for i in range(95, 0, -1):
        while words[0] >= 2**32 - 2**32 % (i + 1):
            dropped.append(words.pop(0))
        j = words.pop(0) % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def test_R20_a_word_at_the_limit_is_dropped():
    """One deal in a million drops a word; in this one it is the limit itself, for i = 28."""
    dropped: list[int] = []
    cards = plainly_dealt(239_680, dropped)
    assert dropped == [2**32 - 2**32 % 29]
    assert [card for pile in deal(GameCode(1, "N", 239_680)) for card in pile] == cards


@pytest.mark.parametrize("algorithm", [1, 2])
@pytest.mark.parametrize("number", [0, 1, 8_031_810_175])
def test_R17_both_variants_deal_the_same(algorithm, number):
    assert deal(GameCode(algorithm, "N", number)) == deal(GameCode(algorithm, "F", number))


def test_R21_a_long_code_deals_otherwise_than_a_short_one_of_its_number():
    assert deal(GameCode(1, "N", 1)) != deal(GameCode(2, "N", 1))
