"""The room's events as sentences."""

from collections.abc import Callable

from client_cli.race_state import RaceState
from client_cli.room_terms import change_text
from client_cli.standings import time_text
from client_cli.texts import TEXTS, say
from protocol.messages import Event, Lang

IMPORTANT = frozenset(
    ("won", "forfeited", "unforfeited", "disqualified", "reinstated", "kicked", "banned", "closed")
)
"""Kinds after which the whole board is shown at once."""

_VARIANTS = {
    ("ready", False): "event_unready",
    ("referee", False): "event_no_referee",
    ("muted", False): "event_unmuted",
}


def event_line(
    event: Event, state: RaceState, lang: Lang, time: Callable[[int], str] = time_text
) -> str | None:
    """Return what an event says to people, after `state` took it in; None for a kind without a sentence.

    `time` writes a duration in milliseconds.
    """
    who = event.name or _name_of(event.player, state, lang)
    match event.kind:
        case "countdown" if event.start_at is not None:
            seconds = seconds_until(event.start_at, state)
            return say("starts_in", lang, seconds=seconds) if seconds else None
        case "ending" if event.ends_at is not None:
            return say("event_ending", lang, seconds=seconds_until(event.ends_at, state))
        case "joined" if event.role == "spectator":
            return say("event_watching_role", lang, who=who)
        case "started":
            line = say("event_started" if event.player is None else "event_started_one", lang, who=who)
            return f"{line} {say('deal_code', lang, code=event.code)}" if event.code else line
        case "won" if event.ms is not None:
            return say("event_won", lang, who=who, time=time(event.ms), moves=event.moves or 0)
        case "won":  # with own starts others' figures are hidden until the close
            return say("event_won_plain", lang, who=who)
        case "closed":
            return _closed_line(event, state, lang)
        case "rematch":
            # Whoever opened it is on the way there.
            by = _name_of(event.by, state, lang)
            return None if event.by == state.me else say("event_rematch", lang, who=by, room=event.next or "")
        case "options":
            now_ms = state.clock.now_ms()
            changes = (event.options or {}).items()
            changed = ", ".join(change_text(name, value, now_ms, lang) for name, value in changes)
            return say("event_options", lang, options=changed)
    key = _key(event, state)
    return say(key, lang, who=who, reason=event.reason or "").rstrip() if key in TEXTS else None


def _name_of(player: str | None, state: RaceState, lang: Lang) -> str:
    known = state.room.name_of(player or "") if state.room is not None else ""
    return known or say("somebody", lang)  # spectators have no names


def _key(event: Event, state: RaceState) -> str:
    """Return the key of the sentence for a kind of event that has no more to say than who."""
    if event.kind == "left" and _keeps_game(event, state):
        return "event_left_game"
    flag = event.ready if event.kind == "ready" else event.on
    return _VARIANTS.get((event.kind, bool(flag)), f"event_{event.kind}")


def _keeps_game(event: Event, state: RaceState) -> bool:
    """Return whether who left has a game in this race, which stays."""
    room = state.room
    return (
        room is not None
        and room.state == "running"
        and any(row.player == event.player and row.status != "waiting" for row in room.rows)
    )


def _closed_line(event: Event, state: RaceState, lang: Lang) -> str:
    key = f"reason_{event.reason}"
    reason = say(key, lang) if key in TEXTS else event.reason or "?"
    line = say("event_closed", lang, reason=reason)
    if event.reason == "host" and state.room is not None and state.room.is_for_one:
        line = say("race_is_over", lang)  # alone, the host is oneself
    if event.text:
        line += f" {say('quoted', lang, text=event.text)}"
    return f"{line} {say('deal_code', lang, code=event.code)}" if event.code else line


def seconds_until(moment_ms: int, state: RaceState) -> int:
    """Return the whole seconds from now to a moment of the race clock, at least 0."""
    return max(0, -((state.clock.now_ms() - moment_ms) // 1000))
