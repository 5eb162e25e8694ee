"""Durations and moments as people read them."""

import datetime
import re

from client_cli.texts import say
from protocol.messages import Lang

_DAY_MS = 86_400_000
_EXACT_MS = 600_000
_RACE_TIME = re.compile(r"(?:(?:(\d{1,3}):)?(\d{1,4}):)?(\d{1,6}(?:\.\d{1,3})?)")


def duration_text(ms: int, lang: Lang) -> str:
    """Return a duration in hours, minutes and seconds, without those that are none: `1 h 30 min`."""
    minutes, seconds = divmod(max(0, round(ms / 1000)), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, say("hours", lang)), (minutes, "min"), (seconds, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"


def until_text(ms: int, lang: Lang) -> str:
    """Return how long it is still, in whole minutes where it is long."""
    return duration_text(ms if ms < _EXACT_MS else round(ms / 60_000) * 60_000, lang)


def clock_text(moment_ms: int, now_ms: int) -> str:
    """Return a moment by this place's clock: `20:30`, with the day where it is more than a day away."""
    moment = datetime.datetime.fromtimestamp(moment_ms / 1000).astimezone()
    return moment.strftime("%H:%M" if abs(moment_ms - now_ms) < _DAY_MS else "%Y-%m-%d %H:%M")


def race_time_ms(text: str) -> int | None:
    """Return a time in a race, typed as `83`, `83.5`, `1:23` or `1:02:03`, in milliseconds; None for none."""
    found = _RACE_TIME.fullmatch(text.strip())
    if found is None:
        return None
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return round((hours * 3600 + minutes * 60 + seconds) * 1000)
