"""Keys and partitions: a room must be found again by every version."""

from __future__ import annotations

from collections import Counter

from redis.crc import key_slot

from server.store import keys

# Never to be changed: rooms that are stored already are where these say.
PARTITIONS = {"": 0, "a": 3, "ABCDEFGH": 12, "K7Q2M9XA": 15, "room-1": 6, "room-2": 12, "Ærø": 12}


def test_a_rooms_partition_is_what_it_always_was() -> None:
    assert {room: keys.partition(room) for room in PARTITIONS} == PARTITIONS


def test_partitions_are_filled_evenly() -> None:
    counts = Counter(keys.partition(f"room{n}") for n in range(16_000))
    assert set(counts) == set(range(keys.PARTITIONS))
    assert min(counts.values()) > 800


def test_every_key_and_channel_of_a_room_lies_in_one_slot_of_a_cluster() -> None:
    for room in ("K7Q2M9XA", "room-1"):
        partition = keys.partition(room)
        names = [
            keys.prefix(room),
            keys.head(room),
            keys.log(room, keys.ROOM_LOG),
            keys.log(room, keys.game_log("some player")),
            keys.listed(partition),
            keys.progress_channel(partition),
        ]
        assert len(set(names)) == len(names)
        assert len({key_slot(name.encode()) for name in names}) == 1
    slots = {key_slot(keys.listed(partition).encode()) for partition in range(keys.PARTITIONS)}
    assert len(slots) == keys.PARTITIONS


def test_keys_read_as_they_are_documented() -> None:
    assert keys.log("K7Q2M9XA", keys.ROOM_LOG) == "cr:{15}:K7Q2M9XA:room"
    assert keys.log("K7Q2M9XA", keys.game_log("p1")) == "cr:{15}:K7Q2M9XA:game:p1"
    assert keys.head("K7Q2M9XA") == "cr:{15}:K7Q2M9XA:head"
    assert keys.tip_field(keys.game_log("p1")) == "log:game:p1"
    assert (keys.fence_field("p1"), keys.row_field("p1"), keys.seen_field("p1")) == (
        "fence:p1",
        "row:p1",
        "seen:p1",
    )
    assert keys.identity("hash") == "cr:identity:hash"
    assert keys.told_unknown("hash") == "cr:unknown:{cr:identity:hash}"
    assert key_slot(keys.told_unknown("hash").encode()) == key_slot(keys.identity("hash").encode())
