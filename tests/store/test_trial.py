"""The write that tells whether a store takes any."""

from __future__ import annotations

import asyncio

import pytest

from server.store.opening import open_store
from server.store.store import CALL_TIMEOUT_S, StoreUnavailableError
from tests.support.cluster import ClusterProcess
from tests.support.valkey import ValkeyProcess


async def try_write(url: str, **options: int) -> None:
    store, _ = await open_store(url, **options)
    try:
        await store.try_write()
    finally:
        await store.close()


async def test_a_store_that_takes_writes(valkey_url: str) -> None:
    await try_write(valkey_url)


async def test_a_cluster_that_takes_writes(cluster: ClusterProcess) -> None:
    await try_write(cluster.url)


async def test_a_silent_server_of_a_cluster_holds_nothing_up(cluster: ClusterProcess) -> None:
    store, _ = await open_store(cluster.url)
    silent = (await cluster.primaries())[0]
    await store.try_write()
    silent.pause()
    try:
        async with asyncio.timeout(CALL_TIMEOUT_S / 2):  # less than is waited for one that is silent
            await store.try_write()
            assert await store.answers()
    finally:
        silent.resume()
    await store.close()


async def test_a_store_whose_memory_is_full() -> None:
    with ValkeyProcess(maxmemory=1) as full, pytest.raises(StoreUnavailableError):
        await try_write(full.url)


async def test_a_store_without_the_replicas_that_are_wanted(valkey_url: str) -> None:
    with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
        await try_write(valkey_url, wait_replicas=1)
