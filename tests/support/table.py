"""The table as the tests see it, written from `docs/rules.md`: it deals a code and folds accepted actions in,
and shares no code with the server's engine. Plain and slow, so that it is easily believed."""

from __future__ import annotations

import hashlib
from typing import Any

RANKS, SUITS = "A23456789TJQK", "SHDC"
Map = dict[str, Any]


def deal(code: str) -> list[list[str]]:
    """R20, R21."""
    name, _, letters = code.split("-")
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A")
    cards = [rank + suit for suit in SUITS for rank in "A2233445566778899TTJJQQK"]
    words: list[int] = []
    block = 0
    for i in range(95, 0, -1):
        limit = 2**32 - 2**32 % (i + 1)
        while True:
            if not words:
                digest = hashlib.sha256(f"{name}:{number}:{block}".encode()).digest()
                words = [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
                block += 1
            word = words.pop(0)
            if word < limit:
                break
        j = word % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return [cards[6 * pile : 6 * pile + 6] for pile in range(16)]


class Table:
    """One game. `play` takes what was accepted, its destination resolved; it does not judge."""

    def __init__(self, code: str, *, open: bool = False) -> None:
        self.open = open
        self.piles = deal(code)
        self.heights = [1] * 8
        self.redeals = 4 if code.split("-")[1] == "F" else 3
        self.n = self.moves = self.undone = 0
        self.past: list[tuple[int, int]] = []

    def top(self, place: int) -> str | None:
        if place < 16:
            return self.piles[place][-1] if self.piles[place] else None
        height, suit = self.heights[place - 16], SUITS[place % 4]
        return (RANKS[height - 1] if place < 20 else RANKS[-height]) + suit

    def count(self, place: int) -> int:
        return len(self.piles[place]) if place < 16 else self.heights[place - 16]

    def accepts(self, place: int, card: str) -> bool:
        """R4-R8: whether this card may be put there."""
        at = RANKS.index(card[0])
        if place >= 16:
            height = self.heights[place - 16]
            wanted = height if place < 20 else 12 - height
            return card[1] == SUITS[place % 4] and height < 13 and at == wanted
        top = self.top(place)
        if top is None or len(self.piles[place]) >= 13:
            return False
        return top[1] == card[1] and (RANKS.index(top[0]) - at) % 13 in (1, 12)

    @property
    def status(self) -> str:
        if sum(self.heights) == 104:
            return "won"
        if self.redeals and any(len(pile) > 1 for pile in self.piles):
            return "playing"
        for src in range(24):
            card = self.top(src)
            if card is None or (src >= 16 and self.heights[src - 16] == 1):
                continue
            places = range(24) if src < 16 else range(16, 24)
            if any(dst != src and self.accepts(dst, card) for dst in places):
                return "playing"
        return "blocked"

    def _shift(self, src: int, dst: int) -> None:
        card = self.top(src)
        assert card is not None
        if src < 16:
            self.piles[src].pop()
        else:
            self.heights[src - 16] -= 1
        if dst < 16:
            self.piles[dst].append(card)
        else:
            self.heights[dst - 16] += 1
            assert self.top(dst) == card

    def play(self, op: str, src: int, dst: int) -> Map:
        """Fold one action in; what its `done` must say (all but `ms`)."""
        before = [(self.top(place), self.count(place)) for place in range(24)]
        if op == "m":
            self._shift(src, dst)
            self.past = [*self.past, (src, dst)][-100:]
            self.moves += 1
        elif op == "u":
            src, dst = self.past.pop()
            self._shift(dst, src)
            self.moves -= 1
            self.undone += 1
        else:
            self.piles = [pile[1:] + pile[:1] for pile in self.piles]
            self.redeals -= 1
            self.past = []
        self.n += 1
        after = [(self.top(place), self.count(place)) for place in range(24)]
        done: Map = {
            "t": "done",
            "n": self.n,
            "op": op,
            "changed": [[place, *after[place]] for place in range(24) if after[place] != before[place]],
            **self.counters(),
        }
        if op != "r":
            done |= {"src": src, "dst": dst}
        elif self.open:
            done["piles"] = [list(pile) for pile in self.piles]
        return done

    def counters(self) -> Map:
        return {
            "redeals": self.redeals,
            "moves": self.moves,
            "undone": self.undone,
            "undoable": len(self.past),
            "status": self.status,
        }

    def game(self) -> Map:
        """What `game` must say (all but `start_at` and `ms`)."""
        piles: list[Any] = [list(pile) for pile in self.piles]
        if not self.open:
            piles = [[self.top(place), self.count(place)] for place in range(16)]
        return {
            "t": "game",
            "n": self.n,
            "piles": piles,
            "up": self.heights[:4],
            "down": self.heights[4:],
            **self.counters(),
        }

    def state(self) -> Map:
        """In the form of the case files."""
        return {
            "piles": [" ".join(pile) for pile in self.piles],
            "up": self.heights[:4],
            "down": self.heights[4:],
            **self.counters(),
        }

    def row(self) -> Map:
        """What this game's row must say of it (all but `ms`, `rank`, and who)."""
        shown = self.counters()
        del shown["undoable"]
        return shown | {"home": sum(self.heights)}
