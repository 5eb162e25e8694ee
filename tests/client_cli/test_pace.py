"""The bots' times, by how they are spread: seeded, and without waiting for any."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable
from itertools import pairwise

import pytest

from client_cli.pace import FAST_S, LEAST_S, MOST_S, QUICK, Pace, Speed
from client_cli.position import Position
from tests.client_cli.samples import position

MANY = 2000


def at_choice(choices: int) -> Position:
    """A table with one move home for each of so many piles, and no other move."""
    seen = position()
    seen.tops = [None] * 16
    seen.counts = [0] * 16
    for pile in range(choices):
        seen.tops[pile], seen.counts[pile] = "2S", 1
    return seen


def times(choices: int, *, planned: bool, speed: Speed = "human", seed: int = 1) -> list[float]:
    pace, seen = Pace(speed, random.Random(seed)), at_choice(choices)
    return [pace.think_s(seen, planned) for _ in range(MANY)]


def correlation(values: list[float], lag: int) -> float:
    return statistics.correlation(values[:-lag], values[lag:])


def test_most_are_some_seconds_and_all_are_bounded() -> None:
    human = times(6, planned=False)
    cuts = statistics.quantiles(human, n=20)
    assert 1.5 < statistics.median(human) < 3.0
    assert 0.5 < cuts[0] < 1.2
    assert 4.0 < cuts[-1] < 8.0
    assert LEAST_S <= min(human) <= max(human) <= MOST_S


def test_they_are_spread_to_the_right_as_people_s_are() -> None:
    human = times(6, planned=False)
    assert statistics.mean(human) > 1.1 * statistics.median(human)
    logarithms = [math.log(value) for value in human]
    # Of a log-normal spread: the logarithms lie as far to one side as to the other.
    assert abs(statistics.mean(logarithms) - statistics.median(logarithms)) < 0.06
    assert 0.4 < statistics.stdev(logarithms) < 0.8


def test_a_choice_among_more_takes_longer_and_each_doubling_adds_the_same() -> None:
    middles = [statistics.median(times(choices, planned=False)) for choices in (1, 3, 7, 15)]
    steps = [after - before for before, after in pairwise(middles)]
    assert all(step > 0.25 for step in steps)
    assert max(steps) - min(steps) < 0.35


def test_what_was_planned_comes_in_bursts() -> None:
    planned, thought = times(6, planned=True), times(6, planned=False)
    assert statistics.median(planned) < statistics.median(thought) / 3
    assert statistics.quantiles(planned, n=20)[-1] < statistics.median(thought)


def test_slow_spells_last_some_moves_and_pass() -> None:
    human = [math.log(value) for value in times(6, planned=False)]
    assert correlation(human, 1) > 0.08
    assert abs(correlation(human, 40)) < 0.06


def test_now_and_then_somebody_looks_up() -> None:
    easy = times(1, planned=False)
    assert 0.004 < sum(value > 7.0 for value in easy) / MANY < 0.03
    assert not any(value > 3.0 for value in times(6, planned=True))


@pytest.mark.parametrize(
    ("speed", "like"),
    [("quick", lambda human: human / QUICK), ("fast", lambda human: FAST_S)],
)
def test_the_other_speeds(speed: Speed, like: Callable[[float], float]) -> None:
    assert times(6, planned=False, speed=speed) == [like(human) for human in times(6, planned=False)]


def test_a_seed_makes_them_repeatable() -> None:
    assert times(6, planned=False) == times(6, planned=False)
    assert times(6, planned=False) != times(6, planned=False, seed=2)
