"""An event loop whose time is a number: it jumps to the next timer, and one thread of one seed decides all.

A `Process` is a part of the simulation that can die, freeze and be frozen by itself: what runs for it (tasks,
callbacks, timers) knows it by the context it was started in, so that nothing of it runs once it is dead.
"""

from __future__ import annotations

import asyncio
import warnings
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from heapq import heappop, heappush
from typing import Any

STEPS_MAX = 3_000_000  # of one run: more is a loop that never ends

_owner: ContextVar[Process | None] = ContextVar("owner", default=None)


class Stuck(Exception):
    """Nothing is left to happen, or it never stops happening."""


class Handle:
    """A callback that waits for its turn: what asyncio wants to see of one."""

    __slots__ = ("_args", "_callback", "_cancelled", "_context", "_when")

    def __init__(self, callback: Any, args: Any, context: Context | None, when: float = 0.0) -> None:
        self._callback, self._args, self._when = callback, args, when
        self._context = copy_context() if context is None else context
        self._cancelled = False

    def cancel(self) -> None:
        self._cancelled = True

    def cancelled(self) -> bool:
        return self._cancelled

    def when(self) -> float:
        return self._when

    @property
    def owner(self) -> Process | None:
        return self._context.get(_owner)

    def run(self) -> None:
        self._context.run(self._callback, *self._args)


class VirtualLoop(asyncio.AbstractEventLoop):
    """See the module. Callbacks run in asyncio's order: as they came, timers when their time has come."""

    def __init__(self) -> None:
        self._now_s = 0.0
        self._ready: deque[Handle] = deque()
        self._timers: list[tuple[float, int, Handle]] = []
        self._number = 0
        self._tasks: list[asyncio.Task[Any]] = []
        self._over = False
        self.steps = 0
        self.outside = Context()  # of what belongs to no process: the network, the store

    # What asyncio asks of a loop

    def time(self) -> float:
        return self._now_s

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return self._over

    def call_soon(self, callback: Any, *args: Any, context: Context | None = None) -> Handle:  # type: ignore[override]
        handle = Handle(callback, args, context)
        if not self._over:
            self._ready.append(handle)
        return handle

    def call_later(self, delay: float, callback: Any, *args: Any, context: Context | None = None) -> Handle:  # type: ignore[override]
        return self.call_at(self._now_s + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Context | None = None) -> Handle:  # type: ignore[override]
        handle = Handle(callback, args, context, when)
        self._number += 1
        heappush(self._timers, (when, self._number, handle))
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(
        self, coro: Any, *, name: Any = None, context: Context | None = None
    ) -> asyncio.Task[Any]:  # type: ignore[override]
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks.append(task)
        return task

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Only told of futures nobody asked: those of the dead, mostly."""

    # Running

    def run(self, till: Callable[[], bool]) -> None:
        """Let happen what happens, until `till()`. Raises `Stuck`, and what a callback raises."""
        asyncio._set_running_loop(self)
        try:
            while not till():
                self._turn()
        finally:
            asyncio._set_running_loop(None)

    def _turn(self) -> None:
        timers = self._timers
        if not self._ready:
            if not timers:
                raise Stuck("nothing is left to happen")
            self._now_s = max(self._now_s, timers[0][0])
        while timers and timers[0][0] <= self._now_s:
            self._ready.append(heappop(timers)[2])
        for _ in range(len(self._ready)):
            handle = self._ready.popleft()
            owner = handle.owner
            if handle.cancelled() or (owner is not None and not owner.takes_step(handle)):
                continue
            self.steps += 1
            if self.steps > STEPS_MAX:
                raise Stuck(f"more than {STEPS_MAX:,} steps")
            handle.run()

    def put_back(self, handles: list[Handle]) -> None:
        """These have waited, and are to run now."""
        self._ready.extend(handles)

    def close(self) -> None:
        """The run is over: what still waits is let go of without a word."""
        self._over = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # what a task was to await is never awaited
            for task in self._tasks:
                if not task.done():
                    task._log_destroy_pending = False  # type: ignore[attr-defined]
                    with suppress(RuntimeError):  # it awaits something on its way out
                        task.get_coro().close()  # type: ignore[union-attr]
        self._tasks.clear()
        self._ready.clear()
        self._timers.clear()


class Process:
    """Something that runs on its own, and can be killed at any step, frozen and thawed."""

    def __init__(self, loop: VirtualLoop, name: str) -> None:
        self.loop, self.name = loop, name
        self.alive = True
        self.steps = 0
        self.dies_at_step = 0  # 0: it does not
        self.died: Callable[[], None] = lambda: None
        self._held: list[Handle] | None = None  # while it is frozen
        self.context = Context()
        self.context.run(_owner.set, self)

    def takes_step(self, handle: Handle) -> bool:
        """Whether it goes on with this; else it is dead, or will later."""
        if not self.alive:
            return False
        if self._held is not None:
            self._held.append(handle)
            return False
        self.steps += 1
        if self.steps == self.dies_at_step:
            self.die()
            return False
        return True

    def call(self, callback: Callable[..., None], *args: Any) -> None:
        """Have it run something soon."""
        self.loop.call_soon(callback, *args, context=self.context)

    def start(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Have it begin a task."""
        return self.loop.create_task(work, name=name, context=self.context)

    def die(self) -> None:
        """Nothing more of it runs: not even its `finally`s."""
        if self.alive:
            self.alive = False
            self._held = None
            self.died()

    def freeze(self) -> None:
        """It stands still while time goes on, as a stopped or starved process does."""
        if self._held is None:
            self._held = []

    def thaw(self) -> None:
        """It goes on."""
        held, self._held = self._held, None
        if held and self.alive:
            self.loop.put_back(held)
