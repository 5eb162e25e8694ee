"""One game as its player sees it: tops and counts, folded from `game` and `done`."""

from dataclasses import dataclass, field, replace
from typing import Any

from protocol.messages import Done, GameState, GameStatus
from server.engine.cards import RANKS, SUITS, Card
from server.engine.places import ASCENDING, DESCENDING, FOUNDATIONS, PILES


class OutOfStep(Exception):
    """A `done` that does not continue this position: the client has missed something and asks anew."""


@dataclass(slots=True)
class Position:
    """A game seen from outside, at one moment.

    `tops` and `counts` are those of the piles, `up` and `down` the heights of the ace and king foundations;
    `piles` has every card, bottom to top, in an open room, else it is None. `n` counts the actions stored,
    `ms` is the time of the latest one since the start, and `start_at` a moment of the race clock.
    """

    n: int
    tops: list[Card | None]
    counts: list[int]
    piles: list[list[Card]] | None
    up: list[int]
    down: list[int]
    redeals: int
    moves: int
    undone: int
    undoable: int
    status: GameStatus
    start_at: int
    ms: int
    changed: list[int] = field(default_factory=list)
    """The places that the latest `done` changed."""

    @classmethod
    def from_game(cls, game: GameState) -> "Position":
        """Return the position that a `game` (or a `view`) shows."""
        full = None if _is_summary(game.piles) else [list(pile) for pile in game.piles]
        if full is None:
            tops, counts = [pile[0] for pile in game.piles], [pile[1] for pile in game.piles]
        else:
            tops, counts = [pile[-1] if pile else None for pile in full], [len(pile) for pile in full]
        return cls(
            n=game.n,
            tops=tops,
            counts=counts,
            piles=full,
            up=list(game.up),
            down=list(game.down),
            redeals=game.redeals,
            moves=game.moves,
            undone=game.undone,
            undoable=game.undoable,
            status=game.status,
            start_at=game.start_at,
            ms=game.ms or 0,
        )

    def copy(self) -> "Position":
        """Return the same position, sharing nothing that `fold` changes."""
        return replace(
            self,
            tops=self.tops[:],
            counts=self.counts[:],
            piles=None if self.piles is None else [pile[:] for pile in self.piles],
            up=self.up[:],
            down=self.down[:],
        )

    def fold(self, done: Done) -> bool:
        """Take in a `done` (or a `seen`); False for a repeat of what is in already.

        OutOfStep where an action between is missing, or an open pile is not what the server says of it.
        """
        if done.n <= self.n:
            return False
        if done.n != self.n + 1:
            raise OutOfStep
        if self.piles is not None:
            self._shift_cards(done)
        for place, top, count in done.changed:
            self._set(place, top, count)
        self.n = done.n
        self.redeals, self.moves = done.redeals, done.moves
        self.undone, self.undoable = done.undone, done.undoable
        self.status, self.ms = done.status, done.ms
        self.changed = [place for place, _, _ in done.changed]
        return True

    def _set(self, place: int, top: Card | None, count: int) -> None:
        if place in ASCENDING:
            self.up[place - ASCENDING.start] = count
        elif place in DESCENDING:
            self.down[place - DESCENDING.start] = count
        else:
            self.tops[place], self.counts[place] = top, count
            if self.piles is not None and self.piles[place][-1:] != ([top] if top else []):
                raise OutOfStep

    def _shift_cards(self, done: Done) -> None:
        assert self.piles is not None
        if done.piles is not None:
            self.piles = [list(pile) for pile in done.piles]
        elif done.src is not None and done.dst is not None:
            src, dst = (done.dst, done.src) if done.op == "u" else (done.src, done.dst)
            card = self.top(src)
            if card is None:
                raise OutOfStep
            if src in PILES:
                self.piles[src].pop()
            if dst in PILES:
                self.piles[dst].append(card)

    def top(self, place: int) -> Card | None:
        """Return the top card of `place`, 0 to 23; None for an empty pile."""
        if place in PILES:
            return self.tops[place]
        suit = SUITS[(place - FOUNDATIONS.start) % 4]
        if place in ASCENDING:
            return RANKS[self.up[place - ASCENDING.start] - 1] + suit
        return RANKS[-self.down[place - DESCENDING.start]] + suit

    def count(self, place: int) -> int:
        """Return how many cards `place`, 0 to 23, holds."""
        if place in PILES:
            return self.counts[place]
        if place in ASCENDING:
            return self.up[place - ASCENDING.start]
        return self.down[place - DESCENDING.start]

    @property
    def home(self) -> int:
        """How many cards lie on the foundations, 8 to 104."""
        return sum(self.up) + sum(self.down)


def _is_summary(piles: list[Any]) -> bool:
    """Whether piles are `[top or null, count]`; a list of cards never has a number in it."""
    return all(len(pile) == 2 and isinstance(pile[1], int) for pile in piles)
