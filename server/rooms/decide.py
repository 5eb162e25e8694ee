"""What a command does to a room: `decide` answers with the events that say so, or says why not."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import asdict

from server.rooms import commands as cmd
from server.rooms import events as ev
from server.rooms.names import alike, clean_name
from server.rooms.options import (
    DECIDES_THE_DEAL,
    RANDOM_DEAL,
    SET_ANY_TIME,
    Options,
    change_options,
)
from server.rooms.problems import RoomProblem
from server.rooms.room import Person, Room, apply
from server.rooms.sight import may_watch
from server.rooms.whys import Why

FORFEIT_TAKE_BACK_MS = 60_000
SPECTATORS_MAX = 1000  # beside the players; a board for more is a broadcast, not a room

Events = list[ev.RoomEvent]


def decide(room: Room, command: cmd.Command, now_ms: int) -> Events:
    """The events this command leads to in this room at this moment of the race clock.

    An empty list: it asks for what is so already. Raises `RoomProblem`; then nothing changes.
    """
    decider = DECIDE[room.state].get(type(command))
    if decider is None:
        raise RoomProblem("wrong_state")
    events = decider(room, command, now_ms)
    return events + _everybody_is_ready(room, events, now_ms)


def _everybody_is_ready(room: Room, events: Events, now_ms: int) -> Events:
    """In a room that starts when all are ready: the countdown, once the events have made it so."""
    after = fold_draft(room, events, now_ms)
    if not events or after.state != "lobby" or after.options.start != "ready":
        return []
    players = after.players
    if len(players) < after.options.min_players or not all(person.ready for person in players):
        return []
    return [ev.Countdown(start_at=now_ms + after.options.countdown_ms)]


def create(command: cmd.CreateRoom, now_ms: int) -> Events:
    """The first event of a new room. Raises `RoomProblem` `bad_options`."""
    wanted = {"name": command.name, **command.options}
    options = change_options(Options(), wanted, now_ms)
    code, nonce = _the_deal(options, command.draw)
    return [
        ev.Created(by=command.by, options=options, deal=code, nonce=nonce, name=command.name, key=command.key)
    ]


def _the_deal(options: Options, draw: cmd.Draw) -> tuple[str, str]:
    """The game code and, sealed, the nonce of the commit."""
    if options.sealed:
        return draw.sealed_codes[options.variant], draw.nonce
    if options.deal == RANDOM_DEAL:
        return draw.codes[options.variant], ""
    return options.deal, ""


def _must_be_host(room: Room, by: str) -> None:
    if by != room.host:
        raise RoomProblem("not_host")


def _must_manage(room: Room, by: str) -> None:
    if not room.manages(by):
        raise RoomProblem("not_host")


def _player(room: Room, by: str) -> Person:
    """The one who asks, who must have a seat or a game here."""
    person = room.people.get(by)
    if person is None or person.role != "player":
        raise RoomProblem("not_allowed", Why.NO_SEAT)
    return person


def _join(room: Room, command: cmd.Join, now_ms: int) -> Events:
    if command.by in room.banned:
        raise RoomProblem("banned")
    person = room.people.get(command.by)
    role = command.role or _role_to_resume(room, person)
    if role is None:
        if command.by == room.host:
            return []  # a host who takes no seat comes back to the desk
        raise RoomProblem("not_allowed", Why.ROLE_MISSING)
    if person is not None and person.game is not None and room.state == "closed" and not person.kicked:
        role = person.role  # nothing is played any more: whoever raced here looks on as who they were
    if person is not None and person.role == role and not (person.kicked and role == "player"):
        return [] if person.present else [ev.Joined(player=person.id, name=person.name, role=role)]
    if role == "player":
        _check_seat(room, person)
    else:
        _check_spectator(room, command.by, person)
    return [ev.Joined(player=command.by, name=_wanted_name(room, command, person, role), role=role)]


def _role_to_resume(room: Room, person: Person | None) -> str | None:
    """What one comes back as who does not say; None: they are not here yet."""
    if person is None:
        return None
    return "spectator" if person.kicked else person.role


def _wanted_name(room: Room, command: cmd.Join, person: Person | None, role: str) -> str:
    """The name one comes in under. Spectators may do without. Raises `bad_name`, `name_taken`."""
    if person is not None and person.name:
        return person.name
    if command.name is None and role == "spectator":
        return ""
    name = clean_name(command.name or "")
    if name is None:
        raise RoomProblem("bad_name")
    if any(
        alike(name, other.name) for other in room.people.values() if other.name and other.id != command.by
    ):
        raise RoomProblem("name_taken")
    return name


def _check_seat(room: Room, person: Person | None) -> None:
    """Whether a seat may be taken. A seat is for who has not seen another's game, nor was put out."""
    if person is not None and (person.watching or person.kicked):
        raise RoomProblem("not_allowed", Why.WAS_PUT_OUT if person.kicked else Why.HAS_WATCHED)
    if room.state == "closed" or (room.state == "running" and not (room.options.late or room.own_starts)):
        raise RoomProblem("wrong_state")
    if len(room.players) >= room.options.max_players:
        raise RoomProblem("room_full")


