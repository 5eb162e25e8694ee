"""The race in lines for people: what happens, the table, the standings."""

import time

from client_cli.durations import until_text
from client_cli.event_lines import IMPORTANT, event_line, seconds_until
from client_cli.move_words import MoveWords, sign_words
from client_cli.moves import legal_moves
from client_cli.notation import write_action
from client_cli.notices import Lost, NewIdentity, Notice, Resumed
from client_cli.output import Output
from client_cli.position import Position
from client_cli.race_state import RaceState
from client_cli.refusal_hints import of_the_action
from client_cli.room_terms import terms_line
from client_cli.safe_text import safe_text
from client_cli.standings import short_standings, standings_lines, time_text
from client_cli.table import table_lines
from client_cli.texts import say
from client_cli.throttle import Throttle
from protocol.messages import (
    Board,
    Done,
    Error,
    Event,
    GameState,
    Lang,
    Message,
    Presence,
    Refused,
    Room,
    Row,
    Said,
    Seen,
    View,
)


class LineScreen:
    """Shows a race as lines of text in the player's language.

    `tables` False shows a move of one's own in a line, without the table after it. Where other words are used
    than here (`plain_lines`), the names in capitals and the methods under "How it is put" are others.
    """

    STANDINGS_S = 1.0
    ROOM_KEY, HEAD_KEY = "room", "table_head"
    BETWEEN = " · "

    def __init__(self, output: Output, lang: Lang, state: RaceState, *, tables: bool = True) -> None:
        self._tables = tables
        self._output = output
        self._lang = lang
        self._state = state
        self._standings = Throttle(self.STANDINGS_S)
        self._shown = ""
        self._room_line = ""
        self._was_here = False

    def received(self, message: Message) -> None:
        """Nothing: people are shown what is news."""

    def message(self, message: Message) -> None:
        """Show a message."""
        match message:
            case Room():
                self._room()
            case Event():
                self._event(message)
            case Board():
                self._standings.changed()
                self.tick()
            case View() | GameState():
                self._game(message)
            case Seen():
                self._seen(message)
            case Done():
                self._done(message)
            case Refused() | Error(id=None):  # an error with an id has its asker
                self._refused(message)
            case Said():
                who = safe_text(message.name) or say("somebody", self._lang)  # spectators may have no name
                self._output.line(f"<{who}> {safe_text(message.text)}", "cyan")
            case Presence():
                self._presence(message)

    def _refused(self, message: Refused | Error) -> None:
        if isinstance(message, Refused):
            self.error(of_the_action(message, self._state, self._words()))
        else:
            self.error(message.text)

    def notice(self, notice: Notice) -> None:
        """Show what became of the line."""
        match notice:
            case Lost():
                seconds = round(notice.retry_in_s)
                self.tell("lost", wait=say("lost_wait", self._lang, seconds=seconds) if seconds else "")
            case Resumed():
                self.tell("resumed")
            case NewIdentity():
                self.tell("new_identity")

    def tell(self, key: str, **values: object) -> None:
        """Show a sentence of the catalogue."""
        self._output.line(say(key, self._lang, **values))

    def error(self, text: str) -> None:
        """Show what went wrong."""
        self._output.line(safe_text(text), "yellow")

    def table(self) -> None:
        """Show the game that is followed, or else one's own."""
        position = next(iter(self._state.followed.values()), self._state.position)
        if position is None:
            self.tell("no_game")
            return
        self._output.table([*self._table_lines(position), self._head(position)])

    def board(self) -> None:
        """Show the standings in full."""
        room = self._state.room
        if room is None or not room.rows:
            self.tell("no_board")
            return
        rank_by = str(room.options.get("rank_by", "time"))
        self._output.table(self._board_lines(room.rows, rank_by))
        self._shown = self._standings_line(room.rows)
        self._standings.shown(time.monotonic())

    def tick(self) -> None:
        """Show the standings in one line, if they changed and the last time was a while ago."""
        room = self._state.room
        if room is None or room.state not in ("running", "closed"):
            return  # before the start the board says nothing that the events do not
        line = "" if self._alone else self._standings_line(room.rows)
        if line and line != self._shown and self._standings.due(time.monotonic()):
            self._shown = line
            self._output.line(line, "dim")

    # How it is put

    def _time(self, ms: int) -> str:
        return time_text(ms)

    def _sentence(self, text: str) -> str:
        return text

    def _words(self) -> MoveWords:
        return sign_words(self._lang, ascii_only=self._output.ascii_only)

    def _visibility(self, visibility: str) -> str:
        return visibility

    def _standings_line(self, rows: list[Row]) -> str:
        return short_standings(rows, self._state.me)

    def _board_lines(self, rows: list[Row], rank_by: str) -> list[str]:
        return standings_lines(rows, self._lang, rank_by, self._state.me, closed=self._is_closed)

    def _table_lines(self, position: Position) -> list[str]:
        return table_lines(position, self._lang, self._output.width, self._output.ascii_only)

    # What happens

    def _head(self, position: Position) -> str:
        # A game that is on is as old as the race clock says; one that is over, as its last action.
        room = self._state.room
        closed = room is not None and room.state == "closed"
        running = position.status in ("playing", "blocked") and not closed
        ms = self._state.clock.now_ms() - position.start_at if running else position.ms
        return say(
            self.HEAD_KEY,
            self._lang,
            moves=position.moves,
            redeals=position.redeals,
            home=position.home,
            time=self._time(ms),
        )

    def _room(self) -> None:
        room = self._state.room
        if room is None:
            return
        options = room.options
        line = say(
            self.ROOM_KEY,
            self._lang,
            room=room.id,
            name=f"{say('quoted', self._lang, text=options['name'])} " if options.get("name") else "",
            state=say(f"state_{room.state}", self._lang),
            players=sum(person.role == "player" for person in room.people.values()),
            max_players=options.get("max_players", "?"),
            variant=room.code or options.get("variant", "?"),
            visibility=self._visibility(str(options.get("visibility", "?"))),
        )
        if line == self._room_line:  # entered again, and nothing is different
            return
        self._room_line = line
        self._output.line(line, "bold")
        terms = terms_line(options, self._state.clock.now_ms(), self._lang, self.BETWEEN)
        if terms:
            self._output.line(self._sentence(terms))
        if room.state == "countdown" and room.start_at is not None:
            self.tell("starts_in", seconds=seconds_until(room.start_at, self._state))
        if room.state == "running":
            self._tell_end(room.ends_at)
        if room.state in ("running", "closed") and room.rows:
            self.board()

    def _event(self, event: Event) -> None:
        line = event_line(event, self._state, self._lang, self._time)
        if line is not None:
            self._output.line(line, "bold" if event.kind in IMPORTANT else "")
        mine = event.player is None or event.player == self._state.me
        if event.kind == "started" and mine:
            self._tell_end(event.ends_at)
        if event.kind == "forfeited" and mine and self._tables and not self._alone:
            self.tell("forfeited_own")
        if event.kind == "closed":
            self.board()
        elif event.kind in IMPORTANT:
            self._standings.changed()

    def _tell_end(self, ends_at: int | None) -> None:
        if ends_at is not None:
            self.tell("ends_in", left=until_text(ends_at - self._state.clock.now_ms(), self._lang))

    @property
    def _is_closed(self) -> bool:
        return self._state.room is not None and self._state.room.state == "closed"

    @property
    def _alone(self) -> bool:
        """Whether this is a room for one."""
        return self._state.room is not None and self._state.room.is_for_one

    def _done(self, done: Done) -> None:
        position = self._state.position
        played = say("played", self._lang, action=write_action(done.op, done.src, done.dst))
        if self._tables:
            self._output.line(played)
            self.table()
        elif position is not None:
            self._output.line(f"{played} {self._head(position)}")
        self._tell_end_of_game(done)

    def _tell_end_of_game(self, done: Done) -> None:
        position = self._state.position
        if done.status == "won":
            self.tell("game_won")
        elif done.status == "blocked" and self._tables:
            may_undo = position is not None and position.undoable > 0 and self._undo_allowed()
            self.tell("game_blocked" if may_undo else "game_blocked_for_good")
        elif done.status == "playing" and self._tables and position is not None and not legal_moves(position):
            may_undo = position.undoable > 0 and self._undo_allowed()
            self._output.line(self._words().stuck(position.redeals, "R", "U" if may_undo else None))

    def _undo_allowed(self) -> bool:
        return self._state.room is None or self._state.room.options.get("undo") is not False

    def _seen(self, seen: Seen) -> None:
        name = self._name_of(seen.player)
        position = self._state.followed.get(seen.player)
        home = f" · {position.home}/104" if position is not None else ""
        action = write_action(seen.op, seen.src, seen.dst)
        self._output.line(f"{safe_text(name)}: {action} · {time_text(seen.ms)}{home}")

    def _game(self, game: GameState) -> None:
        if isinstance(game, View):
            self.tell("following", who=self._name_of(game.player))
        elif not self._was_here:
            self._was_here = True
            if game.n and game.status in ("playing", "blocked") and self._tables and not self._is_closed:
                self.tell("back")
        self.table()

    def _presence(self, presence: Presence) -> None:
        room = self._state.room
        who = self._name_of(presence.player)
        if room is not None and room.state == "closed":
            return  # whoever goes home after the race is no news
        if who and presence.player != self._state.me:
            self.tell("online" if presence.online else "offline", who=who)

    def _name_of(self, player: str) -> str:
        return self._state.room.name_of(player) if self._state.room is not None else ""
