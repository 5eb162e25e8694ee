"""The two encodings of the wire, from one definition: MessagePack in binary frames, JSON in text frames."""

from typing import Any

import msgspec

from protocol import limits
from protocol.messages import ClientMessage, Message, Request, ServerMessage


class MalformedFrame(Exception):
    """The peer sent what is no known message. `close_code` says how the connection ends, str() why."""

    def __init__(self, close_code: int, reason: str) -> None:
        super().__init__(reason)
        self.close_code = close_code


NOT_OF_THE_ENCODING = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Codec:
    """One encoding, both ways. Stateless but for reused coders; share one for all connections."""

    def __init__(self, subprotocol: str) -> None:
        self.subprotocol = subprotocol
        self.binary = subprotocol == limits.SUBPROTOCOL_MSGPACK
        self._format = "MessagePack" if self.binary else "JSON"
        coder: Any = msgspec.msgpack if self.binary else msgspec.json
        self._client: Any = coder.Decoder(ClientMessage)
        self._server: Any = coder.Decoder(ServerMessage)
        self._any: Any = coder.Decoder()
        self.encode: Any = coder.Encoder().encode

    def decode_client(self, frame: bytes) -> Request:
        """A client's frame as a message.

        Raises `MalformedFrame`: 1007 for what is not of the encoding, 4400 for what is no known message or
        has a field outside its type or range.
        """
        try:
            message: Request = self._client.decode(frame)
            return message
        except msgspec.ValidationError as error:
            self._read_any(frame)  # the typed reader stops at the first fault, and may not have seen it all
            raise MalformedFrame(limits.CLOSE_MALFORMED, str(error)) from None
        except NOT_OF_THE_ENCODING as error:
            raise self._not_of_the_encoding(error) from None

    def _read_any(self, frame: bytes) -> Any:
        """The frame as plain values. Raises `MalformedFrame` (1007)."""
        try:
            return self._any.decode(frame)
        except NOT_OF_THE_ENCODING as error:
            raise self._not_of_the_encoding(error) from None

    def _not_of_the_encoding(self, error: Exception) -> MalformedFrame:
        return MalformedFrame(limits.CLOSE_NOT_OF_THE_ENCODING, f"not {self._format}: {error}")

    def decode_server(self, frame: bytes) -> Message | None:
        """A server's frame as a message; None for a `t` this version does not know, which a client ignores.

        Raises `MalformedFrame` as `decode_client` does.
        """
        try:
            message: Message = self._server.decode(frame)
            return message
        except msgspec.ValidationError as error:
            raw = self._read_any(frame)
            if isinstance(raw, dict) and raw.get("t") not in SERVER_TAGS:
                return None
            raise MalformedFrame(limits.CLOSE_MALFORMED, str(error)) from None
        except NOT_OF_THE_ENCODING as error:
            raise self._not_of_the_encoding(error) from None


SERVER_TAGS = frozenset(kind.__struct_config__.tag for kind in ServerMessage.__args__)

MSGPACK = Codec(limits.SUBPROTOCOL_MSGPACK)
JSON = Codec(limits.SUBPROTOCOL_JSON)
CODECS = {codec.subprotocol: codec for codec in (MSGPACK, JSON)}