def _check_spectator(room: Room, by: str, person: Person | None) -> None:
    """Whether one may look on. Whoever races stays a player, unless they were put out."""
    if person is not None and person.game is not None and not person.kicked:
        raise RoomProblem("wrong_state")
    known = by == room.host or person is not None
    if room.options.spectators == "none" and room.state != "closed" and not known:
        raise RoomProblem("not_allowed", Why.NO_SPECTATORS)
    if len(room.people) - len(room.players) >= SPECTATORS_MAX:
        raise RoomProblem("room_full")


def _leave(room: Room, command: cmd.Leave, now_ms: int) -> Events:
    person = room.people.get(command.by)
    return [ev.Left(player=command.by)] if person is not None and person.present else []


def _ready(room: Room, command: cmd.SetReady, now_ms: int) -> Events:
    person = _player(room, command.by)
    if room.own_starts:
        return _own_start(room, person, command.ready, now_ms)
    if room.state == "running":
        raise RoomProblem("wrong_state")
    if person.ready == command.ready:
        return []
    events: Events = [ev.ReadySet(player=person.id, ready=command.ready)]
    if room.state == "countdown" and room.options.start == "ready" and not command.ready:
        events.append(ev.Held(by=command.by))
    return events


def _own_start(room: Room, person: Person, ready: bool, now_ms: int) -> Events:
    """Readiness is each player's own start, once."""
    if not ready:
        raise RoomProblem("not_allowed", Why.OWN_START_STAYS)
    if person.game is not None:
        return []
    if room.options.close_at is not None and now_ms >= room.options.close_at:
        raise RoomProblem("wrong_state")  # the half second before the close
    return [ev.Started(player=person.id, start_at=now_ms, ends_at=ends_at(room, now_ms))]


def ends_at(room: Room, start_at: int) -> int | None:
    """When a game that starts at this moment ends at the latest; None: never by itself."""
    moments = [room.options.close_at]
    if room.options.limit_ms:
        moments.append(start_at + room.options.limit_ms)
    return min((moment for moment in moments if moment is not None), default=None)


_STARTS_WITHOUT_A_HOST = {
    "ready": Why.STARTS_WHEN_READY,
    "at": Why.STARTS_AT_A_MOMENT,
    "own": Why.STARTS_EACH,
}


def _start(room: Room, command: cmd.StartCountdown, now_ms: int) -> Events:
    _must_be_host(room, command.by)
    if room.options.start in _STARTS_WITHOUT_A_HOST:
        raise RoomProblem("not_allowed", _STARTS_WITHOUT_A_HOST[room.options.start])
    if len(room.players) < room.options.min_players:
        raise RoomProblem("not_allowed", Why.TOO_FEW_PLAYERS)
    return [ev.Countdown(start_at=now_ms + room.options.countdown_ms, by=command.by)]


