"""The WebSocket frames this project writes and measures by itself (RFC 6455, section 5.2)."""

try:
    from websockets.speedups import apply_mask
except ImportError:  # where the wheel has no compiled part
    from websockets.utils import apply_mask

_TEXT = 0x81  # FIN and opcode 1
_BINARY = 0x82  # FIN and opcode 2
_MASKED = 0x80

LENGTH_IN_16_BITS = 126
LENGTH_IN_64_BITS = 127

# The two header bytes of every payload that needs no extended length, made once.
_SHORT_TEXT = tuple(bytes((_TEXT, length)) for length in range(LENGTH_IN_16_BITS))
_SHORT_BINARY = tuple(bytes((_BINARY, length)) for length in range(LENGTH_IN_16_BITS))


class FrameTooLargeError(Exception):
    """The header announces more payload than allowed."""


def encode_frame(payload: bytes, *, binary: bool) -> bytes:
    """Return `payload` as one final, unmasked frame, as a server sends it. One frame serves any number of
    connections of the same kind."""
    length = len(payload)
    if length < LENGTH_IN_16_BITS:
        return (_SHORT_BINARY if binary else _SHORT_TEXT)[length] + payload
    first = _BINARY if binary else _TEXT
    if length < 0x10000:
        return bytes((first, LENGTH_IN_16_BITS)) + length.to_bytes(2, "big") + payload
    return bytes((first, LENGTH_IN_64_BITS)) + length.to_bytes(8, "big") + payload


def first_byte(*, binary: bool) -> int:
    """Return how a whole, unfragmented message begins."""
    return _BINARY if binary else _TEXT


def small_message(data: bytes, start: int, first: int) -> bytes | None:
    """Return the payload of the client frame at `start` if it is a whole message that begins with the byte
    `first`, has no extended length (its header is 6 bytes) and is all there; else None.

    Nearly all of a race is such frames, and this takes a fifth of the time that the full protocol does.
    """
    if len(data) - start < 6 or data[start] != first:
        return None
    length = data[start + 1] - _MASKED
    end = start + 6 + length
    if not 0 <= length < LENGTH_IN_16_BITS or end > len(data):
        return None
    return apply_mask(data[start + 6 : end], data[start + 2 : start + 6])


def frame_end(data: bytes, start: int, payload_bytes_max: int) -> int:
    """Return where the client frame that begins at `start` ends, or 0 as long as it is not all there.

    Raises FrameTooLargeError as soon as the header tells, so nobody is waited for who will be refused. What
    is wrong whatever follows ends where the data does: an unmasked frame (5.1: "The server MUST close the
    connection upon receiving a frame that is not masked") and a reserved opcode (5.2: 3-7 and B-F).
    """
    held = len(data) - start
    if held < 2:
        return 0
    if data[start + 1] < _MASKED or data[start] & 0x07 > 2:
        return len(data)
    length = data[start + 1] - _MASKED
    header_bytes = 6  # two, and the masking key
    if length == LENGTH_IN_16_BITS:
        header_bytes = 8
        length = int.from_bytes(data[start + 2 : start + 4], "big")
    elif length == LENGTH_IN_64_BITS:
        header_bytes = 14
        length = int.from_bytes(data[start + 2 : start + 10], "big")
    if held < header_bytes:
        return 0
    if length > payload_bytes_max:
        raise FrameTooLargeError
    end = start + header_bytes + length
    return end if end <= len(data) else 0
