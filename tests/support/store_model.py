"""The store as the design has it, in memory: the script's calls, and all else that `Store` offers.

Made from `docs/architecture.md` and not from the script; `tests/store/test_histories.py` holds the two
against each other. The methods have the names, arguments and answers of `Store`'s, but wait for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import zip_longest

import msgpack

from server.store import items as items_module
from server.store import keys
from server.store.heads import Glance, Head, LogTip, Presence
from server.store.items import Answer, Append, Extra, Item, Seen, Verdict
from server.store.records import Entry, unpack_row
from server.store.store import LISTED_MAX, PASSWORD_TRIES_S, Tries

STORED, BEFORE, OTHER_TIP, FENCED, LATE, EARLY, TAKEN = list(Verdict)[:7]
NO_EXTRA = Extra()
GONE = -2  # what the store says is the expiry of nothing


@dataclass
class ModelRoom:
    """One room's keys."""

    logs: dict[str, list[Entry]] = field(default_factory=dict)
    fences: dict[str, str] = field(default_factory=dict)
    rows: dict[str, bytes] = field(default_factory=dict)
    seen: dict[str, Presence] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    seq: int = 0
    expire_at: int = 0

    def tip(self, log: str) -> str:
        entries = self.logs.get(log)
        return entries[-1].tip if entries else ""

    def fence(self, name: str) -> str:
        kind, _, log = name.partition(":")
        return self.tip(log) if kind == "log" else self.fences.get(name, "")

    def is_here(self, player: str, now_ms: int) -> bool:
        lease_ms = items_module.PRESENCE_LEASE_MS
        return player in self.seen and abs(now_ms - self.seen[player].moment) < lease_ms

    def log_tip(self, log: str) -> LogTip:
        last = self.logs[log][-1]
        return LogTip(last.tip, last.stamp, last.n)

    def head(self) -> Head:
        games = {log.removeprefix("game:"): self.log_tip(log) for log in self.logs if log != keys.ROOM_LOG}
        rows = {field.removeprefix("row:"): row for field, row in self.rows.items()}
        fences = {name.partition(":")[2]: tip for name, tip in self.fences.items()}
        return Head(
            seq=self.seq,
            room=self.log_tip(keys.ROOM_LOG),
            games=games,
            progress={
                player: unpack_row(row, games[player].n, games[player].stamp) for player, row in rows.items()
            },
            room_fence=fences.pop("", ""),
            fences=fences,
            seen=dict(self.seen),
        )

    def copied(self) -> ModelRoom:
        return ModelRoom(
            {log: list(entries) for log, entries in self.logs.items()},
            dict(self.fences), dict(self.rows), dict(self.seen), dict(self.ends), self.seq, self.expire_at,
        )  # fmt: skip


