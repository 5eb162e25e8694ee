"""Histories of calls at random: a model of the script, made from the design, and a Valkey agree."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.rooms.standings import Progress
from server.store import items as items_module
from server.store import keys
from server.store.items import Answer, Append, Extra, Item, Seen, Verdict
from server.store.records import Entry, next_tip, pack_row
from server.store.store import LogTip, Presence, Store, connect
from tests.support.items import DAY_MS, Answers, fresh_room
from tests.support.valkey import ValkeyProcess

STORED, BEFORE, OTHER_TIP, FENCED, LATE, EARLY, TAKEN = list(Verdict)[:7]

PLAYERS = ("a", "b")


# -- the model


@dataclass
class ModelRoom:
    logs: dict[str, list[Entry]] = field(default_factory=dict)
    fences: dict[str, str] = field(default_factory=dict)
    rows: dict[str, bytes] = field(default_factory=dict)
    seen: dict[str, Presence] = field(default_factory=dict)
    seq: int = 0
    ends_at: int | None = None
    expire_at: int = 0

    def tip(self, log: str) -> str:
        entries = self.logs.get(log)
        return entries[-1].tip if entries else ""

    def fence(self, name: str) -> str:
        kind, _, log = name.partition(":")
        return self.tip(log) if kind == "log" else self.fences.get(name, "")

    def is_here(self, player: str, now: int, lease_ms: int) -> bool:
        return player in self.seen and now - self.seen[player].moment < lease_ms

    def store(self, item: Append, extra: Extra, stamp: int) -> None:
        self.logs.setdefault(item.log, []).append(Entry(item.n, item.tip, stamp, item.payload))
        if item.row is not None:
            self.rows[item.row_field] = item.row
        self.seq += 1
        self.fences |= dict.fromkeys(extra.fences, item.tip)
        self.ends_at = extra.ends_at if extra.ends_at is not None else self.ends_at
        self.expire_at = extra.expire_at if extra.expire_at is not None else self.expire_at


class Model:
    """What the store should answer, and hold."""

    def __init__(self) -> None:
        self.rooms: dict[str, ModelRoom] = {}

    def write(self, items: list[Item], monotonic_ms: float, now: int, lease_ms: int) -> list[Answer]:
        found = []
        for item in items:
            if isinstance(item, Seen):
                found.append(self.see(item, now, lease_ms))
            else:
                found.append(self.append(item, now - int(monotonic_ms - item.received_ms), now, lease_ms))
        return found

    def append(self, item: Append, came_at: int, now: int, lease_ms: int) -> Answer:
        room = self.rooms.get(item.room) or ModelRoom()
        entries = room.logs.get(item.log, [])
        extra = item.extra or Extra()
        if room.tip(item.log) != item.before:
            if len(entries) >= item.n and entries[item.n - 1].tip == item.tip:
                return Answer(BEFORE, entries[item.n - 1].stamp)
            return Answer(OTHER_TIP)
        if any(room.fence(name) != tip for name, tip in zip(*item.fences, strict=True)):
            return Answer(FENCED)
        if now < (extra.from_ms or 0):
            return Answer(EARLY)
        if extra.absent is not None and room.is_here(extra.absent, now, lease_ms):
            return Answer(FENCED)
        stamp = max(came_at, entries[-1].stamp if entries else 0, item.floor_ms)
        if extra.stamp is not None:
            stamp = extra.stamp
        till = room.ends_at if item.row is not None else extra.till_ms
        if till is not None and stamp >= till:
            return Answer(LATE)
        if item.room not in self.rooms and extra.expire_at is None:
            return Answer(OTHER_TIP)  # it is gone
        room = self.rooms.setdefault(item.room, room)
        room.store(item, extra, stamp)
        if room.expire_at <= now:
            del self.rooms[item.room]
        return Answer(STORED, stamp, room.seq)

    def see(self, item: Seen, now: int, lease_ms: int) -> Answer:
        room = self.rooms.get(item.room)
        if room is None:
            return Answer(OTHER_TIP)
        presence = room.seen.get(item.player)
        living = room.is_here(item.player, now, lease_ms)
        others = presence is not None and presence.connection != item.connection
        newer = presence is not None and presence.connection > item.connection
        if others and (item.mode == "gone" or (living and newer)):
            return Answer(TAKEN)
        if item.mode == "gone":
            room.seen.pop(item.player, None)
            told = living
        else:
            room.seen[item.player] = Presence(item.connection, now)
            told = not living or others
        room.seq += told
        return Answer(STORED, now, room.seq if told else 0)


# -- histories


class Step(NamedTuple):
    """An item to be made when its turn comes: numbers choose among what there is then."""

    kind: str
    room: int
    player: int
    payload: bytes
    base: int
    fresh_fences: bool
    age_ms: int
    extra: dict[str, Any]


around = st.integers(-3000, 3000)
mostly_before = st.sampled_from([-3000, -1, 0, 500])
extras = st.fixed_dictionaries(
    {},
    optional={
        "stamp": around,
        "from_ms": mostly_before,
        "till_ms": mostly_before.map(lambda moment: -moment),
        "ends_at": st.sampled_from([-2000, -1, 1, 3000, 60_000]),
        "absent": st.sampled_from(PLAYERS),
        "expire_at": st.sampled_from([DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 8 * DAY_MS, 30 * DAY_MS, -1]),
        "fences": st.sets(st.sampled_from([keys.ROOM_FENCE, *map(keys.fence_field, PLAYERS)])).map(tuple),
        "listed": st.booleans(),
    },
)
steps = st.builds(
    Step,
    kind=st.sampled_from(["action"] * 6 + ["event"] * 4 + ["again"] * 2 + ["here", "here", "gone"]),
    room=st.integers(0, 1),
    player=st.integers(0, 1),
    payload=st.sampled_from([b"\x01x", b"\x01y"]),
    base=st.sampled_from([0] * 8 + [1] * 4 + [2, 3]),
    fresh_fences=st.sampled_from([True] * 4 + [False]),
    age_ms=st.sampled_from([0, 0, 1, 400, 3000]),
    extra=extras,
)
calls = st.tuples(st.sampled_from([0, 10_000]), st.lists(steps, min_size=1, max_size=6))
histories = st.lists(calls, min_size=1, max_size=6)


class History:
    """Makes the items of a history, as writers would that know more or less of the store."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.rooms = [fresh_room(), fresh_room()]
        self.made: list[Item] = []
        self.tips: dict[tuple[str, str], list[str]] = {}  # of each log, as the last writer has it

    def create(self, room_id: str, now: int) -> Append:
        payload = b"\x01created"
        self.tips[room_id, keys.ROOM_LOG] = [next_tip("", payload)]
        extra = Extra(expire_at=now + DAY_MS)
        return Append(
            room_id,
            keys.ROOM_LOG,
            1,
            "",
            next_tip("", payload),
            payload,
            3000.0,
            ([], []),
            Answers(),
            extra=extra,
        )

    def item(self, step: Step, now: int) -> Item:
        if step.kind == "again" and self.made:
            return self.made[-1 - step.base % len(self.made)]
        room_id, player = self.rooms[step.room], PLAYERS[step.player]
        if step.kind in ("here", "gone"):
            return Seen(room_id, player, f"c:{step.payload[-1]}", step.kind, Answers())  # type: ignore[arg-type]
        is_action = step.kind == "action"
        log = keys.game_log(player) if is_action else keys.ROOM_LOG
        tips = self.tips.setdefault((room_id, log), [])
        if step.base == 1:  # this writer has read the store before
            stored = self.model.rooms.get(room_id, ModelRoom()).logs.get(log, [])
            tips[:] = [entry.tip for entry in stored]
        elif step.base:  # and this one has not heard the latest
            del tips[-step.base + 1 :]
        before = tips[-1] if tips else ""
        tips.append(next_tip(before, step.payload))
        names = [keys.ROOM_FENCE, keys.fence_field(player)] if is_action else []
        if not is_action and step.extra.get("fences") == (keys.fence_field(player),):
            names = [keys.tip_field(keys.game_log(player))]
        room = self.model.rooms.get(room_id, ModelRoom())
        fences = [room.fence(name) if step.fresh_fences else "" for name in names]
        moments = ("stamp", "from_ms", "till_ms", "ends_at", "expire_at")
        extra = {name: value + now if name in moments else value for name, value in step.extra.items()}
        if len(tips) == 1:
            extra.setdefault("expire_at", now + DAY_MS)
        item = Append(
            room_id,
            log,
            len(tips),
            before,
            tips[-1],
            step.payload,
            -step.age_ms,
            (names, fences),
            Answers(),
            floor_ms=now - 1000 if is_action else 0,
            row_field=keys.row_field(player) if is_action else "",
            row=pack_row(Progress(moves=len(tips), home=step.age_ms)) if is_action else None,
            extra=None if is_action else Extra(**extra),
        )
        self.made.append(item)
        return item


