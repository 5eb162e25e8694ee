"""Both encodings, against readers and writers that share no code with them."""

from __future__ import annotations

import json

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import limits
from protocol import messages as wire
from protocol.codec import CODECS, JSON, MSGPACK, Codec, MalformedFrame

BOTH = pytest.mark.parametrize("codec", CODECS.values(), ids=["msgpack", "json"])


def pack(codec: Codec, value: object) -> bytes:
    return msgpack.packb(value) if codec.binary else json.dumps(value).encode()


def unpack(codec: Codec, frame: bytes) -> object:
    return msgpack.unpackb(frame) if codec.binary else json.loads(frame)


@BOTH
def test_a_request_is_read_as_another_library_writes_it(codec):
    frame = pack(codec, {"t": "op", "id": 7, "n": 1, "op": "m", "src": 0, "dst": 25})
    assert codec.decode_client(frame) == wire.OpRequest(id=7, n=1, op="m", src=0, dst=25)


@BOTH
def test_null_is_the_same_as_left_out(codec):
    frame = pack(codec, {"t": "hello", "token": None, "lang": None, "client": None, "id": None})
    assert codec.decode_client(frame) == wire.Hello()


@BOTH
def test_what_is_not_known_of_a_message_is_ignored(codec):
    assert codec.decode_client(pack(codec, {"t": "start", "later": [1, {"a": None}]})) == wire.Start()


@BOTH
def test_optional_fields_are_left_out_and_others_are_not(codec):
    done = wire.Done(
        n=1, op="r", changed=[(0, None, 0)], redeals=0, moves=0, undone=0, undoable=0, status="playing", ms=0
    )
    assert unpack(codec, codec.encode(done)) == {
        "t": "done",
        "n": 1,
        "op": "r",
        "changed": [[0, None, 0]],
        "redeals": 0,
        "moves": 0,
        "undone": 0,
        "undoable": 0,
        "status": "playing",
        "ms": 0,
    }


@BOTH
@pytest.mark.parametrize(
    "fields",
    [
        {"t": "nothing"},
        {},
        {"t": "op", "n": 0, "op": "r"},
        {"t": "op", "n": 1, "op": "m", "src": 24, "dst": 0},
        {"t": "op", "n": 1, "op": "m", "src": 0, "dst": 26},
        {"t": "op", "n": 1, "op": "m", "src": 0},
        {"t": "op", "n": 1, "op": "u", "src": 0, "dst": 0},
        {"t": "hello", "lang": "fr"},
        {"t": "say", "text": "x" * 301},
        {"t": "clock", "sent": limits.ID_MAX + 1},
        {"t": "clock", "sent": -1},
        {"t": "clock"},
        {"t": "ready", "ready": 1},
        {"t": "start", "id": -1},
        {"t": "manage", "action": "kick"},
    ],
)
def test_what_is_no_known_message_is_malformed(codec, fields):
    with pytest.raises(MalformedFrame) as caught:
        codec.decode_client(pack(codec, fields))
    assert caught.value.close_code == limits.CLOSE_MALFORMED
    assert str(caught.value)


@pytest.mark.parametrize(
    ("codec", "frame"),
    [
        (MSGPACK, b'{"t":"start"}'),
        (MSGPACK, b""),
        (MSGPACK, b"\xc1"),
        (MSGPACK, msgpack.packb({"t": "start"}) + b"\x00"),
        (MSGPACK, b"\x91" * 4000),
        (JSON, b""),
        (JSON, b'{"t":"start"'),
        (JSON, b'{"t":"start"} {}'),
        (JSON, b"[" * 4000),
        (JSON, b'{"t":"hello","client":"\xff"}'),
        (JSON, msgpack.packb({"t": "start"})),
    ],
)
def test_what_is_not_of_the_encoding_is_told_from_what_is_no_message(codec, frame):
    with pytest.raises(MalformedFrame) as caught:
        codec.decode_client(frame)
    assert caught.value.close_code == limits.CLOSE_NOT_OF_THE_ENCODING


@BOTH
@given(frame=st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_fault_of_the_peer(codec, frame):
    code = 0
    try:
        codec.decode_client(frame)
    except MalformedFrame as fault:
        code = fault.close_code
    assert code in (0, limits.CLOSE_MALFORMED, limits.CLOSE_NOT_OF_THE_ENCODING)


@BOTH
def test_a_client_ignores_a_kind_of_message_it_does_not_know(codec):
    assert codec.decode_server(pack(codec, {"t": "of a later version", "x": 1})) is None


@BOTH
def test_a_client_reads_an_event_of_a_kind_it_does_not_know(codec):
    event = codec.decode_server(pack(codec, {"t": "event", "room": "R", "v": 2, "at": 3, "kind": "later"}))
    assert isinstance(event, wire.Event)
    assert event.kind == "later"


@BOTH
def test_a_server_message_with_a_wrong_field_is_malformed(codec):
    with pytest.raises(MalformedFrame):
        codec.decode_server(pack(codec, {"t": "clock", "sent": 1, "now": "soon"}))
