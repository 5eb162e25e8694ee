"""A search some moves ahead, through what a player knows of the table.

A card that was never seen is None. Where a move uncovers one, the search goes on without that pile: what lies
there will be seen once the move is played, and is then searched anew.
"""

import heapq
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from server.engine.cards import NEIGHBOURS, RANK, RANKS, SUIT, SUITS, Card
from server.engine.places import ASCENDING, DESCENDING, FOUNDATION_CARDS_MAX, PILE_CARDS_MAX

Move: TypeAlias = tuple[int, int]
Pile: TypeAlias = tuple[Card | None, ...]

# What a table is worth, in cards at home. Found by trial, with many tables played for each set of figures.
REVEALED_WORTH = 0.32
RUN_WORTH = 0.22
"""Of two cards in a pile, the upper one on a neighbour of it: they can go home one after the other."""
EMPTY_WORTH = -0.39
"""An emptied pile takes nothing any more (R6)."""
BURIED_WORTH = -0.019
"""For each card on top of the next card that a foundation waits for."""
MOVE_WORTH = -0.034

_OUT_OF_REACH = 9
"""How deep a wanted card is taken to lie whose place is not known."""

# In an order of their own: a frozenset of strings has another one in each process.
_BESIDE: dict[Card, tuple[Card, ...]] = {card: tuple(sorted(both)) for card, both in NEIGHBOURS.items()}


class Known(NamedTuple):
    """A table as far as it is known; `revealed` counts the unknown cards that were uncovered on the way."""

    piles: tuple[Pile, ...]
    up: tuple[int, ...]
    down: tuple[int, ...]
    revealed: int = 0


class _Step(NamedTuple):
    """A table on the way, its worth, and the moves that led to it, the latest first."""

    worth: float
    table: Known
    moves: tuple[Move, "_Step"] | None
    depth: int


def best_moves(table: Known, *, width: int, depth: int) -> list[Move]:
    """Return the moves to the best table found, an empty list where none is better than this one.

    They end with the first that uncovers an unknown card: what comes after it is to be thought over then.

    A beam search: of each depth, up to `depth`, the `width` best tables are looked into. A table in which
    everything is home ends it at once.
    """
    best = first = _Step(_worth(table), table, None, 0)
    layer, known = [first], {table[:3]}
    for _ in range(depth):
        found = []
        for step in layer:
            for move, after in _moves(step.table):
                if after[:3] in known:
                    continue
                known.add(after[:3])
                number = step.depth + 1
                found.append(_Step(_worth(after) + number * MOVE_WORTH, after, (move, step), number))
                if not any(after.piles):
                    return _path(found[-1])
        if not found:
            break
        layer = heapq.nlargest(width, found, key=lambda step: step.worth)
        if layer[0].worth > best.worth:
            best = layer[0]
    return _path(best)


def _path(step: _Step) -> list[Move]:
    steps = []
    while step.moves is not None:
        move, before = step.moves
        steps.append((move, step.table.revealed))
        step = before
    steps.reverse()
    first = next((number for number, (_, revealed) in enumerate(steps, start=1) if revealed), len(steps))
    return [move for move, _ in steps[:first]]


def _worth(table: Known) -> float:
    """Return what a table is worth, without what it cost to come to it."""
    depth = dict.fromkeys(_wanted(table), _OUT_OF_REACH)
    runs = empty = 0
    for pile in table.piles:
        empty += not pile
        for above, card in enumerate(reversed(pile)):
            if card in depth and above < depth[card]:
                depth[card] = above
        for lower, upper in pairwise(pile):
            runs += lower is not None and upper in NEIGHBOURS[lower]
    return (
        sum(table.up)
        + sum(table.down)
        + REVEALED_WORTH * table.revealed
        + RUN_WORTH * runs
        + EMPTY_WORTH * empty
        + BURIED_WORTH * sum(depth.values())
    )


def _wanted(table: Known) -> Iterator[Card]:
    """Yield the next card of each foundation that is not complete (R7)."""
    for suit, up, down in zip(SUITS, table.up, table.down, strict=True):
        if up < FOUNDATION_CARDS_MAX:
            yield RANKS[up] + suit
        if down < FOUNDATION_CARDS_MAX:
            yield RANKS[-1 - down] + suit


def _moves(table: Known) -> Iterator[tuple[Move, Known]]:
    """Yield every move that is known to be possible (R3-R8), and the table after it."""
    piles, up, down, revealed = table
    tops: dict[Card, list[int]] = {}
    for place, pile in enumerate(piles):
        if pile and (top := pile[-1]) is not None:
            tops.setdefault(top, []).append(place)
    for card, sources in tops.items():
        suit, rank = SUIT[card], RANK[card]
        for src in sources:
            rest = piles[src][:-1]
            seen = revealed + (bool(rest) and rest[-1] is None)
            lifted = (*piles[:src], rest, *piles[src + 1 :])
            if rank == up[suit] + 1:
                yield (src, ASCENDING.start + suit), Known(lifted, _add(up, suit, 1), down, seen)
            if rank == FOUNDATION_CARDS_MAX - down[suit]:
                yield (src, DESCENDING.start + suit), Known(lifted, up, _add(down, suit, 1), seen)
            for beside in _BESIDE[card]:
                for dst in tops.get(beside, ()):
                    if len(piles[dst]) < PILE_CARDS_MAX:
                        after = (*lifted[:dst], (*piles[dst], card), *lifted[dst + 1 :])
                        yield (src, dst), Known(after, up, down, seen)
    yield from _foundation_moves(table)


def _foundation_moves(table: Known) -> Iterator[tuple[Move, Known]]:
    """Yield the moves from foundation to foundation: of a suit whose two together hold 13 cards (R8)."""
    piles, up, down, revealed = table
    for suit in range(len(SUITS)):
        rising, falling = ASCENDING.start + suit, DESCENDING.start + suit
        if up[suit] + down[suit] != FOUNDATION_CARDS_MAX:
            continue
        if up[suit] > 1:
            yield (rising, falling), Known(piles, _add(up, suit, -1), _add(down, suit, 1), revealed)
        if down[suit] > 1:
            yield (falling, rising), Known(piles, _add(up, suit, 1), _add(down, suit, -1), revealed)


def _add(heights: Sequence[int], suit: int, cards: int) -> tuple[int, ...]:
    return (*heights[:suit], heights[suit] + cards, *heights[suit + 1 :])
