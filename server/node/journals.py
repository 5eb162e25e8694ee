"""The journals of a node: one a lane of the store, so that a server of a cluster that is away holds up no
room of another."""

import asyncio
from collections import Counter
from collections.abc import Iterator

from server.node.clock import RaceClock
from server.node.counts import Histogram
from server.node.journal import FLUSH_BOUNDS, Journal
from server.node.world import World
from server.store import keys
from server.store.store import Store


class Journals:
    """See the module. Each has a clock of its own, for each lane is stamped by its own server's."""

    def __init__(self, store: Store, world: World) -> None:
        self._all = [Journal(store, RaceClock(world.monotonic_ms), world) for _ in range(store.lanes)]

    def __iter__(self) -> Iterator[Journal]:
        return iter(self._all)

    def lane_of(self, partition: int) -> int:
        """The lane by which a partition is written and read."""
        return partition % len(self._all)

    def of(self, room: str) -> Journal:
        """The journal of this room."""
        return self._all[self.lane_of(keys.partition(room))]

    async def drained(self) -> None:
        """Wait until nothing waits any more."""
        await asyncio.gather(*(journal.drained() for journal in self._all))

    # Figures of all of them

    @property
    def waiting(self) -> int:
        """How many items wait for the next calls."""
        return sum(journal.waiting for journal in self._all)

    @property
    def store_errors(self) -> int:
        """How many calls were not answered."""
        return sum(journal.store_errors for journal in self._all)

    @property
    def items_failed(self) -> Counter[str]:
        """Items that failed by themselves, by the store's word for it."""
        return sum((journal.items_failed for journal in self._all), Counter())

    @property
    def flushed_items(self) -> Histogram:
        """Items by each call that was answered."""
        whole = Histogram(FLUSH_BOUNDS)
        for journal in self._all:
            whole.take(journal.flushed_items)
        return whole
