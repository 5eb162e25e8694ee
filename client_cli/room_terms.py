"""What is special about a room, and what one types in it first."""

from typing import Any

from client_cli.durations import clock_text, duration_text, until_text
from client_cli.race_state import RaceState
from client_cli.room_options import typed_name
from client_cli.room_view import RoomView
from client_cli.texts import say
from protocol.messages import Lang
from server.rooms.options import RULES, Moment, Options

_DEFAULTS = Options()
_FLAGS = ("sealed", "late", "listed", "password")
_FLAGS_OFF = ("undo", "chat")


def terms_line(options: dict[str, Any], now_ms: int, lang: Lang, between: str = " · ") -> str:
    """Return every option that is not the default, "" where all are. A room for one needs no terms."""
    if options.get("max_players") == 1:
        return ""
    parts = [
        _term(name, options[name], options, now_ms, lang)
        for name in RULES
        if name in options and options[name] != getattr(_DEFAULTS, name)
    ]
    return between.join(part for part in parts if part)


def _term(name: str, value: Any, options: dict[str, Any], now_ms: int, lang: Lang) -> str:
    """Return one option's term, "" for one that the room's line or another term has."""
    if name in _FLAGS or name in _FLAGS_OFF:
        return say(f"term_{name}", lang)
    match name:
        case "start" if value in ("ready", "own"):
            return say(f"term_start_{value}", lang)
        case "start_at" | "close_at" if isinstance(value, int):
            clock, left = clock_text(value, now_ms), until_text(value - now_ms, lang)
            return say(f"term_{name}", lang, clock=clock, left=left)
        case "min_players":
            return say("term_min_players", lang, count=value)
        case "countdown_ms" | "limit_ms" | "after_win_ms" if isinstance(value, int):
            return say(f"term_{name}", lang, time=duration_text(value, lang))
        case "rank_by" if value == "moves":
            return say("term_moves", lang)
        case "spectators" if value in ("none", "live", "delayed"):
            delay_ms = int(options.get("delay_ms", _DEFAULTS.delay_ms))
            return say(f"term_spectators_{value}", lang, time=duration_text(delay_ms, lang))
    return ""


def change_text(name: str, value: Any, now_ms: int, lang: Lang) -> str:
    """Return an option that was changed, by the name and in the unit in which it is typed."""
    if name == "password":
        return say("password_set" if value else "password_gone", lang)
    if isinstance(value, bool):
        shown = "yes" if value else "no"
    elif value is None:
        shown = "none"
    elif name.endswith("_ms") and isinstance(value, int):
        shown = duration_text(value, lang)
    elif isinstance(RULES.get(name), Moment) and isinstance(value, int):
        shown = clock_text(value, now_ms)
    else:
        shown = str(value)
    return f"{typed_name(name)} = {shown}"


def first_hint(state: RaceState) -> tuple[str, dict[str, object]] | None:
    """Return the sentence, by its key, that says what to type in the room just entered; None for nothing."""
    room = state.room
    if room is None:
        return None
    start, waits = room.options.get("start", "host"), room.state in ("lobby", "countdown")
    if room.state != "closed" and start == "own" and _has_yet_to_start(room, state.me):
        return "get_ready_own", {}
    if waits and start == "host" and "host" in room.roles:
        return "host_start", {}
    if waits and start == "at" and isinstance(room.options.get("start_at"), int):
        return "starts_by_itself", {"clock": clock_text(room.options["start_at"], state.clock.now_ms())}
    if "player" not in room.roles:
        return "help_hint", {}
    return ("get_ready", {}) if waits else None


def _has_yet_to_start(room: RoomView, me: str) -> bool:
    row = room.own_row
    return "player" in room.roles and (row is None or row.status == "waiting")
