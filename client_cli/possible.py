"""Whether an event of a log could happen in its room, where and when it stands.

What people asked for is asked again of the room as it was (`decide`), and what happens by itself is derived
again (`upcoming`): by the same rules as when the race was on. The answers are keys of `verify_texts.WHY`.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from client_cli.replayed import ReplayedGame
from server.rooms import commands as cmd
from server.rooms import events as ev
from server.rooms.decide import decide, may_rematch
from server.rooms.due import CLOSE_GRACE_MS, final_at, upcoming
from server.rooms.options import RULES, SET_ANY_TIME, Options, check_moments, check_relations
from server.rooms.problems import RoomProblem
from server.rooms.room import Person, Room
from server.rooms.sight import may_watch
from server.rooms.standings import Progress

SLACK_MS = 5_000
"""An action or event is stamped with when it came in, and stored up to this much later: of two that meet,
the one stored first may bear the later stamp."""

DECISION_MS = 30_000
"""A start that was asked for counts from when it was decided; its stamp, from when it was asked for."""

Games = Mapping[str, ReplayedGame]


def why_not(room: Room, event: ev.RoomEvent, at: int, games: Games, previous: ev.RoomEvent | None) -> str:
    """Why this event could not happen in this room, after `previous`; "" if it could."""
    if isinstance(event, ev.Created) != (room.v == 0):
        return "created_once"
    if isinstance(event, ev.Created):
        return _options_problem(event.options, msgspec.structs.asdict(event.options), at, 0)
    if isinstance(event, ev.Won):
        return _win_problem(room, event, at, games)
    if isinstance(event, ev.Ending):
        return _ending_problem(room, event, at)
    if is_derived(event):
        return _derived_problem(room, event, at, games)
    return _overdue(room, at) or _asked_problem(room, event, at, games, previous)


def is_derived(event: ev.RoomEvent) -> bool:
    """Whether this happens by itself, at a moment that the room names."""
    match event:
        case ev.Won() | ev.Ending():
            return True
        case ev.Started(player=who) | ev.Held(by=who) | ev.Closed(by=who) | ev.HostChanged(by=who):
            return not who
    return False


def untold(room: Room, progress: Mapping[str, Progress]) -> list[str]:
    """Who has won by the log of their game without its being told. A race is not closed before."""
    return [
        player
        for player, game in progress.items()
        if game.status == "won"
        and room.people[player].game == "playing"
        and not room.people[player].disqualified_at
    ]


def progress_in(room: Room, games: Games) -> dict[str, Progress]:
    """How far each game of this room came at its end; a player without an action has no entry."""
    progress = {}
    for player, game in games.items():
        person = room.people.get(player)
        came = game.progress(person.start_at) if person is not None and person.game is not None else None
        if came is not None:
            progress[player] = came
    return progress


# What happens by itself -----------------------------------------------------------------------------------


def _win_problem(room: Room, event: ev.Won, at: int, games: Games) -> str:
    person, game = room.people.get(event.player), games.get(event.player)
    if room.state != "running" or person is None or person.game != "playing" or person.disqualified_at:
        return "not_playing"
    if game is None or not game.won:
        return "not_won"
    same = (event.n, event.ms, event.moves, at)
    return "" if same == (game.actions, game.last_ms, game.moves, person.start_at + game.last_ms) else "win"


def _ending_problem(room: Room, event: ev.Ending, at: int) -> str:
    first, after_win_ms = room.first_won_at, room.options.after_win_ms
    if room.state != "running" or first is None or not after_win_ms or room.own_starts:
        return "no_ending"
    ends = first + after_win_ms
    told = (event.ends_at, at) == (ends, first)
    return "" if told and (room.ends_at is None or ends < room.ends_at) else "no_ending"


def _derived_problem(room: Room, event: ev.RoomEvent, at: int, games: Games) -> str:
    if isinstance(event, ev.HostChanged):
        return _succession_problem(room, event)
    progress = progress_in(room, games) if room.state == "running" else {}
    due = upcoming(room, progress)
    if due is None or due.event != event:
        return "not_due"
    return "" if due.at == at else "not_then"


def _succession_problem(room: Room, event: ev.HostChanged) -> str:
    person = room.people.get(event.player)
    if room.state == "closed" or person is None or not person.present or person.id == room.host:
        return "no_successor"
    return "" if person.referee or person.role == "player" else "no_successor"


def _overdue(room: Room, at: int) -> str:
    """Whether something of the room's own was to happen first."""
    if room.state in ("lobby", "countdown"):
        due = upcoming(room, {})
        return "overdue" if due is not None and due.fires_at + SLACK_MS < at else ""
    late = room.ends_at is not None and room.ends_at + CLOSE_GRACE_MS + SLACK_MS < at
    return "overdue" if room.state == "running" and late else ""


# What people asked for ------------------------------------------------------------------------------------

NO_DRAW = cmd.Draw(codes={}, sealed_codes={}, nonce="")

