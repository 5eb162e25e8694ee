"""What a table is worth to a player who wants everything home, in cards at home."""

import random
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from client_cli.strategies.known import Known, Pile
from server.engine.cards import NEIGHBOURS, RANKS, SUITS, Card
from server.engine.places import FOUNDATION_CARDS_MAX

_OUT_OF_REACH = 9
"""How deep a wanted card is taken to lie whose place is not known."""

_VARIED_BY = 0.3
"""The spread of the logarithm of each figure where they are varied."""


class Weights(NamedTuple):
    """What counts how much. Found by trial, with many tables played for each set of figures."""

    revealed: float = 0.32
    run: float = 0.22
    """Of two cards in a pile, the upper one on a neighbour of it: they can go home one after the other."""
    empty: float = -0.39
    """An emptied pile takes nothing any more (R6)."""
    buried: float = -0.03
    """For each card on top of the next card that a foundation waits for."""
    second: float = 0.3
    third: float = 0.17
    """How much the second and the third next count of what the next does."""
    redeal: float = 4.0
    move: float = -0.034

    def varied(self, rng: random.Random) -> "Weights":
        """Return these figures, each a little more or less: another taste finds other ways."""
        return Weights(*(weight * rng.lognormvariate(0.0, _VARIED_BY) for weight in self))


WEIGHTS = Weights()


def worth(table: Known, weights: Weights = WEIGHTS) -> float:
    """Return what `table` is worth, without what it cost to come to it."""
    wanted = _wanted(table.up, table.down, weights)
    depth = dict.fromkeys(wanted, _OUT_OF_REACH)
    runs = empty = 0
    for pile in table.piles:
        empty += not pile
        runs += _runs(pile)
        for above, card in enumerate(reversed(pile)):
            if card in depth and above < depth[card]:
                depth[card] = above
    return (
        table.home
        + weights.revealed * table.revealed
        + weights.run * runs
        + weights.empty * empty
        + weights.buried * sum(depth[card] * share for card, share in wanted.items())
        + weights.redeal * table.redeals
    )


@lru_cache(maxsize=20_000)
def _runs(pile: Pile) -> int:
    return sum(lower is not None and upper in NEIGHBOURS[lower] for lower, upper in pairwise(pile))


@lru_cache(maxsize=2_000)
def _wanted(up: tuple[int, ...], down: tuple[int, ...], weights: Weights) -> dict[Card, float]:
    """Return the next cards of each foundation (R7), each with its share."""
    wanted: dict[Card, float] = {}
    for suit, rising, falling in zip(SUITS, up, down, strict=True):
        for ahead, share in enumerate((1.0, weights.second, weights.third)):
            for height, ranks in ((rising, RANKS), (falling, RANKS[::-1])):
                if height + ahead < FOUNDATION_CARDS_MAX:
                    card = ranks[height + ahead] + suit
                    wanted[card] = wanted.get(card, 0.0) + share
    return wanted