def _hold(room: Room, command: cmd.Hold, now_ms: int) -> Events:
    _must_be_host(room, command.by)
    return [ev.Held(by=command.by)]


def _set_options(room: Room, command: cmd.SetOptions, now_ms: int) -> Events:
    _must_manage(room, command.by)
    if room.state != "lobby" and not SET_ANY_TIME.issuperset(command.options):
        raise RoomProblem("wrong_state")
    options = change_options(room.options, command.options, now_ms, present=len(room.players))
    before = asdict(room.options)
    changed: dict[str, Any] = {
        name: value for name, value in asdict(options).items() if value != before[name]
    }
    if not changed:
        return []
    code, nonce = "", ""
    if DECIDES_THE_DEAL.intersection(changed):
        code, nonce = _the_deal(options, command.draw)
    return [ev.OptionsSet(by=command.by, options=changed, deal=code, nonce=nonce)]


def _forfeit(room: Room, command: cmd.Forfeit, now_ms: int) -> Events:
    person = _player(room, command.by)
    if person.game != "playing" or person.disqualified_at:
        raise RoomProblem("wrong_state")
    return [ev.Forfeited(player=command.by, n=command.n)]


def _unforfeit(room: Room, command: cmd.Unforfeit, now_ms: int) -> Events:
    person = _player(room, command.by)
    why = _why_forfeit_stays(person, now_ms)
    if why is not None:
        raise RoomProblem("not_allowed", why)
    return [ev.Unforfeited(player=command.by)]


def _why_forfeit_stays(person: Person, now_ms: int) -> Why | None:
    if person.game != "forfeited":
        return Why.NOT_FORFEITED
    if person.disqualified_at:
        return Why.DISQUALIFIED
    if person.watching:
        return Why.FOLLOWED_SINCE
    late = now_ms >= person.forfeited_at + FORFEIT_TAKE_BACK_MS
    return Why.FORFEIT_IS_OLD if late else None


def _close(room: Room, command: cmd.Close, now_ms: int) -> Events:
    _must_manage(room, command.by)
    reason = "host" if room.state == "running" else "cancelled"
    return [ev.Closed(reason=reason, by=command.by, text=command.text)]


# What hosts and referees do to people ---------------------------------------------------------------------


def _target(room: Room, by: str, player: str) -> Person:
    """The person a manager means."""
    _must_manage(room, by)
    person = room.people.get(player)
    if person is None:
        raise RoomProblem("unknown_player")
    return person


def _put_out(room: Room, command: cmd.Kick | cmd.Ban, now_ms: int) -> Events:
    _must_manage(room, command.by)
    if command.player in (room.host, command.by):
        raise RoomProblem("not_allowed", Why.NOT_ONESELF if command.player == command.by else Why.HOST_STAYS)
    person = _target(room, command.by, command.player)
    if isinstance(command, cmd.Ban):
        return [ev.Banned(player=person.id, by=command.by, name=person.name)]
    if person.kicked and not person.present:
        return []
    return [ev.Kicked(player=person.id, by=command.by, name=person.name)]


def _disqualify(room: Room, command: cmd.Disqualify, now_ms: int) -> Events:
    person = _target(room, command.by, command.player)
    if person.game is None:
        raise RoomProblem("not_allowed", Why.NO_GAME)
    if person.disqualified_at:
        return []
    return [ev.Disqualified(player=person.id, by=command.by, reason=command.reason)]


def _reinstate(room: Room, command: cmd.Reinstate, now_ms: int) -> Events:
    person = _target(room, command.by, command.player)
    if not person.disqualified_at:
        raise RoomProblem("not_allowed", Why.NOT_DISQUALIFIED)
    if person.id in room.banned:
        raise RoomProblem("not_allowed", Why.BANNED_FOR_GOOD)
    if person.watching and person.game == "playing":
        raise RoomProblem("not_allowed", Why.THEY_HAVE_WATCHED)
    return [ev.Reinstated(player=person.id, by=command.by, reason=command.reason)]


