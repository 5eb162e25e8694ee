"""What the application does with a connection, and what becomes of it when either side fails."""

import asyncio
import dataclasses
import gc

import pytest
import structlog

from server.transport.connection import Connection
from server.transport.frames import encode_frame
from tests.transport.parts import (
    BINARY,
    CALM,
    CONT,
    JSON,
    MSGPACK,
    PING,
    PONG,
    TEXT,
    App,
    Notes,
    close_frame,
    echo,
    eventually,
    frame,
)  # fmt: skip


@pytest.mark.parametrize("length", [0, 125, 126, 65535, 65536])
@pytest.mark.parametrize(("subprotocol", "opcode"), [(MSGPACK, BINARY), (JSON, TEXT)])
async def test_sending(app: App, serve, clients, subprotocol: str, opcode: int, length: int) -> None:
    client = await clients(await serve(), subprotocol)
    connection = app.notes[0].connection
    connection.send(b"x" * length)
    connection.send_frame(encode_frame(b"y" * length, binary=connection.binary))
    assert await client.frame() == (opcode, b"x" * length)
    assert await client.frame() == (opcode, b"y" * length)


async def test_sending_and_closing_while_being_connected(app: App, serve, clients) -> None:
    def greet(connection: Connection) -> None:
        connection.send(b"hello")
        connection.close(4403, "é" * 100)

    app.greet = greet
    client = await clients(await serve(), MSGPACK, frame(BINARY, b"too late"))
    assert await client.frame() == (BINARY, b"hello")
    # 61 characters of two bytes are what has room in 123 bytes
    assert await client.closed() == (4403, "é" * 61)
    client.send(close_frame(4403))
    await client.end()
    await eventually(lambda: app.notes[0].codes == [4403])
    assert app.notes[0].messages == []


async def test_after_closing_nothing_is_sent_or_received(app: App, serve, clients) -> None:
    listener = await serve()
    client = await clients(listener)
    connection = app.notes[0].connection
    connection.close(1000, "done")
    connection.close(1001)
    assert not connection.open
    connection.send(b"x")
    connection.send_frame(b"\x82\x00")
    assert await client.closed() == (1000, "done")
    # a ping is still answered, a message no longer received
    client.send(frame(BINARY, b"x") + frame(PING, b"y"))
    assert await client.frame() == (PONG, b"y")
    client.send(close_frame(1000))
    await client.end()
    await eventually(lambda: not listener.connections)
    assert (app.notes[0].messages, app.notes[0].codes) == ([], [1000])
    connection.send(b"x")
    connection.close(1000)
    connection.abort()
    connection.pause_reading()
    connection.resume_reading()
    await asyncio.sleep(0)
    assert app.notes[0].codes == [1000]


async def test_a_peer_that_does_not_finish_the_closing_is_aborted(app: App, serve, clients) -> None:
    listener = await serve(dataclasses.replace(CALM, close_seconds=0.1))
    client = await clients(listener)
    app.notes[0].connection.close(1000)
    assert await client.closed() == (1000, "")
    client.send(frame(BINARY, b"x"))
    await eventually(lambda: not listener.connections)
    assert (app.notes[0].messages, app.notes[0].codes) == ([], [1000])


async def test_a_peer_that_does_not_end_its_side_is_aborted(app: App, serve, clients) -> None:
    listener = await serve(dataclasses.replace(CALM, close_seconds=0.1))
    client = await clients(listener)
    client.send(close_frame(1000))
    await eventually(lambda: app.notes[0].codes == [1000])
    await eventually(lambda: not listener.connections)


async def test_aborting(app: App, serve, clients) -> None:
    listener = await serve()
    client = await clients(listener)
    app.notes[0].connection.abort()
    assert app.notes[0].codes == [], "told from the event loop, not from within the call"
    await eventually(lambda: not listener.connections)
    assert app.notes[0].codes == [1006]
    assert await client.rest() == b""


async def test_a_reset(app: App, serve, clients) -> None:
    listener = await serve()
    client = await clients(listener)
    client.reset()
    await eventually(lambda: not listener.connections)
    assert app.notes[0].codes == [1006]


async def test_an_exception_ends_its_own_connection_only(app: App, serve, clients) -> None:
    def react(notes: Notes, data: bytes) -> None:
        if data == b"secret":
            raise RuntimeError(data)
        notes.connection.send(data)

    app.react = react
    listener = await serve()
    first, second = await clients(listener), await clients(listener)
    with structlog.testing.capture_logs() as logs:
        first.send(frame(BINARY, b"secret") + frame(BINARY, b"not any more"))
        assert await first.closed() == (1011, "internal error")
    await first.end()
    assert (app.notes[0].messages, app.notes[0].codes) == ([b"secret"], [1011])
    assert logs[0]["error"] == "RuntimeError"
    assert "react" in logs[0]["places"][-1]
    assert "secret" not in str(logs)
    second.send(frame(BINARY, b"alive"))
    assert await second.frame() == (BINARY, b"alive")


