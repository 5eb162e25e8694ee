"""A player who remembers every card, thinks some moves ahead, and takes back what led nowhere."""

import random
from collections.abc import Iterator
from itertools import takewhile

from client_cli.memory import Memory
from client_cli.position import Position
from client_cli.strategies.known import Known, taken_back
from client_cli.strategies.lookahead import Plan, best_plan
from client_cli.strategies.strategy import Strategy
from client_cli.strategies.worth import WEIGHTS, Weights, worth
from protocol.messages import Done
from server.engine.actions import REDEAL, UNDO, Action

WIDTH, DEPTH = 40, 24
"""How far it thinks while cards are hidden: to what it will see next, and a little on."""

LAST_WIDTH, LAST_DEPTH = 80, 60
"""The same where nothing else is left but to give up or to take back."""

WHOLE_WIDTH, WHOLE_DEPTH = 14, 220
"""Once it knows every card it thinks to the end of the game, redeals and all."""

TASTES = 3
"""How often it does, each time with other weights, until a way to win is found."""

COMMITTED_ACTIONS = 30
"""After so many of a plan that does not win, or a redeal, it looks for a better one."""

EXPLORING = WEIGHTS._replace(revealed=1.2)
"""What counts while moves can be taken back: to have seen a card is of use then, whatever became of it."""

UNDOS_MAX = 200
"""Of a game: at a person's pace some three minutes."""

WORTH_TAKING_BACK = 0.5
"""How much better another way has to be, in cards at home."""


class Careful(Strategy):
    """It plans a row of moves, plays them till one shows it something new, and plans again.

    It redeals when no plan is better than what lies there, unless, with `undo`, taking moves back opens a
    better way than the one it took. Of what is buried it knows what it has seen, and in an open room all.
    """

    def __init__(self, position: Position, rng: random.Random, *, undo: bool = False) -> None:
        super().__init__(position, rng, undo=undo)
        self._memory = Memory(position)
        self._plan: list[Action] = []
        self._moves: list[Action] = []  # those that can be taken back (R11, R13)
        self._undone = 0

    def _action(self, position: Position) -> Action | None:
        self.planned = bool(self._plan)
        if not self._plan and not self._tired:
            self._plan = self._new_plan(position)
        return self._plan[0] if self._plan else None

    def _new_plan(self, position: Position) -> list[Action]:
        table = Known(self._memory.key(), tuple(position.up), tuple(position.down))
        if table.hides:
            exploring = self._undo and self._undone < UNDOS_MAX
            weights = EXPLORING if exploring else WEIGHTS
            plan = best_plan(table, width=WIDTH, depth=DEPTH, weights=weights)
            if not plan.actions and not position.redeals:
                plan = best_plan(table, width=LAST_WIDTH, depth=LAST_DEPTH)
            return plan.actions or self._another_way(table, position)
        table = table._replace(redeals=position.redeals)
        return self._whole_plan(table) or self._another_way(table, position)

    def _whole_plan(self, table: Known) -> list[Action]:
        """Return the actions to a win, or the first of those that bring the most cards home."""
        best: Plan | None = None
        for weights in self._tastes():
            plan = best_plan(table, width=WHOLE_WIDTH, depth=WHOLE_DEPTH, weights=weights)
            if plan.table.won:
                return plan.actions
            if best is None or plan.table.home > best.table.home:
                best = plan
        assert best is not None
        start = best.actions[:COMMITTED_ACTIONS]
        return start[: start.index(REDEAL) + 1] if REDEAL in start else start

    def _tastes(self) -> Iterator[Weights]:
        yield WEIGHTS
        for _ in range(TASTES - 1):
            yield WEIGHTS.varied(self._rng)

    def _another_way(self, table: Known, position: Position) -> list[Action]:
        """Return the undos and moves to a better table than this one, from where its moves began; else none.

        It has seen since what lay under the cards it moved.
        """
        moves = self._moves[-position.undoable :] if position.undoable else []
        if not self._undo or not moves or self._undone + len(moves) > UNDOS_MAX:
            return []
        plan = best_plan(taken_back(table, moves), width=LAST_WIDTH, depth=LAST_DEPTH)
        here = worth(table) + len(moves) * WEIGHTS.move
        if not plan.table.won and plan.worth < here + WORTH_TAKING_BACK:
            return []
        same = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(moves, plan.actions, strict=False))
        )
        onward = plan.actions[same:]
        return [UNDO] * (len(moves) - same) + onward if onward else []

    def played(self, done: Done, position: Position) -> None:
        """Remember where every card went, and go on in the plan."""
        super().played(done, position)
        self._memory.play(done, position)
        action = Action("m", done.src or 0, done.dst or 0) if done.op == "m" else Action(done.op)
        self._plan = self._plan[1:] if self._plan[:1] == [action] else []
        if done.op == "m":
            self._moves.append(action)
        elif done.op == "r":
            self._moves.clear()
        else:
            self._undone += 1
            del self._moves[-1:]

    def look_again(self, position: Position) -> None:
        """Remember what is seen now, and plan anew."""
        self._memory = Memory(position)
        self._plan = []
        self._moves = []