class StoreModel:
    """See the module. `now_ms` is its clock, to be set before each call."""

    def __init__(self) -> None:
        self.now_ms = 0
        self._rooms: dict[str, ModelRoom] = {}
        self._listed: dict[str, int] = {}
        self._identities: dict[str, tuple[str, str]] = {}
        self._told_unknown: set[str] = set()  # of the last minutes
        self._been_in: dict[str, set[str]] = {}
        self._tries: dict[tuple[str, str], tuple[frozenset[str], int]] = {}
        self.published: list[tuple[str, bytes]] = []  # by the script; to be taken away
        self.stored: Callable[[str, str, Entry], None] = lambda room, log, entry: None  # told of each entry
        self.fence_of: Callable[[Append], str] = lambda item: item.tip  # for a mutant

    def copied(self) -> StoreModel:
        """What it holds now, to be kept."""
        twin = copy(self)
        twin._rooms = {id: room.copied() for id, room in self._rooms.items()}
        twin._listed, twin._identities, twin._tries = (
            dict(self._listed),
            dict(self._identities),
            dict(self._tries),
        )
        twin._told_unknown = set(self._told_unknown)
        twin._been_in = {player: set(rooms) for player, rooms in self._been_in.items()}
        twin.published = []
        return twin

    def room(self, room_id: str) -> ModelRoom | None:
        """A room that is there."""
        room = self._rooms.get(room_id)
        if room is not None and room.expire_at <= self.now_ms:
            del self._rooms[room_id]
            return None
        return room

    # The script

    def write(self, items: Sequence[Item], monotonic_ms: float) -> tuple[int, list[Answer]]:
        found = []
        for item in items:
            if isinstance(item, Seen):
                found.append(self._see(item))
            else:
                found.append(self._append(item, self.now_ms - int(monotonic_ms - item.received_ms)))
        return self.now_ms, found

    def _append(self, item: Append, came_at: int) -> Answer:
        there = self.room(item.room)
        room = there or ModelRoom()
        extra = item.extra or NO_EXTRA
        entries = room.logs.get(item.log, [])
        if room.tip(item.log) != item.before:
            if len(entries) >= item.n and entries[item.n - 1].tip == item.tip:
                return Answer(BEFORE, entries[item.n - 1].stamp)
            return Answer(OTHER_TIP)
        if any(room.fence(name) != tip for name, tip in zip(*item.fences, strict=True)):
            return Answer(FENCED)
        latest_ms = max((entries[-1].stamp for entries in room.logs.values()), default=0)
        if max(self.now_ms, latest_ms) < (extra.from_ms or 0):
            return Answer(EARLY)
        if extra.absent is not None and room.is_here(extra.absent, self.now_ms):
            return Answer(FENCED)
        stamp = max(came_at, entries[-1].stamp if entries else 0, item.floor_ms)
        if extra.stamp is not None:
            stamp = extra.stamp
        till = room.ends.get(item.ends_field) if item.row is not None else extra.till_ms
        if till is not None and stamp >= till:
            return Answer(LATE)
        if there is None and extra.expire_at is None:
            return Answer(OTHER_TIP)  # it is gone
        room = self._rooms.setdefault(item.room, room)
        self._store(room, item, extra, stamp)
        return Answer(STORED, stamp, room.seq)

    def _store(self, room: ModelRoom, item: Append, extra: Extra, stamp: int) -> None:
        entry = Entry(item.n, item.tip, stamp, item.payload)
        room.logs.setdefault(item.log, []).append(entry)
        self.stored(item.room, item.log, entry)
        if item.row is not None:
            room.rows[item.row_field] = item.row
        room.seq += 1
        room.fences |= dict.fromkeys(extra.fences, self.fence_of(item))
        if extra.ends_at is not None:
            room.ends[extra.ends_field] = extra.ends_at
        if extra.expire_at is not None:
            room.expire_at = extra.expire_at
            if item.room in self._listed:
                self._listed[item.room] = extra.expire_at
        if extra.listed:
            self._listed[item.room] = GONE if self.room(item.room) is None else room.expire_at
        elif extra.listed is False:
            self._listed.pop(item.room, None)
        if item.extra is not None:
            told = [
                b"event",
                item.n,
                item.before.encode(),
                item.tip.encode(),
                b"%d" % stamp,
                item.payload,
                room.seq,
            ]
            self._publish(item.room, told)

    def _see(self, item: Seen) -> Answer:
        room = self.room(item.room)
        if room is None:
            return Answer(OTHER_TIP)
        presence = room.seen.get(item.player)
        living = room.is_here(item.player, self.now_ms)
        others = presence is not None and presence.connection != item.connection
        newer = presence is not None and presence.connection > item.connection
        if others and (item.mode == "gone" or (living and newer)):
            return Answer(TAKEN)
        if item.mode == "gone":
            room.seen.pop(item.player, None)
            told = living
        else:
            room.seen[item.player] = Presence(item.connection, self.now_ms)
            told = not living or others
        if not told:
            return Answer(STORED, self.now_ms)
        room.seq += 1
        online, moment = item.mode == "here", b"%d" % self.now_ms
        player, connection = item.player.encode(), item.connection.encode()
        self._publish(item.room, [b"seen", player, connection, online, moment, room.seq])
        return Answer(STORED, self.now_ms, room.seq)

    def _publish(self, room_id: str, told: list[object]) -> None:
        self.published.append((keys.prefix(room_id), msgpack.packb(told, use_bin_type=False)))

    # What else `Store` offers

    def load_room(self, room_id: str, after_v: int = 0) -> tuple[Head | None, list[Entry]]:
        room = self.room(room_id)
        return (None, []) if room is None else (room.head(), room.logs[keys.ROOM_LOG][after_v:])

    def load_log(self, room_id: str, log: str, after_n: int = 0, count_max: int | None = None) -> list[Entry]:
        room = self.room(room_id)
        return [] if room is None else room.logs.get(log, [])[after_n:][:count_max]

    def log_length(self, room_id: str, log: str) -> int:
        return len(self.load_log(room_id, log))

    def glance(self, rooms: Sequence[tuple[str, Sequence[str]]]) -> list[Glance | None]:
        glances: list[Glance | None] = []
        for room_id, players in rooms:
            room = self.room(room_id)
            if room is None:
                glances.append(None)
            else:
                seen = {player: room.seen[player] for player in players if player in room.seen}
                glances.append(Glance(room.seq, room.tip(keys.ROOM_LOG), seen))
        return glances

    def listed_rooms(self, now_ms: int) -> list[str]:
        self._listed = {room: at for room, at in self._listed.items() if not 0 <= at <= now_ms}
        latest_first = sorted(self._listed, key=lambda room: (self._listed[room], room), reverse=True)
        partitions = [
            [r for r in latest_first if keys.partition(r) == p][:LISTED_MAX] for p in range(keys.PARTITIONS)
        ]
        return [room for turn in zip_longest(*partitions) for room in turn if room is not None]

    def _tries_of(self, room_id: str, address: str) -> tuple[frozenset[str], int]:
        """The tries, by what came of each and its id, and till when they count."""
        tries, till = self._tries.get((room_id, address), (frozenset(), 0))
        if tries and till > self.now_ms:
            return tries, till
        return frozenset(), self.now_ms + PASSWORD_TRIES_S * 1000

    def password_try(self, room_id: str, address: str, id: str) -> Tries:
        tries, till = self._tries_of(room_id, address)
        self._tries[room_id, address] = (tries | {keys.UNDER_WAY + id}, till)
        return self.password_tries(room_id, address)

    def password_tried(self, room_id: str, address: str, id: str, wrong: bool) -> None:
        tries, till = self._tries_of(room_id, address)
        left = tries - {keys.UNDER_WAY + id}
        if not left:  # what is empty is gone, and its time with it
            till = self.now_ms + PASSWORD_TRIES_S * 1000
        self._tries[room_id, address] = (left | {keys.WRONG + id} if wrong else left, till)

    def password_tries(self, room_id: str, address: str) -> Tries:
        return Tries.of([member.encode() for member in self._tries_of(room_id, address)[0]])

    def forget_identity(self, token_hash: str, player: str) -> list[str]:
        self._identities.pop(token_hash, None)
        return sorted(self._been_in.pop(player, set()))

    def been_in(self, player: str, room_id: str) -> None:
        self._been_in.setdefault(player, set()).add(room_id)

    def identity(self, token_hash: str) -> tuple[str, str] | None:
        if token_hash not in self._identities:
            self._told_unknown.add(token_hash)
        return self._identities.get(token_hash)

    def save_identity(self, token_hash: str, player: str, name: str) -> bool:
        if token_hash in self._told_unknown:
            self._identities.pop(token_hash, None)
            return False
        self._identities[token_hash] = (player, name)
        return True

    def rename_identity(self, token_hash: str, player: str, name: str) -> bool:
        known = token_hash in self._identities
        if known:
            self._identities[token_hash] = (player, name)
        return known
