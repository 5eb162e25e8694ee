"""A table as far as its player knows it, and what may be played on it (R3-R10).

A card that was never seen is None, and a pile whose top card is one takes part no more: what lies there will
be seen once the move that uncovers it is played.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from server.engine.actions import REDEAL, Action
from server.engine.cards import NEIGHBOURS, RANK, RANKS, SUIT, SUITS, Card
from server.engine.places import (
    ASCENDING,
    DESCENDING,
    FOUNDATION_CARDS_MAX,
    PILE_CARDS_MAX,
    PILES,
    foundation_suit,
)

Pile: TypeAlias = tuple[Card | None, ...]

# In an order of their own: a frozenset of strings has another one in each process.
_BESIDE: dict[Card, tuple[Card, ...]] = {card: tuple(sorted(both)) for card, both in NEIGHBOURS.items()}


class Known(NamedTuple):
    """A table as far as it is known.

    `redeals` are those that may be planned with; `revealed` counts the unknown cards uncovered on the way.
    """

    piles: tuple[Pile, ...]
    up: tuple[int, ...]
    down: tuple[int, ...]
    redeals: int = 0
    revealed: int = 0

    @property
    def home(self) -> int:
        """How many cards lie on the foundations, 8 to 104."""
        return sum(self.up) + sum(self.down)

    @property
    def won(self) -> bool:
        """Whether all is home (R14)."""
        return not any(self.piles)

    @property
    def hides(self) -> bool:
        """Whether a card in it was never seen."""
        return any(None in pile for pile in self.piles)


def actions(table: Known) -> Iterator[tuple[Action, Known]]:
    """Yield every action that is known to be possible, and the table after it."""
    tops: dict[Card, list[int]] = {}
    for place, pile in enumerate(table.piles):
        if pile and (top := pile[-1]) is not None:
            tops.setdefault(top, []).append(place)
    for card, sources in tops.items():
        for src in sources:
            yield from _from_pile(table, card, src, tops)
    yield from _between_foundations(table)
    if table.redeals and any(len(pile) > 1 for pile in table.piles):  # R12
        yield REDEAL, _redealt(table)


def _from_pile(
    table: Known, card: Card, src: int, tops: dict[Card, list[int]]
) -> Iterator[tuple[Action, Known]]:
    """Yield the moves of `card`, the top one of `src`; `tops` are the piles each known top card lies on."""
    piles, up, down, redeals, revealed = table
    suit, rank = SUIT[card], RANK[card]
    rest = piles[src][:-1]
    seen = revealed + (bool(rest) and rest[-1] is None)
    lifted = (*piles[:src], rest, *piles[src + 1 :])
    if rank == up[suit] + 1:
        yield Action("m", src, ASCENDING.start + suit), Known(lifted, _add(up, suit, 1), down, redeals, seen)
    if rank == FOUNDATION_CARDS_MAX - down[suit]:
        yield Action("m", src, DESCENDING.start + suit), Known(lifted, up, _add(down, suit, 1), redeals, seen)
    for beside in _BESIDE[card]:
        for dst in tops.get(beside, ()):
            if len(piles[dst]) < PILE_CARDS_MAX:
                laid = (*lifted[:dst], (*piles[dst], card), *lifted[dst + 1 :])
                yield Action("m", src, dst), Known(laid, up, down, redeals, seen)


def _between_foundations(table: Known) -> Iterator[tuple[Action, Known]]:
    """Yield the moves from foundation to foundation: of a suit whose two together hold 13 cards (R8)."""
    up, down = table.up, table.down
    for suit in range(len(SUITS)):
        rising, falling = ASCENDING.start + suit, DESCENDING.start + suit
        if up[suit] + down[suit] != FOUNDATION_CARDS_MAX:
            continue
        if up[suit] > 1:
            after = table._replace(up=_add(up, suit, -1), down=_add(down, suit, 1))
            yield Action("m", rising, falling), after
        if down[suit] > 1:
            after = table._replace(up=_add(up, suit, 1), down=_add(down, suit, -1))
            yield Action("m", falling, rising), after


def _redealt(table: Known) -> Known:
    piles = tuple(pile[1:] + pile[:1] for pile in table.piles)
    uncovered = sum(len(pile) > 1 and pile[-1] is None for pile in piles)
    return table._replace(piles=piles, redeals=table.redeals - 1, revealed=table.revealed + uncovered)


def taken_back(table: Known, moves: Sequence[Action]) -> Known:
    """Return the table as it was before `moves` were played, with all that has been seen since (R13)."""
    piles = [list(pile) for pile in table.piles]
    up, down = list(table.up), list(table.down)
    for _, src, dst in reversed(moves):
        card: Card | None
        if dst in PILES:
            card = piles[dst].pop()
        else:
            suit = foundation_suit(dst)
            heights = up if dst in ASCENDING else down
            rank = heights[suit] if dst in ASCENDING else FOUNDATION_CARDS_MAX + 1 - heights[suit]
            card = RANKS[rank - 1] + SUITS[suit]
            heights[suit] -= 1
        if src in PILES:
            piles[src].append(card)
        else:
            (up if src in ASCENDING else down)[foundation_suit(src)] += 1
    return table._replace(piles=tuple(map(tuple, piles)), up=tuple(up), down=tuple(down), revealed=0)


def _add(heights: Sequence[int], suit: int, cards: int) -> tuple[int, ...]:
    return (*heights[:suit], heights[suit] + cards, *heights[suit + 1 :])
