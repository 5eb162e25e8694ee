"""What becomes true by itself: starts, wins, limits, ends, a new host. Derived from what is stored, at any
time, by whichever node looks next; two nodes that derive the same make the same bytes."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from server.rooms import events as ev
from server.rooms.decide import FORFEIT_TAKE_BACK_MS, ends_at
from server.rooms.room import Person, Room
from server.rooms.standings import Progress

CLOSE_GRACE_MS = 500  # a limit closes this much later, so that what came in time counts
HOST_ABSENCE_MS = 60_000


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """An event that happens at `at`, and may be stored from `fires_at` on (both race clock)."""

    at: int
    fires_at: int
    event: ev.RoomEvent


def upcoming(room: Room, progress: Mapping[str, Progress]) -> Due | None:
    """The next event that follows from the room and all its games, whether its time has come or not.

    `progress` has how far each game has come; a player without an entry has not begun.
    """
    candidates = CANDIDATES[room.state](room, progress)
    return min(candidates, key=lambda due: (due.at, due.fires_at), default=None)


def _due(at: int, event: ev.RoomEvent, fires_at: int | None = None) -> Due:
    return Due(at=at, fires_at=at if fires_at is None else fires_at, event=event)


def _before_the_start(room: Room, progress: Mapping[str, Progress]) -> Iterator[Due]:
    close_at = room.options.close_at
    if close_at is not None:
        yield _due(close_at, ev.Closed(reason="cancelled"))
    start_at = room.start_at
    if room.state == "lobby" and room.options.start == "at" and not room.moment_missed:
        start_at = room.options.start_at
    if start_at is None:
        return
    if len(room.players) < room.options.min_players:
        yield _due(start_at, ev.Held())
    else:
        yield _due(start_at, ev.Started(start_at=start_at, ends_at=ends_at(room, start_at)))


def _running(room: Room, progress: Mapping[str, Progress]) -> Iterator[Due]:
    wins = [
        _due(game.stamp, _won(person, game))
        for person in room.players
        if (game := progress.get(person.id)) is not None and game.status == "won" and _win_untold(person)
    ]
    if wins:  # one after the other in the order of their moments, and an end only when all are told
        yield min(wins, key=lambda due: due.at)
        return
    after_win_ms = room.options.after_win_ms
    if room.first_won_at is not None and after_win_ms and not room.own_starts:
        ends = room.first_won_at + after_win_ms
        if room.ends_at is None or ends < room.ends_at:
            yield _due(room.first_won_at, ev.Ending(ends_at=ends))
            return
    if room.ends_at is not None:
        yield _due(room.ends_at, ev.Closed(reason="limit"), room.ends_at + CLOSE_GRACE_MS)
    if room.own_starts and room.options.close_at is not None:
        return  # entry is open till then
    finals = [final_at(person, progress.get(person.id), room) for person in room.players]
    if finals and None not in finals:
        somebody = any(person.game == "won" and not person.disqualified_at for person in room.players)
        reason = "finished" if somebody else "nobody_finished"
        at = max(final for final in finals if final is not None)
        yield _due(at, ev.Closed(reason=reason), at + CLOSE_GRACE_MS if room.own_starts else at)


def _win_untold(person: Person) -> bool:
    return person.game == "playing" and not person.disqualified_at


def _won(person: Person, game: Progress) -> ev.Won:
    return ev.Won(player=person.id, n=game.n, ms=game.stamp - person.start_at, moves=game.moves)


def final_at(person: Person, game: Progress | None, room: Room) -> int | None:
    """When this player could play no more; None while they can."""
    if person.disqualified_at:
        return person.disqualified_at
    if person.game == "forfeited":
        return _forfeit_final_at(person)
    if game is not None:
        stuck = game.status == "blocked" and (game.undoable == 0 or not room.options.undo)
        if person.game == "won" or stuck:
            return game.stamp
    return person.ends_at if room.own_starts else None


def _forfeit_final_at(person: Person) -> int:
    """When a forfeit could be taken back no more: after a minute, or once another's game was seen."""
    till = person.forfeited_at + FORFEIT_TAKE_BACK_MS
    return min(till, max(person.forfeited_at, person.watching_at)) if person.watching else till


def is_done(person: Person, game: Progress | None, room: Room) -> bool:
    """Whether this player's own game can go no further, whatever the clock says."""
    return person.game is not None and final_at(person, game, room) is not None


def _never(room: Room, progress: Mapping[str, Progress]) -> Iterable[Due]:
    return ()


CANDIDATES = {
    "lobby": _before_the_start,
    "countdown": _before_the_start,
    "running": _running,
    "closed": _never,
}


def successor(room: Room, online: Mapping[str, bool]) -> str | None:
    """Who follows a host who is away: the longest-present referee, else player, who is online."""
    here = [
        person
        for person in room.people.values()
        if person.id != room.host and person.present and online.get(person.id, False)
    ]
    for person in here:
        if person.referee:
            return person.id
    return next((person.id for person in here if person.role == "player"), None)
