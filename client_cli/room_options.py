"""The options of a room as they are typed, and as `create` takes them."""

import datetime
import re
from dataclasses import dataclass
from typing import Any

from server.rooms.options import RULES, Flag, Moment, Password, Whole

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
    rank_by: str | None = None
    undo: bool | None = None
    listed: bool | None = None
    late: bool | None = None
    sealed: bool | None = None
    spectators: str | None = None
    password: str | None = None

    def to_wire(self, now_ms: int) -> dict[str, Any]:
        """Return the map that `create` takes; `now_ms` is the race clock's, for moments such as `+15`.

        MomentError for a `start_at` or `close_at` that names none. The server judges the rest, in words.
        """
        options: dict[str, Any] = {
            "name": self.room_name,
            "deal": self.deal,
            "variant": self.variant,
            "visibility": self.visibility,
            "start": self.start,
            "start_at": parse_moment(self.start_at, now_ms),
            "close_at": parse_moment(self.close_at, now_ms),
            "min_players": self.min_players,
            "max_players": self.max_players,
            "countdown_ms": _ms(self.countdown_s, 1000),
            "limit_ms": _ms(self.limit_min, _MINUTE_MS),
            "rank_by": self.rank_by,
            "undo": self.undo,
            "listed": self.listed,
            "late": self.late,
            "sealed": self.sealed,
            "spectators": self.spectators,
            "password": self.password,
        }
        return {name: value for name, value in options.items() if value is not None}


def _ms(value: float | None, unit_ms: int) -> int | None:
    return None if value is None else round(value * unit_ms)


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


class SettingError(ValueError):
    """A typed option that there is not, or a value that it cannot have: `key` names the sentence."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key
        self.options = ", ".join(name.replace("_", "-") for name in RULES)


_SHORT = {"countdown": ("countdown_ms", 1000), "limit": ("limit_ms", _MINUTE_MS), "room_name": ("name", 1)}
"""Names and units as `crescent host` has them; the wire's own names and units are taken as well."""

_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NONE = ("none", "null")


def read_setting(option: str, value: str, now_ms: int) -> dict[str, Any]:
    """Return an option typed as `set OPTION VALUE`, as `manage` takes it: `limit 15`, `undo no`, `name Club`.

    Raises `SettingError` for one that there is not, MomentError for a moment that is none. Ranges are the
    server's to judge.
    """
    name, unit = _SHORT.get(option.lower().replace("-", "_"), (option.lower().replace("-", "_"), 1))
    rule = RULES.get(name)
    if rule is None:
        raise SettingError("unknown_option", option)
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
        return {name: parse_moment(value, now_ms)}
    if isinstance(rule, Whole):
        try:
            return {name: round(float(value) * unit)}
        except (ValueError, OverflowError):
            raise SettingError("no_number", option) from None
    return {name: value}
