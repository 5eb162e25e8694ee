"""Hints between nodes, over lost connections and a restarted store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from server.store import keys
from server.store.store import Store, connect
from server.store.subscription import Subscription
from tests.support.items import fresh_room, running_room, write
from tests.support.valkey import ValkeyProcess

WAIT_S = 10


class Listener:
    """A subscription that runs, and what it heard."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.heard: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self.gaps: asyncio.Queue[None] = asyncio.Queue()
        self.fault: Exception | None = None
        self.subscription = Subscription(
            store.redis, fresh_room(), self.hear, lambda: self.gaps.put_nowait(None)
        )

    def hear(self, channel: str, message: bytes) -> None:
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
        self.heard.put_nowait((channel, message))

    async def gap(self) -> None:
        async with asyncio.timeout(WAIT_S):
            await self.gaps.get()

    async def next(self) -> tuple[str, bytes]:
        async with asyncio.timeout(WAIT_S):
            return await self.heard.get()

    async def until_hears(self, channel: str) -> None:
        """Say something on the channel until it is heard: when a SSUBSCRIBE takes effect nobody tells."""
        async with asyncio.timeout(WAIT_S):
            while True:
                await self.store.publish([(channel, b"?")])
                try:
                    async with asyncio.timeout(0.05):
                        while (await self.heard.get())[0] != channel:
                            pass
                    break
                except TimeoutError:
                    continue
        await self.store.publish([(channel, b"!")])
        while await self.next() != (channel, b"!"):
            pass


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyProcess]:
    with ValkeyProcess() as process:
        yield process


@pytest.fixture
async def store(valkey: ValkeyProcess) -> AsyncIterator[Store]:
    store = Store(connect(valkey.url))
    yield store
    await store.close()


@pytest.fixture
async def listener(store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Listener]:
    monkeypatch.setattr("server.store.subscription.AGAIN_S", 0.02)
    listener = Listener(store)
    task = asyncio.create_task(listener.subscription.run())
    await listener.gap()
    yield listener
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_what_is_published_on_its_channels_is_heard(listener: Listener, store: Store) -> None:
    one, other, never = fresh_room(), fresh_room(), fresh_room()
    await listener.subscription.add(one)
    await listener.subscription.add(other)
    await listener.until_hears(one)
    await listener.until_hears(other)
    await store.publish([(never, b"x"), (one, b"\x00\xff"), (other, b""), (one, b"2")])
    assert [await listener.next() for _ in range(3)] == [(one, b"\x00\xff"), (other, b""), (one, b"2")]


async def test_a_rooms_events_are_heard(listener: Listener, store: Store) -> None:
    room = await running_room(store)
    channel = keys.prefix(room.id)
    await listener.subscription.add(channel)
    await listener.until_hears(channel)
    await write(store, room.event(b"\x01hello"))
    heard, message = await listener.next()
    assert heard == channel
    assert b"\x01hello" in message


async def test_a_channel_that_is_left_is_heard_no_more(listener: Listener, store: Store) -> None:
    left, kept = fresh_room(), fresh_room()
    for channel in (left, kept):
        await listener.subscription.add(channel)
        await listener.until_hears(channel)
    await listener.subscription.remove(left)
    async with asyncio.timeout(WAIT_S):
        while dict(await store.redis.pubsub_shardnumsub(left)) != {left.encode(): 0}:
            pass
    await store.publish([(left, b"x"), (kept, b"y")])
    assert await listener.next() == (kept, b"y")


async def test_a_fault_in_hearing_does_not_end_it(listener: Listener, store: Store) -> None:
    channel = fresh_room()
    await listener.subscription.add(channel)
    await listener.until_hears(channel)
    listener.fault = RuntimeError("of one message")
    await store.publish([(channel, b"x"), (channel, b"y")])
    assert await listener.next() == (channel, b"y")


async def test_a_killed_connection_is_made_again_and_told_as_a_gap(listener: Listener, store: Store) -> None:
    channel = fresh_room()
    await listener.subscription.add(channel)
    await listener.until_hears(channel)
    assert await store.redis.client_kill_filter(_type="pubsub") == 1
    await listener.gap()
    await store.publish([(channel, b"at once")])
    assert await listener.next() == (channel, b"at once")


async def test_a_channel_added_while_the_connection_is_away_is_heard_after(
    listener: Listener, store: Store
) -> None:
    await store.redis.client_kill_filter(_type="pubsub")
    channels = [fresh_room() for _ in range(20)]
    for channel in channels:  # before, while and after it subscribes again
        await listener.subscription.add(channel)
        await asyncio.sleep(0.003)
    for channel in channels:
        await listener.until_hears(channel)


async def test_a_channel_added_while_it_subscribes_is_not_forgotten(store: Store) -> None:
    listener = Listener(store)
    pubsub = store.redis.pubsub()
    tasks: list[asyncio.Task[None]] = []
    subscribe, late = pubsub.ssubscribe, fresh_room()
    store.redis.pubsub = lambda: pubsub  # type: ignore[method-assign,assignment]

    async def slow(*channels: str) -> None:
        await subscribe(*channels)
        if late not in channels:
            adding = asyncio.create_task(listener.subscription.add(late))
            await asyncio.sleep(0)
            tasks.append(adding)

    pubsub.ssubscribe = slow  # type: ignore[method-assign,assignment]
    task = asyncio.create_task(listener.subscription.run())
    await listener.gap()
    await listener.until_hears(late)
    await asyncio.gather(*tasks)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_what_is_asked_for_at_once_from_everywhere_is_told(listener: Listener, store: Store) -> None:
    """Channels come and go while messages do: none is lost of those that are kept."""
    kept = fresh_room()
    await listener.subscription.add(kept)
    await listener.until_hears(kept)
    channels = [fresh_room() for _ in range(50)]

    async def come(channel: str, stay: bool) -> None:
        await listener.subscription.add(channel)
        if not stay:
            await listener.subscription.remove(channel)

    async def say() -> None:
        for n in range(100):
            await store.publish([(kept, b"%d" % n)])

    await asyncio.gather(say(), *(come(channel, n % 2 == 0) for n, channel in enumerate(channels)))
    assert [(await listener.next())[1] for _ in range(100)] == [b"%d" % n for n in range(100)]
    for channel in channels[::2]:
        await listener.until_hears(channel)
    counts = dict(await store.redis.pubsub_shardnumsub(*channels))
    assert [counts[channel.encode()] for channel in channels] == [1, 0] * 25


async def test_a_silent_subscription_is_made_anew(listener: Listener) -> None:
    channel = fresh_room()
    await listener.subscription.add(channel)
    await listener.until_hears(channel)
    listener.subscription.renew(channel)
    await listener.gap()
    await listener.until_hears(channel)


async def test_a_restarted_store_is_heard_again(listener: Listener, valkey: ValkeyProcess) -> None:
    channel, meanwhile = fresh_room(), fresh_room()
    await listener.subscription.add(channel)
    await listener.until_hears(channel)
    valkey.kill()
    await listener.subscription.add(meanwhile)
    await asyncio.sleep(0.1)
    valkey.start()
    await listener.gap()
    await listener.until_hears(channel)
    await listener.until_hears(meanwhile)
