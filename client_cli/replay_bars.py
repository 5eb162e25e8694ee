"""How far everybody was at a moment, side by side as bars."""

from rich.cells import cell_len, set_cell_size

from client_cli.replay_model import Standing
from client_cli.safe_text import safe_text
from client_cli.texts import status_text
from protocol.messages import Lang

HOME_MAX = 104
_NAME_CELLS_MAX = 16
_BAR_CELLS_MAX = 52
_BAR_CELLS_MIN = 8
_FULL, _LEFT = "█░"
_FULL_ASCII, _LEFT_ASCII = "#."


def bar(home: int, cells: int, ascii_only: bool = False) -> str:
    """Return cards at home as a bar; it is full when all are, and not before."""
    filled = home * cells // HOME_MAX
    full, left = (_FULL_ASCII, _LEFT_ASCII) if ascii_only else (_FULL, _LEFT)
    return full * filled + left * (cells - filled)


def bar_lines(standings: list[Standing], lang: Lang, width: int, ascii_only: bool = False) -> list[str]:
    """Return a line a player in at most `width` columns, where that is enough: name, bar, cards, status."""
    names = [safe_text(standing.name) for standing in standings]
    statuses = [status_text(standing.status, lang) for standing in standings]
    name_cells = min(_NAME_CELLS_MAX, max(map(cell_len, names), default=0))
    rest = name_cells + len(f" {HOME_MAX}/{HOME_MAX} ") + 1 + max(map(len, statuses), default=0)
    cells = max(_BAR_CELLS_MIN, min(_BAR_CELLS_MAX, width - rest))
    return [
        f"{set_cell_size(name, name_cells)} {bar(standing.home, cells, ascii_only)} "
        f"{standing.home:>3}/{HOME_MAX} {status}"
        for name, status, standing in zip(names, statuses, standings, strict=True)
    ]
