"""What an operator is warned of when a store is opened, though it can be used."""

from __future__ import annotations

from server.store.opening import open_store
from tests.support.valkey import ValkeyProcess


async def warnings_of(url: str, **options: int) -> list[str]:
    store, warnings = await open_store(url, **options)
    await store.close()
    return warnings


async def test_a_password_that_the_store_does_not_ask_for(valkey_url: str) -> None:
    with_password = valkey_url.replace("unix://", "unix://:se53cret@")
    (warning,) = await warnings_of(with_password)
    assert "without" in warning
    assert "requirepass" in warning
    assert "se53cret" not in warning


async def test_a_password_that_it_asks_for_is_as_it_should_be() -> None:
    with ValkeyProcess(requirepass="right-one") as locked:
        assert await warnings_of(locked.url.replace("unix://", "unix://:right-one@")) == []


async def test_replicas_that_are_not_there(valkey_url: str) -> None:
    assert await warnings_of(valkey_url) == []
    (warning,) = await warnings_of(valkey_url, wait_replicas=1)
    assert "0 of the 1 replicas" in warning
    assert "--wait-replicas" in warning
