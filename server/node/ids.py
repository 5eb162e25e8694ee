"""Ids people type and machines keep: rooms (8 characters) and players (12) of Crockford's base 32."""

from protocol.limits import PLAYER_ID_CHARACTERS, ROOM_ID_CHARACTERS

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
READ_AS = str.maketrans({"I": "1", "L": "1", "O": "0", "-": None, " ": None})


def _characters(source: bytes, count: int) -> str:
    number = int.from_bytes(source[: count * 5 // 8 + 1], "big")
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(count))


def room_id_from(source: bytes) -> str:
    """A room's id from random bytes, six at least."""
    return _characters(source, ROOM_ID_CHARACTERS)


def player_id_from(source: bytes) -> str:
    """A player's id from random bytes, eight at least."""
    return _characters(source, PLAYER_ID_CHARACTERS)


def read_room_id(typed: str) -> str | None:
    """The id as written, from what somebody typed (case-blind, `I L` as 1, `O` as 0); None: no id."""
    room = typed.upper().translate(READ_AS)
    if len(room) != ROOM_ID_CHARACTERS or not set(room) <= set(ALPHABET):
        return None
    return room
