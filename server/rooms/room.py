"""A room: what it is after the events of its log. `apply` folds one event in and never refuses.

Pure and immutable: a room that is being decided upon is a value of its own, and nothing is shown of it until
its events are stored.
"""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from server.engine.codes import GameCode, parse_code
from server.rooms import events as ev
from server.rooms.names import NO_NAME
from server.rooms.options import Options
from server.rooms.standings import Entry, Progress


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody in the room, or who has a game in it.

    `game` is None before the start and for who only looks on, then `playing`, `won` or `forfeited` (what only
    the log of the game says, blocked for one, is not here). `present`: has not left. `start_at` and `ends_at`
    are one's own (the room's, but in a room of own starts). Moments are 0 while there is none.
    """

    id: str
    name: str
    role: str
    ready: bool = False
    referee: bool = False
    muted: bool = False
    present: bool = True
    watching: bool = False
    watching_at: int = 0
    game: str | None = None
    start_at: int = 0
    ends_at: int | None = None
    forfeited_at: int = 0
    disqualified_at: int = 0
    kicked: bool = False
    won_ms: int = 0
    won_moves: int = 0

    @property
    def races(self) -> bool:
        """Whether they have a seat, or a line on the board."""
        return self.role == "player" or self.game is not None


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """A room's whole state. Moments are race clock; `v` counts the events folded in."""

    id: str
    v: int = 0
    state: str = "lobby"
    options: Options = Options()
    deal: str = ""
    nonce: str = ""
    key: str = ""
    host_at_creation: str = ""
    host: str = ""
    host_name: str = ""
    created_at: int = 0
    people: dict[str, Person] = {}
    start_at: int | None = None
    ends_at: int | None = None
    first_won_at: int | None = None
    moment_missed: bool = False  # a `start_at` came with too few players
    closed_reason: str = ""
    closed_text: str = ""
    closed_at: int | None = None
    banned: frozenset[str] = frozenset()
    muted: frozenset[str] = frozenset()  # these three hold for who goes out and comes back, too
    watching: frozenset[str] = frozenset()
    forgotten: frozenset[str] = frozenset()
    next_room: str = ""

    @property
    def code(self) -> GameCode:
        """The game everybody plays."""
        return parse_code(self.deal)

    @property
    def players(self) -> list[Person]:
        """Who has a seat or a game, in the order in which they came."""
        return [person for person in self.people.values() if person.races]

    @property
    def own_starts(self) -> bool:
        """Whether everyone starts by themselves, and results are hidden till the close."""
        return self.options.start == "own"

    @property
    def started(self) -> bool:
        """Whether the race has begun."""
        return self.state == "running" or (self.state == "closed" and self.closed_reason != "cancelled")

    def may_play(self, player: str) -> bool:
        """Whether this player's game is on, as far as the room's log says (a won one still answers)."""
        person = self.people.get(player)
        if self.state != "running" or person is None or person.disqualified_at:
            return False
        return person.game in ("playing", "won")

    def manages(self, player: str) -> bool:
        """Whether they are host or referee."""
        person = self.people.get(player)
        return player == self.host or (person is not None and person.referee)


def person_with(room: Room, player: str, **changes: Any) -> Room:
    """The room with one person changed."""
    return replace(room, people={**room.people, player: replace(room.people[player], **changes)})


def person_without(room: Room, player: str) -> Room:
    """The room with one person gone from it."""
    return replace(room, people={id: person for id, person in room.people.items() if id != player})


def apply(room: Room, event: ev.RoomEvent, at: int) -> Room:
    """The room after this event, whose stamp in the log is `at`."""
    after = APPLY[type(event)](room, event, at)
    return replace(after, v=room.v + 1)


def _created(room: Room, event: ev.Created, at: int) -> Room:
    return replace(
        room,
        options=event.options,
        deal=event.deal,
        nonce=event.nonce,
        key=event.key,
        host_at_creation=event.by,
        host=event.by,
        host_name=event.name,
        created_at=at,
    )


def _joined(room: Room, event: ev.Joined, at: int) -> Room:
    old = room.people.get(event.player) or Person(
        id=event.player,
        name=event.name,
        role=event.role,
        muted=event.player in room.muted,
        watching=event.player in room.watching,
    )
    person = replace(old, name=event.name or old.name, role=event.role, present=True, ready=False)
    if event.role == "player" and room.state == "running" and not room.own_starts and old.game is None:
        person = replace(person, game="playing", start_at=room.start_at or 0, ends_at=room.ends_at)
    # Coming anew means standing last: order of presence decides who follows a host.
    people = {id: other for id, other in room.people.items() if id != event.player}
    host_name = event.name if event.player == room.host and event.name else room.host_name
    return replace(room, people={**people, event.player: person}, host_name=host_name)


def _left(room: Room, event: ev.Left, at: int) -> Room:
    if room.people[event.player].game is None:
        return person_without(room, event.player)
    return person_with(room, event.player, present=False)


def _ready(room: Room, event: ev.ReadySet, at: int) -> Room:
    return person_with(room, event.player, ready=event.ready)


def _options(room: Room, event: ev.OptionsSet, at: int) -> Room:
    options = replace(room.options, **event.options)
    if event.deal:
        room = replace(room, deal=event.deal, nonce=event.nonce)
    return replace(room, options=options, moment_missed=False)


def _host(room: Room, event: ev.HostChanged, at: int) -> Room:
    return replace(room, host=event.player, host_name=room.people[event.player].name)


