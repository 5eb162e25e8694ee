"""What a simulated node is handed of the world: a clock of its own that may be wrong, timers, randomness."""

from __future__ import annotations

import asyncio
import random
import traceback
from collections.abc import Callable, Coroutine
from typing import Any

from tests.simulation.loop import Handle, Process


class SimWorld:
    """See `server.node.world.World`. `fault` is told of work that has ended in an exception."""

    def __init__(self, process: Process, rng: random.Random, fault: Callable[[str], None]) -> None:
        self._process, self._loop, self._rng, self._fault = process, process.loop, rng, fault
        self._ahead_ms = rng.uniform(0, 1e9)  # a monotonic clock's zero means nothing
        self.wall_ahead_ms = rng.uniform(-60_000, 60_000)  # what its own clock says is wrong by so much
        self.rate = 1 + rng.uniform(-DRIFT, DRIFT)

    def monotonic_ms(self) -> float:
        return self._ahead_ms + self._loop.time() * 1000 * self.rate

    def call_later(self, delay_ms: float, callback: Callable[[], None]) -> Handle:
        context = self._process.context
        if delay_ms <= 0:
            return self._loop.call_soon(callback, context=context)
        return self._loop.call_later(delay_ms / 1000 / self.rate, callback, context=context)

    def spawn(self, work: Coroutine[Any, Any, object], name: str, **about: str) -> None:
        task = self._loop.create_task(work, name=name, context=self._process.context)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            text = "".join(traceback.format_exception(error))
            self._fault(f"{self._process.name}: task {task.get_name()} failed: {text}")

    async def sleep_ms(self, delay_ms: float) -> None:
        await asyncio.sleep(delay_ms / 1000 / self.rate)

    def randbelow(self, bound: int) -> int:
        return self._rng.randrange(bound)

    def token_bytes(self, count: int) -> bytes:
        return self._rng.randbytes(count)

    def end_process(self) -> None:
        self._fault(f"{self._process.name}: background work ended")


DRIFT = 500e-6  # of a clock that nobody sets right, or somebody slews
