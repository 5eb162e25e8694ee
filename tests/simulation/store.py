"""The simulated store: the model behind a line on which calls are lost, late, doubled or answered for nobody.

`SimStore` is what a node has instead of `server.store.store.Store`; `StoreServer` is the one store of a run.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from server.store.heads import Presence
from server.store.items import Answer, Item, Verdict
from server.store.store import StoreUnavailableError
from tests.simulation.loop import Process, VirtualLoop
from tests.support.store_model import StoreModel

EPOCH_MS = 1_790_000_000_000
CALL_TIMEOUT_MS = 2_000  # as `Store` has it
LATE_MS_MAX = 8_000  # past the journal's patience
SUBSCRIBE_AGAIN_S = 0.5


@dataclass
class Trouble:
    """How likely what befalls a call or a hint; all 0: a store in good health."""

    lost_before: float = 0.0  # the call never arrives
    lost_after: float = 0.0  # it takes effect, the answer is lost
    late: float = 0.0  # it takes effect when it was long given up
    doubled: float = 0.0  # it takes effect twice
    item_failed: float = 0.0  # one item of a write fails by itself
    slow_ms: float = 0.0  # answers take up to so much longer
    hint_lost: float = 0.0
    hint_doubled: float = 0.0
    hint_late_ms: float = 0.0
    away: str = ""  # "refused": at once; "silent": no answer

    @property
    def well(self) -> float:
        return 1 - self.lost_before - self.lost_after - self.late


@dataclass
class Losses:
    """What has befallen calls so far."""

    lost: int = 0
    late: int = 0
    doubled: int = 0
    outages: int = 0
    set_backs: int = 0


class StoreServer:
    """The one store. Its clock is the only one that is right."""

    def __init__(
        self, loop: VirtualLoop, rng: random.Random, ledger: Any, trace: Callable[[str], None]
    ) -> None:
        self.loop, self._rng, self._ledger, self._trace = loop, rng, ledger, trace
        self.model = StoreModel()
        self.model.stored = ledger.stored
        self.trouble = Trouble()
        self._moment = 0
        self.losses = Losses()
        self.listeners: list[SimSubscription] = []
        self._in_flight: dict[int, Process] = {}
        self._dropped: set[int] = set()
        self._number = 0
        self._waiting: list[Callable[[], None]] = []  # sent to a silent store, which may yet read it

    def moment(self) -> int:
        """Its clock in microseconds, of which no two are alike."""
        self._moment = max(self._moment + 1, self.now_ms() * 1000)
        return self._moment

    def now_ms(self) -> int:
        return EPOCH_MS + int(self.loop.time() * 1000)

    # Calls

    def call(  # noqa: C901 - one branch a fate
        self, process: Process, name: str, work: Callable[[], Any]
    ) -> asyncio.Future[Any]:
        """Send a call: its answer, or `StoreUnavailableError`, in time."""
        answer: asyncio.Future[Any] = self.loop.create_future()
        self._number += 1
        number, trouble, rng = self._number, self.trouble, self._rng
        self._in_flight[number] = process
        there_ms = rng.uniform(0.05, 0.5) + rng.uniform(0, trouble.slow_ms)
        back_ms = rng.uniform(0.05, 0.5) + rng.uniform(0, trouble.slow_ms)

        def take_effect(told: bool) -> None:
            self._in_flight.pop(number, None)
            if number in self._dropped:
                return
            result = self._take_effect(f"{process.name} #{number} {name}", work)
            if told:
                self._later(back_ms, self._answer, answer, result)

        def fail(after_ms: float) -> None:
            """Give it up, as one whose connection is reset by then, or from whom nothing is heard."""
            given_up_ms = rng.choice((after_ms, CALL_TIMEOUT_MS))
            self._later(given_up_ms, self._give_up, answer, "connection reset, or no answer in 2 s")

        if trouble.away:
            self._in_flight.pop(number, None)
            self.losses.lost += 1
            if trouble.away == "refused":
                self._later(there_ms, self._give_up, answer, "connection refused")
                return answer
            if rng.random() < 0.5:
                self._waiting.append(lambda: take_effect(False))
            self._later(CALL_TIMEOUT_MS, self._give_up, answer, "no answer in 2 s")
            return answer
        fate = rng.choices(
            ("lost before", "lost after", "late", "well"),
            (trouble.lost_before, trouble.lost_after, trouble.late, trouble.well),
        )[0]
        if fate == "lost before":
            self.losses.lost += 1
            self._in_flight.pop(number, None)
            fail(there_ms)
        elif fate == "lost after":
            self.losses.lost += 1
            self._later(there_ms, take_effect, False)
            fail(there_ms + back_ms)
        elif fate == "late":
            self.losses.late += 1
            self._later(rng.uniform(0, LATE_MS_MAX), take_effect, False)
            fail(there_ms)
        else:
            self._later(there_ms, take_effect, True)
            self._later(CALL_TIMEOUT_MS, self._give_up, answer, "no answer in 2 s")
            if rng.random() < trouble.doubled:
                self.losses.doubled += 1
                self._later(there_ms + rng.uniform(0, 3_000), take_effect, False)
        return answer

    def _later(self, ms: float, callback: Callable[..., None], *args: Any) -> None:
        self.loop.call_later(ms / 1000, callback, *args, context=self.loop.outside)

    def _take_effect(self, what: str, work: Callable[[], Any]) -> Any:
        self.model.now_ms = self.now_ms()
        result = work()
        if self._trace is not None:
            self._trace(f"store: {what} -> {brief(result)}")
        published, self.model.published = self.model.published, []
        for channel, message in published:
            self.publish(channel, message)
        return result

    def _answer(self, answer: asyncio.Future[Any], result: Any) -> None:
        if not answer.done():
            answer.set_result(result)

    def _give_up(self, answer: asyncio.Future[Any], why: str) -> None:
        if not answer.done():
            answer.set_exception(StoreUnavailableError(why))
            answer.exception()  # the caller may be dead

    def write(self, items: Sequence[Item], monotonic_ms: float) -> tuple[int, list[Answer]]:
        """One call of the script, in which an item may fail by itself."""
        failing = self.trouble.item_failed
        if not failing or self._rng.random() >= failing:
            return self.model.write(items, monotonic_ms)
        broken = self._rng.randrange(len(items))
        answers: list[Answer] = []
        for number, item in enumerate(items):
            failed = Answer(Verdict.FAILED, error="OOM")
            answers += [failed] if number == broken else self.model.write([item], monotonic_ms)[1]
        return self.model.now_ms, answers

    # Hints

    def publish(self, channel: str, message: bytes) -> int:
        """To all who listen, each in its own time; how many there are."""
        heard_by = [listener for listener in self.listeners if channel in listener.channels]
        for listener in heard_by:
            copies = 0 if self._rng.random() < self.trouble.hint_lost else 1
            copies += self._rng.random() < self.trouble.hint_doubled
            for _ in range(copies):
                ms = self._rng.uniform(0.05, 0.5) + self._rng.uniform(0, self.trouble.hint_late_ms)
                self._later(ms, listener.arrive, channel, message)
        return len(heard_by)

    # What befalls it

    def set_away(self, how: str) -> None:
        """No longer there; or, with "", there again, and reading what was sent meanwhile."""
        self.trouble.away = how
        if how:
            self.losses.outages += 1
            self.drop_listeners()
        else:
            waiting, self._waiting = self._waiting, []
            for call in waiting:
                call()

    def drop_listeners(self) -> None:
        """All subscriptions are lost."""
        for listener in list(self.listeners):
            listener.lose()

    def set_back(self, to: StoreModel) -> None:
        """As a failover to a replica that was behind: what came since is gone, and so are the connections."""
        self.losses.set_backs += 1
        fence_of = self.model.fence_of
        self.model = to.copied()
        self.model.fence_of = fence_of
        self._ledger.set_back(self.model)
        self._dropped.update(self._in_flight)
        self.drop_listeners()

    def caller_died(self, process: Process) -> None:
        """What it had sent may have got out, or not."""
        for number, whose in list(self._in_flight.items()):
            if whose is process and self._rng.random() < 0.5:
                self._dropped.add(number)
        for listener in [listener for listener in self.listeners if listener.process is process]:
            self.listeners.remove(listener)


class SimStore:
    """A node's client of it."""

    lanes = 1

    lanes = 1

    def __init__(self, server: StoreServer, process: Process) -> None:
        self._server, self._process = server, process
        self.errors: Counter[str] = Counter()

    async def _call(self, name: str, work: Callable[[StoreModel], Any]) -> Any:
        server = self._server
        return await server.call(self._process, name, lambda: work(server.model))

    async def write(self, items: Sequence[Item], monotonic_ms: float) -> tuple[int, list[Answer]]:
        items = list(items)
        found: tuple[int, list[Answer]] = await self._call(
            f"write {len(items)}", lambda model: self._server.write(items, monotonic_ms)
        )
        return found

    async def now_ms(self, lane: int = 0) -> int:
        return int(await self._call("time", lambda model: model.now_ms))

    async def moment(self, room: str, player: str) -> tuple[int, Presence | None]:
        def ask(model: StoreModel) -> tuple[int, Presence | None]:
            found = model.room(room)
            return self._server.moment(), None if found is None else found.seen.get(player)

        told: tuple[int, Presence | None] = await self._call(f"moment {room}", ask)
        return told

    async def publish(self, messages: Sequence[tuple[str, bytes]]) -> list[int]:
        publish = self._server.publish
        found: list[int] = await self._call(
            "publish", lambda model: [publish(*message) for message in messages]
        )
        return found

    def subscription(
        self, own_channel: str, heard: Callable[[str, bytes], None], gap: Callable[[], None]
    ) -> SimSubscription:
        return SimSubscription(self._server, self._process, own_channel, heard, gap)