def _referee(room: Room, command: cmd.SetReferee, now_ms: int) -> Events:
    person = _target(room, command.by, command.player)
    if person.referee == command.on:
        return []
    return [ev.RefereeSet(player=person.id, by=command.by, on=command.on)]


def _mute(room: Room, command: cmd.Mute, now_ms: int) -> Events:
    _must_manage(room, command.by)
    if command.player == room.host:
        raise RoomProblem("not_allowed", Why.HOST_SPEAKS)
    person = _target(room, command.by, command.player)
    if person.muted == command.on:
        return []
    return [ev.Muted(player=person.id, by=command.by, on=command.on)]


def _set_host(room: Room, command: cmd.SetHost, now_ms: int) -> Events:
    _must_be_host(room, command.by)
    person = _target(room, command.by, command.player)
    if not person.present:
        raise RoomProblem("not_allowed", Why.NOT_PRESENT)
    return [ev.HostChanged(player=person.id, by=command.by)] if person.id != room.host else []


# Watching, and the next race ------------------------------------------------------------------------------


def _watch(room: Room, command: cmd.Watch, now_ms: int) -> Events:
    target, person = room.people.get(command.player), room.people.get(command.by)
    if target is None or target.game is None:
        raise RoomProblem("unknown_player")
    if person is None:
        raise RoomProblem(
            "not_allowed", Why.HOST_SEES_NO_GAMES if command.by == room.host else Why.NOT_INSIDE
        )
    if person.id == target.id:
        raise RoomProblem("not_allowed", Why.FOLLOWS_ONESELF)
    if not may_watch(room, person, command.done):
        raise RoomProblem("not_allowed", _why_not_watch(room, person))
    told = person.watching or room.state == "closed"
    return [] if told else [ev.Watching(player=person.id)]


def _why_not_watch(room: Room, person: Person) -> Why:
    if room.own_starts:
        return Why.AFTER_THE_CLOSE
    return Why.BOARD_ONLY if person.game is None else Why.STILL_RACING


def _forget(room: Room, command: cmd.Forget, now_ms: int) -> Events:
    return [ev.Forgotten(player=command.by)] if command.by not in room.forgotten else []


def _tell_rematch(room: Room, command: cmd.TellRematch, now_ms: int) -> Events:
    if room.next_room:
        return []
    return [ev.Rematch(next=command.next, by=command.by)]


def may_rematch(room: Room, player: str) -> bool:
    """Whether this person may ask for a next race: anyone who played or hosts."""
    person = room.people.get(player)
    return player == room.host or (person is not None and person.game is not None)


Decider = Callable[[Room, Any, int], Events]

_PEOPLE: dict[type[cmd.Command], Decider] = {
    cmd.Join: _join,
    cmd.Leave: _leave,
    cmd.SetOptions: _set_options,
    cmd.Close: _close,
    cmd.Kick: _put_out,
    cmd.Ban: _put_out,
    cmd.SetReferee: _referee,
    cmd.Disqualify: _disqualify,
    cmd.Reinstate: _reinstate,
    cmd.SetHost: _set_host,
    cmd.Mute: _mute,
}

# A command without a line under a state is `wrong_state` there.
DECIDE: dict[str, dict[type[cmd.Command], Decider]] = {
    "lobby": {**_PEOPLE, cmd.SetReady: _ready, cmd.StartCountdown: _start},
    "countdown": {**_PEOPLE, cmd.SetReady: _ready, cmd.Hold: _hold},
    "running": {
        **_PEOPLE,
        cmd.SetReady: _ready,
        cmd.Forfeit: _forfeit,
        cmd.Unforfeit: _unforfeit,
        cmd.Watch: _watch,
    },
    "closed": {
        cmd.Join: _join,
        cmd.Leave: _leave,
        cmd.Mute: _mute,
        cmd.Watch: _watch,
        cmd.TellRematch: _tell_rematch,
        cmd.Forget: _forget,
    },
}


def fold_draft(room: Room, events: Events, now_ms: int) -> Room:
    """The room as it will be once these events are stored, to decide the next command upon."""
    for event in events:
        room = apply(room, event, now_ms)
    return room
