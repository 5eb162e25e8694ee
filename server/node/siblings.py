"""The figures of all workers of one server, whichever of them is asked.

Each serves its own on a Unix socket, in a directory that they share and nobody else may enter.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

ANSWER_S = 1.0  # a worker that is silent for so long is left out: it is stopped, or being started again
HEAD = b"# HELP "


@asynccontextmanager
async def served(socket: Path | None, text: Callable[[], bytes]) -> AsyncIterator[None]:
    """Serve this worker's figures on its socket; without one, nothing."""
    if socket is None:
        yield
        return

    async def tell(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            writer.write(text())
            await writer.drain()
            writer.close()
            await writer.wait_closed()

    async with await asyncio.start_unix_server(tell, socket):
        yield


async def gathered(socket: Path, own: bytes) -> bytes:
    """One's own figures and those of the other sockets in the directory, of all that answer."""
    others = [Path(entry) for entry in os.scandir(socket.parent) if entry.name != socket.name]
    texts = await asyncio.gather(*map(_read, others))
    return merged([own, *texts])


async def _read(socket: Path) -> bytes:
    try:
        async with asyncio.timeout(ANSWER_S):
            reader, writer = await asyncio.open_unix_connection(socket)
            try:
                return await reader.read()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return b""


def merged(texts: list[bytes]) -> bytes:
    """One page of several: the text format wants all lines of a figure together, under one head."""
    figures: dict[bytes, list[bytes]] = {}
    for text in texts:
        for figure in text.split(HEAD)[1:]:
            about, kind, samples = figure.split(b"\n", 2)
            figures.setdefault(HEAD + about + b"\n" + kind + b"\n", []).append(samples)
    return b"".join(head + b"".join(samples) for head, samples in figures.items())
