"""The top of the screen: the room and the line to the server; the clock and the figures of the game."""

from rich.cells import cell_len
from rich.text import Text

from client_cli.race_state import RaceState
from client_cli.safe_text import safe_text
from client_cli.screen.drawn_widget import DrawnWidget
from client_cli.screen.forecast import Forecast
from client_cli.screen.line_state import Told
from client_cli.screen.standings_widget import short_time
from client_cli.screen.words import word
from client_cli.texts import say
from protocol.messages import Lang

_LINE_MARKS = {"online": "●", "slow": "◆", "lost": "×"}
_LINE_STYLES = {"online": "", "slow": "bold reverse", "lost": "bold reverse"}


def clock_words(state: RaceState, lang: Lang) -> str:
    """Return the clock: till the start, since the start, or how long it took; "" where there is none."""
    room, now_ms = state.room, state.clock.now_ms()
    if room is None:
        return ""
    position = next(iter(state.followed.values()), state.position)
    if room.state == "countdown" and room.start_at is not None:
        return word("clock_before", lang, time=_until(room.start_at - now_ms))
    if position is None:
        if room.state == "running" and room.start_at is not None and room.options.get("start") != "own":
            return short_time(now_ms - room.start_at)
        return ""
    running = position.status in ("playing", "blocked") and room.state == "running"
    return short_time(now_ms - position.start_at if running else position.ms)


def figures(state: RaceState, forecast: Forecast | None, lang: Lang) -> list[str]:
    """Return the clock and the game's figures, with what is on its way counted in."""
    parts = [clock_words(state, lang)]
    followed = next(iter(state.followed), None)
    if followed is not None:
        position = state.followed[followed]
        who = state.room.name_of(followed) if state.room is not None else ""
        parts += [word("follows", lang, who=who), word("moves", lang, count=position.moves)]
        parts += [word("home", lang, count=position.home), word("redeals", lang, count=position.redeals)]
    elif forecast is not None:
        game = forecast.game
        parts += [word("moves", lang, count=forecast.moves), word("home", lang, count=game.home)]
        parts += [word("redeals", lang, count=game.redeals)]
    room = state.room
    if room is not None and room.state == "running" and room.ends_at is not None:
        parts.append(word("ends_in", lang, time=_until(room.ends_at - state.clock.now_ms())))
    return [part for part in parts if part]


def room_words(state: RaceState, lang: Lang) -> str:
    """Return which room this is."""
    room = state.room
    if room is None:
        return "Crescent"
    parts = [room.id]
    if room.options.get("name"):
        parts.append(say("quoted", lang, text=room.options["name"]))
    parts.append(say(f"state_{room.state}", lang))
    if room.code:
        parts.append(safe_text(room.code))
    return " · ".join(parts)


def _until(ms: int) -> str:
    """Return how long it still is, rounded up: 00:00 is never told before it is so."""
    return short_time(max(0, -(-ms // 1000)) * 1000)


def line_text(told: Told, lang: Lang) -> tuple[str, str]:
    """Return what is said of the line to the server, and its style."""
    return f" {_LINE_MARKS[told.kind]} {word(told.key, lang, **told.values)} ", _LINE_STYLES[told.kind]


class StatusWidget(DrawnWidget):
    """Shows both lines."""

    def __init__(self, state: RaceState, lang: Lang) -> None:
        super().__init__("status")
        self._state = state
        self._lang = lang
        self._forecast: Forecast | None = None
        self._line = Told("online", "line_online", {})
        self._unconfirmed = 0

    def show(self, forecast: Forecast | None, line: Told, unconfirmed: int) -> None:
        """Show this from now on."""
        self._forecast, self._line, self._unconfirmed = forecast, line, unconfirmed
        self.redraw()

    def drawn(self) -> Text:
        """Return both lines for the present width."""
        width = self.size.width
        line, line_style = line_text(self._line, self._lang)
        room = Text(f" {room_words(self._state, self._lang)}", style="bold")
        room.truncate(max(0, width - cell_len(line)), overflow="ellipsis", pad=True)
        text = Text.assemble(room, (line, line_style), "\n", no_wrap=True, overflow="crop")
        parts = figures(self._state, self._forecast, self._lang)
        if parts:
            text.append(f" {parts[0]}", "bold")
            text.append("".join(f"   {part}" for part in parts[1:]))
        if self._unconfirmed:
            text.append(f"   ~ {word('unconfirmed', self._lang, count=self._unconfirmed)}", "bold italic")
        return text
