import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import uvloop

from server.transport.limits import Limits
from server.transport.listener import Listener, listen
from tests.transport.parts import CALM, App, Client, connect, join

Serve = Callable[..., Awaitable[Listener]]


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> dict[str, object]:
    """Run each test on both loops: the transport has to work on the standard one too."""
    return {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}


@pytest.fixture
def app() -> App:
    return App()


@pytest.fixture
async def serve(app: App) -> AsyncIterator[Serve]:
    """Start a listener with the limits a test is about."""
    listeners: list[Listener] = []

    async def start(limits: Limits = CALM, **options: object) -> Listener:
        listeners.append(await listen(app, "127.0.0.1", 0, limits=limits, **options))  # type: ignore[arg-type]
        return listeners[-1]

    yield start
    for listener in listeners:
        await listener.close()
        assert not listener.connections


@pytest.fixture
async def clients() -> AsyncIterator[Callable[..., Awaitable[Client]]]:
    """Connect, with a handshake (`subprotocol`) or without (None); closed after the test."""
    opened: list[Client] = []

    async def open_one(
        listener: Listener, subprotocol: str | None = "test.v1.msgpack", *rest: bytes, **options: int
    ) -> Client:
        if subprotocol is None:
            opened.append(await connect(listener, **options))
        else:
            opened.append(await join(listener, subprotocol, *rest, **options))
        return opened[-1]

    yield open_one
    for client in opened:
        client.writer.transport.abort()
