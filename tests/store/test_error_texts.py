"""What is told of an error of the store: its kind and what the server said, and nothing of the command."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable, Iterator

import pytest

from server.store.store import Store, StoreUnavailableError, connect
from tests.support.valkey import ValkeyProcess

SECRETS = ("5ec2e7", "192.0.2.77", "Ann of pipeline caused error: ('ERR")
HASH, ADDRESS, NAME = SECRETS

CALLS: dict[str, Callable[[Store], Awaitable[object]]] = {
    "an identity": lambda store: store.save_identity(HASH, "p1", NAME),
    "a name": lambda store: store.rename_identity(HASH, "p1", NAME),
    "nobody": lambda store: store.identity(HASH),
    "a try": lambda store: store.password_try("R1", ADDRESS, "1"),
    "a room": lambda store: store.been_in(HASH, "R1"),
}


@pytest.fixture(scope="module")
def full() -> Iterator[ValkeyProcess]:
    """One that has no memory left."""
    with ValkeyProcess(maxmemory="1") as valkey:
        yield valkey


@pytest.mark.parametrize("name", CALLS)
async def test_a_store_without_memory_is_told_as_such(full: ValkeyProcess, name: str) -> None:
    store = Store(connect(full.url))
    try:
        with pytest.raises(StoreUnavailableError) as raised:
            await CALLS[name](store)
    finally:
        await store.close()
    assert "OutOfMemoryError" in str(raised.value) or "OOM" in str(raised.value)
    assert "maxmemory" in str(raised.value)
    whole = "".join(traceback.format_exception_only(raised.value)) + repr(raised.value.__cause__)
    assert not any(secret in whole for secret in SECRETS), whole


async def test_a_command_that_is_not_known_is_not_told_either(full: ValkeyProcess) -> None:
    store = Store(connect(full.url))
    try:
        with pytest.raises(StoreUnavailableError, match="unknown command") as raised:
            await store._ask("key", lambda pipe: pipe.execute_command("NOTHING", HASH, ADDRESS))
    finally:
        await store.close()
    whole = str(raised.value) + repr(raised.value.__cause__)
    assert not any(secret in whole for secret in SECRETS), whole
