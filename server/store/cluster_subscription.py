"""Hints between nodes of a cluster: a `Subscription` to each primary that has channels of this node.

A client that only listens is told of nothing: not of a primary that has failed, and of a slot that has moved
only once. So whatever looks odd makes the cluster be asked who has what, and then channels go where they are.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from redis.exceptions import SlotNotCoveredError

from server.store.cancelling import cancel_all
from server.store.cluster import Cluster
from server.store.subscription import Subscription


class Line(NamedTuple):
    """A subscription to one primary, and the task that runs it."""

    subscription: Subscription
    task: asyncio.Task[None]


class ClusterSubscription:
    """As `Subscription`, over all primaries; `gap()` is called as well when channels come to another one."""

    def __init__(
        self, cluster: Cluster, own_channel: str, heard: Callable[[str, bytes], None], gap: Callable[[], None]
    ) -> None:
        self._cluster, self._heard, self._gap = cluster, heard, gap
        self._channels: set[str] = {own_channel}
        self._names: dict[str, str] = {}  # of the primary that has the channel, as last seen
        self._lines: dict[str, Line] = {}
        self._ending: list[asyncio.Task[None]] = []
        self._running = False
        self._changed = asyncio.Event()
        cluster.on_change(self._changed.set)

    async def add(self, channel: str) -> None:
        """Hear of this channel from now on, as far as its primary and the connection to it allow."""
        self._channels.add(channel)
        if self._running:
            self._route({channel})
        line = self._lines.get(self._names.get(channel, ""))
        if line is not None:
            await line.subscription.add(channel)

    async def remove(self, channel: str) -> None:
        """Hear of it no longer."""
        self._channels.discard(channel)
        line = self._lines.get(self._names.pop(channel, ""))
        if line is not None:
            await line.subscription.remove(channel)

    def renew(self, channel: str) -> None:
        """The probe on this channel is silent: ask where it is, and subscribe again to all that is there."""
        self._cluster.doubt()
        line = self._lines.get(self._names.get(channel, ""))
        if line is not None:
            line.subscription.renew(channel)

    async def run(self) -> None:
        """Listen until cancelled."""
        self._running = True
        try:
            while True:
                self._changed.clear()
                moved = self._route(self._channels)
                await asyncio.gather(*(self._lines[name].subscription.add(at) for at, name in moved.items()))
                if moved:
                    self._gap()
                self._end_idle()
                await self._changed.wait()
                for line in self._lines.values():
                    if line.task.done():
                        line.task.result()  # none ends but by a fault of ours
        finally:
            self._running = False
            lines, self._lines = self._lines, {}
            await cancel_all([*self._ending, *(line.task for line in lines.values())])

    def _route(self, channels: set[str]) -> dict[str, str]:
        """Have each channel subscribed to where it is: those that were elsewhere, with their primaries."""
        moved: dict[str, str] = {}
        left: defaultdict[str, set[str]] = defaultdict(set)
        for channel in channels:
            try:
                name = self._cluster.name_of(channel)
            except SlotNotCoveredError:
                continue  # till the cluster is asked again
            before = self._names.get(channel)
            if before != name:
                self._names[channel] = moved[channel] = name
                if before is not None:
                    left[before].add(channel)
        for channel, name in moved.items():
            self._line(name, channel).subscription.change({channel}, ())
        for name, gone in left.items():
            if name in self._lines:
                self._lines[name].subscription.change((), gone)
        return moved

    def _line(self, name: str, channel: str) -> Line:
        line = self._lines.get(name)
        if line is None:
            server = self._cluster.server_of(channel)
            subscription = Subscription(server.redis, channel, self._heard, self._gap, self._cluster.doubt)
            line = Line(subscription, asyncio.create_task(subscription.run(), name=f"subscription {name}"))
            line.task.add_done_callback(lambda task: self._changed.set())
            self._lines[name] = line
        return line

    def _end_idle(self) -> None:
        """End the lines on which nothing is to be heard any more."""
        names = set(self._names.values())
        for name in [name for name in self._lines if name not in names]:
            self._ending.append(self._lines.pop(name).task)
            self._ending[-1].cancel()
        self._ending = [task for task in self._ending if not task.done()]
