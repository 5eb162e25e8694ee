"""The options of a room as they are typed, and as `create` takes them."""

import datetime
import math
import re
from dataclasses import dataclass
from typing import Any

from protocol.messages import Lang
from server.rooms.options import AHEAD_MS_MAX, RULES, Flag, Moment, Password, Whole

_MINUTE_MS = 60_000


class MomentError(ValueError):
    """A text that names no moment."""


@dataclass(frozen=True, slots=True)
class RoomOptions:
    """What `host` was told. None leaves an option to the server's default."""

    room_name: str | None = None
    deal: str | None = None
    variant: str | None = None
    visibility: str | None = None
    start: str | None = None
    start_at: str | None = None
    close_at: str | None = None
    min_players: int | None = None
    max_players: int | None = None
    countdown_s: float | None = None
    limit_min: float | None = None
    after_win_min: float | None = None
    rank_by: str | None = None
    undo: bool | None = None
    listed: bool | None = None
    late: bool | None = None
    sealed: bool | None = None
    spectators: str | None = None
    delay_s: float | None = None
    chat: bool | None = None
    password: str | None = None

    def to_wire(self, now_ms: int) -> dict[str, Any]:
        """Return the map that `create` takes; `now_ms` is the race clock's, for moments such as `+15`.

        MomentError for a `start_at` or `close_at` that names none, SettingError for a moment or a duration
        out of its range. The server judges the rest, in words.
        """
        options: dict[str, Any] = {
            "name": self.room_name,
            "deal": self.deal,
            "variant": self.variant,
            "visibility": self.visibility,
            "start": self.start,
            "start_at": _moment(self.start_at, now_ms),
            "close_at": _moment(self.close_at, now_ms),
            "min_players": self.min_players,
            "max_players": self.max_players,
            "countdown_ms": _ms("countdown_ms", self.countdown_s),
            "limit_ms": _ms("limit_ms", self.limit_min),
            "after_win_ms": _ms("after_win_ms", self.after_win_min),
            "rank_by": self.rank_by,
            "undo": self.undo,
            "listed": self.listed,
            "late": self.late,
            "sealed": self.sealed,
            "spectators": self.spectators,
            "delay_ms": _ms("delay_ms", self.delay_s),
            "chat": self.chat,
            "password": self.password,
        }
        return {name: value for name, value in options.items() if value is not None}


class SettingError(ValueError):
    """An option that there is not, or a value that it cannot have: `key` and `values` are its sentence."""

    def __init__(self, key: str, text: str, **more: object) -> None:
        super().__init__(text)
        self.key = key
        self.values: dict[str, object] = {"text": text, **more}


_UNITS = {
    "countdown_ms": ("countdown", 1000),
    "limit_ms": ("limit", _MINUTE_MS),
    "after_win_ms": ("after-win", _MINUTE_MS),
    "delay_ms": ("delay", 1000),
}
"""Durations by their names on the wire: how they are typed, and in milliseconds of what."""

_WIRE = {typed.replace("-", "_"): name for name, (typed, _) in _UNITS.items()} | {"room_name": "name"}


def typed_name(name: str) -> str:
    """Return an option's name as it is typed, after `set` or `--`."""
    return _UNITS[name][0] if name in _UNITS else name.replace("_", "-")


def _ms(name: str, value: float | None) -> int | None:
    """Return a duration in the wire's milliseconds; SettingError where it is out of its range."""
    if value is None:
        return None
    typed, unit_ms = _UNITS[name]
    try:
        ms = round(value * unit_ms)
    except (ValueError, OverflowError):
        raise SettingError("no_number", typed) from None
    if not RULES[name].accepts(ms):
        raise SettingError("out_of_range", typed, allowed=_duration_range(name))
    return ms


def allowed_text(name: str, lang: Lang) -> str:
    """Return which values an option takes, a duration's in the unit in which it is typed."""
    return _duration_range(name) if name in _UNITS else RULES[name].allowed.text(lang)


def _duration_range(name: str) -> str:
    """Return a duration's range, in figures and units that are the same in every language."""
    rule, (_, unit_ms) = RULES[name], _UNITS[name]
    assert isinstance(rule, Whole)
    low, high = math.ceil(rule.low / unit_ms * 100) / 100, rule.high / unit_ms
    return ("0, " if rule.zero else "") + f"{low:g}-{high:.0f} {'s' if unit_ms == 1000 else 'min'}"


def typed_number(name: str, value: int) -> str:
    """Return a number as it is typed: a duration in its unit, without a fraction that is none."""
    return f"{value / _UNITS[name][1]:.10g}" if name in _UNITS else str(value)


def _moment(text: str | None, now_ms: int) -> int | None:
    """Return a typed moment that a race can have: ahead, and not too far."""
    moment = parse_moment(text, now_ms)
    if moment is not None and not now_ms < moment <= now_ms + AHEAD_MS_MAX:
        raise SettingError("moment_past" if moment <= now_ms else "moment_far", (text or "").strip())
    return moment


def parse_moment(text: str | None, now_ms: int) -> int | None:
    """Return a moment in Unix milliseconds: `+15` (minutes), `20:30` (the next one, local time), or ISO 8601.

    MomentError for anything else.
    """
    if text is None:
        return None
    text = text.strip()
    try:
        if re.fullmatch(r"\+\d{1,6}(\.\d{1,3})?", text):
            return now_ms + round(float(text) * _MINUTE_MS)
        if re.fullmatch(r"\d{1,2}:\d{2}", text):
            now = datetime.datetime.fromtimestamp(now_ms / 1000).astimezone()
            clock = datetime.time.fromisoformat(text.zfill(5))
            moment = now.replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0)
            if moment <= now:
                moment += datetime.timedelta(days=1)
            return round(moment.timestamp() * 1000)
        return round(datetime.datetime.fromisoformat(text).astimezone().timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise MomentError(text) from None


_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NONE = ("none", "null")


def read_setting(option: str, value: str, now_ms: int) -> dict[str, Any]:
    """Return an option typed as `set OPTION VALUE`, as `manage` takes it: `limit 15`, `undo no`, `name Club`.

    Raises `SettingError` for one that there is not, MomentError for a moment that is none. Durations are in
    the units that `crescent host` has, or, by the wire's names, in milliseconds. A moment to start at says
    how it starts as well.
    """
    plain = option.lower().replace("-", "_")
    name = _WIRE.get(plain, plain)
    rule = RULES.get(name)
    if rule is None:
        raise SettingError("unknown_option", option, options=", ".join(map(typed_name, RULES)))
    if not value:
        raise SettingError("no_value", option)
    folded = value.casefold()
    if isinstance(rule, Flag):
        if folded not in _FLAGS:
            raise SettingError("no_flag", option)
        return {name: _FLAGS[folded]}
    if isinstance(rule, Moment | Password) and folded in _NONE:
        return {name: None}
    if isinstance(rule, Moment):
        moment = _moment(value, now_ms)
        return {"start": "at", name: moment} if name == "start_at" else {name: moment}
    if name == "start" and folded == "at":
        raise SettingError("start_at_set", option)
    if isinstance(rule, Whole):
        number = _number(option, value)
        return {name: _ms(name, number) if plain in _WIRE else round(number)}
    return {name: value}


def _number(option: str, value: str) -> float:
    """Return a typed number; SettingError for what is none, or endless."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise SettingError("no_number", option)
    return number
