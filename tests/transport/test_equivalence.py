"""The path of its own for small messages does what the full protocol does, whatever comes, however it is cut.

Three judges take the same bytes: a connection as it is, one that may not use that path, and `ServerProtocol`
alone with the rules of this transport applied to its events. They have to agree on messages, answers, end.
"""

import asyncio
import itertools
from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from server.transport import connection as connection_module
from server.transport.http import Request
from server.transport.limits import Limits
from server.transport.registry import Registry
from tests.transport.parts import BINARY, CLOSE, CONT, JSON, MSGPACK, PING, TEXT, App, frame

LIMITS = Limits(frame_bytes_max=4000, turn_bytes_max=1 << 20)
Verdict = tuple[list[bytes], bytes, list[int]]


class Wire:
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        self.written = bytearray()
        self.ended = False

    def write(self, data: bytes) -> None:
        assert not self.ended
        self.written += data

    def write_eof(self) -> None:
        self.ended = True

    def can_write_eof(self) -> bool:
        return True

    def get_extra_info(self, name: str) -> None:
        return None

    def __getattr__(self, name: str) -> object:
        return lambda *arguments, **named: None


async def judged_by_connection(pieces: Iterable[bytes], subprotocol: str) -> Verdict:
    app, wire = App(), Wire()
    protocol = ServerProtocol(state=State.OPEN, max_size=LIMITS.frame_bytes_max + 125)
    protocol.subprotocol = subprotocol  # type: ignore[assignment]
    subject = connection_module.Connection(Registry(app, LIMITS), wire, Request("GET", "/ws"), protocol)  # type: ignore[arg-type]
    subject.start(b"")
    for piece in pieces:
        subject.data_received(piece)
    return app.notes[0].messages, bytes(wire.written), app.notes[0].codes


class Reference:
    """`ServerProtocol` with what this transport asks of messages beyond RFC 6455."""

    def __init__(self, subprotocol: str) -> None:
        self.protocol = ServerProtocol(state=State.OPEN, max_size=LIMITS.frame_bytes_max)
        self.kind = Opcode.BINARY if subprotocol == MSGPACK else Opcode.TEXT
        self.messages: list[bytes] = []
        self.codes: list[int] = []
        self.fragments = b""

    def judge(self, data: bytes) -> Verdict:
        self.protocol.receive_data(data)
        for event in self.protocol.events_received():
            assert isinstance(event, Frame)
            if event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT) and not self.codes:
                self.take(event)
        written = b"".join(self.protocol.data_to_send())
        if self.protocol.eof_sent and not self.codes:
            close = self.protocol.close_rcvd or self.protocol.close_sent
            assert close is not None
            self.codes.append(close.code)
        return self.messages, written, self.codes

    def take(self, event: Frame) -> None:
        if event.opcode not in (self.kind, Opcode.CONT):
            self.codes.append(1007)
            return
        self.fragments += bytes(event.data)
        if not event.fin:
            return
        message, self.fragments = self.fragments, b""
        if self.kind is Opcode.TEXT and not is_utf8(message):
            self.codes.append(1007)
        else:
            self.messages.append(message)


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


# No message gets near its limit by fragments: the library then counts a ping between them as a part of it and
# refuses it, which this transport does not. The limits themselves are tried in test_messages_in.py.
payloads = st.one_of(
    st.binary(max_size=8),
    st.text(max_size=8).map(str.encode),
    st.sampled_from([b"x" * 125, b"y" * 126, b"w" * 4001]),
)
frames = st.one_of(
    st.builds(frame, st.sampled_from([BINARY, TEXT]), payloads),
    st.builds(frame, st.sampled_from([BINARY, TEXT, CONT, PING]), payloads, fin=st.booleans()),
    st.builds(
        frame, st.integers(0, 15), payloads, fin=st.booleans(), rsv=st.sampled_from([0, 0, 0, 1, 4]),
        masked=st.sampled_from([True, True, True, False]),
    ),
    st.sampled_from([frame(CLOSE), frame(CLOSE, b"\x03\xe8bye"), frame(CLOSE, b"\x03\xec")]),
)  # fmt: skip
texts = st.one_of(st.text(max_size=8).map(str.encode), st.sampled_from([b"t" * 125, b"t" * 126]))
pings = st.builds(frame, st.just(PING), st.binary(max_size=4))


def well_formed(opcode: int) -> st.SearchStrategy[bytes]:
    whole = st.builds(frame, st.just(opcode), texts)
    split = st.tuples(
        st.builds(frame, st.just(opcode), texts, fin=st.just(False)), st.one_of(st.just(b""), pings),
        st.builds(frame, st.just(CONT), texts),
    ).map(b"".join)  # fmt: skip
    return st.lists(st.one_of(whole, whole, pings, split), max_size=6).map(b"".join)


streams = st.one_of(
    st.tuples(st.just(MSGPACK), well_formed(BINARY)),
    st.tuples(st.just(JSON), well_formed(TEXT)),
)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in itertools.pairwise(edges)]


@settings(max_examples=150)
@given(streams, st.lists(frames, max_size=3).map(b"".join), st.lists(st.integers(0, 2000), max_size=5))
def test_both_paths_and_the_protocol_agree(begin: tuple[str, bytes], rest: bytes, places: list[int]) -> None:
    subprotocol, data = begin
    asyncio.run(compare(data + rest, subprotocol, places))


async def compare(data: bytes, subprotocol: str, places: list[int]) -> None:
    expected = Reference(subprotocol).judge(data)
    original = connection_module.small_message
    for pieces in ([data], [data[i : i + 1] for i in range(len(data))], cut(data, places)):
        quick = await judged_by_connection(pieces, subprotocol)
        try:
            connection_module.small_message = lambda *arguments: None  # type: ignore[assignment]
            plain = await judged_by_connection(pieces, subprotocol)
        finally:
            connection_module.small_message = original
        assert quick == plain
        messages, written, codes = quick
        assert (messages, codes) == (expected[0], expected[2])
        if codes not in ([1007], [1009]):  # where the reason is this transport's own
            assert written == expected[1]
