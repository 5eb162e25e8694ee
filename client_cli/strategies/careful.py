"""A player who remembers every card and thinks some moves ahead."""

import random

from client_cli.memory import Memory
from client_cli.position import Position
from client_cli.strategies.lookahead import Known, Move, best_moves
from client_cli.strategies.strategy import Strategy
from protocol.messages import Done

WIDTH, DEPTH = 40, 24
"""How far it thinks: some tenths of a second a time at most, on a machine of today."""

LAST_WIDTH, LAST_DEPTH = 150, 60
"""The same once nothing can be redealt any more, and it is on this that the game hangs."""


class Careful(Strategy):
    """It plans a row of moves, plays them till one shows it something new, and plans again.

    It redeals when no plan is better than what lies there. What is buried it does not know, unless the room
    is open or it has seen it.
    """

    def __init__(self, position: Position, rng: random.Random) -> None:
        super().__init__(position, rng)
        self._memory = Memory(position)
        self._plan: list[Move] = []

    def _move(self, position: Position) -> Move | None:
        self.planned = bool(self._plan)
        if not self._plan:
            self._plan = self._new_plan(position)
        return self._plan[0] if self._plan else None

    def _new_plan(self, position: Position) -> list[Move]:
        table = Known(self._memory.key(), tuple(position.up), tuple(position.down))
        plan = best_moves(table, width=WIDTH, depth=DEPTH)
        if not plan and not position.redeals:
            plan = best_moves(table, width=LAST_WIDTH, depth=LAST_DEPTH)
        return plan

    def played(self, done: Done, position: Position) -> None:
        """Remember where every card went, and go on in the plan."""
        super().played(done, position)
        self._memory.play(done, position)
        as_planned = self._plan[:1] == [(done.src, done.dst)]
        self._plan = self._plan[1:] if as_planned else []

    def look_again(self, position: Position) -> None:
        """Remember what is seen now, and plan anew."""
        self._memory = Memory(position)
        self._plan = []
