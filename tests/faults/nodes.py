"""Several nodes on one store, as processes that are ended and started while people race on them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from tests.support.server import ServerProcess


class Nodes:
    """Nodes 0, 1 … of one store; a context manager that starts them and ends them in good order.

    Starting and ending block, so they are done in threads: whoever races goes on meanwhile.
    """

    def __init__(
        self, store_url: str, count: int, *arguments: str, program: Sequence[str] = ("-m", "server")
    ) -> None:
        self.all = [ServerProcess("--redis", store_url, *arguments, program=program) for _ in range(count)]
        self._said: list[str] = []

    def __getitem__(self, index: int) -> ServerProcess:
        return self.all[index]

    @property
    def urls(self) -> list[str]:
        """Their WebSockets, of those that are down as well: a client cannot know."""
        return [node.url for node in self.all]

    async def start(self, *indices: int) -> None:
        """Start these, all at once."""
        await asyncio.gather(*(asyncio.to_thread(self.all[index].start) for index in indices))

    async def kill(self, index: int) -> None:
        """End one by SIGKILL."""
        await asyncio.to_thread(self.all[index].kill)
        self._said.append(self.all[index].errors)

    async def stop(self, index: int) -> None:
        """End one by SIGTERM: it leaves in good order."""
        node = self.all[index]
        assert await asyncio.to_thread(node.stop) == 0, node.errors
        self._said.append(node.errors)

    def faults(self) -> list[str]:
        """What those that have ended logged as faults of the server."""
        lines = "\n".join(self._said).splitlines()
        return [line for line in lines if '"level": "error"' in line or '"level": "critical"' in line]

    async def __aenter__(self) -> Self:
        try:
            await self.start(*range(len(self.all)))
        except BaseException:
            self._kill()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            if error is None:
                running = [index for index, node in enumerate(self.all) if node.running]
                await asyncio.gather(*map(self.stop, running))
                assert not self.faults()
        finally:
            self._kill()

    def _kill(self) -> None:
        for node in self.all:
            node.kill()
