"""The board as people see it, live or in lines."""

from collections import Counter

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from client_cli.standings import time_text
from client_cli.texts import status_text
from demo.race import BOTS, Moment
from protocol.messages import Row

LINE_EVERY_MS = 2_000
HOME_FIRST, HOME_ALL = 8, 104
STYLES = {"won": "bold green", "blocked": "yellow", "forfeited": "dim", "waiting": "dim"}


def headline(moment: Moment) -> Text:
    """Where the race is, in a line."""
    room, now_ms = moment
    if room.state == "lobby":
        present = sum(person.ready for person in room.people.values())
        return Text(f"Room {room.id}: {present} of {len(BOTS)} bots are ready")
    if room.state == "countdown" and room.start_at is not None:
        left_ms = max(room.start_at - now_ms, 0)
        return Text(f"Room {room.id}: starts in {left_ms / 1000:.1f} s")
    if room.state == "running" and room.start_at is not None:
        return Text(f"Room {room.id}, deal {room.code}: {time_text(max(now_ms - room.start_at, 0))[:-2]}")
    return Text(f"Room {room.id}, deal {room.code}: the race is over")


def board(rows: list[Row]) -> Table:
    """The board as a table of at most 80 columns."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    table.add_column("#", justify="right")
    table.add_column("Name", min_width=6, no_wrap=True)
    table.add_column("", width=9)
    table.add_column("Home", justify="right", width=7)
    table.add_column("", width=22)
    table.add_column("Moves", justify="right")
    table.add_column("Time", justify="right", width=9)
    shared = Counter(row.rank for row in rows)
    for row in rows:
        style = STYLES.get(row.status, "")
        table.add_row(
            Text(f"={row.rank}" if shared[row.rank] > 1 else str(row.rank), style),
            Text(row.name, style),
            Text(status_text(row.status, "en"), style),
            Text(f"{row.home}/{HOME_ALL}", style),
            ProgressBar(HOME_ALL - HOME_FIRST, row.home - HOME_FIRST, width=22),
            Text(str(row.moves), style),
            Text(time_text(row.ms), style),
        )
    return table


def frame(moment: Moment) -> RenderableType:
    """One frame of the live board."""
    return Group(headline(moment), Text(), board(moment.room.rows))


def _short(row: Row) -> str:
    status = "" if row.status == "playing" else f" {status_text(row.status, 'en')}"
    return f"{row.rank}. {row.name} {row.home}{status}"


class LiveBoard:
    """Shows moments: in place on a terminal, as a line now and then elsewhere. A context manager."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False) if console.is_terminal else None
        self._said = ("", 0)

    def show(self, moment: Moment) -> None:
        """The next moment."""
        if self._live is not None:
            self._live.update(frame(moment), refresh=True)
            return
        state, said_ms = self._said
        if moment.room.state != state or moment.now_ms - said_ms >= LINE_EVERY_MS:
            self._said = moment.room.state, moment.now_ms
            line = headline(moment)
            if moment.room.state == "running":
                line.append(f"  {' · '.join(map(_short, moment.room.rows))}")
            self._console.print(line, soft_wrap=True)

    def __enter__(self) -> "LiveBoard":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
