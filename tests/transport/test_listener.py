"""The listener: addresses, leaving, TLS, and clients that share no code with it."""

import asyncio
import dataclasses
import errno
import socket

import pytest
import structlog
from websockets.asyncio.client import connect as ws_connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from server.transport.listener import listen
from tests.transport.parts import (
    BINARY,
    CALM,
    JSON,
    MSGPACK,
    App,
    close_frame,
    connect,
    echo,
    eventually,
    frame,
    handshake,
)  # fmt: skip


async def test_draining_spreads_the_closings(app: App, serve, clients) -> None:
    listener = await serve(dataclasses.replace(CALM, close_seconds=0.3))
    polite = [await clients(listener) for _ in range(4)]
    deaf = await clients(listener)
    idle, late = await clients(listener, None), await clients(listener, None)
    late.send(b"GET /ws HTTP/1.1\r\n")
    await eventually(
        lambda: len(listener._registry.openings) == 2 and not all(o.idle for o in listener._registry.openings)
    )
    loop = asyncio.get_running_loop()
    began = loop.time()
    moments: list[float] = []

    async def leave(client) -> None:
        assert await client.closed() == (1012, "the server is leaving")
        moments.append(loop.time() - began)
        client.send(close_frame(1012))
        await client.end()

    draining = asyncio.create_task(listener.drain(0.5))
    await asyncio.gather(*map(leave, polite))
    late.send(handshake().partition(b"\r\n")[2])
    assert (await late.answer())[0] == 503
    late.writer.close()
    await draining
    assert await idle.rest() == b""
    assert max(moments) - min(moments) > 0.2, "all at once"
    assert not listener.connections
    assert [notes.codes for notes in app.notes] == [[1012]] * 5, "ours, also of the deaf one"
    assert (await deaf.closed())[0] == 1012
    with pytest.raises(ConnectionRefusedError):
        await connect(listener)
    await listener.close()


async def test_draining_nobody_takes_no_time(serve) -> None:
    listener = await serve()
    async with asyncio.timeout(1):
        await listener.drain(30)


async def test_stop_accepting_leaves_the_connected_alone(app: App, serve, clients) -> None:
    app.react = echo
    listener = await serve()
    client = await clients(listener)
    listener.stop_accepting()
    client.send(frame(BINARY, b"x"))
    assert await client.frame() == (BINARY, b"x")


async def test_closing_aborts_everybody(app: App, serve, clients) -> None:
    listener = await serve()
    client, opening = await clients(listener), await clients(listener, None)
    await eventually(lambda: listener._registry.openings)
    await listener.close()
    assert await client.rest() == await opening.rest() == b""
    assert app.notes[0].codes == [1006]


async def test_a_socket_of_ones_own(app: App, clients) -> None:
    sock = socket.create_server(("127.0.0.1", 0))
    listener = await listen(app, None, None, limits=CALM, sock=sock)
    assert listener.address == sock.getsockname()
    await clients(listener)
    await listener.close()


async def test_a_shared_port(app: App, serve, clients) -> None:
    first = await serve(reuse_port=True)
    second = await listen(app, *first.address, limits=CALM, reuse_port=True)
    assert second.address == first.address
    await second.close()
    await clients(first)


async def test_nagle_is_off_and_the_send_buffer_bounded(app: App, serve, clients) -> None:
    await clients(await serve(dataclasses.replace(CALM, socket_send_bytes=32 * 1024)))
    sock = app.notes[0].connection._transport.get_extra_info("socket")
    assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 64 * 1024


async def test_a_failing_sweep_ends_its_own_connection_only(app: App, serve, clients) -> None:
    listener = await serve()
    await clients(listener)
    second = await clients(listener)
    app.notes[0].connection._protocol.send_ping = None  # type: ignore[assignment, method-assign]
    app.notes[0].connection._heard_at = -1000.0
    with structlog.testing.capture_logs() as logs:
        app.notes[0].connection._heard = False
        await eventually(lambda: app.notes[0].codes == [1006])
    assert logs[0]["event"] == "a sweep failed"
    app.notes[1].connection.send(b"x")
    assert await second.frame() == (BINARY, b"x")


@pytest.mark.parametrize("offered", [[MSGPACK], [JSON], [JSON, MSGPACK], None])
async def test_with_a_client_of_the_library(app: App, serve, offered: list[str] | None) -> None:
    app.react = echo
    host, port = (await serve()).address
    subprotocols = [Subprotocol(name) for name in offered] if offered else None
    async with ws_connect(f"ws://{host}:{port}/ws", subprotocols=subprotocols) as client:
        assert client.subprotocol == (None if offered is None else MSGPACK if MSGPACK in offered else JSON)
        message: str | bytes = b"\x81\xa1" if client.subprotocol == MSGPACK else "æøå" * 300
        await client.send(message)
        assert await client.recv() == message
        await (await client.ping())
        pieces = [message[:1], message[1:]]
        await client.send(pieces)
        assert await client.recv() == message
        app.notes[0].connection.close(4409, "newer connection")
        with pytest.raises(ConnectionClosed):
            await client.recv()
        assert (client.close_code, client.close_reason) == (4409, "newer connection")
    assert app.notes[0].codes == [4409]


async def test_the_library_is_refused_in_words(serve) -> None:
    host, port = (await serve()).address
    with pytest.raises(InvalidStatus) as caught:
        await ws_connect(f"ws://{host}:{port}/ws", subprotocols=[Subprotocol("other")])
    assert caught.value.response.status_code == 400


async def test_what_befalls_one_connection_is_not_the_end_of_accepting(
    app: App, serve, clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.react = echo
    loop = asyncio.get_running_loop()
    accept, addresses = loop.sock_accept, [None, 5, ("127.0.0.1", 1)]  # none, and none that could be
    befell = [OSError(errno.EHOSTUNREACH, "on its way"), ConnectionAbortedError(errno.ECONNABORTED, "gone")]

    async def accept_with_trouble(listening: socket.socket):
        if befell:
            raise befell.pop()
        connection, _ = await accept(listening)
        return connection, addresses.pop(0)

    monkeypatch.setattr(loop, "sock_accept", accept_with_trouble)
    with structlog.testing.capture_logs() as lines:
        listener = await serve()
        first = await clients(listener)
        failing = await clients(listener, None)
        assert await failing.rest() == b""
        last = await clients(listener)
    for client in (first, last):
        client.send(frame(BINARY, b"x"))
        assert await client.frame() == (BINARY, b"x")
    assert [line["event"] for line in lines] == ["a connection could not be accepted"]
    assert befell == addresses == []
