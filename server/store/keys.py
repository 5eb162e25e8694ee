"""Every key and channel in the store. All of a room's share its partition's hash tag."""

import zlib
from functools import lru_cache

PARTITIONS = 16
ROOM_LOG = "room"


@lru_cache(maxsize=8192)  # asked for with every item that is written
def partition(room: str) -> int:
    """The room's partition, 0-15: a stable hash of its id, the same on every node and in every version."""
    return zlib.crc32(room.encode()) % PARTITIONS


@lru_cache(maxsize=8192)
def prefix(room: str) -> str:
    """What all of a room's keys begin with; by itself, the room's channel."""
    return f"cr:{{{partition(room)}}}:{room}"


def head(room: str) -> str:
    """The room's hash: tips, fences, progress of the games, presence, `seq`."""
    return prefix(room) + ":head"


def log(room: str, name: str) -> str:
    """A log's stream; `name` is `room` or `game:<player>`."""
    return f"{prefix(room)}:{name}"


def game_log(player: str) -> str:
    """The name of a player's log within its room."""
    return f"game:{player}"


def progress_channel(partition: int) -> str:
    """Where nodes tell each other which rows of the partition's boards have changed."""
    return f"cr:{{{partition}}}:progress"


def listed(partition: int) -> str:
    """The partition's public rooms, a sorted set by expiry."""
    return f"cr:{{{partition}}}:listed"


def trial(partition: int) -> str:
    """What is written to see whether anything can be."""
    return f"cr:{{{partition}}}:trial"


def identity(token_hash: str) -> str:
    """Who has the token with this hash."""
    return f"cr:identity:{token_hash}"


def told_unknown(token_hash: str) -> str:
    """That somebody with this token was told lately that nobody has it; beside the identity's key."""
    return f"cr:unknown:{{{identity(token_hash)}}}"


def password_tries(room: str, address: str) -> str:
    """An address's tries at a room's password in the last minute: a set, by what came of them."""
    return f"{prefix(room)}:tried:{address}"


# What came of a try at a password, before its id.
UNDER_WAY = "?"
WRONG = "!"


def rooms_of(player: str) -> str:
    """The rooms an identity has been in."""
    return f"cr:rooms:{player}"


# Fields of a room's head.
SEQ = "seq"
ENDS_AT = "ends"
ROOM_FENCE = "fence"


def tip_field(log_name: str) -> str:
    """A log's tip, stamp and length: `<tip>:<stamp>:<n>`."""
    return f"log:{log_name}"


def ends_field(player: str) -> str:
    """Until when this player's actions are taken, in a room of own starts."""
    return f"{ENDS_AT}:{player}"


def fence_field(player: str) -> str:
    """The tip of the last event that changed whether this player may play."""
    return f"fence:{player}"


def row_field(player: str) -> str:
    """How far the player's game has come."""
    return f"row:{player}"


def seen_field(player: str) -> str:
    """The player's connection and its last beat: `<connection>:<moment>`."""
    return f"seen:{player}"
