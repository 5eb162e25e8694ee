"""What a node is handed of the world: a monotonic clock, timers, tasks and randomness.

The real one is asyncio's and the system's; a simulation hands in its own, and then drives the same code.
"""

import asyncio
import contextvars
import os
import secrets
import signal
import time
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import structlog
from structlog.contextvars import bind_contextvars

from server.store.cancelling import cancel_all

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

    def spawn(self, work: Coroutine[Any, Any, object], name: str, **about: str) -> None:
        """Run in the background. An exception is a fault of ours: it is logged, and ends that work only.

        `about`: the `room` and `player` it is about, which every line that it logs will name.
        """

    async def sleep_ms(self, delay_ms: float) -> None:
        """Wait."""

    def randbelow(self, bound: int) -> int:
        """A secret random number, 0 … bound - 1."""

    def token_bytes(self, count: int) -> bytes:
        """Secret random bytes."""

    def end_process(self) -> None:
        """Have this process leave in good order, to be started again."""


class RealWorld:
    """asyncio's loop and the system's clock and secure random source."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[object]] = set()
        self._closed = False

    def monotonic_ms(self) -> float:
        """See `World`."""
        return time.monotonic() * 1000

    def call_later(self, delay_ms: float, callback: Callable[[], None]) -> Timer:
        """See `World`."""
        # In a context of its own: a timer is not about whom it happened to be set for.
        return self._loop.call_later(max(0.0, delay_ms) / 1000, callback, context=contextvars.Context())

    def spawn(self, work: Coroutine[Any, Any, object], name: str, **about: str) -> None:
        """See `World`."""
        if self._closed:  # by a timer that was set before: what it would work with is closed as well
            work.close()
            return
        context = contextvars.Context()
        context.run(bind_contextvars, **about)
        task = self._loop.create_task(work, name=name, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._ended, context=context)

    def _ended(self, task: asyncio.Task[object]) -> None:
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

    def end_process(self) -> None:
        """See `World`."""
        os.kill(os.getpid(), signal.SIGTERM)

    async def close(self) -> None:
        """End all background work; none is begun any more."""
        self._closed = True
        if self._tasks:
            await cancel_all(self._tasks)
