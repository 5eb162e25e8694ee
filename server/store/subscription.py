"""Hints between nodes: sharded pub/sub on one connection of a node, however many its rooms.

Whatever it carries may be lost, so nothing depends on it but how soon a node looks. A probe that the node
publishes to itself tells a dead subscription from a quiet one.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

READ_TIMEOUT_S = 1.0
AGAIN_S = 0.5

log = structlog.get_logger()


class Subscription:
    """Keeps a set of channels subscribed over lost connections.

    `heard(channel, message)` is called for each message, `gap()` after every (re)connection: what was
    published before it may have been missed.
    """

    def __init__(
        self, redis: Redis, own_channel: str, heard: Callable[[str, bytes], None], gap: Callable[[], None]
    ) -> None:
        self._redis, self._own_channel, self._heard, self._gap = redis, own_channel, heard, gap
        self._channels: set[str] = {own_channel}
        self._pubsub: Any = None
        self._stale = False

    async def add(self, channel: str) -> None:
        """Hear of this channel from now on, as far as the connection allows."""
        self._channels.add(channel)
        await self._tell("ssubscribe", channel)

    async def remove(self, channel: str) -> None:
        """Hear of it no longer."""
        self._channels.discard(channel)
        await self._tell("sunsubscribe", channel)

    def renew(self) -> None:
        """The probe is silent: drop the connection, and subscribe to everything again."""
        self._stale = True

    async def _tell(self, method: str, channel: str) -> None:
        if self._pubsub is None:
            return
        try:
            await getattr(self._pubsub, method)(channel)
        except (RedisError, OSError):
            self.renew()

    async def run(self) -> None:
        """Listen until cancelled."""
        while True:
            pubsub: Any = self._redis.pubsub()
            try:
                await pubsub.ssubscribe(*self._channels)
                self._pubsub, self._stale = pubsub, False
                self._gap()
                while not self._stale:
                    await self._read(pubsub)
            except (RedisError, OSError) as error:
                log.warning("subscription lost", error=str(error))
            finally:
                self._pubsub = None
                await pubsub.aclose()
            await asyncio.sleep(AGAIN_S)

    async def _read(self, pubsub: Any) -> None:
        message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=READ_TIMEOUT_S)
        if message is not None and message["type"] == "smessage":
            try:
                self._heard(message["channel"].decode(), message["data"])
            except Exception:  # a hint that cannot be taken is as good as lost
                log.exception("hint not taken", channel=message["channel"])
