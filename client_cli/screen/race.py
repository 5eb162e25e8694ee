"""The race: table, standings, clock, news and chat, and what keys and mouse do to them."""

import time
from collections.abc import Callable
from typing import ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Input, Static

from client_cli.move_words import MoveWords, sign_words
from client_cli.moves import Table, legal_moves
from client_cli.position import Position
from client_cli.refusal_hints import has_redealt, why_no_follow
from client_cli.screen.bindings import Item, bindings, item
from client_cli.screen.choosing import Choosing, Outcome
from client_cli.screen.following import FollowScreen
from client_cli.screen.forecast import seen_game
from client_cli.screen.gestures import Click, DoubleClick
from client_cli.screen.help import HelpScreen
from client_cli.screen.horseshoe import (
    CELL_COLUMNS_MAX,
    CELL_COLUMNS_MIN,
    CELL_LINES_MAX,
    CELL_LINES_MIN,
    COLUMNS,
    ROWS,
    Direction,
)
from client_cli.screen.host_actions import ManageScreen
from client_cli.screen.keys import NOT_ALONE
from client_cli.screen.keys_widget import KeysWidget
from client_cli.screen.news_widget import NewsWidget
from client_cli.screen.paint import TableView
from client_cli.screen.result import ResultScreen
from client_cli.screen.saying import Sentence, sentence
from client_cli.screen.seat import Seat
from client_cli.screen.sentence_widget import SentenceWidget
from client_cli.screen.standings_widget import StandingsWidget
from client_cli.screen.status_widget import StatusWidget
from client_cli.screen.style import other_theme
from client_cli.screen.table_widget import TableWidget
from client_cli.screen.typed_help import TypedHelpScreen
from client_cli.screen.waiting_widget import WaitingWidget
from client_cli.screen.words import seat_word, word
from client_cli.table import face
from client_cli.texts import say
from client_cli.typed_help import help_rows as typed_help_rows
from protocol.limits import SAY_CHARACTERS_MAX
from protocol.messages import Done
from server.engine.actions import REDEAL, UNDO, Action
from server.engine.refusals import Refusal
from server.engine.refusals import text as refusal_text

TICK_S = 0.2
JUST_BACK_S = 2.0
"""So long `g`, which leads back into a game from the lobby, does not give it up."""

_STANDINGS_COLUMNS = 29  # what a line of the standings takes at the least
_STANDINGS_COMFORT = 38
_OTHER_LINES = 4  # the top two, the sentence, the keys
_NEWS_LINES_MIN = 4
_MIN_LINES = _OTHER_LINES + ROWS * CELL_LINES_MIN + 1
_MIN_COLUMNS = COLUMNS * CELL_COLUMNS_MIN


Offer = tuple[str, str, dict[str, object]]
"""A key of the bottom line: the action's name, that of its words, and their values."""

_ALWAYS: list[Offer] = [("talk", "talk", {}), ("quit", "quit", {})]


