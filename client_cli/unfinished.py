"""The rooms in which something of one's own waits: a game, a seat, or the room itself."""

from collections.abc import Callable

from client_cli.room_view import RoomView

ROOMS_MAX = 9
_OVER = ("won", "forfeited", "disqualified")


class Unfinished:
    """Those rooms, the latest first. `keep` is told when they are others."""

    def __init__(
        self, rooms: tuple[str, ...] = (), keep: Callable[[tuple[str, ...]], None] = lambda _: None
    ) -> None:
        self.rooms = rooms[:ROOMS_MAX]
        self._keep = keep

    def look(self, room: RoomView) -> None:
        """One is in this room, or leaves it now."""
        if _waits(room):
            self._set((room.id, *(other for other in self.rooms if other != room.id)))
        else:
            self.drop(room.id)

    def left(self, before: RoomView, now: RoomView | None) -> None:
        """One came in by `before` and leaves `now`: the races before a rematch are over."""
        if now is not None and now.id != before.id:
            self.drop(before.id)
        if now is not None:
            self.look(now)

    def drop(self, room: str) -> None:
        """There is nothing to go on with in this room."""
        self._set(tuple(other for other in self.rooms if other != room))

    def _set(self, rooms: tuple[str, ...]) -> None:
        if rooms != self.rooms:
            self.rooms = rooms[:ROOMS_MAX]
            self._keep(self.rooms)


def _waits(room: RoomView) -> bool:
    if room.state == "closed" or {"player", "host"}.isdisjoint(room.roles):
        return False
    own = room.own_row
    return "host" in room.roles or own is None or own.status not in _OVER
