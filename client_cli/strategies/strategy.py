"""What every strategy is: one action after another, and an end that always comes."""

import random
from abc import ABC, abstractmethod

from client_cli.moves import may_redeal
from client_cli.position import Position
from protocol.messages import Done
from server.engine.actions import REDEAL, Action

IDLE_MOVES_MAX = 60
"""Moves without a card coming home, after which it redeals or gives up."""

ACTIONS_MAX = 1500
"""Far below the protocol's 5,000; a won game takes some 150."""


class Strategy(ABC):
    """Chooses one action after another; None means: give up. It always comes to that or to a win.

    `planned` says of the latest choice whether it needed no thought: it was obvious, or decided before.
    `undo` is whether moves may be taken back: in some races they may not.
    """

    def __init__(self, position: Position, rng: random.Random, *, undo: bool = False) -> None:
        self._rng = rng
        self._undo = undo
        self._home = position.home
        self._idle = 0
        self._actions = 0
        self.planned = False

    def choose(self, position: Position) -> Action | None:
        """Return the next action in `position`, None to give up."""
        if self._actions >= ACTIONS_MAX or position.status not in ("playing", "blocked"):
            return None
        self.planned = False
        return self._action(position) or (REDEAL if may_redeal(position) else None)

    @property
    def _tired(self) -> bool:
        """Whether nothing has come of too many moves in a row."""
        return self._idle >= IDLE_MOVES_MAX

    @abstractmethod
    def _action(self, position: Position) -> Action | None:
        """Return the next action; None for none worth playing: it then redeals, or else gives up."""

    def played(self, done: Done, position: Position) -> None:
        """Note what was done; `position` is the one after it."""
        self._actions += 1
        if position.home > self._home or done.op == "r":
            self._idle = 0
        elif done.op == "m":
            self._idle += 1
        self._home = position.home

    @abstractmethod
    def look_again(self, position: Position) -> None:
        """Start to remember anew: the game is not where it was thought to be."""
