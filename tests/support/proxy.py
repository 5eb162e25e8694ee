"""A TCP proxy for faults: between a node and its store, or a client and its node, it passes bytes on, late,
in small pieces, or not at all, and cuts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

Target = Path | tuple[str, int]  # a Unix socket, or host and port
PIECE_BYTES = 1 << 16


class Link:
    """One connection that was accepted, and the one to the target that goes with it."""

    def __init__(self, proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._proxy, self._reader, self._writer = proxy, reader, writer
        self._far: asyncio.StreamWriter | None = None
        self.silent = False
        """Whatever comes is taken and thrown away, both ways: open to look at, and dead."""

    async def run(self) -> None:
        try:
            if self._proxy.silent:
                self.silent = True
                await self._reader.read()  # whoever connects talks to nobody
                return
            reader, self._far = await self._proxy.dial()
            up = asyncio.create_task(self._pass_on(self._reader, self._far, down=False))
            down = asyncio.create_task(self._pass_on(reader, self._writer, down=True))
            try:
                await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (up, down):
                    task.cancel()
                await asyncio.gather(up, down, return_exceptions=True)
        except OSError:
            pass
        finally:
            self.cut()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, down: bool
    ) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):
            while piece := await reader.read(self._proxy.piece_bytes):
                if self.silent:
                    continue
                if down and self._proxy.on_answer is not None and not self._proxy.on_answer(self, piece):
                    continue
                late_s = self._proxy.down_s if down else self._proxy.up_s
                if late_s:
                    # Those that follow are late as well, but do not wait for one another.
                    loop.call_later(late_s, self._write, writer, piece)
                else:
                    self._write(writer, piece)
                    await writer.drain()

    def _write(self, writer: asyncio.StreamWriter, piece: bytes) -> None:
        if not self.silent and not writer.transport.is_closing():
            writer.write(piece)

    def cut(self) -> None:
        """End both connections at once; what was on its way is lost."""
        for writer in (self._writer, self._far):
            if writer is not None:
                writer.transport.abort()


class Proxy:
    """Listens on a port of a loopback address: on a free one, `port`, unless told which. A context manager.

    `up_s`, `down_s`: how late each piece comes, to the target and back. `piece_bytes`: the largest piece.
    `silent`: new connections are accepted and never answered. `on_answer(link, piece)` is asked about each
    piece on its way back; False loses it.
    """

    def __init__(self, target: Target, host: str = "127.0.0.1", port: int = 0) -> None:
        self._target = target
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.links: set[Link] = set()
        self.host, self.port = host, port
        self.up_s = self.down_s = 0.0
        self.piece_bytes = PIECE_BYTES
        self.silent = False
        self.on_answer: Callable[[Link, bytes], bool] | None = None

    @property
    def store_url(self) -> str:
        """For a target that is a store."""
        return f"redis://{self.host}:{self.port}/0"

    @property
    def url(self) -> str:
        """For a target that is a node."""
        return f"ws://{self.host}:{self.port}/ws"

    async def dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the target."""
        if isinstance(self._target, Path):
            return await asyncio.open_unix_connection(self._target)
        return await asyncio.open_connection(*self._target)

    async def open(self) -> None:
        """Accept connections."""
        self._server = await asyncio.start_server(self._accepted, self.host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Accept no more, and cut what there is: nobody is there."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.cut()
        await asyncio.gather(*self._tasks)

    def cut(self) -> None:
        """Cut every connection; new ones are accepted."""
        for link in self.links:
            link.cut()

    def fall_silent(self) -> None:
        """Lose everything on the connections there are, for ever, and on those to come, while `silent`."""
        self.silent = True
        for link in self.links:
            link.silent = True

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = Link(self, reader, writer)
        task = asyncio.current_task()
        assert task is not None
        self.links.add(link)
        self._tasks.add(task)
        try:
            await link.run()
        finally:
            self.links.discard(link)
            self._tasks.discard(task)

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.close()
