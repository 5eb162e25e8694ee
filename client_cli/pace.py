"""How long a bot takes for a move, so that people race against something like themselves.

People's times are spread to the right: many short ones, a few long ones (log-normal). A choice among more
takes longer, by the logarithm of how many there are (Hick's law). What was decided before is played in a
burst. Times come in spells: who is slow stays slow for a while. And now and then somebody looks up.
"""

import math
import random
from typing import Literal

from client_cli.moves import legal_moves
from client_cli.position import Position

Speed = Literal["human", "quick", "fast"]

THINK_S = 0.8
THINK_PER_DOUBLING_S = 0.45
"""The middle of the times for a choice among n is `THINK_S` and this for each time that n doubles."""
THINK_SPREAD = 0.5
PLANNED_S = 0.6
PLANNED_SPREAD = 0.3

SPELL_LASTS = 0.85
SPELL_SPREAD = 0.12
"""The tempo's logarithm: how much of it is left a move later, and what comes anew."""

LOOKS_UP = 0.03
LOOKING_S = 4.0
"""How often somebody looks up, and for how long in the mean."""

LEAST_S, MOST_S = 0.25, 20.0

QUICK = 3.0
"""How many times as quick as a human a `quick` bot is."""

FAST_S = 0.055  # the server takes 20 actions a second; a little less never meets that limit


class Pace:
    """The times of one bot, in seconds, from `rng` alone."""

    def __init__(self, speed: Speed, rng: random.Random) -> None:
        self._speed = speed
        self._rng = rng
        self._tempo = 0.0

    def think_s(self, position: Position, planned: bool) -> float:
        """Return how long the next action takes; `planned`: it was obvious, or decided before."""
        if self._speed == "fast":
            return FAST_S
        return self._human_s(len(legal_moves(position)), planned) / (QUICK if self._speed == "quick" else 1.0)

    def _human_s(self, choices: int, planned: bool) -> float:
        middle_s = PLANNED_S if planned else THINK_S + THINK_PER_DOUBLING_S * math.log2(1 + choices)
        self._tempo = SPELL_LASTS * self._tempo + self._rng.gauss(0.0, SPELL_SPREAD)
        spread = self._rng.gauss(0.0, PLANNED_SPREAD if planned else THINK_SPREAD)
        think_s = middle_s * math.exp(self._tempo + spread)
        if not planned and self._rng.random() < LOOKS_UP:
            think_s += self._rng.expovariate(1 / LOOKING_S)
        return min(max(think_s, LEAST_S), MOST_S)
