"""`check_store` against really started servers, each with one thing wrong."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from server.store import suitability
from server.store.opening import open_store
from server.store.suitability import UnsuitableStoreError, check_store, read_info
from tests.support.valkey import ValkeyProcess, rewrite

ANYBODY = ("default", "on", "nopass", "~*", "&*", "+@all")


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyProcess]:
    with ValkeyProcess() as process:
        yield process


@pytest.fixture
async def client(valkey: ValkeyProcess) -> AsyncIterator[Redis]:
    async with valkey.client() as client:
        yield client


@pytest.fixture
async def with_settings(client: Redis) -> AsyncIterator[Any]:
    """Set settings for one test."""
    before: dict[str, str] = {}

    async def set_them(**settings: str) -> None:
        for name, value in settings.items():
            name = name.replace("_", "-")
            before.setdefault(name, str((await client.config_get(name))[name]))
            await client.config_set(name, value)

    yield set_them
    for name, value in before.items():
        await client.config_set(name, value)


async def warnings_about(client: Redis, **options: Any) -> list[str]:
    return await check_store(client, await read_info(client, **options))


async def refusal(client: Redis, **options: Any) -> str:
    with pytest.raises(UnsuitableStoreError) as caught:
        await warnings_about(client, **options)
    told = str(caught.value)
    assert told.endswith(".")
    assert "\n" not in told
    return told


@pytest.mark.parametrize("options", [{}, {"decode_responses": True}, {"protocol": 2}, {"protocol": 3}])
async def test_a_store_set_as_it_should_be_passes_in_silence(
    valkey: ValkeyProcess, options: dict[str, Any]
) -> None:
    async with valkey.client(**options) as client:
        assert await warnings_about(client) == []


async def test_the_one_all_tests_share_is_set_as_it_should_be(valkey_url: str) -> None:
    async with Redis.from_url(valkey_url) as client:
        assert await warnings_about(client) == []


async def test_a_single_server_is_asked_once_what_it_is(valkey: ValkeyProcess, client: Redis) -> None:
    async def asked() -> int:
        return int((await client.info("commandstats"))["cmdstat_info"]["calls"])

    await client.info()
    before = await asked()
    store, warnings = await open_store(valkey.url)
    await store.close()
    assert (warnings, await asked() - before) == ([], 2), "the store's, and the test's own"


# -- refused


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
async def test_one_that_evicts_is_refused(client: Redis, with_settings: Any, policy: str) -> None:
    await with_settings(maxmemory_policy=policy)
    told = await refusal(client)
    assert f"maxmemory-policy {policy}" in told
    assert "set maxmemory-policy noeviction" in told


async def test_one_that_does_not_flush_while_it_rewrites_is_refused(
    client: Redis, with_settings: Any
) -> None:
    await with_settings(no_appendfsync_on_rewrite="yes")
    assert "set no-appendfsync-on-rewrite no" in await refusal(client)


async def test_a_replica_is_refused_and_its_primary_named(client: Redis) -> None:
    # Nobody listens there, so it stays a replica without a primary.
    await client.replicaof("127.0.0.1", "1")
    try:
        told = await refusal(client)
    finally:
        await client.replicaof("NO", "ONE")
    assert "is a replica" in told
    assert "127.0.0.1:1" in told


@pytest.mark.parametrize(
    ("info", "named"),
    [
        ({"redis_version": "6.2.14"}, "Redis 6.2.14"),
        ({"redis_version": "7.2.4", "valkey_version": "7.2.11"}, "Valkey 7.2.11"),
        ({"redis_version": "unstable"}, "Redis unstable"),
        ({}, "of an unknown version"),
    ],
)
async def test_an_old_version_is_refused(
    client: Redis, monkeypatch: pytest.MonkeyPatch, info: dict[str, str], named: str
) -> None:
    monkeypatch.setattr(client, "info", answering(info | {"role": "master"}))
    told = await refusal(client)
    assert named in told
    assert "too old" in told


@pytest.mark.parametrize(
    "info",
    [
        {"redis_version": "7.0.0"},
        {"redis_version": "8.2.1"},
        {"redis_version": "10.0.1"},
        {"redis_version": "7.2.4", "valkey_version": "8.0.0"},
        {"redis_version": "7.2.4", "valkey_version": "10.0.0-rc1"},
    ],
)
async def test_a_version_new_enough_passes(
    client: Redis, monkeypatch: pytest.MonkeyPatch, info: dict[str, str]
) -> None:
    monkeypatch.setattr(client, "info", answering(info | {"role": "master"}))
    assert await warnings_about(client) == []


def answering(answer: Any) -> Any:
    async def call(*_: Any) -> Any:
        return answer

    return call


async def test_one_that_is_not_there_is_refused(tmp_path: Path) -> None:
    addresses: list[dict[str, Any]] = [
        {"unix_socket_path": str(tmp_path / "none")},
        {"host": "127.0.0.1", "port": 1},
    ]
    for address in addresses:
        async with Redis(**address, retry=Retry(NoBackoff(), 0)) as client:
            told = await refusal(client)
            assert "cannot be reached" in told
            assert str(tmp_path / "none") in told or "127.0.0.1:1 " in told


async def test_one_that_wants_another_password_is_refused_and_ours_not_shown() -> None:
    with ValkeyProcess(requirepass="right-one") as locked:
        for password in (None, "wrong-one"):
            async with locked.client(password=password) as client:
                told = await refusal(client)
                assert "does not let this server in" in told
                assert "wrong-one" not in told
        async with locked.client(password="right-one") as client:
            assert await warnings_about(client) == []


@pytest.mark.parametrize("socket_timeout", [None, 0.2])
async def test_one_that_is_held_is_refused_in_bounded_time(
    monkeypatch: pytest.MonkeyPatch, socket_timeout: float | None
) -> None:
    monkeypatch.setattr(suitability, "ANSWER_S", 0.2)
    with ValkeyProcess() as held:
        held.pause()
        async with held.client(socket_timeout=socket_timeout) as client:
            assert "does not answer" in await refusal(client)


async def test_one_that_loads_is_waited_for_but_not_for_ever() -> None:
    with ValkeyProcess() as slow:
        async with slow.client() as client:
            await client.mset({f"key:{i}": os.urandom(2000) for i in range(100)})
            await rewrite(client)  # so that it loads key by key, which can be slowed
        slow.stop()
        slow.start(wait=False, key_load_delay=10_000, loading_process_events_interval_bytes=1024)
        async with slow.client() as client:
            assert "is still loading its data after 0 s" in await refusal(client, loading_s=0)
            assert await warnings_about(client) == []


# -- warned of


async def test_no_append_only_file_is_warned_of(client: Redis, with_settings: Any) -> None:
    await with_settings(appendonly="no")
    [warning] = await warnings_about(client)
    assert "set appendonly yes and appendfsync always" in warning


@pytest.mark.parametrize("fsync", ["everysec", "no"])
async def test_lazy_flushing_is_warned_of(client: Redis, with_settings: Any, fsync: str) -> None:
    await with_settings(appendfsync=fsync)
    [warning] = await warnings_about(client)
    assert f"appendfsync {fsync}" in warning


@pytest.mark.parametrize("how", [{"rename_command": ("CONFIG", "")}, {"user": (*ANYBODY, "-config")}])
async def test_settings_that_may_not_be_read_are_warned_of(how: dict[str, Any]) -> None:
    with ValkeyProcess(**how) as managed:
        async with managed.client() as client:
            [warning] = await warnings_about(client)
            assert "does not let its settings be read" in warning
            assert "no-appendfsync-on-rewrite and maxmemory-policy are" in warning


async def test_what_config_withholds_is_taken_from_info() -> None:
    with ValkeyProcess(user=(*ANYBODY, "-config"), maxmemory_policy="allkeys-lru") as managed:
        async with managed.client() as client:
            assert "maxmemory-policy allkeys-lru" in await refusal(client)
        managed.restart(maxmemory_policy="noeviction", appendonly="no")
        async with managed.client() as client:
            warnings = await warnings_about(client)
            assert len(warnings) == 2
            assert "set appendonly yes" in warnings[1]


async def test_a_user_without_the_rights_is_refused() -> None:
    with ValkeyProcess(user=(*ANYBODY, "-info")) as managed:
        async with managed.client() as client:
            assert "that user its rights" in await refusal(client)