ASKED: dict[type[ev.RoomEvent], Callable[[Any], cmd.Command]] = {
    ev.Joined: lambda event: cmd.Join(by=event.player, role=event.role, name=event.name or None),
    ev.Left: lambda event: cmd.Leave(by=event.player),
    ev.ReadySet: lambda event: cmd.SetReady(by=event.player, ready=event.ready),
    ev.Started: lambda event: cmd.SetReady(by=event.player, ready=True),
    ev.Countdown: lambda event: cmd.StartCountdown(by=event.by),
    ev.Held: lambda event: cmd.Hold(by=event.by),
    ev.Forfeited: lambda event: cmd.Forfeit(by=event.player, n=event.n),
    ev.Unforfeited: lambda event: cmd.Unforfeit(by=event.player),
    ev.Kicked: lambda event: cmd.Kick(by=event.by, player=event.player),
    ev.Banned: lambda event: cmd.Ban(by=event.by, player=event.player),
    ev.Disqualified: lambda event: cmd.Disqualify(by=event.by, player=event.player, reason=event.reason),
    ev.Reinstated: lambda event: cmd.Reinstate(by=event.by, player=event.player, reason=event.reason),
    ev.RefereeSet: lambda event: cmd.SetReferee(by=event.by, player=event.player, on=event.on),
    ev.HostChanged: lambda event: cmd.SetHost(by=event.by, player=event.player),
    ev.Muted: lambda event: cmd.Mute(by=event.by, player=event.player, on=event.on),
    ev.Closed: lambda event: cmd.Close(by=event.by, text=event.text),
    ev.Forgotten: lambda event: cmd.Forget(by=event.player),
    ev.Rematch: lambda event: cmd.TellRematch(by=event.by, next=event.next),
}


def _asked_problem(
    room: Room, event: ev.RoomEvent, at: int, games: Games, previous: ev.RoomEvent | None
) -> str:
    match event:
        case ev.Joined() if event.role not in ("player", "spectator"):
            return "not_allowed"
        case ev.OptionsSet():
            return _set_problem(room, event, at)
        case ev.Watching():
            return _watching_problem(room, event, at, games)
        case ev.Rematch() if not may_rematch(room, event.by):
            return "not_allowed"
        case ev.Countdown(by=""):
            return _all_ready_problem(room, event, at)
        case ev.Held() if room.state == "countdown" and event.by != room.host:
            unready = previous == ev.ReadySet(player=event.by, ready=False)
            return "" if unready and room.options.start == "ready" else "not_host"
    decided_at = _decided_at(room, event, at)
    if abs(decided_at - at) > DECISION_MS:
        return "not_then"
    try:
        events = decide(room, ASKED[type(event)](event), decided_at)
    except RoomProblem as problem:
        return problem.code
    return "" if events and events[0] == event else "not_so"


def _decided_at(room: Room, event: ev.RoomEvent, at: int) -> int:
    """When the room decided upon it, as far as the event says so itself."""
    if isinstance(event, ev.Started):
        return event.start_at
    return event.start_at - room.options.countdown_ms if isinstance(event, ev.Countdown) else at


def _all_ready_problem(room: Room, event: ev.Countdown, at: int) -> str:
    players = room.players
    ready = len(players) >= room.options.min_players and all(person.ready for person in players)
    if room.state != "lobby" or room.options.start != "ready" or not ready:
        return "not_due"
    return "" if abs(_decided_at(room, event, at) - at) <= DECISION_MS else "not_then"


def _watching_problem(room: Room, event: ev.Watching, at: int, games: Games) -> str:
    person = room.people.get(event.player)
    others = any(other.game is not None for other in room.people.values() if other.id != event.player)
    if room.state != "running" or person is None or person.watching or not others:
        return "not_allowed"
    return "" if may_watch(room, person, _is_done(room, person, at, games)) else "not_allowed"


def _is_done(room: Room, person: Person, at: int, games: Games) -> bool:
    """Whether their own game could go no further then. (A game that is stuck for good stays so.)"""
    game = games.get(person.id)
    moment = final_at(person, game.progress(person.start_at) if game is not None else None, room)
    return moment is not None and moment <= at + SLACK_MS


def _set_problem(room: Room, event: ev.OptionsSet, at: int) -> str:
    if not room.manages(event.by):
        return "not_host"
    if room.state == "closed" or (room.state != "lobby" and not SET_ANY_TIME.issuperset(event.options)):
        return "wrong_state"
    before = msgspec.structs.asdict(room.options)
    if not event.options or any(
        name not in before or (value == before[name] and name != "password")
        for name, value in event.options.items()
    ):
        return "bad_options"
    after = msgspec.structs.replace(room.options, **event.options)
    return _options_problem(after, event.options, at, len(room.players))


def _options_problem(options: Options, set_now: Mapping[str, Any], at: int, present: int) -> str:
    """What is wrong with options, of which some were set at this moment."""
    shown = msgspec.structs.asdict(options)
    if not all(rule.accepts(shown[name]) for name, rule in RULES.items()):
        return "bad_options"
    try:
        check_relations(options, present)
        check_moments(options, set_now, at - SLACK_MS)
    except RoomProblem as problem:
        return problem.code
    return ""
