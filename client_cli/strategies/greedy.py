"""A player who looks one move ahead."""

import random
from dataclasses import dataclass

from client_cli.memory import Memory
from client_cli.moves import accepting_foundations, foundation_moves, home_moves, pile_moves
from client_cli.position import Position
from client_cli.strategies.strategy import Strategy
from protocol.messages import Done
from server.engine.actions import Action
from server.engine.cards import NEIGHBOURS
from server.engine.places import FOUNDATIONS, PILES


class Greedy(Strategy):
    """Cards go home where they can. Else it digs, and redeals when nothing is left or nothing comes of it.

    It prefers moves that uncover what was never seen or what can go home, and never returns to a state it
    was in.
    """

    def __init__(self, position: Position, rng: random.Random, *, undo: bool = False) -> None:
        super().__init__(position, rng, undo=undo)
        self._memory = Memory(position)
        self._seen = {self._memory.key()}

    def _action(self, position: Position) -> Action | None:
        move = self._move(position)
        return Action("m", *move) if move is not None else None

    def _move(self, position: Position) -> tuple[int, int] | None:
        if home := home_moves(position):
            self.planned = True
            return self._best_home(home)
        if self._tired:
            return None
        scored = [(self._worth(position, *move), move) for move in self._fresh(position)]
        if scored:
            best = max(worth for worth, _ in scored)
            return self._rng.choice([move for worth, move in scored if worth == best])
        useful = [move for move in foundation_moves(position) if _unlocks(position, *move)]
        return self._rng.choice(useful) if useful else None

    def played(self, done: Done, position: Position) -> None:
        """Remember where it was."""
        super().played(done, position)
        self._memory.play(done, position)
        self._seen.add(self._memory.key())

    def look_again(self, position: Position) -> None:
        """Remember what is seen now."""
        self._memory = Memory(position)

    def _best_home(self, moves: list[tuple[int, int]]) -> tuple[int, int]:
        """Return the way home that uncovers the most: the longest pile's, by chance among equals."""
        longest = max(len(self._memory.piles[src]) for src, _ in moves)
        return self._rng.choice([move for move in moves if len(self._memory.piles[move[0]]) == longest])

    def _fresh(self, position: Position) -> list[tuple[int, int]]:
        """Return the moves between piles that lead to a state it was not in yet."""
        return [move for move in pile_moves(position) if self._after(*move) not in self._seen]

    def _after(self, src: int, dst: int) -> object:
        piles = list(self._memory.key())
        card = piles[src][-1]
        piles[src], piles[dst] = piles[src][:-1], (*piles[dst], card)
        return tuple(piles)

    def _worth(self, position: Position, src: int, dst: int) -> int:
        """Return how useful a move between piles seems, from what it uncovers."""
        if position.counts[src] == 1:
            return 0  # an emptied pile stays empty: a place less (R6)
        below = self._memory.below(src)
        if below is None:
            return 3
        if accepting_foundations(position, below):
            return 4
        tops = (position.tops[pile] for pile in PILES if pile not in (src, dst))
        return 2 if any(top in NEIGHBOURS[below] for top in tops) else 1


def _unlocks(position: Position, src: int, dst: int) -> bool:
    """Whether a card between foundations lets a pile's card home that could not go before."""
    suit = (src - FOUNDATIONS.start) % 4
    up, down = position.up[:], position.down[:]
    step = 1 if dst < src else -1  # onto the rising one, or off it
    up[suit] += step
    down[suit] -= step
    after = _Heights(up, down)
    return any(card is not None and accepting_foundations(after, card) for card in position.tops)


@dataclass(slots=True)
class _Heights:
    """Foundations as they would be."""

    up: list[int]
    down: list[int]
