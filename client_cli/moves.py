"""What may be moved where, judged from tops and counts alone (R3-R9)."""

from typing import Protocol

from client_cli.position import Position
from server.engine.cards import NEIGHBOURS, RANK, RANKS, SUIT, SUITS, Card
from server.engine.places import (
    ASCENDING,
    DESCENDING,
    FOUNDATION_CARDS_MAX,
    FOUNDATIONS,
    PILE_CARDS_MAX,
    PILES,
    sibling,
)


class Heights(Protocol):
    """Anything that knows how high the foundations are."""

    up: list[int]
    down: list[int]


class Table(Heights, Protocol):
    """A game, or what is seen of one."""

    def top(self, place: int) -> Card | None:
        """The top card of a place, 0 to 23; None for an empty pile."""

    def count(self, place: int) -> int:
        """How many cards it holds."""


def accepting_foundations(position: Heights, card: Card) -> list[int]:
    """Return the foundations that take `card` now, the ascending one first (R7)."""
    suit = SUIT[card]
    places = []
    if RANK[card] == position.up[suit] + 1:
        places.append(ASCENDING.start + suit)
    if RANK[card] == FOUNDATION_CARDS_MAX - position.down[suit]:
        places.append(DESCENDING.start + suit)
    return places


def accepting_piles(table: Table, card: Card) -> list[int]:
    """Return the piles that take `card` now (R4, R5, R6)."""
    return [p for p in PILES if table.top(p) in NEIGHBOURS[card] and table.count(p) < PILE_CARDS_MAX]


def next_on(table: Heights, foundation: int) -> Card | None:
    """Return the card that comes next on a foundation, None on a complete one (R7)."""
    if foundation in ASCENDING:
        suit = foundation - ASCENDING.start
        height = rank = table.up[suit]
    else:
        suit = foundation - DESCENDING.start
        height = table.down[suit]
        rank = FOUNDATION_CARDS_MAX - 1 - height
    return None if height == FOUNDATION_CARDS_MAX else RANKS[rank] + SUITS[suit]


def home_moves(position: Position) -> list[tuple[int, int]]:
    """Return every move from a pile to a foundation, as source and destination."""
    return [
        (pile, place)
        for pile in PILES
        if (card := position.tops[pile]) is not None
        for place in accepting_foundations(position, card)
    ]


def pile_moves(position: Position) -> list[tuple[int, int]]:
    """Return every move from pile to pile (R4, R5, R6)."""
    return [
        (src, dst)
        for src in PILES
        if (card := position.tops[src]) is not None
        for dst in accepting_piles(position, card)
    ]


def foundation_moves(position: Position) -> list[tuple[int, int]]:
    """Return every move from one foundation to the other of its suit (R8)."""
    moves = []
    for src in FOUNDATIONS:
        card = position.top(src)
        if (
            position.count(src) > 1
            and card is not None
            and sibling(src) in accepting_foundations(position, card)
        ):
            moves.append((src, sibling(src)))
    return moves


def legal_moves(position: Position) -> list[tuple[int, int]]:
    """Return every move there is: home, from pile to pile, and between foundations."""
    return [*home_moves(position), *pile_moves(position), *foundation_moves(position)]


def may_redeal(position: Position) -> bool:
    """Return whether a redeal is left and would change something (R10, R12)."""
    return position.redeals > 0 and any(count > 1 for count in position.counts)
