"""A search some moves ahead, through what a player knows of the table."""

import heapq
from typing import NamedTuple

from client_cli.strategies.known import Known, actions
from client_cli.strategies.worth import WEIGHTS, Weights, worth
from server.engine.actions import Action


class Plan(NamedTuple):
    """Actions to the best table found, up to the first that uncovers an unknown card.

    What comes after that is to be thought over then. `table` is the one at the end of all that was thought
    of, and `worth` what that is worth, less what it costs to come there.
    """

    actions: list[Action]
    table: Known
    worth: float


class _Step(NamedTuple):
    """A table on the way, its worth, and the actions that led to it, the latest first."""

    worth: float
    table: Known
    actions: tuple[Action, "_Step"] | None
    depth: int


def best_plan(table: Known, *, width: int, depth: int, weights: Weights = WEIGHTS) -> Plan:
    """Return the plan for the best table found; without actions where none is better than this one.

    A beam search: of each depth, up to `depth`, the `width` best tables are looked into, each table once.
    A table in which everything is home ends it at once.
    """
    best = first = _Step(worth(table, weights), table, None, 0)
    layer, known = [first], {table[:4]}
    for _ in range(depth):
        found = []
        for step in layer:
            for action, after in actions(step.table):
                if after[:4] in known:
                    continue
                known.add(after[:4])
                number = step.depth + 1
                value = worth(after, weights) + number * weights.move
                found.append(_Step(value, after, (action, step), number))
                if after.won:
                    return _plan(found[-1])
        if not found:
            break
        layer = heapq.nlargest(width, found, key=lambda step: step.worth)
        if layer[0].worth > best.worth:
            best = layer[0]
    return _plan(best)


def _plan(end: _Step) -> Plan:
    steps = []
    step = end
    while step.actions is not None:
        action, before = step.actions
        steps.append((action, step.table.revealed))
        step = before
    steps.reverse()
    first = next((number for number, (_, revealed) in enumerate(steps, start=1) if revealed), len(steps))
    return Plan([action for action, _ in steps[:first]], end.table, end.worth)
