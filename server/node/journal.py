"""Group commit: what arrives while a write is under way goes with the next one, in one call.

An item is answered once: as the store answered it, or `UNAVAILABLE` when the outcome stayed unknown for
`GIVE_UP_MS` after it was submitted. Until then the same item is written again, which the store takes for
what it is. One that fails by itself waits apart, with all behind it on its log, and holds up nobody else.
"""

import asyncio
from collections import Counter, deque
from typing import NamedTuple, Protocol

import structlog

from server.node.clock import RaceClock
from server.node.counts import Histogram
from server.node.world import World
from server.store import keys
from server.store.items import Answer, Append, Item, Verdict
from server.store.store import StoreUnavailableError

BATCH_ITEMS_MAX = 256  # past some 200 an item gets no cheaper and the first waits longer
GIVE_UP_MS = 5_000
RETRY_MS = 50
FLUSH_BOUNDS = (1, 2, 4, 8, 16, 32, 64, 128, BATCH_ITEMS_MAX)
COMPANY_MS = 1.0  # a call that follows close upon another waits this long for more to come along

log = structlog.get_logger()


class Writer(Protocol):
    """What the journal needs of a store."""

    async def write(self, items: list[Item], monotonic_ms: float) -> tuple[int, list[Answer]]:
        """See `Store.write`."""


class Pending(NamedTuple):
    """An item that has no answer yet, and when it is given up (monotonic ms)."""

    item: Item
    give_up_ms: float


