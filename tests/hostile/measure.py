"""How long honest players of a room wait for their answers while something goes on beside them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import start_race

FIRST = SHORTEST_WIN.actions[0]
RACERS = 4
PAUSE_S = 0.02  # faster than people are, and not all that this machine can do


class Racers:
    """Players who move and take it back, again and again; each action's wait is noted."""

    def __init__(self, peers: list[Peer], room: str) -> None:
        self.peers, self.room = peers, room
        self._n = dict.fromkeys(peers, 0)

    @classmethod
    async def gather(cls, url: str, **options: object) -> Racers:
        peers = [await Peer.hello(url) for _ in range(RACERS)]
        fields = {"deal": SHORTEST_WIN.code, "max_players": 200, "late": True, **options}
        return cls(peers, await start_race(*peers, **fields))

    async def during(self, work: Awaitable[object], *, rounds_min: int) -> Waits:
        """Race until `work` is done, and at least so many rounds."""
        task = asyncio.ensure_future(work)
        waits_ms = await self._race(task, rounds_min)
        await task
        return Waits(waits_ms)

    async def _race(self, task: asyncio.Future[object], rounds_min: int) -> list[float]:
        waits: list[float] = []

        async def one(peer: Peer) -> None:
            rounds = 0
            while rounds < rounds_min or not task.done():
                rounds += 1
                for op in ("m", "u"):
                    self._n[peer] += 1
                    began = time.perf_counter()
                    fields = {"src": FIRST.src, "dst": FIRST.dst} if op == "m" else {}
                    answer = await peer.ask("op", n=self._n[peer], op=op, **fields)
                    waits.append((time.perf_counter() - began) * 1000)
                    assert answer["t"] == "done", answer
                await asyncio.sleep(PAUSE_S)

        await asyncio.gather(*map(one, self.peers))
        return waits

    async def close(self) -> None:
        for peer in self.peers:
            await peer.close()


class Waits:
    """Milliseconds from asking to `done`."""

    def __init__(self, waits_ms: list[float]) -> None:
        self._sorted = sorted(waits_ms)
        self.count = len(waits_ms)

    def at(self, share: float) -> float:
        return self._sorted[min(self.count - 1, int(self.count * share))]

    @property
    def shown(self) -> str:
        return f"{self.at(0.5):.1f} / {self.at(0.99):.1f} / {self._sorted[-1]:.0f}"


@asynccontextmanager
async def racers(url: str, **options: object) -> AsyncIterator[Racers]:
    gathered = await Racers.gather(url, **options)
    try:
        yield gathered
    finally:
        await gathered.close()


async def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait for something that has no event of its own."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
