"""Frames as bytes, against the library's own writer and reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import MAX_LINE_LENGTH, MAX_NUM_HEADERS
from websockets.uri import parse_uri

from server.transport.frames import FrameTooLargeError, encode_frame, frame_end, small_message
from server.transport.limits import Limits
from tests.transport.parts import BINARY, frame


@given(st.one_of(st.binary(max_size=300), st.sampled_from([b"x" * 65535, b"x" * 65536])), st.booleans())
def test_encoding_is_the_librarys(payload: bytes, binary: bool) -> None:
    expected = Frame(Opcode.BINARY if binary else Opcode.TEXT, payload).serialize(mask=False)
    assert encode_frame(payload, binary=binary) == expected


@given(st.binary(max_size=300), st.binary(max_size=5), st.binary(max_size=5))
def test_the_end_of_a_frame(payload: bytes, before: bytes, after: bytes) -> None:
    client = ClientProtocol(parse_uri("ws://x/"))
    client.send_frame(Frame(Opcode.BINARY, payload))
    data = b"".join(client.data_to_send())
    for held in range(len(data)):
        assert frame_end(before + data[:held], len(before), 300) == 0
        assert small_message(before + data[:held], len(before), 0x82) is None
    assert frame_end(before + data + after, len(before), 300) == len(before) + len(data)
    small = small_message(before + data + after, len(before), 0x82)
    assert small == (payload if len(payload) < 126 else None)


def test_a_frame_too_large_is_known_by_its_header() -> None:
    data = frame(BINARY, b"x" * 70000)
    with pytest.raises(FrameTooLargeError):
        frame_end(data[:14], 0, 69999)
    assert frame_end(data[:13], 0, 69999) == 0
    assert frame_end(data, 0, 70000) == len(data)


def test_limits_fit_those_of_the_library() -> None:
    limits = Limits()
    assert limits.head_bytes_max <= MAX_LINE_LENGTH
    assert limits.head_fields_max <= MAX_NUM_HEADERS
    with pytest.raises(ValueError, match="125"):
        Limits(frame_bytes_max=124)