def _forwarded(name: str) -> Any:
    async def method(self: SimStore, *args: Any) -> Any:
        return await self._call(
            f"{name} {' '.join(map(str, args))}", lambda model: getattr(model, name)(*args)
        )

    return method


for _name in (
    "load_room", "load_log", "log_length", "glance", "listed_rooms", "password_try", "password_tried",
    "password_tries", "forget_identity", "been_in", "identity", "save_identity", "rename_identity",
):  # fmt: skip
    setattr(SimStore, _name, _forwarded(_name))


@dataclass(eq=False)
class SimSubscription:
    """See `server.store.subscription.Subscription`."""

    server: StoreServer
    process: Process
    own_channel: str
    heard: Callable[[str, bytes], None]
    gap: Callable[[], None]
    channels: dict[str, None] = field(default_factory=dict)  # as the store knows them
    deaf: bool = False  # the connection looks well, and nothing comes

    def __post_init__(self) -> None:
        self._wanted: dict[str, None] = {self.own_channel: None}
        self._lost = asyncio.Event()
        self._connected = False

    async def add(self, channel: str) -> None:
        self._wanted[channel] = None
        await self._told()

    async def remove(self, channel: str) -> None:
        self._wanted.pop(channel, None)
        await self._told()

    def renew(self, channel: str) -> None:
        self.lose()

    async def _told(self) -> None:
        if self._connected:
            try:
                await self._tell()
            except StoreUnavailableError:
                self.lose()

    async def _tell(self) -> None:
        wanted = dict(self._wanted)
        await self.server.call(self.process, "subscribe", lambda: self.channels.update(wanted))
        for channel in [channel for channel in self.channels if channel not in self._wanted]:
            del self.channels[channel]

    def lose(self) -> None:
        """The connection is lost."""
        if self in self.server.listeners:
            self.server.listeners.remove(self)
        self.channels = {}
        self._connected = False
        self._lost.set()

    async def run(self) -> None:
        while True:
            try:
                self._lost.clear()
                self.channels, self.deaf = {}, False
                await self._tell()
                self.server.listeners.append(self)
                self._connected = True
                self.gap()
                await self._tell()  # what was wanted meanwhile
                await self._lost.wait()
            except StoreUnavailableError:
                pass
            finally:
                self.lose()
            await asyncio.sleep(SUBSCRIBE_AGAIN_S)

    def arrive(self, channel: str, message: bytes) -> None:
        """A hint, in the process that listens."""
        if self._connected and not self.deaf:
            self.process.call(self._take, channel, message)

    def _take(self, channel: str, message: bytes) -> None:
        if self._connected:
            self.heard(channel, message)


def brief(result: Any) -> str:
    """A result in a few words, for the trace."""
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], list):
        answers = [f"{a.verdict.name}@{a.stamp}" if isinstance(a, Answer) else f"{a.n}" for a in result[1]]
        return " ".join(answers)
    return str(result)[:100] if not isinstance(result, list) else f"{len(result)} items"
