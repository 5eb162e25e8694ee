"""What a command does to a room: `decide` answers with the events that say so, or refuses in one word."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import asdict

from server.rooms import commands as cmd
from server.rooms import events as ev
from server.rooms.names import clean_name, fold_name
from server.rooms.options import (
    DECIDES_THE_DEAL,
    RANDOM_DEAL,
    SET_ANY_TIME,
    Options,
    change_options,
)
from server.rooms.problems import RoomProblem
from server.rooms.room import Person, Room, apply

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


def _player(room: Room, by: str) -> Person:
    """The one who asks, who must have a seat or a game here."""
    person = room.people.get(by)
    if person is None or person.role != "player":
        raise RoomProblem("not_allowed")
    return person


def _join(room: Room, command: cmd.Join, now_ms: int) -> Events:
    person = room.people.get(command.by)
    role = command.role or (person.role if person else None)
    if role is None:
        if command.by == room.host:
            return []  # a host who takes no seat comes back to the desk
        raise RoomProblem("not_allowed")
    if person is not None and person.game is not None and room.state == "closed":
        role = person.role  # nothing is played any more: whoever raced here looks on as who they were
    if person is not None and person.role == role:
        return [] if person.present else [ev.Joined(player=person.id, name=person.name, role=role)]
    if person is not None and person.game is not None:
        raise RoomProblem("wrong_state")  # whoever races stays a player
    name = _wanted_name(room, command, person, role)
    if role == "player":
        _check_seat(room)
    elif command.by != room.host:
        _check_spectator(room)
    return [ev.Joined(player=command.by, name=name, role=role)]


def _wanted_name(room: Room, command: cmd.Join, person: Person | None, role: str) -> str:
    """The name one comes in under. Spectators may do without. Raises `bad_name`, `name_taken`."""
    if person is not None and person.name:
        return person.name
    if command.name is None and role == "spectator":
        return ""
    name = clean_name(command.name or "")
    if name is None:
        raise RoomProblem("bad_name")
    folded = fold_name(name)
    if any(fold_name(other.name) == folded for other in room.people.values() if other.id != command.by):
        raise RoomProblem("name_taken")
    return name


def _check_seat(room: Room) -> None:
    if room.state == "closed" or (room.state == "running" and not room.options.late):
        raise RoomProblem("wrong_state")
    if len(room.players) >= room.options.max_players:
        raise RoomProblem("room_full")


def _check_spectator(room: Room) -> None:
    if room.options.spectators == "none" and room.state != "closed":
        raise RoomProblem("not_allowed")
    if len(room.people) - len(room.players) >= SPECTATORS_MAX:
        raise RoomProblem("room_full")


def _leave(room: Room, command: cmd.Leave, now_ms: int) -> Events:
    person = room.people.get(command.by)
    return [ev.Left(player=command.by)] if person is not None and person.present else []


def _ready(room: Room, command: cmd.SetReady, now_ms: int) -> Events:
    person = _player(room, command.by)
    if person.ready == command.ready:
        return []
    events: Events = [ev.ReadySet(player=person.id, ready=command.ready)]
    if room.state == "countdown" and room.options.start == "ready" and not command.ready:
        events.append(ev.Held(by=command.by))
    return events


def _start(room: Room, command: cmd.StartCountdown, now_ms: int) -> Events:
    _must_be_host(room, command.by)
    if room.options.start != "host" or len(room.players) < room.options.min_players:
        raise RoomProblem("not_allowed")
    return [ev.Countdown(start_at=now_ms + room.options.countdown_ms, by=command.by)]


def _hold(room: Room, command: cmd.Hold, now_ms: int) -> Events:
    _must_be_host(room, command.by)
    return [ev.Held(by=command.by)]


def _set_options(room: Room, command: cmd.SetOptions, now_ms: int) -> Events:
    _must_be_host(room, command.by)
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
    if _player(room, command.by).game != "playing":
        raise RoomProblem("wrong_state")
    return [ev.Forfeited(player=command.by, n=command.n)]


def _unforfeit(room: Room, command: cmd.Unforfeit, now_ms: int) -> Events:
    person = _player(room, command.by)
    if person.game != "forfeited" or now_ms >= person.forfeited_at + FORFEIT_TAKE_BACK_MS:
        raise RoomProblem("not_allowed")
    return [ev.Unforfeited(player=command.by)]


def _close(room: Room, command: cmd.Close, now_ms: int) -> Events:
    _must_be_host(room, command.by)
    reason = "host" if room.state == "running" else "cancelled"
    return [ev.Closed(reason=reason, by=command.by, text=command.text)]


Decider = Callable[[Room, Any, int], Events]

# A command without a line under a state is `wrong_state` there.
DECIDE: dict[str, dict[type[cmd.Command], Decider]] = {
    "lobby": {
        cmd.Join: _join,
        cmd.Leave: _leave,
        cmd.SetReady: _ready,
        cmd.StartCountdown: _start,
        cmd.SetOptions: _set_options,
        cmd.Close: _close,
    },
    "countdown": {
        cmd.Join: _join,
        cmd.Leave: _leave,
        cmd.SetReady: _ready,
        cmd.Hold: _hold,
        cmd.SetOptions: _set_options,
        cmd.Close: _close,
    },
    "running": {
        cmd.Join: _join,
        cmd.Leave: _leave,
        cmd.SetOptions: _set_options,
        cmd.Forfeit: _forfeit,
        cmd.Unforfeit: _unforfeit,
        cmd.Close: _close,
    },
    "closed": {
        cmd.Join: _join,
        cmd.Leave: _leave,
    },
}


def fold_draft(room: Room, events: Events, now_ms: int) -> Room:
    """The room as it will be once these events are stored, to decide the next command upon."""
    for event in events:
        room = apply(room, event, now_ms)
    return room
