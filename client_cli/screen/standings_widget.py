"""The standings beside the table, live: rank, name, moves, cards home, time or status, and who is offline."""

from dataclasses import dataclass

from rich.cells import set_cell_size
from rich.text import Text

from client_cli.race_state import RaceState
from client_cli.safe_text import safe_text
from client_cli.screen.drawn_widget import DrawnWidget
from client_cli.screen.words import word
from client_cli.standings import rank_column, rank_texts, time_text
from client_cli.texts import say, status_text
from protocol.messages import Lang, Row

_LAST_COLUMNS = 7  # a time up to 999:59, or a word
_FIGURES = 4  # a space and three digits
_WIDE_COLUMNS = 36  # from this width on there is room for milliseconds and for whole words
_WIDE_LAST = 12
_FULL_COLUMNS = 46  # and from this one on for whole headings
_FULL_FIGURES = 7

_WORDS = frozenset(("waiting", "blocked", "forfeited", "disqualified"))


@dataclass(frozen=True, slots=True)
class StandingsLine:
    """One line, and how it is to look: `mine`, `dim` (offline or out), `won`, `heading`."""

    text: str
    style: str = ""


def standings(state: RaceState, lang: Lang, width: int, height: int) -> list[StandingsLine]:
    """Return the standings in at most `height` lines of `width` columns; one's own is always among them."""
    room = state.room
    if room is None or not room.rows or height < 2:
        return []
    last = _WIDE_LAST if width >= _WIDE_COLUMNS else _LAST_COLUMNS
    figures = _FULL_FIGURES if width >= _FULL_COLUMNS else _FIGURES
    heading = say if width >= _FULL_COLUMNS else word
    rows = list(room.rows)
    room_for = height - 1
    if len(rows) > room_for:
        left_out = len(rows) - (room_for - 1)
        shown = rows[: room_for - 1]
        own = next((row for row in rows[room_for - 1 :] if row.player == state.me), None)
        if own is not None:
            shown[-1] = own
        rows = shown
    else:
        left_out = 0
    ranks = rank_texts(room.rows)
    rank = rank_column([ranks[row.rank] for row in rows])
    name = max(4, width - 1 - rank - 1 - 2 * figures - 1 - last)
    head = f" {'#'.rjust(rank)} {set_cell_size(word('column_name', lang), name)}"
    head += "".join(heading(key, lang).rjust(figures) for key in ("column_moves", "column_home"))
    lines = [StandingsLine(f"{head} {word('column_time', lang).rjust(last)}", "heading")]
    lines += [_line(row, ranks[row.rank].rjust(rank), state.me, lang, name, figures, last) for row in rows]
    if left_out:
        lines.append(StandingsLine(f"    {word('more', lang, count=left_out)}", "dim"))
    return lines


def _line(row: Row, rank: str, me: str, lang: Lang, name: int, figures: int, last: int) -> StandingsLine:
    mine = row.player == me
    text = f"{'>' if mine else ' '}{rank} {set_cell_size(safe_text(row.name), name)}"
    text += f"{row.moves:>{figures}}{row.home:>{figures}} {_last(row, lang, last)}"
    style = "mine" if mine else "dim" if not row.online else "won" if row.status == "won" else ""
    return StandingsLine(text, style)


def _last(row: Row, lang: Lang, width: int) -> str:
    """Return a row's last column: its time, or a word that matters more."""
    if not row.online and row.status not in ("won", "forfeited", "disqualified"):
        words = say("mark_offline", lang)
    elif row.status in _WORDS:
        words = status_text(row.status, lang)
    else:
        words = time_text(row.ms) if width >= _WIDE_LAST else short_time(row.ms)
    return set_cell_size(words.rjust(width), width)


def short_time(ms: int) -> str:
    """Return a duration as mm:ss, cut, not rounded: nothing is over before it is."""
    minutes, seconds = divmod(max(ms, 0) // 1000, 60)
    return f"{minutes:02}:{seconds:02}"


class StandingsWidget(DrawnWidget):
    """Shows the standings."""

    def __init__(self, state: RaceState, lang: Lang) -> None:
        super().__init__("standings")
        self._state = state
        self._lang = lang

    def drawn(self) -> Text:
        """Return the lines for the present size."""
        styles = {
            "heading": "bold underline",
            "mine": "bold reverse",
            "dim": "dim italic",
            "won": "bold",
            "": "",
        }
        width, height = self.content_size
        text = Text(no_wrap=True, overflow="crop")
        for line in standings(self._state, self._lang, width, height):
            text.append(f"{line.text}\n", styles[line.style])
        return text