async def test_an_exception_in_taking_leave_is_logged(app: App, serve, clients, monkeypatch) -> None:
    def disconnected(self: Notes, code: int) -> None:
        self.codes.append(code)
        raise RuntimeError

    monkeypatch.setattr(Notes, "disconnected", disconnected)
    listener = await serve()
    client = await clients(listener)
    with structlog.testing.capture_logs() as logs:
        client.send(close_frame(1000))
        await client.closed()
        await client.end()
        await eventually(lambda: not listener.connections)
    assert [entry["event"] for entry in logs] == ["a receiver failed in taking leave"]
    assert app.notes[0].codes == [1000]


async def test_an_application_that_cannot_take_a_connection(app: App, serve, clients) -> None:
    def greet(connection: Connection) -> None:
        raise RuntimeError

    app.greet = greet
    with structlog.testing.capture_logs() as logs:
        client = await clients(await serve(), MSGPACK, frame(BINARY, b"x"))
        assert await client.closed() == (1011, "internal error")
    await client.end()
    assert len(logs) == 1


async def test_a_pause_keeps_order_and_loses_nothing(app: App, serve, clients) -> None:
    app.react = lambda notes, data: notes.connection.pause_reading()
    listener = await serve()
    client = await clients(listener)
    notes = app.notes[0]
    large = b"x" * 200
    client.send(
        frame(BINARY, b"0") + frame(BINARY, large) + frame(BINARY, b"2", fin=False) + frame(CONT, b"+")
        + frame(BINARY, b"3") + close_frame(1000) + frame(BINARY, b"not this")
    )  # fmt: skip
    for count in range(1, 5):
        await eventually(lambda count=count: len(notes.messages) == count)
        for _ in range(5):
            await asyncio.sleep(0.001)
        assert len(notes.messages) == count, "delivered while paused"
        assert notes.connection.open, "the close frame was handled before its turn"
        notes.connection.resume_reading()
        assert len(notes.messages) == count, "delivered from within the call"
    assert await client.closed() == (1000, "")
    assert (notes.messages, notes.codes) == ([b"0", large, b"2+", b"3"], [1000])


async def test_pausing_and_resuming_at_once(app: App, serve, clients) -> None:
    def react(notes: Notes, data: bytes) -> None:
        notes.connection.pause_reading()
        notes.connection.resume_reading()

    app.react = react
    client = await clients(await serve())
    for _ in range(2):
        client.send(b"".join(frame(BINARY, b"%d" % number) for number in range(2000)))
    await eventually(lambda: len(app.notes[0].messages) == 4000)
    assert app.notes[0].messages == [b"%d" % number for number in range(2000)] * 2


async def test_a_pause_holds_the_peer_back(app: App, serve, clients) -> None:
    listener = await serve()
    client = await clients(listener)
    notes = app.notes[0]
    notes.connection.pause_reading()
    data = frame(BINARY, b"x" * 4000) * 4000  # 16 MB: more than kernels buffer
    client.send(data)
    transport = client.writer.transport
    sizes = [0, 1]
    while sizes[-1] != sizes[-2]:
        await asyncio.sleep(0.05)
        sizes.append(transport.get_write_buffer_size())
    assert sizes[-1] > 1_000_000
    assert len(notes.connection._unread) < 300_000
    assert notes.messages == []
    notes.connection.resume_reading()
    await eventually(lambda: len(notes.messages) == 4000)


@pytest.mark.parametrize("how", ["close", "abort", "raise"])
async def test_a_paused_connection_can_be_ended(app: App, serve, clients, how: str) -> None:
    def react(notes: Notes, data: bytes) -> None:
        notes.connection.pause_reading()
        if how == "close":
            notes.connection.close(1000)
        elif how == "abort":
            notes.connection.abort()
        else:
            raise RuntimeError

    app.react = react
    listener = await serve()
    client = await clients(listener)
    client.send(frame(BINARY, b"x") + frame(BINARY, b"y") + close_frame(1000))
    await client.rest()
    client.writer.close()
    await eventually(lambda: not listener.connections)
    assert app.notes[0].messages == [b"x"]
    assert app.notes[0].codes == [{"close": 1000, "abort": 1006, "raise": 1011}[how]]


