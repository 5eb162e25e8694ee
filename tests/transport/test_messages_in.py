"""Frames from a client: split, joined, fragmented, and wrong in every way."""

import dataclasses

import pytest

from tests.transport.parts import (
    BINARY,
    CALM,
    CLOSE,
    CONT,
    JSON,
    MSGPACK,
    PING,
    PONG,
    TEXT,
    App,
    close_frame,
    echo,
    eventually,
    frame,
)


async def test_a_frame_in_the_handshakes_own_segment(app: App, serve, clients) -> None:
    client = await clients(await serve(), MSGPACK, frame(BINARY, b"early"))
    await eventually(lambda: app.notes[0].messages == [b"early"])
    client.send(frame(BINARY, b"later"))
    await eventually(lambda: app.notes[0].messages == [b"early", b"later"])


@pytest.mark.parametrize(("subprotocol", "opcode"), [(MSGPACK, BINARY), (JSON, TEXT)])
async def test_whole_and_byte_by_byte(app: App, serve, clients, subprotocol: str, opcode: int) -> None:
    payloads = [b"", b"a", b"x" * 125, b"y" * 126, "ærø".encode(), b"z" * 4096]
    stream = b"".join(frame(opcode, payload) for payload in payloads)
    client = await clients(await serve(), subprotocol)
    client.send(stream)
    await eventually(lambda: len(app.notes[0].messages) == len(payloads))
    short = stream[: -(4096 + 8)] + frame(opcode, b"end")
    await client.send_in_pieces(short)
    await eventually(lambda: app.notes[0].messages[-1:] == [b"end"])
    assert app.notes[0].messages == [*payloads, *payloads[:-1], b"end"]


async def test_a_frame_split_at_every_byte(app: App, serve, clients) -> None:
    client = await clients(await serve())
    data = frame(BINARY, b"before") + frame(BINARY, b"m" * 130) + frame(BINARY, b"after")
    for cut in range(1, len(data)):
        client.send(data[:cut])
        await eventually(lambda cut=cut: len(app.notes[0].messages) >= 3 * (cut - 1) + (cut >= 12))
        client.send(data[cut:])
        await eventually(lambda cut=cut: len(app.notes[0].messages) == 3 * cut)
    assert app.notes[0].messages == [b"before", b"m" * 130, b"after"] * (len(data) - 1)


async def test_many_in_one_segment_are_in_order(app: App, serve, clients) -> None:
    client = await clients(await serve())
    payloads = [str(number).encode() for number in range(5000)]
    client.send(b"".join(frame(BINARY, payload) for payload in payloads))
    await eventually(lambda: len(app.notes[0].messages) == 5000)
    assert app.notes[0].messages == payloads


async def test_fragments_around_a_ping(app: App, serve, clients) -> None:
    client = await clients(await serve(), JSON)
    half = "é".encode()
    client.send(
        frame(TEXT, half[:1], fin=False) + frame(PING, b"p") + frame(CONT, half[1:], fin=False)
        + frame(CONT, b"!") + frame(TEXT, b"next")
    )  # fmt: skip
    assert await client.frame() == (PONG, b"p")
    await eventually(lambda: len(app.notes[0].messages) == 2)
    assert app.notes[0].messages == ["é!".encode(), b"next"]


async def test_a_ping_within_a_nearly_full_message(app: App, serve, clients) -> None:
    client = await clients(await serve())
    client.send(frame(BINARY, b"f" * 4090, fin=False) + frame(PING, b"p" * 125) + frame(CONT, b"f" * 6))
    assert await client.frame() == (PONG, b"p" * 125)
    await eventually(lambda: app.notes[0].messages == [b"f" * 4096])


HUGE = bytes((0x82, 0xFF)) + (1 << 62).to_bytes(8, "big")
WRONG = {
    "text on binary": (MSGPACK, frame(TEXT, b"x"), 1007),
    "binary on text": (JSON, frame(BINARY, b"x"), 1007),
    "fragmented text on binary": (MSGPACK, frame(TEXT, b"x", fin=False), 1007),
    "small text not UTF-8": (JSON, frame(TEXT, b"\xff"), 1007),
    "large text not UTF-8": (JSON, frame(TEXT, b"a" * 200 + b"\xed\xa0\x80"), 1007),
    "fragmented text not UTF-8": (JSON, frame(TEXT, b"\xc3", fin=False) + frame(CONT, b"x"), 1007),
    "oversized": (MSGPACK, frame(BINARY, b"x" * 4097), 1009),
    "oversized, header only": (MSGPACK, bytes((0x82, 0xFE, 0x10, 0x01)) + b"mask", 1009),
    "oversized by far, header only": (MSGPACK, HUGE + b"mask", 1009),
    "oversized by fragments": (
        MSGPACK,
        frame(BINARY, b"x" * 4000, fin=False) + frame(CONT, b"y" * 96, fin=False) + frame(CONT, b"z"),
        1009,
    ),
    "rsv1": (MSGPACK, frame(BINARY, b"x", rsv=4), 1002),
    "rsv2": (MSGPACK, frame(BINARY, b"x", rsv=2), 1002),
    "rsv3": (MSGPACK, frame(BINARY, b"x", rsv=1), 1002),
    "unmasked": (MSGPACK, frame(BINARY, b"x", masked=False), 1002),
    "unmasked, two bytes": (MSGPACK, bytes((0x82, 0x7F)), 1002),
    "continuation of nothing": (MSGPACK, frame(CONT, b"x"), 1002),
    "message within a message": (MSGPACK, frame(BINARY, b"x", fin=False) + frame(BINARY, b"y"), 1002),
    "fragmented ping": (MSGPACK, frame(PING, b"x", fin=False), 1002),
    "long ping": (MSGPACK, frame(PING, b"x" * 126), 1002),
    "close with one byte": (MSGPACK, frame(CLOSE, b"x"), 1002),
    "close with a code not for the wire": (MSGPACK, close_frame(1006), 1002),
    "close with a reason not UTF-8": (MSGPACK, frame(CLOSE, b"\x03\xe8\xff"), 1007),
} | {f"opcode {code}": (MSGPACK, frame(code, b"x"), 1002) for code in (3, 7, 11, 15)}  # fmt: skip


