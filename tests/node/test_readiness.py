"""`/readyz` where the store answers and takes no writes: nobody is sent where they cannot play."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from server.node.serve import running_node
from server.node.settings import Settings
from tests.support.nodes import node_on
from tests.support.valkey import ValkeyProcess
from tests.support.web import Page, fetch

PATIENCE_S = 20.0
NO_WRITES = (503, b"the store takes no writes\n")


@pytest.fixture
def valkey() -> Iterator[ValkeyProcess]:
    with ValkeyProcess() as valkey:
        yield valkey


def told(page: Page) -> tuple[int, bytes]:
    return page.status, page.body


async def until_told(port: int, answer: tuple[int, bytes]) -> None:
    """A trial's outcome holds for a second: ask on."""
    async with asyncio.timeout(PATIENCE_S):
        while told(await fetch(port, "/readyz")) != answer:  # noqa: ASYNC110 - another's clock
            await asyncio.sleep(0.05)


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2].partition("/")[0])


async def test_a_store_whose_memory_is_full(valkey: ValkeyProcess) -> None:
    async with node_on(valkey.url) as url, valkey.client() as client:
        port = port_of(url)
        assert told(await fetch(port, "/readyz")) == (200, b"ready\n")
        with structlog.testing.capture_logs() as logs:
            await client.config_set("maxmemory", 1)
            await until_told(port, NO_WRITES)
            await client.config_set("maxmemory", 0)
            await until_told(port, (200, b"ready\n"))
        full, again = (line for line in logs if line["event"].startswith("the store takes"))
        assert "OOM" in full["error"] or "memory" in full["error"]
        assert again["event"] == "the store takes writes again"


async def test_replicas_that_are_not_there(valkey: ValkeyProcess) -> None:
    settings = Settings(port=0, drain_s=0, wait_replicas=1)
    async with running_node(valkey.url, settings) as listener:
        assert told(await fetch(listener.address[1], "/readyz")) == NO_WRITES


async def test_who_asks_all_the_time_has_nothing_more_written(valkey: ValkeyProcess) -> None:
    async with node_on(valkey.url) as url, valkey.client() as client:

        async def written() -> int:
            stats: dict[str, Any] = await client.info("commandstats")
            return int(stats.get("cmdstat_set", {"calls": 0})["calls"])

        before = await written()
        await asyncio.gather(*(fetch(port_of(url), "/readyz") for _ in range(50)))
        assert 1 <= await written() - before <= 10, "one a second"
        keys = await client.keys("*:trial")
        assert [await client.pttl(key) > 0 for key in keys] == [True], "and it does not stay"
