"""Ending tasks that use the client library."""

import asyncio
from collections.abc import Iterable
from typing import Any

CANCEL_AGAIN_S = 0.1


async def cancel_all(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel these tasks until they have ended: the library swallows a cancellation that meets it while it
    connects."""
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=CANCEL_AGAIN_S)
