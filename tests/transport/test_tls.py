"""TLS: the same messages, the same bounds, and handshakes that fail or never end."""

import asyncio
import dataclasses
import ssl

import pytest
import trustme
from websockets.asyncio.client import connect as ws_connect

from tests.transport.parts import (
    BINARY,
    CALM,
    MSGPACK,
    PATIENCE_SECONDS,
    App,
    Client,
    connect,
    echo,
    eventually,
    frame,
    handshake,
)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def context(authority: trustme.CA) -> ssl.SSLContext:
    return context_for(authority)


@pytest.fixture
def trust(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def context_for(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


async def join(listener, trust: ssl.SSLContext) -> Client:
    client = Client(*await asyncio.open_connection(*listener.address, ssl=trust))
    client.send(handshake(MSGPACK))
    assert (await client.head())[0] == 101
    return client


async def gone(client: Client) -> None:
    """Wait for the end of a connection, however it comes."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        try:
            while await client.reader.read(4096):
                pass
        except ConnectionError:
            pass
    client.writer.transport.abort()


async def test_messages_and_pages(app: App, serve, context, trust) -> None:
    app.react = echo
    listener = await serve(ssl=context)
    host, port = listener.address
    async with ws_connect(f"wss://{host}:{port}/ws", ssl=trust) as client:
        for number in range(50):
            await client.send("x" * number * 80)
            assert await client.recv() == "x" * number * 80
    await eventually(lambda: app.notes[0].codes == [1000])
    reader, writer = await asyncio.open_connection(host, port, ssl=trust)
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (await reader.read()).endswith(b"hello\n")
    writer.close()
    await eventually(lambda: not listener.connections and not listener._registry.openings)


async def test_messages_ahead_of_the_end_are_received(app: App, serve, context, trust) -> None:
    listener = await serve(ssl=context)
    client = await join(listener, trust)
    client.send(frame(BINARY, b"x" * 100) * 500)
    client.writer.close()
    await eventually(lambda: app.notes[0].codes == [1006])
    assert len(app.notes[0].messages) == 500
    await eventually(lambda: not listener.connections)


async def test_a_slow_reader_is_dropped(app: App, serve, context, trust) -> None:
    limits = dataclasses.replace(
        CALM, write_buffer_bytes_max=64 * 1024, socket_send_bytes=16 * 1024, slow_reader_seconds=0.1
    )
    listener = await serve(limits, ssl=context)
    slow, quick = await join(listener, trust), await join(listener, trust)
    slow.writer.transport.pause_reading()
    sent = 0
    while not app.notes[0].codes:
        for notes in app.notes:
            notes.connection.send(b"b" * 8000)
        sent += 1
        assert sent < 5000
        assert await quick.frame() == (BINARY, b"b" * 8000)
    assert app.notes[0].codes == [4429]
    await eventually(lambda: len(listener.connections) == 1)
    app.notes[1].connection.send(b"still here")
    assert await quick.frame() == (BINARY, b"still here")
    slow.writer.transport.abort()
    quick.writer.transport.abort()


async def test_a_slow_reader_that_catches_up_is_told(app: App, serve, context, trust) -> None:
    listener = await serve(
        dataclasses.replace(CALM, write_buffer_bytes_max=8 * 1024, slow_reader_seconds=3.0), ssl=context
    )
    client = await join(listener, trust)
    client.writer.transport.pause_reading()
    sent = 0
    while app.notes[0].connection.open:
        app.notes[0].connection.send(b"b" * 4000)
        sent += 1
    client.writer.transport.resume_reading()
    for _ in range(sent):
        assert await client.frame() == (BINARY, b"b" * 4000)
    assert (await client.closed())[0] == 4429
    await gone(client)
    assert app.notes[0].codes == [4429]


async def test_a_pause_holds_the_peer_back(app: App, serve, context, trust) -> None:
    listener = await serve(ssl=context)
    client = await join(listener, trust)
    app.notes[0].connection.pause_reading()
    client.writer.transport.set_write_buffer_limits(high=0)

    async def send_without_end() -> None:
        while True:
            client.send(frame(BINARY, b"x" * 4000) * 10)
            await client.writer.drain()

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(send_without_end(), 0.5)
    assert app.notes[0].messages == []
    app.notes[0].connection.resume_reading()
    await eventually(lambda: len(app.notes[0].messages) > 10)
    client.writer.transport.abort()


# Handshakes


async def test_a_handshake_that_never_ends_is_ended(app: App, serve, context, trust) -> None:
    listener = await serve(dataclasses.replace(CALM, opening_seconds=0.2), ssl=context)
    silent, begun = await connect(listener), await connect(listener)
    begun.send(b"\x16\x03\x01\x02\x00\x01")  # the first bytes of a ClientHello
    await eventually(lambda: len(listener._registry.openings) == 2)
    await gone(silent)
    await gone(begun)
    await eventually(lambda: not listener._registry.openings)
    assert not listener._registry._openings_of


@pytest.mark.parametrize("sent", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x00" * 600, b"\x16\x03\x01"])
async def test_what_is_no_handshake_ends_itself_only(app: App, serve, context, trust, sent: bytes) -> None:
    app.react = echo
    listener = await serve(ssl=context)
    other = await join(listener, trust)
    client = await connect(listener)
    client.send(sent)
    client.writer.write_eof()
    await gone(client)
    other.send(frame(BINARY, b"here"))
    assert await other.frame() == (BINARY, b"here")
    await eventually(lambda: not listener._registry.openings)
    other.writer.transport.abort()


async def test_one_address_has_so_many_handshakes_under_way_at_most(app: App, serve, context, trust) -> None:
    listener = await serve(dataclasses.replace(CALM, openings_per_peer_max=3), ssl=context)
    silent = [await connect(listener) for _ in range(3)]
    await eventually(lambda: len(listener._registry.openings) == 3)
    with pytest.raises((ConnectionError, ssl.SSLError)):
        await asyncio.open_connection(*listener.address, ssl=trust)
    silent[0].writer.transport.abort()
    await eventually(lambda: len(listener._registry.openings) == 2)
    client = await join(
        listener, trust
    )  # the last place serves for the handshake and for what comes after it
    assert len(listener._registry.openings) == 2
    for each in (*silent[1:], client):
        each.writer.transport.abort()
    await eventually(lambda: not listener.connections and not listener._registry.openings)


async def test_draining_does_not_wait_for_handshakes(app: App, serve, context, trust) -> None:
    listener = await serve(ssl=context)
    silent = await connect(listener)
    await eventually(lambda: listener._registry.openings)
    began = asyncio.get_running_loop().time()
    await listener.drain(0)
    assert asyncio.get_running_loop().time() - began < CALM.close_seconds
    assert not listener._registry.openings
    await gone(silent)
    with pytest.raises(ConnectionError):
        await connect(listener)


async def test_another_certificate_serves_who_comes_from_then_on(app: App, serve, context, trust) -> None:
    app.react = echo
    listener = await serve(ssl=context)
    old = await join(listener, trust)
    other = trustme.CA()
    listener.renew(context_for(other))
    with pytest.raises(ssl.SSLCertVerificationError):
        await join(listener, trust)
    other_trust = ssl.create_default_context()
    other.configure_trust(other_trust)
    new = await join(listener, other_trust)
    for client in (old, new):
        client.send(frame(BINARY, b"here"))
        assert await client.frame() == (BINARY, b"here")
        client.writer.transport.abort()