async def agrees(store: Store, history: list[tuple[int, list[Step]]], patch: pytest.MonkeyPatch) -> None:
    model = Model()
    writer = History(model)
    before_ms = await store.now_ms()
    items: list[Item] = [writer.create(room_id, before_ms) for room_id in writer.rooms]
    now, found = await store.write(items, 0.0)
    assert found == model.write(items, 0.0, now, 0)
    for lease_ms, call in history:
        patch.setattr(items_module, "PRESENCE_LEASE_MS", lease_ms)
        items = [writer.item(step, before_ms) for step in call]
        now, found = await store.write(items, 0.0)
        assert found == model.write(items, 0.0, now, lease_ms)
    for room_id in writer.rooms:
        await same_room(store, room_id, model.rooms.get(room_id))


async def same_room(store: Store, room_id: str, room: ModelRoom | None) -> None:
    head, entries = await store.load_room(room_id)
    there = set(await store.redis.keys(f"{keys.prefix(room_id)}:*"))
    if room is None:
        assert (head, entries, there) == (None, [], set())
        return
    assert head is not None
    assert there == {
        key.encode() for key in [keys.head(room_id), *(keys.log(room_id, log) for log in room.logs)]
    }
    assert (head.seq, head.seen) == (room.seq, room.seen)
    assert entries == room.logs[keys.ROOM_LOG]
    for log, stored in room.logs.items():
        assert await store.load_log(room_id, log) == stored
        tip = head.room if log == keys.ROOM_LOG else head.games[log.removeprefix("game:")]
        assert tip == LogTip(stored[-1].tip, stored[-1].stamp, stored[-1].n)
    raw = await store.redis.hgetall(keys.head(room_id))
    fences = {name.decode(): tip.decode() for name, tip in raw.items() if name.startswith(b"fence")}
    assert fences == room.fences
    assert {name.decode(): row for name, row in raw.items() if name.startswith(b"row:")} == room.rows
    assert {await store.redis.pexpiretime(key) for key in there} == {room.expire_at}


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyProcess]:
    with ValkeyProcess(appendonly="no") as process:
        yield process


def test_the_model_and_the_store_agree(valkey: ValkeyProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    with asyncio.Runner() as runner:

        async def opened() -> Store:
            return Store(connect(valkey.url))

        store = runner.run(opened())

        @settings(max_examples=200)
        @given(histories)
        def check(history: list[tuple[int, list[Step]]]) -> None:
            runner.run(store.redis.flushall())
            runner.run(agrees(store, history, monkeypatch))

        try:
            check()
        finally:
            runner.run(store.close())
