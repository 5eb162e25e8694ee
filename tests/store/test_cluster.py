"""The store over a real cluster: keys where they are, and slots that are on their way."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from redis.crc import key_slot

from server.store import keys
from server.store.cluster import AGAIN_S
from server.store.items import Verdict
from server.store.opening import open_store
from server.store.store import Store, StoreUnavailableError
from tests.support.cluster import ClusterNode, ClusterProcess, move_slot
from tests.support.items import DAY_MS, Room, beat, fresh_room, running_room, write
from tests.support.valkey import ValkeyProcess

pytestmark = pytest.mark.faults
STORED, BEFORE = Verdict.STORED, Verdict.STORED_BEFORE
WAIT_S = 20.0


@pytest.fixture
async def store(cluster: ClusterProcess) -> AsyncIterator[Store]:
    store, warnings = await open_store(cluster.url)
    assert warnings == []
    yield store
    await store.close()


def slot_of(room: str) -> int:
    return key_slot(keys.head(room).encode())


async def room_in(store: Store, partition: int) -> Room:
    """A room that is running, of this partition."""
    while True:
        room = Room()
        if keys.partition(room.id) == partition:
            break
    now_ms = await store.now_ms(partition)
    assert await write(store, room.create(now_ms + DAY_MS), room.start()) == [STORED] * 2
    return room


# -- everything the store is asked


async def test_rooms_of_every_partition_are_written_and_read(store: Store, cluster: ClusterProcess) -> None:
    owners = set()
    for partition in range(store.lanes):
        room = await room_in(store, partition)
        game = room.game("a")
        items = [game.next(), room.event(b"\x01e"), beat(room.id, "a", "c:1"), game.next()]
        assert await write(store, *items) == [STORED] * 4
        head, entries = await store.load_room(room.id)
        assert head is not None
        assert (head.seq, head.games["a"].n, len(entries)) == (6, 2, 3)
        assert [entry.n for entry in await store.load_log(room.id, game.name, 1)] == [2]
        assert await store.log_length(room.id, game.name) == 2
        first, gone = await store.glance([(room.id, ["a"]), (fresh_room_like(room.id), [])])
        assert first is not None
        assert first.seen["a"].connection == "c:1"
        assert gone is None
        assert await store.password_try(room.id, "here", "1") == (0, 1)
        await store.password_tried(room.id, "here", "1", wrong=True)
        assert await store.password_tries(room.id, "here") == (1, 0)
        owners.add((await cluster.owner(slot_of(room.id))).name)
    assert len(owners) == 3
    assert await store.answers()


def fresh_room_like(room: str) -> str:
    """A room id that nobody has, of the same partition."""
    while keys.partition(other := fresh_room()) != keys.partition(room):
        pass
    return other


async def test_identities_are_kept_wherever_their_keys_are(store: Store) -> None:
    for n in range(6):
        token_hash, player = fresh_room(), f"player{n}"
        assert await store.identity(fresh_room()) is None
        assert await store.save_identity(token_hash, player, "A")
        await store.been_in(player, "R1")
        await store.been_in(player, "R2")
        assert await store.identity(token_hash) == (player, "A")
        assert sorted(await store.forget_identity(token_hash, player)) == ["R1", "R2"]
        assert await store.identity(token_hash) is None
        assert await store.forget_identity(token_hash, player) == []


async def test_listed_rooms_are_told_of_all_partitions(store: Store) -> None:
    now_ms = await store.now_ms()
    rooms = [Room() for _ in range(20)]
    for room in rooms:
        assert await write(store, room.create(now_ms + DAY_MS, listed=True)) == [STORED]
    assert {room.id for room in rooms} <= set(await store.listed_rooms(now_ms))


async def test_a_server_that_does_not_know_the_script_is_told_it(
    store: Store, cluster: ClusterProcess
) -> None:
    room = await running_room(store)
    await (await cluster.owner(slot_of(room.id))).ask("SCRIPT", "FLUSH")
    assert await write(store, room.event()) == [STORED]


# -- slots on their way


@asynccontextmanager
async def on_its_way(cluster: ClusterProcess, room: Room) -> AsyncIterator[tuple[ClusterNode, ClusterNode]]:
    """Have the room's slot migrate meanwhile, with no key moved yet; then it is moved whole."""
    slot = slot_of(room.id)
    source = await cluster.owner(slot)
    target = next(node for node in await cluster.primaries() if node is not source)
    await target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
    await source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
    try:
        yield source, target
    finally:
        await move_slot(slot, source, target)
        await cluster.until_whole()