class RaceScreen(Screen[None]):
    """A room, from waiting for its start to its end."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("race")
    AUTO_FOCUS = ""

    def __init__(self, seat: Seat, new_room: Callable[[], None]) -> None:
        super().__init__()
        self.seat = seat
        self.choosing = Choosing(seat.playing)
        self._new_room = new_room
        self._sure: str | None = None
        self._said: Sentence | None = None
        self._tells_done = False
        self._talks = True
        self._beside = True
        self._is_due = False
        self._was_here = False
        self._back_s = float("-inf")
        lang, look, state = seat.lang, seat.look, seat.state
        self._status = StatusWidget(state, lang)
        self._table = TableWidget(lang, ascii_only=look.ascii_only)
        self._waiting = WaitingWidget(state, lang, seat.client.url)
        self._standings = StandingsWidget(state, lang)
        self._sentence = SentenceWidget()
        self._news = NewsWidget(seat.news)
        self._typing = Input(id="typing", max_length=SAY_CHARACTERS_MAX, compact=True, select_on_focus=False)
        self._keys = KeysWidget()
        self._actions: dict[str, Callable[[], None]] = {
            "choose": lambda: self._play(self.choosing.confirm),
            "home": lambda: self._play(self.choosing.home),
            "show": lambda: self._play(self.choosing.show),
            "release": self.choosing.release,
            "undo": self._undo,
            "redeal": self._redeal,
            "start": self._start,
            "ready": self._be_ready,
            "forfeit": self._forfeit,
            "again": self._again,
            "talk": self._talk,
            "command": lambda: self._open_typing(talks=False),
            "send": self._send,
            "unsay": self._close_typing,
            "follow": self._show_follow,
            "manage": self._show_manage,
            "result": self.show_result,
            "explains": self._toggle_explains,
            "theme": self._toggle_theme,
            "help": lambda: self._show_help(),
            "quit": self._quit,
        }

    # What is on it

    def compose(self) -> ComposeResult:
        """Lay it out, from the top down."""
        yield self._status
        with Horizontal(id="middle"):
            yield self._table
            yield self._waiting
            yield self._standings
        yield self._sentence
        yield self._news
        yield self._typing
        yield self._keys
        yield Static(word("too_small", self.seat.lang), id="too-small", markup=False)

    def on_mount(self) -> None:
        """Begin to show the time."""
        self.set_interval(TICK_S, self._pass_time)

    def on_resize(self) -> None:
        """Share the size out: the table grows as far as the others have what they need."""
        width, height = self.size.width, self.size.height
        fits = width >= _MIN_COLUMNS and height >= _MIN_LINES
        self.set_class(not fits, "-too-small")
        if not fits:
            return
        cell = max(CELL_COLUMNS_MIN, min((width - _STANDINGS_COMFORT) // COLUMNS, CELL_COLUMNS_MAX))
        self._beside = width - COLUMNS * cell >= _STANDINGS_COLUMNS
        self._table.styles.width = COLUMNS * cell if self._beside else width
        left = height - _OTHER_LINES - _NEWS_LINES_MIN
        lines = ROWS * max(CELL_LINES_MIN, min(left // ROWS, CELL_LINES_MAX))
        self.query_one("#middle").styles.height = lines
        # What is said may take all lines of the news but one.
        self._sentence.styles.max_height = max(1, height - _OTHER_LINES - lines)
        self.show()

    def show(self) -> None:
        """Show what is so, once for all that is happening now."""
        if not self._is_due:
            self._is_due = True
            self.call_later(self._show_now)

    def _show_now(self) -> None:
        self._is_due = False
        seat, state = self.seat, self.seat.state
        view = self._view()
        shows_table = view is not None and not (self._is_closed and not state.followed)
        begins = seat.practice and not self._is_closed  # at once: there is nothing to wait for
        self._table.display, self._waiting.display = shows_table, not shows_table and not begins
        self._standings.display = shows_table and self._beside
        if view is not None:
            self._table.show(view)
        else:
            self._waiting.redraw()
        self._standings.redraw()
        self._news.show_room(seat.room_id)
        is_so = sentence(
            state,
            seat.playing.forecast,
            self.choosing,
            seat.lang,
            ascii_only=seat.look.ascii_only,
            practice=seat.practice,
        )
        # What just happened matters less than that the game is won or blocked.
        hides = self._said is None or (not self._said.kind and is_so.kind)
        self._sentence.show(is_so if hides or self._said is None else self._said)
        self._keys.show(self._keys_now())
        self.tick()

    def _pass_time(self) -> None:
        room = self.seat.state.room
        if room is not None and room.state == "running" and room.gave_up_at:
            self.show()  # of what somebody may still take back, the seconds are counted
        else:
            self.tick()

    def tick(self) -> None:
        """Show the time, and how the line is."""
        playing = self.seat.playing
        told = self.seat.line.told(playing.sent_s)
        self._status.show(playing.forecast, told, playing.unconfirmed)
        if self._waiting.display:
            self._waiting.redraw()

    def _view(self) -> TableView | None:
        followed = next(iter(self.seat.state.followed.values()), None)
        if followed is not None:
            return _looked_at(followed)
        forecast = self.seat.playing.forecast
        if forecast is None:
            return None
        if not self.seat.plays:
            return TableView(forecast.game)
        choosing = self.choosing
        return TableView(forecast.game, choosing.cursor, choosing.held, choosing.targets, forecast.places())

    @property
    def _is_closed(self) -> bool:
        room = self.seat.state.room
        return room is None or room.state == "closed"

    def changed(self) -> None:
        """The game is another: the hand looks again."""
        forecast = self.seat.playing.forecast
        if forecast is None:
            self.choosing.release()
        else:
            self.choosing.look_again()
            if not self._was_here and forecast.n and self.seat.plays:
                self._came_back()
            self._was_here = True
        if self.is_mounted:
            self.show()

    def _came_back(self) -> None:
        self._back_s = time.monotonic()
        self.add_news(say("back", self.seat.lang), "bold")
        self.say(say("back", self.seat.lang))

    def add_news(self, text: str, style: str = "") -> None:
        """Add a line to the news."""
        self._news.add(text, style, self.seat.room_id)

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Say something in the line under the table, until the next key."""
        self._said = Sentence(text, "wrong" if wrong else "")
        self.show()

    def done(self, done: Done) -> None:
        """An action of this player is stored: say what was taken back, or dealt, where it is not said yet."""
        position, src, dst = self.seat.state.position, done.src, done.dst
        if not self._tells_done or position is None:
            return
        self._tells_done = False
        if done.op == "r":
            self.say(self.words.redealt(done.redeals))
        elif done.op == "u" and src is not None and dst is not None:
            self._say_undone(position, src, dst)

    def _say_undone(self, table: Table, src: int, dst: int) -> None:
        """Say that the card which went from `src` to `dst` is back; `table` is as it is now."""
        self.say(self.words.undone(table.top(src) or "", src, table.top(dst), dst))

    def say_no_more(self) -> None:
        """What was said may be so no more."""
        self._said = None

    # Keys and mouse

    def action_do(self, name: str, argument: str = "") -> None:
        """Do what a key of the table means."""
        sure, self._sure, self._said, self._tells_done = self._sure, None, None, False
        if name == "arrow":
            self.choosing.arrow(cast(Direction, argument))
        elif name == "digit":
            self._play(lambda: self.choosing.digit(argument))
        else:
            self._sure = sure if sure == name else None
            if name not in ("choose", "home"):
                self.choosing.settle()
            self._actions[name]()
        self.show()

    def on_table_widget_gestured(self, message: TableWidget.Gestured) -> None:
        """Play with the mouse."""
        self._sure, self._said, self._tells_done = None, None, False
        gesture = message.gesture
        if isinstance(gesture, Click):
            self._play(lambda: self.choosing.click(gesture.place))
        elif isinstance(gesture, DoubleClick):
            self._play(lambda: self.choosing.double_click(gesture.place))
        else:
            self._play(lambda: self.choosing.drop(gesture.src, gesture.dst))
        self.show()

    def on_table_widget_lifted(self, message: TableWidget.Lifted) -> None:
        """Light up where a dragged card may go."""
        if message.place is not None and self.seat.plays:
            self.choosing.lift(message.place)
            self.show()

    def _play(self, gesture: Callable[[], Outcome]) -> None:
        """Do something with the table and play what comes of it."""
        if not self.seat.plays:
            if self.seat.playing.forecast is not None and not self._is_closed:
                self.say(word("no_game", self.seat.lang))
            return
        outcome, choosing = gesture(), self.choosing
        if isinstance(outcome, Action):
            self.seat.playing.play(outcome)
            if choosing.went is not None:
                self.say(self.words.went(*choosing.went))
        elif isinstance(outcome, Refusal):
            self.refuse(self.words.refused(outcome, self.seat.playing.game, *choosing.tried))
        elif outcome == "wait":
            self.say(word("not_yet", self.seat.lang))
        elif outcome == "gone" and choosing.went is not None:
            self.say(self.words.gone_already(*choosing.went), wrong=True)
        elif outcome == "held" and choosing.held is not None:
            card = face(self.seat.playing.game.top(choosing.held), self.seat.lang, self.seat.look.ascii_only)
            self.say(word("still_held", self.seat.lang, card=card), wrong=True)

    @property
    def words(self) -> MoveWords:
        """How moves are spoken of."""
        return sign_words(self.seat.lang, ascii_only=self.seat.look.ascii_only)

    def refuse(self, text: str) -> None:
        """Something cannot be done; say why, if interactive rules are on."""
        self.app.bell()
        if self.seat.look.explains:
            self.say(text, wrong=True)
        else:
            self.say_no_more()  # that it was done was said before the answer
            self.show()

    def _undo(self) -> None:
        room, forecast = self.seat.state.room, self.seat.playing.forecast
        if room is not None and room.options.get("undo") is False:
            self.refuse(word("no_undo", self.seat.lang))
            return
        if forecast is None or not self.seat.plays:
            self._play(lambda: UNDO)  # which says why not
        elif forecast.undoable > 0:
            moved = forecast.game.copy().undo()
            self._play(lambda: UNDO)
            if not isinstance(moved, Refusal):
                self._say_undone(forecast.game, *moved)
            else:  # it was played elsewhere, or before one came back: the server says what it was
                self._tells_done = True
        else:
            redealt = has_redealt(room, forecast.game.redeals)
            self.refuse(self.words.nothing_to_undo(forecast.moves, redealt))

    def _redeal(self) -> None:
        seat, forecast = self.seat, self.seat.playing.forecast
        if forecast is None or not seat.plays:
            self._play(lambda: REDEAL)  # which says why not
            return
        refusal = forecast.game.redeal_refusal()
        if refusal is not None:
            self.refuse(refusal_text(refusal, seat.lang))
        elif not legal_moves(forecast.position) or self._is_sure("redeal", count=forecast.game.redeals):
            self._play(lambda: REDEAL)
            self.say(self.words.redealt(forecast.game.redeals))

    # The race

    def _start(self) -> None:
        room = self.seat.state.room
        self.seat.lines.put("hold" if room is not None and room.state == "countdown" else "start")

    def _be_ready(self) -> None:
        self.seat.lines.put("unready" if self._is_ready else "ready")

    @property
    def _is_ready(self) -> bool:
        state = self.seat.state
        me = state.room.people.get(state.me) if state.room is not None else None
        return me is not None and me.ready

    def _forfeit(self) -> None:
        if self.seat.may_take_back:
            self.seat.lines.put("unforfeit")
        elif time.monotonic() - self._back_s < JUST_BACK_S:
            self.say(say("back", self.seat.lang))  # the key that led here, pressed once more
        elif self.seat.plays and self._is_sure("forfeit"):
            self.seat.lines.put("forfeit")

    def _again(self) -> None:
        room = self.seat.state.room
        if room is None:
            return
        if room.state == "closed":
            self.seat.lines.put("rematch" if room.next is None else "next")
        elif self.seat.plays and self._is_sure("again"):
            self._new_room()

    def _quit(self) -> None:
        if not self.seat.plays or self._is_sure("quit"):
            self.seat.lines.put("quit")

    def _is_sure(self, name: str, **values: object) -> bool:
        """Whether this key was pressed twice; after the first time it is asked."""
        if self._sure == name:
            self._sure = None
            return True
        self._sure = name
        self.say(seat_word(f"sure_{name}", self.seat.lang, practice=self.seat.practice, **values), wrong=True)
        return False

    # Screens over this one

    def _show_follow(self) -> None:
        why_not = self._why_no_follow()
        if why_not:
            self.say(why_not, wrong=True)
        elif not self.seat.may_take_back or self._is_sure("follow"):
            self.app.push_screen(FollowScreen(self.seat))

    def _why_no_follow(self) -> str:
        """Return why others' games cannot be looked into now; "" if they can."""
        seat, room = self.seat, self.seat.state.room
        position = seat.state.position
        if room is None:
            return ""
        may_undo = position is not None and position.undoable > 0 and room.options.get("undo") is not False
        is_done = position is not None and position.status == "blocked" and not may_undo
        waits = "player" in room.roles and position is None
        return why_no_follow(room, (seat.plays and not is_done) or waits, seat.lang)

    def _show_manage(self) -> None:
        room = self.seat.state.room
        if room is not None and not {"host", "referee"}.isdisjoint(room.roles):
            self.app.push_screen(ManageScreen(self.seat))
        else:
            self.say(word("not_yours", self.seat.lang), wrong=True)

    def show_result(self) -> None:
        """Show the board, and after the close what the race was; not over what is being typed."""
        if not self._typing.has_focus:
            self.app.push_screen(ResultScreen(self.seat))

    # Typing

    def _talk(self) -> None:
        self._open_typing(talks=True)  # also for the muted: what is typed on must not be taken for keys
        if self._is_muted:
            self.say(say("muted", self.seat.lang), wrong=True)

    @property
    def _is_muted(self) -> bool:
        room = self.seat.state.room
        return room is not None and room.is_muted

    def _open_typing(self, *, talks: bool) -> None:
        self._talks = talks
        self._typing.placeholder = word("talk_prompt" if talks else "command_prompt", self.seat.lang)
        self._typing.value = ""
        self._typing.add_class("-open")
        self._typing.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter sends what is typed."""
        event.stop()
        self._send()

    def _send(self) -> None:
        """Say what is typed, or do it. What the muted have typed stays there."""
        text = self._typing.value.strip()
        if text and self._talks and self._is_muted:
            self.say(say("muted", self.seat.lang), wrong=True)
            return
        command, _, topic = text.partition(" ")
        if not self._talks and command.casefold() == "help":
            rows = typed_help_rows(topic.strip(), self.seat.state.room, self.seat.lang)
            self.app.push_screen(TypedHelpScreen(rows, self.seat.lang))
        elif text:
            self._tells_done = not self._talks
            self.seat.lines.put(f"say {text}" if self._talks else text)
        self._close_typing()

    def on_key(self, event: object) -> None:
        """Escape leaves the line that is typed."""
        if getattr(event, "key", "") == "escape" and self._typing.has_focus:
            self._close_typing()

    def _close_typing(self) -> None:
        self._typing.remove_class("-open")
        self.set_focus(None)
        self.show()

    # The screen itself

    def _show_help(self) -> None:
        self.app.push_screen(HelpScreen(self.seat.lang, practice=self.seat.practice))

    def _toggle_explains(self) -> None:
        look = self.seat.look
        self.seat.look = look.with_explains(not look.explains)
        self.say(word("explains_on" if not look.explains else "explains_off", self.seat.lang))

    def _toggle_theme(self) -> None:
        self.app.theme = other_theme(self.app.theme)

    def _keys_now(self) -> list[Item]:
        """Return the keys that mean something now, for the bottom line."""
        seat = self.seat
        if self._typing.has_class("-open"):
            send = word("short_send" if self._talks else "short_run", seat.lang)
            return [("send", "Enter", send), ("unsay", "Esc", word("short_unsay", seat.lang))]
        return [
            item(name, seat.lang, short, practice=seat.practice, **values)
            for name, short, values in self._offers()
        ]

    def _offers(self) -> list[Offer]:
        """Return what can be done now: the key's name, its words' and their values."""
        left_out = NOT_ALONE if self.seat.practice else {"talk"} if self._is_muted else ()
        offers = [("help", "help", {}), *self._game_offers(), *self._room_offers(), *_ALWAYS]
        return [offer for offer in offers if offer[0] not in left_out]

    def _game_offers(self) -> list[Offer]:
        seat = self.seat
        if not seat.plays:
            return [("forfeit", "unforfeit", {})] if seat.may_take_back else []
        offers: list[Offer] = [("undo", "undo", {})]
        if seat.state.position is not None and seat.state.position.status == "blocked":
            return [*offers, ("forfeit", "forfeit", {}), ("again", "again", {})]
        if seat.playing.game.redeals:
            offers.append(("redeal", "redeal", {"count": seat.playing.game.redeals}))
        return [*offers, ("home", "home", {}), ("show", "show", {}), ("forfeit", "forfeit", {})]

    def _room_offers(self) -> list[Offer]:
        room = self.seat.state.room
        if room is None:
            return []
        looks: list[Offer] = [("result", "result", {})]
        if not self._why_no_follow():
            looks.append(("follow", "follow", {}))
        if room.state == "closed":
            may_rematch = not {"host", "player"}.isdisjoint(room.roles)
            return [*looks, ("again", "rematch", {})] if may_rematch else looks
        offers: list[Offer] = []
        start, waits = room.options.get("start", "host"), room.state in ("lobby", "countdown")
        if waits and start == "host" and "host" in room.roles:
            offers.append(("start", "start" if room.state == "lobby" else "hold", {}))
        if "player" in room.roles and (waits or (start == "own" and self.seat.state.position is None)):
            offers.append(("ready", "unready" if self._is_ready else "ready", {}))
        if room.state == "running" and not self.seat.plays:
            offers += looks
        if not self.seat.plays and not {"host", "referee"}.isdisjoint(room.roles):
            offers.append(("manage", "manage", {}))
        return offers


def _looked_at(position: Position) -> TableView:
    """Return the view of somebody else's game."""
    return TableView(seen_game(position))
