"""The textual app: it owns the sitting's parts, runs its session, and hands its news to the race's screen."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from client_cli import exits
from client_cli.client import RaceClient
from client_cli.failures import Denied, Ended, LineLost
from client_cli.names import enter_as_player
from client_cli.notices import Lost, NewIdentity, Notice, Resumed
from client_cli.refusal_hints import of_the_action
from client_cli.screen.display import ScreenDisplay
from client_cli.screen.in_terminal import run_in_terminal
from client_cli.screen.line_state import PROBE_S, LineState
from client_cli.screen.look import Look
from client_cli.screen.news import news_of
from client_cli.screen.playing import Playing
from client_cli.screen.race import RaceScreen
from client_cli.screen.replay_screen import ReplayScreen
from client_cli.screen.result import ResultScreen
from client_cli.screen.seat import Seat
from client_cli.screen.themed_app import ThemedApp
from client_cli.screen.typed import ScreenLines
from client_cli.session import Session
from client_cli.texts import say
from protocol.messages import (
    Clock,
    Done,
    Error,
    Event,
    Forfeit,
    GameState,
    Message,
    Refused,
    Room,
    Seen,
    View,
)
from server.engine.refusals import Refusal

_NOT_COPIED = frozenset(("password", "start_at", "close_at"))
"""Options that a new room does not take over: nobody knows a password, and moments pass."""

_OPENING = frozenset(("ready", "held", "countdown", "options", "host", "referee", "closed"))
"""Events after which other things may be done in a room that waits, or is closed, than before."""


class RaceApp(ThemedApp):
    """Runs until its session ends; `return_value` is the session's exit code."""

    def __init__(
        self,
        client: RaceClient,
        display: ScreenDisplay,
        lines: ScreenLines,
        look: Look,
        player_name: str,
        *,
        practice: bool = False,
    ) -> None:
        super().__init__(look)
        self.failure: Exception | None = None
        self._told_by = display
        self._player_name = player_name
        self._session: Session | None = None
        playing = Playing(client, self._changed, self._failed, self._lost_action)
        line = LineState(time.monotonic)
        self.seat = Seat(client, client.lang, look, lines, playing, line, practice=practice)
        self.race = RaceScreen(self.seat, self._open_new_room)
        self._jobs: set[asyncio.Task[None]] = set()

    def run_session(self, session: Session) -> None:
        """Run this session once the app is shown."""
        self._session = session
        self.seat.password = session.password

    async def on_mount(self) -> None:
        """Show the first screen and begin."""
        self._told_by.show_on(self)
        self._begin(self.seat.playing.run)
        self._begin(self._probe)
        await self._arrive()

    async def _arrive(self) -> None:
        await self.push_screen(self.race)
        self.seat.playing.told()
        self._begin(self._sit)

    async def on_unmount(self) -> None:
        """Nothing is told here any more."""
        self._told_by.shown_no_more()
        for job in list(self._jobs):
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)

    # Jobs

    def _begin(self, job: Callable[[], Any]) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.create_task(self._run(job))
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)
        return task

    async def _run(self, job: Callable[[], Any]) -> None:
        """Run a job; a fault of ours ends the app and is raised when the terminal is whole again."""
        try:
            await job()
        except Exception as error:
            self.failure = error
            self.exit(exits.REFUSED)

    async def _sit(self) -> None:
        if self._session is not None:
            self.exit(await self._session.run())

    async def _probe(self) -> None:
        """Ask for the time now and then: the answer's way tells what the line is like."""
        number = 0
        while True:
            number += 1
            self.seat.line.asked()
            try:
                await self.seat.client.request(Clock(sent=number))
            except Ended:
                return
            except (LineLost, Denied):
                pass
            self.seat.line.answered()
            await asyncio.sleep(PROBE_S)

    def _open_new_room(self) -> None:
        if self.seat.practice:  # who is alone closes the race, and goes on to another deal
            self.seat.lines.put("close")
            self.seat.lines.put("rematch")
        else:
            self._begin(self._new_room)

    async def _new_room(self) -> None:
        """Give this game up and open a room like this one."""
        client, room = self.seat.client, self.seat.state.room
        if room is None:
            return
        options = {name: value for name, value in room.options.items() if name not in _NOT_COPIED}
        if options.get("start") == "at":
            options["start"] = "host"
        try:
            if self.seat.plays:
                await client.request(Forfeit())
            new = await client.create(options)
            await enter_as_player(client, new.room, self._player_name, chosen=False)
        except Denied as error:
            self._failed(error.text)
        except LineLost:
            self._lost_action()
        except Ended:
            return
        else:
            self.told(say("invite", self.seat.lang, room=new.room, url=client.url, more=""))

    # What a session says

    def took(self, message: Message) -> None:
        """A message came and is folded into the state."""
        seat, race = self.seat, self.race
        match message:
            case Room():
                seat.playing.told()
            case GameState() if not isinstance(message, View):
                seat.playing.told()
            case Done() if not isinstance(message, Seen):
                seat.playing.done(message)
                race.done(message)
            case Refused():
                if message.code in set(Refusal):
                    race.refuse(of_the_action(message, seat.state, race.words))
                else:
                    race.say(message.text, wrong=True)
            case Error(id=None):
                self.told(message.text, wrong=True)
            case Event(kind="closed") if message.reason != "cancelled" and message.room == seat.room_id:
                race.show_result()  # of a room one has left for the next by now, it would cover that one
            case Event() if self._opens(message):
                race.say_no_more()  # what could not be may be possible now
        news = news_of(message, seat.state, seat.lang)
        if news is not None:
            race.add_news(*news)
        race.show()

    def _opens(self, event: Event) -> bool:
        """Whether an event changes what may be done here. Who comes or goes changes nothing of it, but the
        player with whom there are enough.
        """
        state, room = self.seat.state, self.seat.state.room
        if event.kind == "started":
            return event.player in (None, state.me)
        if room is None or room.state == "running":
            return False
        if event.kind == "joined":
            players = sum(person.role == "player" for person in room.people.values())
            return players == room.options.get("min_players")
        return event.kind in _OPENING

    def line_changed(self, notice: Notice) -> None:
        """What became of the line. That it is back is shown and not told."""
        match notice:
            case Lost():
                self.seat.line.lost(notice.retry_in_s)
            case Resumed():
                self.seat.line.back()
            case NewIdentity():
                self.told(say("new_identity", self.seat.lang))
        self.show_line()

    def show_line(self) -> None:
        """Show what the line is like, where one is."""
        self.race.show()

    def told(self, text: str, *, wrong: bool = False) -> None:
        """A sentence for people: what happened is news, what is wrong is said once, where it is seen."""
        if wrong:
            self._topmost.say(text, wrong=True)
        else:
            self.race.add_news(text)

    @property
    def _topmost(self) -> RaceScreen | ResultScreen | ReplayScreen:
        """The screen of the race that one sees; others lie over its middle only, or for a moment."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, ResultScreen | ReplayScreen):
                return screen
        return self.race

    def _changed(self) -> None:
        self.race.changed()

    def _failed(self, text: str) -> None:
        self.told(text, wrong=True)

    def _lost_action(self) -> None:
        self.told(say("line_lost", self.seat.lang), wrong=True)


async def run_on_screen(
    client: RaceClient,
    display: ScreenDisplay,
    lines: ScreenLines,
    look: Look,
    name: str,
    session: Session,
    *,
    practice: bool = False,
) -> int:
    """Run a session on the screen and return its exit code."""
    app = RaceApp(client, display, lines, look, name, practice=practice)
    app.run_session(session)
    return await run_app(app, display)


async def run_app(app: RaceApp, display: ScreenDisplay) -> int:
    """Run an app in the terminal and return its exit code."""
    code = await run_in_terminal(app)
    display.say_end()
    if app.failure is not None:
        raise app.failure
    return code