async def move_keys(source: ClusterNode, target: ClusterNode, *names: str) -> None:
    await source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *names)


async def test_a_room_is_found_before_while_and_after_its_slot_moves(
    store: Store, cluster: ClusterProcess
) -> None:
    room = await running_room(store)
    game, head = room.game("a"), keys.head(room.id)
    assert await write(store, game.next()) == [STORED]

    async def is_whole(n: int) -> None:
        assert await write(store, game.next()) == [STORED]
        assert (
            len(await store.load_log(room.id, game.name)) == await store.log_length(room.id, game.name) == n
        )
        found, entries = await store.load_room(room.id)
        assert found is not None
        assert (found.games["a"].n, len(entries)) == (n, 2)
        (glance,) = await store.glance([(room.id, [])])
        assert glance is not None

    async with on_its_way(cluster, room) as (source, target):
        await is_whole(2)  # still all at the source
        await move_keys(source, target, head, game.key, room.log.key)
        await is_whole(3)  # all at the target, which answers to ASKING only
    await is_whole(4)  # the target's own: the source says MOVED


async def test_a_log_is_not_forked_while_the_rooms_keys_are_on_both_sides(
    store: Store, cluster: ClusterProcess
) -> None:
    room = await running_room(store)
    game = room.game("a")
    assert await write(store, game.next()) == [STORED]
    item = game.next()
    async with on_its_way(cluster, room) as (source, target):
        for key in (keys.head(room.id), game.key):
            await move_keys(source, target, key)
            if key != game.key:
                with pytest.raises(StoreUnavailableError, match="TryAgain"):
                    await store.write([item], 0.0)
        assert await write(store, item) == [STORED]
    assert [entry.tip for entry in await store.load_log(room.id, game.name)][1:] == [item.tip]
    assert await write(store, item) == [BEFORE]


async def test_an_event_that_changes_every_keys_expiry_is_not_half_done(
    store: Store, cluster: ClusterProcess
) -> None:
    """Its effects on a game's log are part of it: with that log elsewhere, it must wait."""
    room = await running_room(store)
    game = room.game("a")
    assert await write(store, game.next()) == [STORED]
    now_ms = await store.now_ms()
    close = room.event(expire_at=now_ms + 3 * DAY_MS, logs=(game.name,), fences=(keys.ROOM_FENCE,))
    async with on_its_way(cluster, room) as (source, target):
        await move_keys(source, target, game.key)
        with pytest.raises(StoreUnavailableError, match="TryAgain"):
            await store.write([close], 0.0)
    assert await write(store, close) == [STORED]
    owner = await cluster.owner(slot_of(room.id))
    assert await owner.ask("PEXPIRETIME", game.key) == now_ms + 3 * DAY_MS


async def test_what_is_read_waits_for_keys_that_are_on_both_sides(
    store: Store, cluster: ClusterProcess
) -> None:
    room = await running_room(store)
    async with on_its_way(cluster, room) as (source, target):
        await move_keys(source, target, room.log.key)
        reading = asyncio.create_task(store.load_room(room.id))
        await asyncio.sleep(3 * AGAIN_S)
        assert not reading.done()
        await move_keys(source, target, keys.head(room.id))
        head, entries = await reading
    assert head is not None
    assert len(entries) == 2


# -- hints


class Ear:
    """A subscription that runs, and what it heard."""

    def __init__(self, store: Store) -> None:
        self.heard: set[str] = set()
        self.gaps = 0
        self._store = store
        self.subscription = store.subscription(f"cr:{{0}}:probe:{fresh_room()}", self._hear, self._gap)

    def _hear(self, channel: str, message: bytes) -> None:
        self.heard.add(channel)

    def _gap(self) -> None:
        self.gaps += 1

    async def until_hears(self, *channels: str) -> None:
        """Say something on each until it is heard."""
        self.heard.clear()

        async def all_heard() -> bool:
            for channel in set(channels) - self.heard:
                try:
                    await self._store.publish([(channel, b"?")])
                except StoreUnavailableError:
                    continue
            return self.heard >= set(channels)

        await until(all_heard)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not await holds():  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.02)


