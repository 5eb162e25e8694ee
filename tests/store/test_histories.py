"""Histories of calls at random: the model of the store, made from the design, and a Valkey agree.

It is the store of the simulation, so what that shows holds for a real one as far as these two are alike.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.rooms.standings import Progress
from server.store import items as items_module
from server.store import keys
from server.store.items import Append, Extra, Item, Seen
from server.store.records import next_tip, pack_row
from server.store.store import Store, connect
from tests.support.items import DAY_MS, Answers, fresh_room
from tests.support.store_model import ModelRoom, StoreModel
from tests.support.valkey import ValkeyProcess

PLAYERS = ("a", "b")


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

    def __init__(self, model: StoreModel) -> None:
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
            stored = (self.model.room(room_id) or ModelRoom()).logs.get(log, [])
            tips[:] = [entry.tip for entry in stored]
        elif step.base:  # and this one has not heard the latest
            del tips[-step.base + 1 :]
        before = tips[-1] if tips else ""
        tips.append(next_tip(before, step.payload))
        names = [keys.ROOM_FENCE, keys.fence_field(player)] if is_action else []
        if not is_action and step.extra.get("fences") == (keys.fence_field(player),):
            names = [keys.tip_field(keys.game_log(player))]
        room = self.model.room(room_id) or ModelRoom()
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


class Both:
    """The store and its model. What is asked of both must be answered alike."""

    def __init__(self, store: Store) -> None:
        self.store, self.model = store, StoreModel()

    async def write(self, items: list[Item]) -> None:
        now, found = await self.store.write(items, 0.0)
        self.model.now_ms = now
        assert (now, found) == self.model.write(items, 0.0)

    async def ask(self, name: str, *args: Any) -> Any:
        found = await getattr(self.store, name)(*args)
        self.model.now_ms = await self.store.now_ms()
        expected = getattr(self.model, name)(*args)
        assert found == expected, (name, args)
        return found


async def agrees(store: Store, history: list[tuple[int, list[Step]]], patch: pytest.MonkeyPatch) -> None:
    both = Both(store)
    writer = History(both.model)
    before_ms = await store.now_ms()
    async with store.redis.pubsub() as listener:
        await listener.ssubscribe(*map(keys.prefix, writer.rooms))
        await both.write([writer.create(room_id, before_ms) for room_id in writer.rooms])
        for lease_ms, call in history:
            patch.setattr(items_module, "PRESENCE_LEASE_MS", lease_ms)
            await both.write([writer.item(step, before_ms) for step in call])
        assert await heard(listener, len(both.model.published)) == told(both.model.published)
    for room_id in writer.rooms:
        await same_room(both, room_id)
    await both.ask("listed_rooms", before_ms)
    await both.ask("glance", [(room_id, PLAYERS) for room_id in [*writer.rooms, "no such room"]])


async def heard(listener: Any, count: int) -> list[Any]:
    """The next messages, and nothing after them; unpacked, for the two packers choose other sizes."""
    messages = []
    while len(messages) < count:
        message = await listener.get_message(ignore_subscribe_messages=True, timeout=10)
        if message is not None:
            messages.append((message["channel"].decode(), message["data"]))
    assert await listener.get_message(ignore_subscribe_messages=True, timeout=0) is None
    return told(messages)


def told(messages: list[tuple[str, bytes]]) -> list[Any]:
    return [(channel, msgpack.unpackb(message, raw=True)) for channel, message in messages]


async def same_room(both: Both, room_id: str) -> None:
    head, _ = await both.ask("load_room", room_id)
    store, room = both.store, both.model.room(room_id)
    there = set(await store.redis.keys(f"{keys.prefix(room_id)}:*"))
    assert (head is None) is (room is None)
    if room is None:
        assert there == set()
        return
    assert there == {
        key.encode() for key in [keys.head(room_id), *(keys.log(room_id, log) for log in room.logs)]
    }
    for log, stored in room.logs.items():
        for after in {0, 1, len(stored)}:
            await both.ask("load_log", room_id, log, after)
        await both.ask("log_length", room_id, log)
    await both.ask("load_room", room_id, 1)
    assert {await store.redis.pexpiretime(key) for key in there} == {room.expire_at}


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyProcess]:
    with ValkeyProcess(appendonly="no") as process:
        yield process


def examine(valkey: ValkeyProcess, check: Callable[[Store, asyncio.Runner], Callable[[], None]]) -> None:
    """Run what `check` makes, on a store that is empty before each example."""
    with asyncio.Runner() as runner:

        async def opened() -> Store:
            return Store(connect(valkey.url))

        store = runner.run(opened())
        try:
            check(store, runner)()
        finally:
            runner.run(store.close())


def test_the_model_and_the_store_agree(valkey: ValkeyProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(store: Store, runner: asyncio.Runner) -> Callable[[], None]:
        @settings(max_examples=100)
        @given(histories)
        def examples(history: list[tuple[int, list[Step]]]) -> None:
            runner.run(store.redis.flushall())
            runner.run(agrees(store, history, monkeypatch))

        return examples

    examine(valkey, check)


people = st.sampled_from(PLAYERS)
hashes = st.sampled_from(["hash 1", "hash 2"])
rooms = st.sampled_from(["R1", "R2", "R3"])
tries = st.sampled_from(["1", "2", "3"])
calls_of_people = st.one_of(
    st.tuples(
        st.sampled_from(["save_identity", "rename_identity"]),
        hashes,
        people,
        st.sampled_from(["", "Ann", "Bo\u0301"]),
    ),
    st.tuples(st.just("identity"), hashes),
    st.tuples(st.just("been_in"), people, rooms),
    st.tuples(st.just("forget_identity"), hashes, people),
    st.tuples(st.just("password_try"), rooms, people, tries),
    st.tuples(st.just("password_tried"), rooms, people, tries, st.booleans()),
    st.tuples(st.just("password_tries"), rooms, people),
)


def test_they_agree_on_people_and_passwords(valkey: ValkeyProcess) -> None:
    def check(store: Store, runner: asyncio.Runner) -> Callable[[], None]:
        async def agree(calls: list[tuple[Any, ...]]) -> None:
            both = Both(store)
            both.model.now_ms = await store.now_ms()
            for name, *args in calls:
                if name == "forget_identity":  # of rooms, a set
                    assert sorted(await store.forget_identity(*args)) == both.model.forget_identity(*args)
                else:
                    await both.ask(name, *args)

        @settings(max_examples=100)
        @given(st.lists(calls_of_people, max_size=20))
        def examples(calls: list[tuple[Any, ...]]) -> None:
            runner.run(store.redis.flushall())
            runner.run(agree(calls))

        return examples

    examine(valkey, check)
