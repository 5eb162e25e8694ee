"""How the bot plays: from what a player sees and remembers, in bounded time."""

import random
from dataclasses import dataclass

from client_cli.memory import Memory
from client_cli.moves import accepting_foundations, foundation_moves, home_moves, pile_moves
from client_cli.position import Position
from protocol.messages import Done
from server.engine.actions import REDEAL, Action
from server.engine.cards import NEIGHBOURS
from server.engine.places import FOUNDATIONS, PILES

IDLE_MOVES_MAX = 60
"""Moves without a card coming home, after which it redeals or gives up."""

ACTIONS_MAX = 1500
"""Far below the protocol's 5,000; a won game takes some 150."""


class Strategy:
    """Chooses one action after another; None means: give up. It always comes to that or to a win.

    Cards go home where they can. Else it digs: it prefers moves that uncover what was never seen or what
    can go home, never returns to a state it was in, and redeals when nothing is left or nothing comes of it.
    """

    def __init__(self, position: Position, rng: random.Random) -> None:
        self._rng = rng
        self._memory = Memory(position)
        self._seen = {self._memory.key()}
        self._home = position.home
        self._idle = 0
        self._actions = 0

    def choose(self, position: Position) -> Action | None:
        """Return the next action in `position`, None to give up."""
        if self._actions >= ACTIONS_MAX or position.status not in ("playing", "blocked"):
            return None
        if home := home_moves(position):
            return Action("m", *self._best_home(home))
        if self._idle < IDLE_MOVES_MAX:
            scored = [(self._worth(position, src, dst), src, dst) for src, dst in self._fresh(position)]
            if scored:
                best = max(worth for worth, _, _ in scored)
                return Action("m", *self._rng.choice([(s, d) for worth, s, d in scored if worth == best]))
            if useful := [move for move in foundation_moves(position) if self._unlocks(position, *move)]:
                return Action("m", *self._rng.choice(useful))
        if position.redeals and any(count > 1 for count in position.counts):
            return REDEAL
        return None

    def played(self, done: Done, position: Position) -> None:
        """Note what was done; `position` is the one after it."""
        self._memory.play(done, position)
        self._actions += 1
        if position.home > self._home or done.op == "r":
            self._idle = 0
        else:
            self._idle += 1
        self._home = position.home
        self._seen.add(self._memory.key())

    def look_again(self, position: Position) -> None:
        """Start to remember anew: the game is not where it was thought to be."""
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

    def _unlocks(self, position: Position, src: int, dst: int) -> bool:
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
