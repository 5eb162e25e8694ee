"""What the script must know of a room's event besides its place in the log: conditions and effects."""

from server.rooms import events as ev
from server.rooms.decide import FORFEIT_TAKE_BACK_MS
from server.rooms.due import Due
from server.rooms.options import DAY_MS
from server.rooms.room import Room
from server.store import keys
from server.store.items import Extra

LOBBY_LIFE_MS = DAY_MS
RACE_LIFE_MS = 7 * DAY_MS
CLOSED_LIFE_MS = 30 * DAY_MS

NO_FENCES: tuple[list[str], list[str]] = ([], [])


def extra_of(room: Room, event: ev.RoomEvent, now_ms: int, due: Due | None) -> Extra:
    """The conditions and effects of an event in this room, decided at `now_ms` or derived (`due`)."""
    extra = Extra(fences=fences_moved(event), logs=_logs(room, event))
    if due is not None:
        extra = extra._replace(stamp=due.at, from_ms=due.fires_at)
        if isinstance(event, ev.HostChanged):
            extra = extra._replace(absent=room.host)
    match event:
        case ev.Created(options=options):
            life_from = max(now_ms, options.start_at or 0)
            return extra._replace(expire_at=life_from + LOBBY_LIFE_MS, listed=options.listed or None)
        case ev.OptionsSet(options=changed):
            start_at = changed.get("start_at")
            expire_at = start_at + LOBBY_LIFE_MS if start_at else None
            return extra._replace(listed=changed.get("listed"), expire_at=expire_at)
        case ev.Started(player=player, start_at=start_at, ends_at=ends_at):
            close_at = room.options.close_at
            expire_at = close_at + DAY_MS if close_at else start_at + RACE_LIFE_MS
            if room.state == "running":  # another's own start: the room's life has begun already
                expire_at = None
            ends_field = keys.ends_field(player) if player else keys.ENDS_AT
            return extra._replace(ends_at=ends_at, ends_field=ends_field, expire_at=expire_at)
        case ev.Ending(ends_at=ends_at):
            return extra._replace(ends_at=ends_at)
        case ev.Unforfeited(player=player):
            return extra._replace(till_ms=room.people[player].forfeited_at + FORFEIT_TAKE_BACK_MS)
        case ev.Closed():
            return extra._replace(expire_at=now_ms + CLOSED_LIFE_MS, listed=False)
    return extra


def _logs(room: Room, event: ev.RoomEvent) -> tuple[str, ...]:
    """The games that may have a log when this event gives the room a new expiry."""
    if not isinstance(event, ev.OptionsSet | ev.Started | ev.Closed):
        return ()
    return tuple(keys.game_log(person.id) for person in room.people.values() if person.game is not None)


def fences_moved(event: ev.RoomEvent) -> tuple[str, ...]:
    """The fields of the head that this event's tip becomes the fence in."""
    moved = ev.fence_moved(event)
    if moved is None:
        return ()
    return (keys.fence_field(moved) if moved else keys.ROOM_FENCE,)
