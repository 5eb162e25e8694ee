"""What one may see of a room (`docs/protocol.md`, "What one may see" and "Own starts")."""

from server.rooms.room import Person, Room


def hides_results(room: Room) -> bool:
    """Whether everyone sees their own results only: a room of own starts, till the close."""
    return room.own_starts and room.state != "closed"


def sees_all(room: Room, viewer: str) -> bool:
    """Whether this is a referee or host who does not play: before them no result is hidden."""
    person = room.people.get(viewer)
    return room.manages(viewer) and (person is None or not person.races)


def sees_results_of(room: Room, viewer: str, player: str) -> bool:
    """Whether `viewer` may see how far `player` has come."""
    return not hides_results(room) or viewer == player or sees_all(room, viewer)


def may_know_code(room: Room, viewer: str) -> bool:
    """Whether the game code may be told to `viewer`.

    It is told from the start on, earlier only if the host named it, and in a sealed room at the close. In a
    room of own starts each is told at their own start: the code shows every card.
    """
    if room.state == "closed" or room.options.deal != "random":
        return True
    if room.options.sealed:
        return False
    if room.own_starts:
        person = room.people.get(viewer)
        return person is not None and person.game is not None
    return room.started


def may_watch(room: Room, person: Person, done: bool) -> bool:
    """Whether another's game may be sent to this person.

    `done`: their own game can go no further, which for a blocked one only its log says.
    """
    if person.referee and not person.races:
        return True
    if room.state == "closed":
        return True
    if room.own_starts:
        return False
    if person.game is not None:
        return done or person.game != "playing" or bool(person.disqualified_at)
    return person.role == "spectator" and room.options.spectators in ("live", "delayed")


def watching_delay_ms(room: Room, viewer: str) -> int:
    """How long ago the games are that this person is shown: spectators of a `delayed` room see the past."""
    person = room.people.get(viewer)
    looks_on = person is not None and not person.races and not person.referee
    delayed = room.options.spectators == "delayed" and room.state != "closed"
    return room.options.delay_ms if looks_on and delayed else 0
