"""What somebody types."""

from __future__ import annotations

import asyncio


class Typed:
    """Lines as if somebody typed them, each when a task gets round to it."""

    def __init__(self, *lines: str, interactive: bool = True) -> None:
        self.interactive = interactive
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        for line in lines:
            self._queue.put_nowait(line)

    def type(self, line: str | None) -> None:
        self._queue.put_nowait(line)

    async def get(self) -> str | None:
        return await self._queue.get()