@pytest.fixture
async def ear(store: Store) -> AsyncIterator[Ear]:
    ear = Ear(store)
    task = asyncio.create_task(ear.subscription.run())
    yield ear
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def channels_of_all() -> list[str]:
    return [keys.progress_channel(partition) for partition in range(keys.PARTITIONS)]


async def test_every_partition_is_heard_on_one_connection_a_primary(
    store: Store, cluster: ClusterProcess, ear: Ear
) -> None:
    for channel in channels_of_all():
        await ear.subscription.add(channel)
    await ear.until_hears(*channels_of_all())
    lines = [(await node.ask("CLIENT", "LIST", "TYPE", "pubsub")).decode() for node in cluster.nodes]
    assert [len(told.splitlines()) for told in lines].count(1) == 3
    left, *kept = channels_of_all()
    await ear.subscription.remove(left)
    await ear.until_hears(*kept)
    owner = await cluster.owner(key_slot(left.encode()))

    async def is_left() -> bool:
        return (await owner.ask("PUBSUB", "SHARDNUMSUB", left)) == [left.encode(), 0]

    await until(is_left)


async def test_a_channel_goes_with_its_slot(store: Store, cluster: ClusterProcess, ear: Ear) -> None:
    for channel in channels_of_all():
        await ear.subscription.add(channel)
    await ear.until_hears(*channels_of_all())
    gaps = ear.gaps
    for partition in (3, 4):
        room = await room_in(store, partition)
        async with on_its_way(cluster, room):
            pass
    await ear.until_hears(*channels_of_all())
    assert ear.gaps > gaps  # what was said meanwhile may have been missed


async def test_connections_that_are_killed_are_made_anew(
    store: Store, cluster: ClusterProcess, ear: Ear
) -> None:
    for channel in channels_of_all():
        await ear.subscription.add(channel)
    await ear.until_hears(*channels_of_all())
    gaps = ear.gaps
    assert await cluster.kill_connections() >= 3
    await ear.until_hears(*channels_of_all())
    assert ear.gaps > gaps


async def test_a_silent_one_is_made_anew(store: Store, ear: Ear) -> None:
    channel = keys.progress_channel(5)
    await ear.subscription.add(channel)
    await ear.until_hears(channel)
    gaps = ear.gaps
    ear.subscription.renew(channel)
    await until(lambda: _is(ear.gaps > gaps))
    await ear.until_hears(channel)


async def _is(holds: bool) -> bool:
    return holds


# -- replicas


async def test_a_write_is_confirmed_when_so_many_replicas_have_it(cluster: ClusterProcess) -> None:
    store, _ = await open_store(cluster.url, wait_replicas=1)
    room = await running_room(store)
    event = room.event(b"\x01held")
    owner = await cluster.owner(slot_of(room.id))
    (replica,) = await cluster.replicas(owner)
    os.kill(replica.pid, signal.SIGSTOP)
    try:
        # Stored, and not confirmed; also not when it is asked again, on this connection or another.
        for _ in range(2):
            with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
                await store.write([event], 0.0)
        other, _ = await open_store(cluster.url, wait_replicas=1)
        with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
            await other.write([event], 0.0)
        await other.close()
    finally:
        os.kill(replica.pid, signal.SIGCONT)
    await cluster.until_whole()
    assert await write(store, event) == [BEFORE]
    await store.close()


# -- a primary that was replaced and does not know it


@asynccontextmanager
async def stopped(cluster: ClusterProcess, primary: ClusterNode, replica: ClusterNode) -> AsyncIterator[None]:
    """It is stopped while its replica takes its place, and wakes at the end of this."""
    os.kill(primary.pid, signal.SIGSTOP)
    try:
        await cluster.until_promoted([replica])
        yield
    finally:
        os.kill(primary.pid, signal.SIGCONT)


