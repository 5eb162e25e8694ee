"""Lines from standard input, without stopping the event loop."""

import asyncio
import codecs
import contextlib
import os
import sys
import threading
from typing import Protocol

_CHUNK_BYTES = 4096


class Lines(Protocol):
    """Where a session's lines come from."""

    @property
    def interactive(self) -> bool:
        """Whether a person types, rather than a pipe or a file."""

    def start(self) -> None:
        """Begin to read."""

    async def get(self) -> str | None:
        """Return the next line, None when there will be no more."""


class TypedLines:
    """Reads standard input line by line; None at its end.

    A thread reads the descriptor itself. As a daemon it ends with the program, and since it does not hold the
    lock of `sys.stdin`, the interpreter can end while it waits.
    """

    def __init__(self) -> None:
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._read, name="stdin", daemon=True)

    @property
    def interactive(self) -> bool:
        """Whether a person types, rather than a pipe or a file."""
        return sys.stdin is not None and sys.stdin.isatty()

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    async def get(self) -> str | None:
        """Return the next line, None when there will be no more."""
        return await self._queue.get()

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        rest = ""
        try:
            descriptor = sys.stdin.fileno()
            while chunk := os.read(descriptor, _CHUNK_BYTES):
                *lines, rest = (rest + decoder.decode(chunk)).split("\n")
                for line in lines:
                    self._put(line)
        except (OSError, ValueError, AttributeError):
            pass  # no standard input, or closed: the same as its end
        if rest:
            self._put(rest)
        self._put(None)

    def _put(self, line: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants it any more
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