@pytest.mark.parametrize("pieces", [False, True], ids=["whole", "pieces"])
@pytest.mark.parametrize("name", WRONG)
async def test_what_is_wrong_closes(app: App, serve, clients, name: str, pieces: bool) -> None:
    subprotocol, data, code = WRONG[name]
    app.react = echo
    kind = BINARY if subprotocol == MSGPACK else TEXT
    client = await clients(await serve(), subprotocol)
    good = frame(kind, b"good")
    if pieces:
        await client.send_in_pieces(good + data[:200])
        client.send(data[200:])
    else:
        client.send(good + data + good)
    assert await client.frame() == (kind, b"good")
    assert (await client.closed())[0] == code
    await client.end()
    await eventually(lambda: app.notes[0].codes == [code])
    assert app.notes[0].messages == [b"good"]


@pytest.mark.parametrize(
    ("data", "code"), [(close_frame(1001, "bye"), 1001), (close_frame(4000), 4000), (frame(CLOSE), 1005)]
)
async def test_the_peers_close_is_answered_in_kind(app: App, serve, clients, data: bytes, code: int) -> None:
    listener = await serve()
    client = await clients(listener)
    client.send(frame(BINARY, b"last") + data + frame(BINARY, b"too late"))
    opcode, payload = await client.frame()
    assert (opcode, payload) == (
        CLOSE,
        b"" if code == 1005 else code.to_bytes(2, "big") + (b"bye" if code == 1001 else b""),
    )
    await client.end()
    await eventually(lambda: not listener.connections)
    assert (app.notes[0].messages, app.notes[0].codes) == ([b"last"], [code])


async def test_half_close_without_a_close_frame(app: App, serve, clients) -> None:
    listener = await serve()
    client = await clients(listener)
    client.send(frame(BINARY, b"last") + b"\x82")
    client.writer.write_eof()
    await client.end()
    await eventually(lambda: not listener.connections)
    assert (app.notes[0].messages, app.notes[0].codes) == ([b"last"], [1006])


async def test_half_close_behind_a_close_frame(app: App, serve, clients) -> None:
    client = await clients(await serve())
    client.send(close_frame(1000))
    client.writer.write_eof()
    assert await client.closed() == (1000, "")
    await client.end()
    assert app.notes[0].codes == [1000]


@pytest.mark.parametrize(
    ("name", "again"), [("pings", frame(PING)), ("pongs", frame(PONG)), ("nothing", frame(CONT, fin=False))]
)
async def test_so_many_frames_that_are_no_message_and_no_more(
    app: App, serve, clients, name: str, again: bytes
) -> None:
    limits = dataclasses.replace(CALM, other_frames_max=20, sweep_seconds=60)
    client = await clients(await serve(limits))
    begin = frame(BINARY, b"x", fin=False) if name == "nothing" else b""
    client.send(begin + again * (20 - 2 * bool(begin)))
    client.send((frame(CONT) if begin else frame(BINARY, b"x")) + frame(BINARY, b"w" * 200) * 30)
    await eventually(lambda: app.notes[0].messages == [b"x"] + [b"w" * 200] * 30)
    client.send(again if not begin else frame(BINARY, b"x", fin=False) + frame(CONT, fin=False))
    while (answer := await client.frame()) == (PONG, b""):
        pass
    assert answer[0] == CLOSE
    assert int.from_bytes(answer[1][:2], "big") == 1008
    await eventually(lambda: app.notes[0].codes == [1008])


async def test_they_are_counted_anew_with_each_sweep(app: App, serve, clients) -> None:
    client = await clients(await serve(dataclasses.replace(CALM, other_frames_max=20)))
    for _ in range(10):
        client.send(frame(PING) * 10)
        for _ in range(10):
            assert await client.frame() == (PONG, b"")
        await eventually(lambda: app.notes[0].connection._other_frames == 0)
    assert app.notes[0].connection.open
