"""A node inside the test's own process, for what must be seen or set from within: its moments, its calls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.node.door import DoorRules
from server.node.serve import running_node
from server.node.settings import Settings, parse_rates
from tests.support.server import FAST


@asynccontextmanager
async def node_on(store_url: str) -> AsyncIterator[str]:
    """A node on this store, with high rates; the URL of its WebSocket."""
    door = DoorRules(connections_max=100_000)
    settings = Settings(port=0, rates=parse_rates(FAST), door=door, drain_s=0)
    async with running_node(store_url, settings) as listener:
        yield f"ws://127.0.0.1:{listener.address[1]}/ws"
