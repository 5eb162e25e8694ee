"""The board as lines of text."""

from collections import Counter
from collections.abc import Iterable

from rich.cells import cell_len, set_cell_size

from client_cli.safe_text import safe_text
from client_cli.texts import say, status_text
from protocol.messages import Lang, Row

_NAME_CELLS_MAX = 24
_FIGURES = (("moves", 6), ("undone", 7), ("home", 9), ("time", 11))


def time_text(ms: int) -> str:
    """Return a duration as mm:ss.mmm; minutes go on counting after 59."""
    seconds, milliseconds = divmod(max(ms, 0), 1000)
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes:02}:{seconds:02}.{milliseconds:03}"


def standings_lines(
    rows: list[Row], lang: Lang, rank_by: str, me: str = "", *, closed: bool = False
) -> list[str]:
    """Return the board: which key decides, a line of headings, and a line a player.

    `closed`: the race is over, and nobody plays any more. Who shares a rank has `=` before it; one's own
    line begins with `>`; who is offline is marked.
    """
    ranks = rank_texts(rows)
    rank_cells = max(3, rank_column(ranks.values()))
    names = {row.player: safe_text(row.name) for row in rows}
    heading = say("column_name", lang)
    name_cells = min(_NAME_CELLS_MAX, max([cell_len(heading), *map(cell_len, names.values())]))
    statuses = [status_text(row.status, lang, closed=closed) for row in rows]
    status_cells = max([len(say("column_status", lang)), *map(len, statuses)])
    title = f" {'#'.rjust(rank_cells)} {heading.ljust(name_cells)} "
    title += say("column_status", lang).ljust(status_cells)
    title += "".join(say(f"column_{column}", lang).rjust(width) for column, width in _FIGURES)
    lines = [_decided_by(rows, lang, rank_by, closed=closed), title]
    for row, status in zip(rows, statuses, strict=True):
        values = (str(row.moves), str(row.undone), f"{row.home}/104", time_text(row.ms))
        figures = "".join(value.rjust(width) for value, (_, width) in zip(values, _FIGURES, strict=True))
        mark = ">" if row.player == me else " "
        offline = "" if row.online else f"  ({say('mark_offline', lang)})"
        name = set_cell_size(names[row.player], name_cells)
        place = f"{mark}{ranks[row.rank].rjust(rank_cells)}"
        lines.append(f"{place} {name} {status.ljust(status_cells)}{figures}{offline}")
    return lines


def _decided_by(rows: list[Row], lang: Lang, rank_by: str, *, closed: bool) -> str:
    """Return what the ranks rest on: another key for those who won than for the others."""
    won = sum(row.status == "won" for row in rows)
    if not won:
        return say("board_by_home" if closed else "board_by_home_yet", lang)
    key = "board_by_moves" if rank_by == "moves" else "board_by_time"
    return say(key if won == len(rows) else f"{key}_and_home", lang)


def rank_texts(rows: list[Row]) -> dict[int, str]:
    """Return every rank as people read it, `=` before one that several share."""
    return {
        rank: f"={rank}" if players > 1 else str(rank)
        for rank, players in Counter(row.rank for row in rows).items()
    }


def rank_column(ranks: Iterable[str]) -> int:
    """Return how many columns the ranks take beside the mark of one's own line.

    The first stays empty: `>` right before `=1` would read as "1 or more".
    """
    return 1 + max(map(len, ranks), default=1)


def short_standings(rows: list[Row], me: str = "", most: int = 6) -> str:
    """Return the first places in one line, and one's own if not among them; `=` before a shared rank."""
    ranks = rank_texts(rows)
    shown = rows[:most] + [row for row in rows[most:] if row.player == me]
    parts = [f"{ranks[row.rank]}. {safe_text(row.name)} {row.home}/104" for row in shown]
    return " · ".join(parts) + (" · …" if len(rows) > len(shown) else "")
