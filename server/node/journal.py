"""Group commit: what arrives while a write is under way goes with the next one, in one call.

An item is answered once: as the store answered it, or `UNAVAILABLE` when the outcome stayed unknown for
`GIVE_UP_MS`. Until then the same items are written again, which the store takes for what it is.
"""

import asyncio
from collections import deque
from typing import Protocol

import structlog

from server.node.clock import RaceClock
from server.node.world import World
from server.store.items import Answer, Append, Item, Verdict
from server.store.store import StoreUnavailableError

BATCH_ITEMS_MAX = 256  # past some 200 an item gets no cheaper and the first waits longer
GIVE_UP_MS = 5_000
RETRY_MS = 50
COMPANY_MS = 1.0  # a call that follows close upon another waits this long for more to come along

log = structlog.get_logger()


class Writer(Protocol):
    """What the journal needs of a store."""

    async def write(self, items: list[Item], monotonic_ms: float) -> tuple[int, list[Answer]]:
        """See `Store.write`."""


class Journal:
    """The only way by which a node writes to logs and presence."""

    def __init__(self, store: Writer, clock: RaceClock, world: World) -> None:
        self._store, self._clock, self._world = store, clock, world
        self._waiting: deque[Item] = deque()
        self._arrived = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.writes = 0
        self.items_written = 0
        self.store_errors = 0
        self.away_since_ms: float | None = None

    def submit(self, item: Item) -> None:
        """Write this item with the next call. Items of one log are written in the order of submission."""
        self._waiting.append(item)
        self._idle.clear()
        self._arrived.set()

    async def drained(self) -> None:
        """Wait until nothing waits any more."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write until cancelled."""
        last_ms = 0.0
        while True:
            await self._arrived.wait()
            if self._world.monotonic_ms() - last_ms < COMPANY_MS and len(self._waiting) < BATCH_ITEMS_MAX:
                await self._world.sleep_ms(COMPANY_MS)
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), BATCH_ITEMS_MAX))]
            if not self._waiting:
                self._arrived.clear()
            await self._write(batch)
            last_ms = self._world.monotonic_ms()
            if not self._waiting:
                self._idle.set()

    async def _write(self, batch: list[Item]) -> None:
        """Write a batch until each of its items has an answer."""
        give_up_ms = self._world.monotonic_ms() + GIVE_UP_MS
        while batch:
            answers = await self._attempt(batch)
            unknown = _unknown(batch, answers)
            late = self._world.monotonic_ms() >= give_up_ms
            for item, answer in zip(batch, answers, strict=True):
                if item not in unknown:
                    self._tell(item, answer)
                elif late:
                    self._tell(item, Answer(Verdict.UNAVAILABLE))
            if late:
                return
            batch = [item for item in batch if item in unknown]
            if batch:
                await self._world.sleep_ms(RETRY_MS)

    async def _attempt(self, batch: list[Item]) -> list[Answer]:
        asked_ms = self._world.monotonic_ms()
        try:
            store_ms, answers = await self._store.write(batch, asked_ms)
        except StoreUnavailableError as error:
            self.store_errors += 1
            if self.away_since_ms is None:
                self.away_since_ms = asked_ms
                log.warning("store unavailable", error=str(error))
            return [Answer(Verdict.UNAVAILABLE)] * len(batch)
        except (
            Exception
        ):  # a fault of ours in one batch: it is given up like any other, and the next is written
            log.exception("batch not written", items=len(batch))
            return [Answer(Verdict.UNAVAILABLE)] * len(batch)
        if self.away_since_ms is not None:
            log.info("store answers again", away_ms=round(asked_ms - self.away_since_ms))
            self.away_since_ms = None
        self._clock.heard(store_ms, asked_ms, self._world.monotonic_ms())
        self.writes += 1
        self.items_written += len(batch)
        return answers

    def _tell(self, item: Item, answer: Answer) -> None:
        try:
            item.answered(item, answer)  # type: ignore[arg-type]
        except Exception:  # one room's fault must not stop the writes of the others
            log.exception("answer not taken", room=item.room)


def _unknown(batch: list[Item], answers: list[Answer]) -> set[Item]:
    """The items whose outcome is not known: those without an answer, those that failed by themselves, and
    what stands behind a failed one on its log (it was refused only because that one is not there)."""
    unknown: set[Item] = set()
    stuck: set[tuple[str, str]] = set()
    for item, answer in zip(batch, answers, strict=True):
        log_of_item = (item.room, item.log) if isinstance(item, Append) else None
        failed = answer.verdict in (Verdict.FAILED, Verdict.UNAVAILABLE)
        behind = log_of_item in stuck and answer.verdict == Verdict.OTHER_TIP
        if failed or behind:
            unknown.add(item)
            if log_of_item is not None:
                stuck.add(log_of_item)
    return unknown