def _countdown(room: Room, event: ev.Countdown, at: int) -> Room:
    return replace(room, state="countdown", start_at=event.start_at)


def _held(room: Room, event: ev.Held, at: int) -> Room:
    people = {id: replace(person, ready=False) for id, person in room.people.items()}
    missed = room.options.start == "at"
    return replace(room, state="lobby", start_at=None, people=people, moment_missed=missed)


def _started(room: Room, event: ev.Started, at: int) -> Room:
    begun = {"game": "playing", "start_at": event.start_at, "ends_at": event.ends_at}
    if event.player:
        after = person_with(room, event.player, ready=True, **begun)
        return replace(after, state="running", ends_at=room.options.close_at)
    people = {
        id: replace(person, **begun) if person.role == "player" else person
        for id, person in room.people.items()
    }
    return replace(room, state="running", start_at=event.start_at, ends_at=event.ends_at, people=people)


def _won(room: Room, event: ev.Won, at: int) -> Room:
    first = at if room.first_won_at is None else min(at, room.first_won_at)
    after = person_with(room, event.player, game="won", won_ms=event.ms, won_moves=event.moves)
    return replace(after, first_won_at=first)


def _forfeited(room: Room, event: ev.Forfeited, at: int) -> Room:
    return person_with(room, event.player, game="forfeited", forfeited_at=at)


def _unforfeited(room: Room, event: ev.Unforfeited, at: int) -> Room:
    return person_with(room, event.player, game="playing", forfeited_at=0)


def _put_out(room: Room, event: ev.Kicked | ev.Banned, at: int) -> Room:
    if isinstance(event, ev.Banned):
        room = replace(room, banned=room.banned | {event.player})
    person = room.people.get(event.player)
    if person is None:
        return room
    if person.game is None:
        return person_without(room, event.player)
    since = person.disqualified_at or at
    return person_with(room, event.player, present=False, referee=False, kicked=True, disqualified_at=since)


def _disqualified(room: Room, event: ev.Disqualified, at: int) -> Room:
    return person_with(room, event.player, disqualified_at=at)


def _reinstated(room: Room, event: ev.Reinstated, at: int) -> Room:
    return person_with(room, event.player, disqualified_at=0, kicked=False, role="player")


def _referee(room: Room, event: ev.RefereeSet, at: int) -> Room:
    return person_with(room, event.player, referee=event.on)


def _muted(room: Room, event: ev.Muted, at: int) -> Room:
    muted = room.muted | {event.player} if event.on else room.muted - {event.player}
    return person_with(replace(room, muted=muted), event.player, muted=event.on)


def _watching(room: Room, event: ev.Watching, at: int) -> Room:
    room = replace(room, watching=room.watching | {event.player})
    return person_with(room, event.player, watching=True, watching_at=at)


def _forgotten(room: Room, event: ev.Forgotten, at: int) -> Room:
    person, is_host = room.people.get(event.player), event.player == room.host
    names = {person.name if person is not None else "", room.host_name if is_host else ""} - {""}
    if room.options.name in names:  # a room is called by its host's name unless they call it something
        room = replace(room, options=replace(room.options, name=NO_NAME))
    if person is not None:
        room = person_with(room, event.player, name=NO_NAME)
    host_name = NO_NAME if is_host else room.host_name
    return replace(room, host_name=host_name, forgotten=room.forgotten | {event.player})


def _rematch(room: Room, event: ev.Rematch, at: int) -> Room:
    return replace(room, next_room=event.next)


def _ending(room: Room, event: ev.Ending, at: int) -> Room:
    return replace(room, ends_at=event.ends_at)


def _closed(room: Room, event: ev.Closed, at: int) -> Room:
    return replace(
        room,
        state="closed",
        start_at=room.start_at if room.state == "running" else None,
        closed_reason=event.reason,
        closed_text=event.text,
        closed_at=at,
    )


APPLY: dict[type[ev.RoomEvent], Callable[[Room, Any, int], Room]] = {
    ev.Created: _created,
    ev.Joined: _joined,
    ev.Left: _left,
    ev.ReadySet: _ready,
    ev.OptionsSet: _options,
    ev.HostChanged: _host,
    ev.Countdown: _countdown,
    ev.Held: _held,
    ev.Started: _started,
    ev.Won: _won,
    ev.Forfeited: _forfeited,
    ev.Unforfeited: _unforfeited,
    ev.Kicked: _put_out,
    ev.Banned: _put_out,
    ev.Disqualified: _disqualified,
    ev.Reinstated: _reinstated,
    ev.RefereeSet: _referee,
    ev.Muted: _muted,
    ev.Watching: _watching,
    ev.Forgotten: _forgotten,
    ev.Rematch: _rematch,
    ev.Ending: _ending,
    ev.Closed: _closed,
}


def status_of(person: Person, progress: Progress) -> str:
    """The status of a player's line of the board."""
    if person.disqualified_at:
        return "disqualified"
    if person.game is None:
        return "waiting"
    return progress.status if person.game == "playing" else person.game


def board_entry(person: Person, progress: Progress) -> Entry:
    """A player's line of the board, from the room's log and how far their game has come."""
    return Entry(
        player=person.id,
        name=person.name,
        status=status_of(person, progress),
        moves=progress.moves,
        undone=progress.undone,
        redeals=progress.redeals,
        home=progress.home,
        ms=progress.stamp - person.start_at if progress.stamp else 0,
    )
