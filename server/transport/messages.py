"""From frames to whole messages of the connection's kind."""

from websockets.frames import Frame, Opcode


class BadMessageError(Exception):
    """The message is not of the encoding that was agreed on: close with 1007. Its text is the reason."""


class Assembler:
    """Puts fragments together. Frames have passed `ServerProtocol`, so their order is right."""

    __slots__ = ("_binary", "_fragments")

    def __init__(self, *, binary: bool) -> None:
        self._binary = binary
        # One growing buffer, no list: what many empty fragments hold stays nothing.
        self._fragments: bytearray | None = None

    @property
    def under_way(self) -> bool:
        """Whether a fragmented message has begun and not ended."""
        return self._fragments is not None

    @property
    def held_bytes(self) -> int:
        """The payload so far of the message under way."""
        return 0 if self._fragments is None else len(self._fragments)

    def add(self, frame: Frame) -> bytes | None:
        """Take a data frame; return the message that it completes, if it does.

        Raises BadMessageError for the wrong kind (at the first fragment) and for text that is not UTF-8 (at
        the last).
        """
        data = bytes(frame.data)
        if frame.opcode is Opcode.CONT:
            assert self._fragments is not None, "a continuation of nothing passed the protocol"
            self._fragments += data
            if not frame.fin:
                return None
            data, self._fragments = bytes(self._fragments), None
        elif (frame.opcode is Opcode.BINARY) is not self._binary:
            raise BadMessageError(f"expected {'binary' if self._binary else 'text'} messages")
        elif not frame.fin:
            self._fragments = bytearray(data)
            return None
        if not self._binary:
            check_utf8(data)
        return data


def check_utf8(data: bytes) -> None:
    """Raise BadMessageError unless `data` is UTF-8 (RFC 6455, 8.1)."""
    try:
        data.decode()
    except UnicodeDecodeError:
        raise BadMessageError("invalid UTF-8") from None
