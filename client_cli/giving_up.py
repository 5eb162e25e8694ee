"""For how long a player who gave up may still play on, and when the race closes because nobody does. Pure."""

from client_cli.room_view import RoomView
from protocol.limits import FORFEIT_TAKE_BACK_MS

_OUT = frozenset(("won", "forfeited", "disqualified"))


def may_take_back(room: RoomView, player: str, now_ms: int) -> bool:
    """Return whether `player` gave up and may play on: for a minute, unless they looked into another's game.

    Where nobody told when it was (before this client came), it is assumed.
    """
    row = next((row for row in room.rows if row.player == player), None)
    if room.state != "running" or row is None or row.status != "forfeited" or player in room.watching:
        return False
    return now_ms < room.gave_up_at.get(player, now_ms) + FORFEIT_TAKE_BACK_MS


def take_back_left_ms(room: RoomView, player: str, now_ms: int) -> int | None:
    """Return for how long that is, at most as long as the race has left; None where it is not told."""
    at = room.gave_up_at.get(player)
    if at is None:
        return None
    until_ms = at + FORFEIT_TAKE_BACK_MS
    if room.ends_at is not None:
        until_ms = min(until_ms, room.ends_at)
    return max(0, until_ms - now_ms)


def closes_in_ms(room: RoomView, now_ms: int) -> int | None:
    """Return in how long the race closes because nobody plays any more; None where somebody does.

    None as well where it is not told: in a race of own starts, how the others are.
    """
    own_starts = room.options.get("start") == "own"
    if room.state != "running" or own_starts or any(row.status not in _OUT for row in room.rows):
        return None
    undecided = [row.player for row in room.rows if may_take_back(room, row.player, now_ms)]
    left = [take_back_left_ms(room, player, now_ms) for player in undecided]
    known = [ms for ms in left if ms is not None]
    return max(known) if known and len(known) == len(left) else None
