"""The tables that long tests print at the end of a run: what was done, what was lost, what it took."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def tables(rows: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, list[str]]:
    """The lines of each table, by its title, as Markdown; a column is made by the first row that has it."""
    by_title: dict[str, list[dict[str, Any]]] = {}
    for title, cells in rows:
        by_title.setdefault(title, []).append(cells)
    return {title: _lines(table) for title, table in by_title.items()}


def _lines(table: list[dict[str, Any]]) -> list[str]:
    columns = list(dict.fromkeys(column for cells in table for column in cells))
    grid = [columns, *([_text(cells.get(column, "")) for column in columns] for cells in table)]
    widths = [max(len(line[number]) for line in grid) for number in range(len(columns))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |"
        for line in grid
    ]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]


def _text(value: object) -> str:
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)
