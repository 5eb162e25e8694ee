"""A race again: everybody's bar side by side, one table, and the time to go through."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen

from client_cli.durations import race_time_ms
from client_cli.replay_model import Replay
from client_cli.screen.asking import AskScreen
from client_cli.screen.bars_widget import BarsWidget
from client_cli.screen.bindings import bindings, item, items
from client_cli.screen.forecast import seen_game
from client_cli.screen.horseshoe import (
    CELL_COLUMNS_MAX,
    CELL_COLUMNS_MIN,
    CELL_LINES_MAX,
    CELL_LINES_MIN,
    COLUMNS,
    ROWS,
)
from client_cli.screen.keyed import Keyed
from client_cli.screen.keys import Where
from client_cli.screen.keys_widget import KeysWidget
from client_cli.screen.look import Look
from client_cli.screen.news import rematch_line
from client_cli.screen.paint import TableView
from client_cli.screen.seat import Seat
from client_cli.screen.shown_text import ShownText
from client_cli.screen.table_widget import TableWidget
from client_cli.screen.words import word
from client_cli.standings import time_text
from client_cli.table import face
from client_cli.texts import say
from protocol.messages import Lang

TICK_S = 0.1
SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_OTHER_LINES = 4
_SAID_LINES_MAX = 3
_BARS_COLUMNS_MIN = 29


class ReplayClock:
    """The moment that is shown, and how it goes on. Pure: it is told how much time has passed."""

    def __init__(self, end_ms: int, ms: int = 0, speed: float = 1.0) -> None:
        self.end_ms = end_ms
        self.ms = ms
        self.runs = False
        self._speed = min(range(len(SPEEDS)), key=lambda at: abs(SPEEDS[at] - speed))
        self._rest_ms = 0.0

    @property
    def speed(self) -> float:
        """How many times as fast as it was."""
        return SPEEDS[self._speed]

    def faster(self, by: int) -> None:
        """Go that many speeds up, or down."""
        self._speed = max(0, min(len(SPEEDS) - 1, self._speed + by))

    def go(self, ms: int) -> None:
        """Be at a moment, the nearest there is."""
        self.ms, self._rest_ms = max(0, min(ms, self.end_ms)), 0.0

    def toggle(self) -> None:
        """Run, or pause; at the end, run from the start."""
        self.runs = not self.runs
        if self.runs and self.ms >= self.end_ms:
            self.go(0)

    def passed(self, real_s: float) -> None:
        """Let time go by. At the end it stands."""
        if not self.runs:
            return
        passed_ms = real_s * 1000 * self.speed + self._rest_ms
        self.go(self.ms + int(passed_ms))
        self._rest_ms = passed_ms % 1
        self.runs = self.ms < self.end_ms


class ReplayScreen(Keyed, Screen[None]):
    """Shows the race at the clock's moment. `speed`: it runs at once, about as fast; None: it waits.

    `seat`: somebody sits in the race's room, and is told what is said there meanwhile.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("replay"), ("n", "do('rematch')", "")]
    CSS = """
    #replay-title { height: 1; background: $panel; text-style: bold; padding: 0 1; }
    #replay-clock { height: 1; background: $panel; padding: 0 1; }
    #replay-middle { height: 1fr; }
    #replay-middle.-narrow { layout: vertical; }
    #bars { width: 1fr; height: 100%; background: $surface; padding: 0 1; overflow: hidden; }
    #replay-piles { height: 100%; background: $felt; color: $felt-strong; display: none; overflow: hidden; }
    #replay-said { height: auto; padding: 0 1; text-style: bold; display: none; }
    #replay-said.-wrong { color: $warning; }
    #replay-line { height: 1; color: $primary; padding: 0 1; }
    """
    where: Where = "replay"

    def __init__(
        self,
        replay: Replay,
        lang: Lang,
        look: Look,
        *,
        player: str | None = None,
        at_ms: int = 0,
        speed: float | None = None,
        seat: Seat | None = None,
    ) -> None:
        super().__init__()
        self.lang = lang
        self._seat = seat
        self._said, self._wrong = "", False
        self.clock = ReplayClock(replay.end_ms, replay.within(at_ms), speed or 1.0)
        self.clock.runs = speed is not None
        self._replay, self._look = replay, look
        self._whose = next((at for at, found in enumerate(replay.players) if found.player == player), 0)
        self._all_cards = False
        self._table = TableWidget(lang, ascii_only=look.ascii_only)
        self._bars = BarsWidget(lang, ascii_only=look.ascii_only)
        self._keys = KeysWidget()
        self._shown_at: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """Lay it out, from the top down."""
        title = word("replay_title", self.lang, room=self._replay.room, code=self._replay.code)
        yield ShownText(title, id="replay-title")
        yield ShownText(id="replay-clock")
        with Horizontal(id="replay-middle"):
            yield self._table
            yield ShownText(id="replay-piles")
            yield self._bars
        yield ShownText(id="replay-said")
        yield ShownText(id="replay-line")
        yield self._keys

    def on_mount(self) -> None:
        """Begin to run, once asked to."""
        self.set_interval(TICK_S, self._tick)

    def on_resize(self) -> None:
        """Share the size out, as the race does."""
        width, height = self.size.width, self.size.height
        cell = max(CELL_COLUMNS_MIN, min((width - _BARS_COLUMNS_MIN) // COLUMNS, CELL_COLUMNS_MAX))
        said = self.query_one("#replay-said")
        others = _OTHER_LINES + (_SAID_LINES_MAX if said.display else 0)
        lines = max(CELL_LINES_MIN, min((height - others) // ROWS, CELL_LINES_MAX))
        # On the smallest terminals what is said has fewer lines, so that the table is whole.
        said.styles.max_height = max(1, min(_SAID_LINES_MAX, height - _OTHER_LINES - ROWS * lines))
        for widget in (self._table, self.query_one("#replay-piles")):
            widget.styles.width = COLUMNS * cell
        self._table.styles.height = ROWS * lines
        self._shown_at = ()
        self.show()

    def _tick(self) -> None:
        self.clock.passed(TICK_S)
        self._show_said()
        self.show()

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Say something above the line of time, until the next key."""
        self._said, self._wrong = text, wrong
        if self.is_mounted:
            self._show_said()

    def _show_said(self) -> None:
        """Show what was said, else what is said in the room: that there is a rematch, or the latest line."""
        text, seat = self._said, self._seat
        if not text and seat is not None:
            latest = [line.text for line in seat.news.of(self._replay.room)[-1:]]
            text = rematch_line(seat.state.room, self.lang) or "".join(latest)
        said = self.query_one("#replay-said", ShownText)
        said.set_class(self._wrong, "-wrong")
        said.show(text)
        if said.display is not bool(text):
            said.display = bool(text)
            self.on_resize()

    @property
    def player(self) -> str:
        """Whose table is shown."""
        return self._replay.players[self._whose].player

    def show(self) -> None:
        """Show the moment, where it is another than the one that is shown."""
        clock = self.clock
        now = (clock.ms, clock.runs, clock.speed, self._whose, self._all_cards)
        if now == self._shown_at:
            return
        self._shown_at = now
        lang, standings = self.lang, self._replay.at(clock.ms)
        key = "replay_runs" if clock.runs else "replay_stands"
        parts = (
            word("replay_clock", lang, time=time_text(clock.ms), end=time_text(clock.end_ms)),
            word(key, lang, speed=f"{clock.speed:g}"),
            word("replay_whose", lang, who=standings[self._whose].name),
        )
        latest = standings[self._whose].action
        more = (word("replay_latest", lang, action=latest),) if latest else ()
        self.query_one("#replay-clock", ShownText).show("   ".join(parts + more))
        self._bars.show(standings, self._whose)
        position = self._replay.position(self.player, clock.ms, full=True)
        self._table.display = not self._all_cards
        piles = self.query_one("#replay-piles", ShownText)
        piles.display = self._all_cards
        if self._all_cards:
            assert position.piles is not None
            plain = self._look.ascii_only
            rows = (" ".join(face(card, lang, plain) for card in pile) for pile in position.piles)
            lines = [word("replay_top", lang), *(f"{at:>3}: {row}" for at, row in enumerate(rows, 1))]
            piles.show(Text("\n".join(lines), no_wrap=True))
        else:
            self._table.show(TableView(seen_game(position)))
        self.query_one("#replay-line", ShownText).show(self._line())
        shown = items("replay", lang)
        self._keys.show(
            [item("play", lang, "pause") if clock.runs and one[0] == "play" else one for one in shown]
        )

    def _line(self) -> str:
        """Return the whole race as a line, with where one is."""
        cells = max(1, self.size.width - 2)
        at = self.clock.ms * (cells - 1) // self.clock.end_ms if self.clock.end_ms else 0
        return "━" * at + "●" + "─" * (cells - 1 - at)

    # Keys and mouse

    def action_do(self, name: str, pressed: str = "") -> None:
        """Do what a key of the table means, and show what comes of it."""
        self._said, self._wrong = "", False
        super().action_do(name, pressed)
        self._show_said()
        self.show()

    def do_play(self, _: str) -> None:
        """Run, or pause."""
        self.clock.toggle()

    def do_step(self, pressed: str) -> None:
        """One action back, or on."""
        back = pressed == "left"
        self.clock.runs = False
        self.clock.go(
            self._replay.previous_ms(self.clock.ms) if back else self._replay.next_ms(self.clock.ms)
        )

    def do_speed(self, pressed: str) -> None:
        """Faster or slower."""
        self.clock.faster(-1 if pressed == "minus" else 1)

    def do_tenth(self, pressed: str) -> None:
        """Jump to so many tenths of the race."""
        self.clock.go(self.clock.end_ms * int(pressed) // 10)

    def do_ends(self, pressed: str) -> None:
        """To the start, or the end."""
        self.clock.go(self.clock.end_ms if pressed == "end" else 0)

    def do_jump(self, _: str) -> None:
        """Ask for a moment, until one is typed, and go there."""

        async def go(text: str) -> str:
            if not text:
                return ""  # nothing is typed: one stays where one is
            ms = race_time_ms(text)
            if ms is None:
                self.app.bell()
                return say("bad_time", self.lang, text=text)
            self.clock.go(ms)
            self.show()
            return ""

        self.app.push_screen(AskScreen(word("ask_moment", self.lang), self.lang, check=go))

    def do_rematch(self, _: str) -> None:
        """Go where the rematch is."""
        seat = self._seat
        if seat is not None and seat.state.room is not None and seat.state.room.next is not None:
            self.dismiss()
            seat.lines.put("next")

    def do_whose(self, pressed: str) -> None:
        """The next player's table, or the one before."""
        self._whose = (self._whose + (-1 if pressed == "up" else 1)) % len(self._replay.players)

    def do_bar(self, at: str) -> None:
        """The table of the bar that was clicked."""
        self._whose = int(at)

    def do_piles(self, _: str) -> None:
        """All cards of the piles, or the table."""
        self._all_cards = not self._all_cards
