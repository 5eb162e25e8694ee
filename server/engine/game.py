"""A game: the position, what may be played in it, and playing it (R1-R17)."""

from collections import deque
from collections.abc import Sequence
from typing import Literal, TypeAlias

from server.engine.cards import NEIGHBOURS, RANKS, SUIT, SUITS, Card
from server.engine.codes import GameCode
from server.engine.deal import deal as deal_piles
from server.engine.places import (
    ASCENDING,
    DESCENDING,
    FOUNDATION_AREA,
    FOUNDATION_CARDS_MAX,
    ONLY_PLACE,
    PILE_CARDS_MAX,
    PLACES,
    check_destination,
    check_source,
    foundation_suit,
    sibling,
)
from server.engine.position import check_position
from server.engine.refusals import Refusal

Status: TypeAlias = Literal["playing", "won", "blocked"]

UNDO_MOVES_MAX = 100
"""R13."""

# Of each suit, the card that lies at each height of its foundation, from height 1 on; height 0 never occurs,
# and after the thirteenth comes nothing: "" is no card's name. So `[suit][height]` is a foundation's top card
# and `[suit][height + 1]` the only one it accepts (R7).
_RISING = tuple(("", *(rank + suit for rank in RANKS), "") for suit in SUITS)
_FALLING = tuple(("", *(rank + suit for rank in reversed(RANKS)), "") for suit in SUITS)

# Plain integers for the code on a move's way: a range's `start` costs an attribute look-up each time.
_FIRST_FOUNDATION = ASCENDING.start
_FIRST_DESCENDING = DESCENDING.start