class Journal:
    """The only way by which a node writes to logs and presence."""

    def __init__(self, store: Writer, clock: RaceClock, world: World) -> None:
        self._store, self.clock, self._world = store, clock, world
        self._waiting: deque[Pending] = deque()
        self._again: list[Pending] = []  # failed by themselves, and what stands behind those on their logs
        self._again_due = self._again_timed = False
        self._arrived = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.flushed_items = Histogram(FLUSH_BOUNDS)  # by each call that was answered
        self.store_errors = 0  # calls that were not
        self.items_failed: Counter[str] = Counter()  # by the store's word for it, as OOM
        self.away_since_ms: float | None = None

    @property
    def waiting(self) -> int:
        """How many items wait for the next calls."""
        return len(self._waiting) + len(self._again)

    def submit(self, item: Item) -> None:
        """Write this item with the next call. Items of one log are written in the order of submission."""
        self._waiting.append(Pending(item, self._world.monotonic_ms() + GIVE_UP_MS))
        self._idle.clear()
        self._arrived.set()

    async def drained(self) -> None:
        """Wait until nothing waits any more."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write until cancelled."""
        last_ms = float("-inf")
        while True:
            await self._arrived.wait()
            if self._world.monotonic_ms() - last_ms < COMPANY_MS and len(self._waiting) < BATCH_ITEMS_MAX:
                await self._world.sleep_ms(COMPANY_MS)
            batch = self._next_batch()
            if batch:
                await self._write(batch)
                last_ms = self._world.monotonic_ms()
            del batch  # till the next one comes it would hold rooms that are let go
            if not self._waiting and not self._again:
                self._idle.set()

    def _next_batch(self) -> list[Pending]:
        """What goes with the next call: what failed, alone, when its time has come; else what waits."""
        if self._again_due:
            batch, self._again = self._again[:BATCH_ITEMS_MAX], self._again[BATCH_ITEMS_MAX:]
            self._again_due = bool(self._again)
        else:
            if self._again:
                self._hold_back()
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), BATCH_ITEMS_MAX))]
        if not self._waiting and not self._again_due:
            self._arrived.clear()
        return batch

    def _hold_back(self) -> None:
        """Put to what failed all that has come for the same logs since: it cannot go before."""
        held = {_line(pending.item) for pending in self._again}
        waiting, self._waiting = self._waiting, deque()
        for pending in waiting:
            (self._again if _line(pending.item) in held else self._waiting).append(pending)

    async def _write(self, batch: list[Pending]) -> None:
        items = [pending.item for pending in batch]
        asked_ms = self._world.monotonic_ms()
        try:
            store_ms, answers = await self._store.write(items, asked_ms)
        except StoreUnavailableError as error:
            self.store_errors += 1
            if self.away_since_ms is None:
                self.away_since_ms = asked_ms
                log.warning("store unavailable", error=str(error))
            await self._wait_for_store(batch)
            return
        except Exception:
            # A fault of ours in one batch must not stop the others; no repeat would mend it.
            log.exception("batch not written", items=len(batch))
            for item in items:
                self._tell(item, Answer(Verdict.UNAVAILABLE))
            return
        if self.away_since_ms is not None:
            log.info("store answers again", away_ms=round(asked_ms - self.away_since_ms))
            self.away_since_ms = None
        self.clock.heard(store_ms, asked_ms, self._world.monotonic_ms())
        self.flushed_items.add(len(batch))
        self._settle(batch, answers)

    async def _wait_for_store(self, batch: list[Pending]) -> None:
        """Nothing is known of the batch: give up what has waited too long, all else is written again."""
        pending_all = [*batch, *self._again, *self._waiting]
        self._waiting.clear()
        self._again, self._again_due = [], False
        now_ms = self._world.monotonic_ms()
        kept = [pending for pending in pending_all if pending.give_up_ms > now_ms]
        for pending in pending_all:
            if pending.give_up_ms <= now_ms:
                self._tell(pending.item, Answer(Verdict.UNAVAILABLE))
        self._waiting.extendleft(reversed(kept))
        if self._waiting:
            self._arrived.set()
            await self._world.sleep_ms(RETRY_MS)

    def _settle(self, batch: list[Pending], answers: list[Answer]) -> None:
        """Tell the answers. What failed by itself is tried again, and with it what stands behind it on its
        log, whatever was said of that: answers come in the order of the log."""
        now_ms = self._world.monotonic_ms()
        stuck: set[tuple[str, str]] = set()
        again: list[Pending] = []
        for pending, answer in zip(batch, answers, strict=True):
            item = pending.item
            if answer.verdict == Verdict.FAILED:
                self.items_failed[error_word(answer.error)] += 1
            behind = bool(stuck) and _line(item) in stuck
            if answer.verdict != Verdict.FAILED and not behind:
                self._tell(item, answer)
            elif pending.give_up_ms > now_ms:
                stuck.add(_line(item))
                again.append(pending)
            else:
                log.error("item not stored", error=answer.error, **_about(item))
                self._tell(item, Answer(Verdict.UNAVAILABLE))
        self._again[:0] = again
        if self._again and not self._again_timed:
            self._again_timed = True
            self._world.call_later(RETRY_MS, self._try_again)

    def _try_again(self) -> None:
        self._again_timed = False
        if self._again:
            self._again_due = True
            self._arrived.set()

    def _tell(self, item: Item, answer: Answer) -> None:
        try:
            item.answered(item, answer)  # type: ignore[arg-type]
        except Exception:  # one room's fault must not stop the writes of the others
            log.exception("answer not taken", **_about(item))


def _line(item: Item) -> tuple[str, str]:
    """What the item must keep its order in: a log, or a player's presence."""
    return item.room, item.log if isinstance(item, Append) else f"seen:{item.player}"


def _about(item: Item) -> dict[str, str]:
    """Which room and player an item is about."""
    player = item.log.removeprefix(keys.game_log("")) if isinstance(item, Append) else item.player
    return {"room": item.room} | ({} if player == keys.ROOM_LOG else {"player": player})


def error_word(error: str) -> str:
    """The word that a store's error begins with, as OOM or READONLY; ERR for one without."""
    word = error.removeprefix("-").partition(" ")[0]
    return word if word.isalpha() and word.isupper() else "ERR"
