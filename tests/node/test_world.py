"""The end of a node's world: what is under way ends, and nothing is begun any more."""

from __future__ import annotations

import asyncio

from server.node.world import RealWorld


async def test_closed_it_has_ended_what_was_under_way_and_begins_nothing_more() -> None:
    world, done = RealWorld(), []

    async def work(name: str) -> None:
        done.append(f"{name} begun")
        try:
            await asyncio.sleep(60)
        finally:
            done.append(f"{name} ended")

    async def swallow() -> None:
        """As a library may do with a cancellation that meets it at the wrong moment."""
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await work("swallowing")

    world.spawn(work("first"), "first")
    world.spawn(swallow(), "swallowing")
    timed = asyncio.Event()
    world.call_later(1, lambda: (world.spawn(work("late"), "late"), timed.set()))
    await asyncio.sleep(0)
    async with asyncio.timeout(10):
        await world.close()
        assert sorted(done) == ["first begun", "first ended", "swallowing begun", "swallowing ended"]
        await timed.wait()
        await asyncio.sleep(0)
    assert len(done) == 4