class Game:
    """One player's game. Every method that acts judges first, and a refused action changes nothing.

    To be read, not written: `piles` (16 lists of cards, bottom to top), `up` and `down` (the heights of the
    four ace and king foundations), `redeals` (left), `moves` (R16) and `undone` (R13).

    A source other than 0-23 or a destination other than 0-25 is malformed input, in every method: ValueError.
    """

    __slots__ = ("_played", "down", "moves", "piles", "redeals", "undone", "up")

    def __init__(self, piles: list[list[Card]], up: list[int], down: list[int], redeals: int) -> None:
        self.piles = piles
        self.up = up
        self.down = down
        self.redeals = redeals
        self.moves = 0
        self.undone = 0
        self._played: deque[tuple[int, int]] = deque(maxlen=UNDO_MOVES_MAX)

    @classmethod
    def deal(cls, code: GameCode) -> "Game":
        """Return the game that `code` begins (R1, R17, R20)."""
        return cls(deal_piles(code), [1] * len(SUITS), [1] * len(SUITS), code.redeals)

    @classmethod
    def position(
        cls, piles: Sequence[Sequence[Card]], up: Sequence[int], down: Sequence[int], redeals: int
    ) -> "Game":
        """Return a game that begins from a position, with no move made and `redeals` left.

        ValueError, in a sentence, where it is not two packs, each card twice, in piles and foundations.
        """
        check_position(piles, up, down, redeals)
        return cls([list(pile) for pile in piles], list(up), list(down), redeals)

    def copy(self) -> "Game":
        """Return an independent game in the same state, undo memory included."""
        twin = Game([pile[:] for pile in self.piles], self.up[:], self.down[:], self.redeals)
        twin.moves = self.moves
        twin.undone = self.undone
        twin._played = self._played.copy()
        return twin

    # What can be seen

    @property
    def home(self) -> int:
        """How many cards lie on the foundations, 8 to 104."""
        return sum(self.up) + sum(self.down)

    @property
    def won(self) -> bool:
        """Whether all eight foundations hold 13 cards (R14)."""
        # The same as: no pile has a card, for cards are neither made nor lost.
        return not any(self.piles)

    @property
    def undoable(self) -> int:
        """How many moves can be undone, 0 to 100 (R11, R13)."""
        return len(self._played)

    @property
    def status(self) -> Status:
        """Whether the game is won (R14), blocked (R15), or neither: being played."""
        # Asked first because it is nearly always so; a game that is won has neither.
        if (self.redeals and self._has_pile_to_redeal()) or self._has_move():
            return "playing"
        return "won" if self.won else "blocked"

    def top(self, place: int) -> Card | None:
        """Return the top card of `place`, 0 to 23; None for an empty pile."""
        check_source(place)
        return self._top(place)

    def count(self, place: int) -> int:
        """Return how many cards `place`, 0 to 23, holds; a foundation's base counts."""
        check_source(place)
        return len(self.piles[place]) if place < _FIRST_FOUNDATION else self._height(place)

    def _top(self, place: int) -> Card | None:
        if place < _FIRST_FOUNDATION:
            pile = self.piles[place]
            return pile[-1] if pile else None
        if place < _FIRST_DESCENDING:
            suit = place - _FIRST_FOUNDATION
            return _RISING[suit][self.up[suit]]
        suit = place - _FIRST_DESCENDING
        return _FALLING[suit][self.down[suit]]

    def _height(self, foundation: int) -> int:
        if foundation < _FIRST_DESCENDING:
            return self.up[foundation - _FIRST_FOUNDATION]
        return self.down[foundation - _FIRST_DESCENDING]

    def _accepted(self, foundation: int) -> Card:
        """Return the only card that `foundation` accepts, "" when it is complete (R7)."""
        if foundation < _FIRST_DESCENDING:
            suit = foundation - _FIRST_FOUNDATION
            return _RISING[suit][self.up[suit] + 1]
        suit = foundation - _FIRST_DESCENDING
        return _FALLING[suit][self.down[suit] + 1]

    # What may be played

    def refusal(self, src: int, dst: int) -> Refusal | None:
        """Return why the top card of `src` may not go to `dst`, or None if it may.

        It is the first reason that applies, in the order of rules.md, "Refusals".
        """
        if dst not in PLACES:
            answer = self.resolve(src, dst)
            return answer if isinstance(answer, Refusal) else None
        check_source(src)
        if not any(self.piles):  # won, spelt out: this is the hottest path
            return Refusal.GAME_OVER
        card = self._top(src)
        if card is None:
            return Refusal.EMPTY_SOURCE
        if src == dst:
            return Refusal.SAME_PLACE
        if src >= _FIRST_FOUNDATION:
            if self._height(src) == 1:
                return Refusal.BASE_LOCKED
            if dst < _FIRST_FOUNDATION:
                return Refusal.FROM_FOUNDATION
        if dst < _FIRST_FOUNDATION:
            return self._pile_refusal(card, dst)
        return self._foundation_refusal(card, dst)

    def _pile_refusal(self, card: Card, dst: int) -> Refusal | None:
        pile = self.piles[dst]
        if not pile:
            return Refusal.EMPTY_PILE  # R6
        if pile[-1] in NEIGHBOURS[card]:
            return Refusal.FULL_PILE if len(pile) >= PILE_CARDS_MAX else None  # R4, R5
        return Refusal.RANK if pile[-1][1] == card[1] else Refusal.SUIT

    def _foundation_refusal(self, card: Card, dst: int) -> Refusal | None:
        if card == self._accepted(dst):
            return None  # R7
        if SUIT[card] != foundation_suit(dst):
            return Refusal.SUIT
        return Refusal.FOUNDATION_COMPLETE if self._height(dst) == FOUNDATION_CARDS_MAX else Refusal.RANK

    def resolve(self, src: int, dst: int) -> int | Refusal:
        """Return the place that `dst` means for the top card of `src`.

        The foundation area (24) and the only place (25) give a place that accepts the card, or the refusal
        (rules.md, "Places"). A real place, 0 to 23, is returned as it is, without a judgement.
        """
        check_source(src)
        check_destination(dst)
        if dst < FOUNDATION_AREA:
            return dst
        if self.won:
            return Refusal.GAME_OVER
        card = self._top(src)
        if card is None:
            return Refusal.EMPTY_SOURCE
        if src >= _FIRST_FOUNDATION and self._height(src) == 1:
            return Refusal.BASE_LOCKED
        if dst == ONLY_PLACE:
            places = self.destinations(src)
            if len(places) == 1:
                return places[0]
            return Refusal.AMBIGUOUS if places else Refusal.NO_DESTINATION
        if src >= _FIRST_FOUNDATION:
            other = sibling(src)
            return self._foundation_refusal(card, other) or other
        for foundation in self._foundations(card):
            if card == self._accepted(foundation):
                return foundation
        return Refusal.RANK

    @staticmethod
    def _foundations(card: Card) -> tuple[int, int]:
        """Return the two foundations of the suit of `card`, the ascending one first."""
        suit = SUIT[card]
        return suit + _FIRST_FOUNDATION, suit + _FIRST_DESCENDING

    def destinations(self, src: int) -> list[int]:
        """Return every place, 0 to 23 and in that order, that accepts the top card of `src`."""
        # What refusal() says of each place, found without asking all 24: this is "the only place"'s cost.
        # A game that is won needs no word of its own: no pile has a card and no foundation accepts one.
        card = self.top(src)
        if card is None:
            return []
        if src >= _FIRST_FOUNDATION:
            other = sibling(src)
            return [other] if self._height(src) > 1 and card == self._accepted(other) else []
        neighbours = NEIGHBOURS[card]
        places = [
            place
            for place, pile in enumerate(self.piles)
            if pile and pile[-1] in neighbours and len(pile) < PILE_CARDS_MAX
        ]
        places += [place for place in self._foundations(card) if card == self._accepted(place)]
        return places

    def _has_move(self) -> bool:
        """Whether any move is possible, from foundation to foundation included (R8, R15)."""
        up, down = self.up, self.down
        open_tops: set[Card] = set()
        full_tops: set[Card] = set()
        for pile in self.piles:
            if not pile:
                continue
            card = pile[-1]
            suit = SUIT[card]
            if card == _RISING[suit][up[suit] + 1] or card == _FALLING[suit][down[suit] + 1]:
                return True
            # Of two neighbours one can go onto the other unless both piles are full (R4, R5).
            is_open = len(pile) < PILE_CARDS_MAX
            neighbours = NEIGHBOURS[card]
            if not neighbours.isdisjoint(open_tops) or (is_open and not neighbours.isdisjoint(full_tops)):
                return True
            (open_tops if is_open else full_tops).add(card)
        # The rising foundation's top card follows the falling one's, and the other way round, when the two
        # together hold 13 cards; one of them then has a card above its base.
        return any(rising + falling == FOUNDATION_CARDS_MAX for rising, falling in zip(up, down, strict=True))

    def _has_pile_to_redeal(self) -> bool:
        """Whether a redeal would change anything, as R12 defines it."""
        for pile in self.piles:  # noqa: SIM110 - a generator costs more than the whole of this loop
            if len(pile) > 1:
                return True
        return False

    def redeal_refusal(self) -> Refusal | None:
        """Return why the piles may not be redealt, or None if they may (R10, R12, R14)."""
        if self.won:
            return Refusal.GAME_OVER
        if not self.redeals:
            return Refusal.NO_REDEALS
        return None if self._has_pile_to_redeal() else Refusal.NOTHING_TO_REDEAL

    def undo_refusal(self) -> Refusal | None:
        """Return why nothing may be undone, or None if the latest move may (R13, R14)."""
        if self.won:
            return Refusal.GAME_OVER
        return None if self._played else Refusal.NOTHING_TO_UNDO

    # Playing

    def move(self, src: int, dst: int) -> int | Refusal:
        """Move the top card of `src` to `dst`; return the place it went to, 0 to 23, or the refusal."""
        place = self.resolve(src, dst) if dst >= FOUNDATION_AREA else self.refusal(src, dst) or dst
        if isinstance(place, Refusal):
            return place
        self._shift(src, place)
        self._played.append((src, place))
        self.moves += 1
        return place

    def redeal(self) -> Refusal | None:
        """Put every pile's bottom card on top (R10) and forget the moves before (R11); return the refusal."""
        refusal = self.redeal_refusal()
        if refusal is not None:
            return refusal
        for pile in self.piles:
            if pile:
                pile.append(pile.pop(0))
        self.redeals -= 1
        self._played.clear()
        return None

    def undo(self) -> tuple[int, int] | Refusal:
        """Take back the latest move (R13); return its source and destination, or the refusal."""
        refusal = self.undo_refusal()
        if refusal is not None:
            return refusal
        src, dst = self._played.pop()
        self._shift(dst, src)
        self.moves -= 1
        self.undone += 1
        return src, dst

    def _shift(self, src: int, dst: int) -> None:
        """Put the top card of `src` on `dst`, unjudged: onto a foundation only a card that belongs there."""
        if src < _FIRST_FOUNDATION:
            card = self.piles[src].pop()
        elif src < _FIRST_DESCENDING:
            suit = src - _FIRST_FOUNDATION
            card = _RISING[suit][self.up[suit]]
            self.up[suit] -= 1
        else:
            suit = src - _FIRST_DESCENDING
            card = _FALLING[suit][self.down[suit]]
            self.down[suit] -= 1
        if dst < _FIRST_FOUNDATION:
            self.piles[dst].append(card)
        elif dst < _FIRST_DESCENDING:
            self.up[dst - _FIRST_FOUNDATION] += 1
        else:
            self.down[dst - _FIRST_DESCENDING] += 1
