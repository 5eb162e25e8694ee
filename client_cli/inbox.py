"""Messages that wait for whoever reads them."""

import asyncio
from collections import deque
from typing import Generic, TypeVar

MESSAGES_MAX = 10_000
"""Who does not read loses the oldest; what the client knows is folded before and loses nothing."""

T = TypeVar("T")


class Inbox(Generic[T]):
    """A bounded queue with an end, for one reader."""

    def __init__(self) -> None:
        self._items: deque[T] = deque(maxlen=MESSAGES_MAX)
        self._changed = asyncio.Event()
        self._ended = False

    def put(self, item: T) -> None:
        """Add an item."""
        self._items.append(item)
        self._changed.set()

    def end(self) -> None:
        """Let the reader stop once it has read what is there."""
        self._ended = True
        self._changed.set()

    async def get(self) -> T:
        """Return the next item, waiting for it; StopAsyncIteration after the end."""
        while not self._items:
            if self._ended:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._items.popleft()
