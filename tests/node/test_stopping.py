"""A node ends when it is told to, at whatever moment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from server.store.store import Store
from tests.support.nodes import node_on
from tests.support.server import ServerProcess


def test_a_server_told_to_end_as_soon_as_it_is_ready_ends(tmp_path: Path) -> None:
    for _ in range(3):
        server = ServerProcess("--data", str(tmp_path / "data")).start()
        try:
            assert server.stop() == 0, server.errors
        finally:
            server.close()


async def test_a_cancellation_that_the_store_swallows_is_given_again(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the client library does when it is cancelled while it connects."""
    publish, swallowed = Store.publish, asyncio.Event()
    holding = asyncio.Event()

    async def hold(store: Store, messages: object) -> None:
        holding.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if swallowed.is_set():
                raise
            swallowed.set()
        await publish(store, [])

    monkeypatch.setattr(Store, "publish", hold)
    async with asyncio.timeout(10):
        async with node_on(valkey_url):
            await holding.wait()
    assert swallowed.is_set()
