"""A game as its player is shown it, top cards only, and what one could play knowing no more than that."""

from __future__ import annotations

from typing import Any

from tests.support.golden import Action
from tests.support.table import RANKS, SUITS

Map = dict[str, Any]


class Shown:
    """What a `game` tells and each `done` changes, in a room of tops."""

    def __init__(self, game: Map) -> None:
        self.tops: list[str | None] = [top for top, _ in game["piles"]]
        self.counts: list[int] = [count for _, count in game["piles"]] + game["up"] + game["down"]
        self.redeals, self.undoable = game["redeals"], game["undoable"]

    def take(self, done: Map) -> None:
        for place, top, count in done["changed"]:
            self.counts[place] = count
            if place < 16:
                self.tops[place] = top
        self.redeals, self.undoable = done["redeals"], done["undoable"]

    def moves(self) -> list[Action]:
        """Moves of a pile's top (R4-R8), those home first."""
        sources = [(src, top) for src, top in enumerate(self.tops) if top is not None]
        home = [(s, d) for s, top in sources for d in range(16, 24) if self._home_accepts(d, top)]
        piles = [(s, d) for s, top in sources for d in range(16) if s != d and self._pile_accepts(d, top)]
        return [Action("m", src, dst, dst) for src, dst in home + piles]

    def _home_accepts(self, place: int, card: str) -> bool:
        height = self.counts[place]
        wanted = height if place < 20 else 12 - height
        return card[1] == SUITS[place % 4] and height < 13 and RANKS.index(card[0]) == wanted

    def _pile_accepts(self, place: int, card: str) -> bool:
        top = self.tops[place]
        if top is None or self.counts[place] >= 13 or top[1] != card[1]:
            return False
        return (RANKS.index(top[0]) - RANKS.index(card[0])) % 13 in (1, 12)

    def next(self, n: int) -> Action:
        """Something to play as action `n`: now and then an undo or a redeal, else a move."""
        moves = self.moves()
        if n % 7 == 0 and self.undoable:
            return Action("u")
        if self.redeals and (n % 11 == 0 or not moves):
            return Action("r")
        return moves[0] if moves else Action("u")
