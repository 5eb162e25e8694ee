"""How a worker learns that its parent is gone, killed or not: the pipe that is its standard input ends.

The kernel's own notice (PR_SET_PDEATHSIG) is Linux's alone, and is about the thread that forked.
"""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

log = structlog.get_logger()


@contextmanager
def watched(ended: asyncio.Event) -> Iterator[asyncio.Event]:
    """Set `ended`, and what is yielded, as soon as nobody holds the other end of our standard input."""
    loop, stdin, gone = asyncio.get_running_loop(), sys.stdin.fileno(), asyncio.Event()

    def look() -> None:
        if not os.read(stdin, 1024):  # nothing is ever written there
            loop.remove_reader(stdin)
            log.warning("parent gone")
            gone.set()
            ended.set()

    loop.add_reader(stdin, look)
    try:
        yield gone
    finally:
        loop.remove_reader(stdin)
