"""What a node is handed of the world: a monotonic clock, timers, tasks and randomness.

The real one is asyncio's and the system's; a simulation hands in its own, and then drives the same code.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import structlog

log = structlog.get_logger()


class Timer(Protocol):
    """Something that will happen, unless it is cancelled."""

    def cancel(self) -> None:
        """Let it not happen."""


class World(Protocol):
    """See the module."""

    def monotonic_ms(self) -> float:
        """A clock that never goes back; its zero means nothing."""

    def call_later(self, delay_ms: float, callback: Callable[[], None]) -> Timer:
        """Call back once, so much later; 0: as soon as what runs now is done."""

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run in the background. An exception is a fault of ours: it is logged, and ends that work only."""

    async def sleep_ms(self, delay_ms: float) -> None:
        """Wait."""

    def randbelow(self, bound: int) -> int:
        """A secret random number, 0 … bound - 1."""

    def token_bytes(self, count: int) -> bytes:
        """Secret random bytes."""


class RealWorld:
    """asyncio's loop and the system's clock and secure random source."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()

    def monotonic_ms(self) -> float:
        """See `World`."""
        return time.monotonic() * 1000

    def call_later(self, delay_ms: float, callback: Callable[[], None]) -> Timer:
        """See `World`."""
        return self._loop.call_later(max(0.0, delay_ms) / 1000, callback)

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """See `World`."""
        task = self._loop.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("task failed", task=task.get_name(), exc_info=task.exception())

    async def sleep_ms(self, delay_ms: float) -> None:
        """See `World`."""
        await asyncio.sleep(delay_ms / 1000)

    def randbelow(self, bound: int) -> int:
        """See `World`."""
        return secrets.randbelow(bound)

    def token_bytes(self, count: int) -> bytes:
        """See `World`."""
        return secrets.token_bytes(count)

    async def close(self) -> None:
        """End all background work."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
