"""What a position must hold to be one: 16 piles and eight foundations of two packs (R1, R5, R7)."""

from collections import Counter
from collections.abc import Sequence

from server.engine.cards import CARDS, RANKS, SUITS, Card
from server.engine.places import FOUNDATION_CARDS_MAX, PILE_CARDS_MAX, PILES

REDEALS_MAX = 4
"""Crescent Four's (R17)."""


def check_position(
    piles: Sequence[Sequence[Card]], up: Sequence[int], down: Sequence[int], redeals: int
) -> None:
    """Raise ValueError, in a sentence, unless these are a position.

    That is 16 piles of at most 13 cards, bottom to top; four heights of 1 to 13 for the ace foundations and
    four for the king foundations; 0 to 4 redeals left; and, foundations included, each card exactly twice.
    """
    if len(piles) != len(PILES):
        raise ValueError(f"A position has 16 piles, not {len(piles)}")
    for number, pile in enumerate(piles, start=1):
        if len(pile) > PILE_CARDS_MAX:
            raise ValueError(f"Pile {number} has {len(pile)} cards; a pile holds at most {PILE_CARDS_MAX}")
    for name, heights in (("ace", up), ("king", down)):
        if len(heights) != len(SUITS):
            raise ValueError(f"A position has 4 {name} foundations, not {len(heights)}")
        for height in heights:
            if height not in range(1, FOUNDATION_CARDS_MAX + 1):
                raise ValueError(f"A foundation holds 1 to {FOUNDATION_CARDS_MAX} cards, not {height}")
    if redeals not in range(REDEALS_MAX + 1):
        raise ValueError(f"A game has 0 to {REDEALS_MAX} redeals left, not {redeals}")
    _check_cards(piles, up, down)


def _check_cards(piles: Sequence[Sequence[Card]], up: Sequence[int], down: Sequence[int]) -> None:
    counts = Counter(card for pile in piles for card in pile)
    for suit, rising, falling in zip(SUITS, up, down, strict=True):
        counts.update(rank + suit for rank in RANKS[:rising])
        counts.update(rank + suit for rank in RANKS[::-1][:falling])
    for card in counts:
        if card not in CARDS:
            raise ValueError(f"There is no card {card!r}")
    for card in CARDS:
        if counts[card] != 2:
            raise ValueError(f"A position holds each card twice, but {card} {counts[card]} times")