async def test_a_slow_reader_is_dropped_while_another_is_served(app: App, serve, clients) -> None:
    limits = dataclasses.replace(
        CALM, write_buffer_bytes_max=64 * 1024, socket_send_bytes=16 * 1024, slow_reader_seconds=0.1
    )
    listener = await serve(limits)
    slow = await clients(listener, rcvbuf=4096)
    slow.writer.transport.pause_reading()
    quick = await clients(listener)
    board = encode_frame(b"b" * 8000, binary=True)
    sent = 0
    while not app.notes[0].codes:
        for notes in app.notes:
            notes.connection.send_frame(board)
            assert not (notes is app.notes[0] and notes.codes), "told from within the call"
        sent += 1
        assert sent < 5000
        assert await quick.frame() == (BINARY, b"b" * 8000)
    connection = app.notes[0].connection
    assert (app.notes[0].codes, connection.open) == ([4429], False)
    connection.send_frame(board)
    await eventually(lambda: connection not in listener.connections)
    assert app.notes[0].codes == [4429]
    app.notes[1].connection.send(b"still here")
    assert await quick.frame() == (BINARY, b"still here")


async def test_a_slow_reader_that_catches_up_is_told(app: App, serve, clients) -> None:
    listener = await serve(
        dataclasses.replace(CALM, write_buffer_bytes_max=8 * 1024, slow_reader_seconds=3.0)
    )
    client = await clients(listener)
    client.writer.transport.pause_reading()
    sent = 0
    while app.notes[0].connection.open:
        app.notes[0].connection.send(b"b" * 4000)
        sent += 1
    client.writer.transport.resume_reading()
    for _ in range(sent):
        assert await client.frame() == (BINARY, b"b" * 4000)
    assert (await client.closed())[0] == 4429
    await client.end()
    assert app.notes[0].codes == [4429]


async def test_one_large_message_to_a_reader_is_no_slowness(app: App, serve, clients) -> None:
    client = await clients(await serve(dataclasses.replace(CALM, write_buffer_bytes_max=256 * 1024)))
    app.notes[0].connection.send(b"r" * 200_000)
    assert await client.frame() == (BINARY, b"r" * 200_000)
    assert app.notes[0].connection.open


async def test_silence_is_broken_by_a_ping_and_a_dead_peer_is_given_up(app: App, serve, clients) -> None:
    listener = await serve(dataclasses.replace(CALM, ping_every_seconds=0.1, pong_within_seconds=0.2))
    client = await clients(listener)
    for _ in range(2):
        assert await client.frame() == (PING, b"")
        client.send(frame(PONG))
    assert await client.frame() == (PING, b"")
    assert app.notes[0].connection.open
    await eventually(lambda: not listener.connections)
    assert app.notes[0].codes == [1006]


async def test_who_is_not_listened_to_is_not_dead(app: App, serve, clients) -> None:
    listener = await serve(dataclasses.replace(CALM, ping_every_seconds=0.05, pong_within_seconds=0.05))
    client = await clients(listener)
    app.notes[0].connection.pause_reading()
    client.send(frame(BINARY, b"x"))
    await asyncio.sleep(0.3)
    assert app.notes[0].connection.open
    app.notes[0].connection.resume_reading()
    await eventually(lambda: app.notes[0].messages == [b"x"])


async def test_one_that_talks_without_end_lets_others_have_their_turn(app: App, serve, clients) -> None:
    app.react = echo
    listener = await serve()
    order: list[int] = []
    flood, other = await clients(listener), await clients(listener)
    app.react = None
    app.notes[0]._react = lambda notes, data: order.append(0)
    app.notes[1]._react = lambda notes, data: order.append(1)
    flood.send(frame(BINARY) * 40_000)
    await eventually(lambda: order)
    other.send(frame(BINARY))
    await eventually(lambda: len(order) == 40_001)
    assert order.index(1) < 40_000, "the flood was handled in one go"


async def test_nothing_is_kept_of_an_ended_connection(app: App, serve, clients) -> None:
    listener = await serve()
    client = await clients(listener)
    client.send(close_frame(1000))
    await client.closed()
    await client.end()
    await eventually(lambda: not listener.connections)
    app.notes.clear()
    await asyncio.sleep(0)
    gc.collect()
    assert not [
        kept
        for kept in gc.get_objects()
        if isinstance(kept, Connection) and kept._registry is listener._registry
    ]


async def test_the_close_code_for_the_wire_only(app: App, serve, clients) -> None:
    client = await clients(await serve())
    with pytest.raises(Exception, match="invalid status code"):
        app.notes[0].connection.close(1006)
    app.notes[0].connection.send(b"x")
    assert await client.frame() == (BINARY, b"x")
