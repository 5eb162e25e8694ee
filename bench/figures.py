"""What a measurement hands over: a few figures to be read, and all that they were made from."""

from statistics import median
from typing import Any, NamedTuple


class Figure(NamedTuple):
    """One line of the table. Without a `unit` it is a ratio; `aim` is the most that it is meant to be."""

    name: str
    value: float
    unit: str = ""
    aim: float | None = None
    spread: tuple[float, float] | None = None  # the least and the most of the rounds


class Report(NamedTuple):
    """A measurement's figures, and the rounds behind them."""

    title: str
    figures: list[Figure]
    raw: dict[str, Any]


def ratio(name: str, above: list[float], below: list[float], aim: float | None = None) -> Figure:
    """The ratio of two medians of rounds that took turns; its spread is that of the rounds' own ratios."""
    each = [a / b for a, b in zip(above, below, strict=True)]
    return Figure(name, median(above) / median(below), aim=aim, spread=(min(each), max(each)))


def middle(name: str, values: list[float], unit: str, aim: float | None = None) -> Figure:
    """The median of rounds."""
    return Figure(name, median(values), unit, aim, (min(values), max(values)))