@asynccontextmanager
async def deaf(cluster: ClusterProcess, primary: ClusterNode, replica: ClusterNode) -> AsyncIterator[None]:
    """It runs, and hears nothing of the others, so not that its replica takes its place."""
    await primary.hear_others(False)
    # By itself a replica takes the place of one that is silent, and this one still speaks.
    await replica.ask("CLUSTER", "FAILOVER", "TAKEOVER")
    await cluster.until_promoted([replica])
    yield


@pytest.mark.parametrize(
    ("fault", "wait_replicas", "replicas_min", "told"),
    [
        (stopped, 0, 0, "STORED"),
        (stopped, 0, 1, "STORED"),  # it still counts the replica that has left it
        (stopped, 1, 0, "0 of 1 replicas"),
        (deaf, 0, 0, "STORED"),
        (deaf, 0, 1, "NOREPLICAS"),
        (deaf, 1, 0, "0 of 1 replicas"),
    ],
)
async def test_what_a_replaced_primary_says_is_stored_is_lost_and_wait_has_it_say_so_no_more(
    cluster: ClusterProcess,
    fault: Callable[..., AbstractAsyncContextManager[None]],
    wait_replicas: int,
    replicas_min: int,
    told: str,
) -> None:
    late, _ = await open_store(cluster.url, wait_replicas=wait_replicas)
    sure, _ = await open_store(cluster.url, wait_replicas=1)
    room = await room_in(sure, 7)  # which the replica has, then
    await sure.close()
    await write(late, beat(room.id, "a", "c:1"))  # so it has a connection to the primary
    game = room.game("a")
    item, other = game.item(b"\x01late"), game.item(b"\x01other")
    primary = await cluster.owner(slot_of(room.id))
    (replica,) = await cluster.replicas(primary)
    await primary.ask("CONFIG", "SET", "min-replicas-to-write", replicas_min)
    try:
        async with fault(cluster, primary, replica):
            store, _ = await open_store(f"redis://{replica.name}")
            writing = asyncio.create_task(late.write([item], 0.0))
            assert await write(store, other) == [STORED]
        try:
            (answer,) = (await writing)[1]
        except StoreUnavailableError as unavailable:
            said = str(unavailable)
        else:
            said = answer.error or answer.verdict.name
    finally:
        await primary.hear_others(True)
        await cluster.until_whole()
        await primary.ask("CONFIG", "SET", "min-replicas-to-write", 0)
    assert told in said
    assert [entry.tip for entry in await store.load_log(room.id, game.name)] == [other.tip]
    assert await write(late, item) == [Verdict.OTHER_TIP]
    await late.close()
    await store.close()


# -- at the start


async def refusal(url: str) -> str:
    from server.store.suitability import UnsuitableStoreError

    with pytest.raises(UnsuitableStoreError) as caught:
        await open_store(url)
    told = str(caught.value)
    assert told.endswith(".")
    assert "\n" not in told
    return told


async def test_any_server_of_it_will_do(cluster: ClusterProcess) -> None:
    for node in cluster.nodes:
        store, warnings = await open_store(f"redis://{node.name}")
        assert (store.lanes, warnings) == (keys.PARTITIONS, [])
        await store.close()


async def test_a_cluster_that_is_not_whole_is_refused() -> None:
    with ClusterNode() as alone:
        told = await refusal(f"redis://{alone.name}")
        assert "a cluster that is not whole" in told
        assert alone.name in told


async def test_what_no_cluster_has_is_refused(cluster: ClusterProcess) -> None:
    node = cluster.nodes[0]
    assert "give it as redis://HOST:PORT" in await refusal(node.url)
    assert "DB index is out of range" in await refusal(f"redis://{node.name}/1")


async def test_each_primary_must_be_fit(cluster: ClusterProcess) -> None:
    primary = (await cluster.primaries())[1]
    await primary.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    try:
        told = await refusal(cluster.url)
    finally:
        await primary.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
    assert primary.name in told
    assert "set maxmemory-policy noeviction" in told


async def test_a_single_server_is_opened_as_one() -> None:
    with ValkeyProcess() as valkey:
        store, warnings = await open_store(valkey.url)
        assert (store.lanes, warnings) == (1, [])
        await store.close()
