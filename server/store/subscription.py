"""Hints between nodes: sharded pub/sub on one connection of a node to a server, however many its rooms.

Whatever it carries may be lost, so nothing depends on it but how soon a node looks. A probe that the node
publishes to itself tells a dead subscription from a quiet one.
"""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

AGAIN_S = 0.5

log = structlog.get_logger()


class Subscription:
    """Keeps a set of channels subscribed over lost connections.

    `heard(channel, message)` is called for each message, `gap()` after every (re)connection: what was
    published before it may have been missed. The connection is the task's of `run` alone, whatever befalls
    it; the others ask that task. `failed()` is called when a connection is lost, and when the server has
    ended a subscription by itself.
    """

    def __init__(
        self,
        redis: Redis,
        own_channel: str,
        heard: Callable[[str, bytes], None],
        gap: Callable[[], None],
        failed: Callable[[], None] = lambda: None,
    ) -> None:
        self._redis, self._heard, self._gap, self._failed = redis, heard, gap, failed
        self._channels: set[str] = {own_channel}
        self._subscribed: set[str] = set()
        self._connected = False
        self._stale = False
        self._reading: asyncio.Timeout | None = None
        self._asking: list[asyncio.Future[None]] = []

    async def add(self, channel: str) -> None:
        """Hear of this channel from now on, as far as the connection allows."""
        self._channels.add(channel)
        await self._told()

    async def remove(self, channel: str) -> None:
        """Hear of it no longer."""
        self._channels.discard(channel)
        await self._told()

    def change(self, more: Collection[str], fewer: Collection[str]) -> None:
        """Hear of these as well and of those no longer, soon."""
        self._channels |= set(more)
        self._channels -= set(fewer)
        self._wake()

    def renew(self, channel: str) -> None:
        """The probe on this channel is silent: drop the connection, and subscribe to everything again."""
        self._stale = True
        self._wake()

    async def _told(self) -> None:
        """Wait until the store was told of the channels as they are now, or the connection is lost."""
        if not self._connected:
            return  # it will be with the next
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asking.append(future)
        self._wake()
        await future

    def _wake(self) -> None:
        reading, self._reading = self._reading, None
        if reading is not None and not reading.expired():
            reading.reschedule(0)

    async def run(self) -> None:
        """Listen until cancelled."""
        while True:
            pubsub: Any = self._redis.pubsub()
            try:
                await self._listen(pubsub)
            except (RedisError, OSError, RuntimeError) as error:  # RuntimeError: see `Store._call`
                log.warning("subscription lost", error=str(error))
                self._failed()
            finally:
                self._connected, self._reading, self._subscribed = False, None, set()
                self._answer()
                await pubsub.aclose()
            await asyncio.sleep(AGAIN_S)

    async def _listen(self, pubsub: Any) -> None:
        self._stale = False
        await self._tell(pubsub)
        self._connected = True
        self._gap()
        while not self._stale:
            await self._tell(pubsub)
            with contextlib.suppress(TimeoutError):  # that is how it is woken
                async with asyncio.timeout(None) as self._reading:
                    while True:
                        self._take(await pubsub.get_message(timeout=None))

    async def _tell(self, pubsub: Any) -> None:
        """Subscribe to what is new, and leave what is wanted no more."""
        while self._channels != self._subscribed:  # more may come meanwhile
            wanted = set(self._channels)
            for missing in _by_slot(wanted - self._subscribed):
                await pubsub.ssubscribe(*missing)
            for left in _by_slot(self._subscribed - wanted):
                await pubsub.sunsubscribe(*left)
            self._subscribed = wanted
        self._answer()

    def _answer(self) -> None:
        asking, self._asking = self._asking, []
        for future in asking:
            if not future.done():
                future.set_result(None)

    def _take(self, message: dict[str, Any] | None) -> None:
        if message is None:
            return
        if message["type"] == "sunsubscribe":
            self._ended(message["channel"].decode())
        if message["type"] != "smessage":
            return
        try:
            self._heard(message["channel"].decode(), message["data"])
        except Exception:  # a hint that cannot be taken is as good as lost
            log.exception("hint not taken", channel=message["channel"])

    def _ended(self, channel: str) -> None:
        """A subscription has ended: as this asked for, or because the channel's slot has left the server."""
        if channel in self._subscribed:
            self._subscribed.discard(channel)
            self._failed()
            self._wake()


def _by_slot(channels: Iterable[str]) -> list[list[str]]:
    """Channels as they can be named in one command: of one hash slot."""
    slots: defaultdict[int, list[str]] = defaultdict(list)
    for channel in channels:
        slots[key_slot(channel.encode())].append(channel)
    return list(slots.values())
