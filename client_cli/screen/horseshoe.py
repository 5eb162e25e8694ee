"""Where each place lies on the screen (R2), how large, and what lies under the mouse. Pure geometry."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from client_cli.table import PLACE_AT
from server.engine.places import FOUNDATION_AREA, FOUNDATIONS, PLACES

COLUMNS = 10
ROWS = 5

CELL_COLUMNS_MIN, CELL_COLUMNS_MAX = 5, 10
CELL_LINES_MIN, CELL_LINES_MAX = 2, 7

Direction = Literal["left", "right", "up", "down"]

GRID: dict[int, tuple[int, int]] = {place: at for at, place in PLACE_AT.items()}
"""Each place's row and column."""

_AREA_ROWS = range(1, 5)
_AREA_COLUMNS = range(2, 8)  # a card dropped near the foundations is meant for them


class Cell(NamedTuple):
    """A place's rectangle, in columns and lines from the table's top left."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Horseshoe:
    """The layout for an area of a given size; cells grow with it."""

    width: int
    height: int

    @property
    def fits(self) -> bool:
        """Whether the area is large enough at all."""
        return self.width >= COLUMNS * CELL_COLUMNS_MIN and self.height >= ROWS * CELL_LINES_MIN

    @property
    def cell_columns(self) -> int:
        """A cell's width."""
        return max(CELL_COLUMNS_MIN, min(self.width // COLUMNS, CELL_COLUMNS_MAX))

    @property
    def cell_lines(self) -> int:
        """A cell's height, with the line of number and count."""
        return max(CELL_LINES_MIN, min(self.height // ROWS, CELL_LINES_MAX))

    @property
    def corner(self) -> tuple[int, int]:
        """The column and line where the first cell begins."""
        left = max(0, self.width - COLUMNS * self.cell_columns) // 2
        return left, max(0, self.height - ROWS * self.cell_lines) // 2

    def cell(self, place: int) -> Cell:
        """Return the rectangle of `place`, 0 to 23."""
        row, column = GRID[place]
        left, top = self.corner
        return Cell(
            left + column * self.cell_columns, top + row * self.cell_lines, self.cell_columns, self.cell_lines
        )

    def place_at(self, x: int, y: int) -> int | None:
        """Return what lies there: a place, the foundation area around the eight, or nothing."""
        left, top = self.corner
        column, row = (x - left) // self.cell_columns, (y - top) // self.cell_lines
        place = PLACE_AT.get((row, column))
        if place is None and row in _AREA_ROWS and column in _AREA_COLUMNS:
            return FOUNDATION_AREA
        return place


def neighbour(place: int, direction: Direction, among: tuple[int, ...] = tuple(PLACES)) -> int:
    """Return the next place in that direction, of those `among`; `place` itself where there is none.

    Nearness counts along the direction first, then across it, so that no place is out of reach.
    """
    row, column = GRID[place]
    best, best_cost = place, float("inf")
    for other in among:
        ahead, aside = _offset(GRID[other][0] - row, GRID[other][1] - column, direction)
        cost = ahead + 2 * aside
        if other != place and ahead > 0 and cost < best_cost:
            best, best_cost = other, cost
    return best


def _offset(rows: int, columns: int, direction: Direction) -> tuple[int, int]:
    """Return how far ahead, and how far aside, something lies."""
    match direction:
        case "left":
            return -columns, abs(rows)
        case "right":
            return columns, abs(rows)
        case "up":
            return -rows, abs(columns)
        case "down":
            return rows, abs(columns)


def is_foundation(place: int) -> bool:
    """Whether `place` is one of the eight in the middle."""
    return place in FOUNDATIONS
