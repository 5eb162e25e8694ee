"""The result: the whole board, what happened, and what one can do with the log."""

from collections.abc import Awaitable, Callable
from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from client_cli.history import Happening
from client_cli.log_access import LogFailure
from client_cli.screen.bindings import bindings, items
from client_cli.screen.keyed import Keyed
from client_cli.screen.keys import Where
from client_cli.screen.keys_widget import KeysWidget
from client_cli.screen.news import rematch_line
from client_cli.screen.race_log import RaceLog, UnsavedError
from client_cli.screen.replay_screen import ReplayScreen
from client_cli.screen.seat import Seat
from client_cli.screen.shown_text import ShownText
from client_cli.screen.words import word
from client_cli.standings import standings_lines
from client_cli.texts import say
from client_cli.verify_texts import finding_text

TICK_S = 0.25
NEWS_LINES = 3


class ResultScreen(Keyed, ModalScreen[None]):
    """Over the race: the standings as they are, and once it is closed the rest."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("result"), ("b", "do('back')", "")]
    CSS = """
    ResultScreen { background: $background; layout: vertical; }
    #result-title { height: 1; background: $panel; text-style: bold; padding: 0 1; }
    #result { height: 1fr; padding: 0 1; scrollbar-size: 1 1; }
    #result > Static { height: auto; }
    #result-happened { text-style: bold; }
    #result-news { height: auto; padding: 0 1; background: $surface; color: $secondary; }
    #result-rematch { height: auto; padding: 0 1; color: $success; text-style: bold; }
    #result-said { height: auto; max-height: 4; background: $panel; padding: 0 1; }
    #result-said { color: $success; text-style: bold; }
    #result-said.-wrong { color: $warning; }
    """
    where: Where = "result"

    def __init__(self, seat: Seat) -> None:
        super().__init__()
        self.lang = seat.lang
        self.practice = seat.practice
        self._seat = seat
        self._room_id = seat.room_id
        self._log = RaceLog(self._room_id, seat.client.url, seat.lang, seat.password)
        self._happenings: list[Happening] | None = None
        self._told: tuple[object, ...] = ()
        self._reading = False
        self._no_log = ""
        self._keys = KeysWidget()

    def compose(self) -> ComposeResult:
        """Lay it out, from the top down."""
        yield ShownText(id="result-title")
        with VerticalScroll(id="result"):
            yield ShownText(id="result-board")
            yield ShownText(word("result_history", self.lang), id="result-happened")
            yield Static(id="result-history", markup=False)
        yield ShownText(id="result-news")
        yield ShownText(id="result-rematch")
        yield ShownText(id="result-said")
        yield self._keys

    def on_mount(self) -> None:
        """Show it, now and while it changes."""
        room = self._seat.state.room
        if room is not None and not self.practice:  # whose server may end before anybody could check it
            text = word("result_verify", self.lang, room=room.id, url=self._seat.client.url)
            self.say(text if room.state == "closed" else "")
        self.set_interval(TICK_S, self._look)
        self._look()
        self.query_one("#result").focus()

    def _look(self) -> None:
        room, lang = self._seat.state.room, self.lang
        if room is None or room.id != self._room_id:
            self.dismiss_once()
            return
        closed = room.state == "closed"
        if closed and not self._reading:
            self._reading = True
            self._work(self._read)
        by_oneself = room.reason == "host" and self.practice
        reason = (
            say(f"reason_{room.reason}", lang)
            if room.reason in _REASONS and not by_oneself
            else say(f"state_{room.state}", lang)
        )
        self.query_one("#result-title", ShownText).show(
            word("result_title", lang, room=room.id, state=reason)
        )
        rank_by = str(room.options.get("rank_by", "time"))
        lines = standings_lines(room.rows, lang, rank_by, self._seat.state.me, closed=closed)
        board = Text(no_wrap=True, overflow="ellipsis")
        for number, line in enumerate(lines):
            own = line.startswith(">")
            board.append(f"{line}\n", "bold" if number == 0 or own else "underline" if number == 1 else "")
        self.query_one("#result-board", ShownText).show(board)
        self._show_news()
        told = (closed, self._happenings, self._no_log)
        if told != self._told:
            self._told = told
            self.query_one("#result-history", Static).update(self._history(closed))
        may_rematch = closed and not {"host", "player"}.isdisjoint(room.roles)
        left_out = set() if may_rematch else {"rematch"}
        if not closed:
            left_out |= {"replay", "check", "save"}
        shown = items("result", lang, practice=self.practice)
        self._keys.show([item for item in shown if item[0] not in left_out])

    def _show_news(self) -> None:
        """Show what is said meanwhile, and above all that there is a rematch."""
        rematch = rematch_line(self._seat.state.room, self.lang)
        latest = [Text(*line, end="") for line in self._seat.news.of(self._room_id) if line.text != rematch]
        self.query_one("#result-news", ShownText).show(Text("\n").join(latest[-NEWS_LINES:]))
        self.query_one("#result-rematch", ShownText).show(rematch)
        self.query_one("#result-rematch").display = bool(rematch)

    def _history(self, closed: bool) -> Table:
        """Return what happened, a line each; long ones wrap beside their times."""
        table = Table.grid(padding=(0, 2, 0, 0))
        if self._happenings is None:
            table.add_row(self._no_log or word("result_reading" if closed else "result_later", self.lang))
            return table
        table.add_column(justify="right", no_wrap=True)
        table.add_column()
        for happening in self._happenings:
            table.add_row(happening.time, Text(happening.text, "bold" if happening.important else ""))
        return table

    async def _read(self) -> None:
        try:
            self._happenings = await self._log.history()
        except LogFailure as failure:
            self._no_log = str(failure)
            raise

    def _work(self, job: Callable[[], Awaitable[None]]) -> None:
        """Do something with the log; what goes wrong is said."""

        async def work() -> None:
            try:
                await job()
            except LogFailure as failure:
                self.say(str(failure), wrong=True)
            except UnsavedError as error:
                name = self._log.file_name
                self.say(word("result_unsaved", self.lang, file=name, reason=error), wrong=True)
            if self.is_attached:
                self._look()

        self.run_worker(work(), exit_on_error=True)

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Say something in the line above the keys."""
        if self.is_attached:
            said = self.query_one("#result-said", ShownText)
            said.set_class(wrong, "-wrong")
            said.show(text)

    @property
    def _is_closed(self) -> bool:
        room = self._seat.state.room
        return room is not None and room.state == "closed"

    # Keys

    def do_rematch(self, _: str) -> None:
        """Open the rematch, or go there."""
        room = self._seat.state.room
        if room is not None and room.state == "closed":
            self._seat.lines.put("rematch" if room.next is None else "next")

    def do_replay(self, _: str) -> None:
        """See the race again."""

        async def show() -> None:
            replay = await self._log.replay()
            if replay.players:
                await self.app.push_screen(ReplayScreen(replay, self.lang, self._seat.look, seat=self._seat))
            else:
                self.say(say("replay_empty", self.lang), wrong=True)

        if self._is_closed:
            self._work(show)

    def do_check(self, _: str) -> None:
        """Check the log against the board."""

        async def check() -> None:
            report = await self._log.report()
            count = len(report.differs)
            if report.agrees:
                self.say(word("result_agrees", self.lang))
            else:
                verdict = say("verified_not_one" if count == 1 else "verified_not", self.lang, count=count)
                self.say(f"{verdict} {finding_text(report.differs[0], self.lang)}", wrong=True)

        if self._is_closed:
            self._work(check)

    def do_save(self, _: str) -> None:
        """Save the log."""

        async def save() -> None:
            folder = await self._log.save()
            self.say(word("result_saved", self.lang, file=self._log.file_name, folder=folder))

        if self._is_closed:
            self._work(save)

    def do_quit(self, _: str) -> None:
        """Leave the race."""
        if self._seat.plays:
            self.dismiss()
        else:
            self._seat.lines.put("quit")


_REASONS = frozenset(("finished", "limit", "host", "cancelled", "nobody_finished"))
