"""What is typed or pressed on the screen, as the lines that a session reads."""

import asyncio


class ScreenLines:
    """Lines for a session. Whoever has a screen is a person."""

    interactive = True

    def __init__(self) -> None:
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()

    def start(self) -> None:
        """Nothing: the app begins to read when it is shown."""

    def put(self, line: str | None) -> None:
        """Type a line; None is the end."""
        self._queue.put_nowait(line)

    async def get(self) -> str | None:
        """Return the next line, None when there will be no more."""
        return await self._queue.get()
