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
            raise MalformedFrame(limits.CLOSE_MALFORMED, str(error)) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            reason = f"not {self._format}: {error}"
            raise MalformedFrame(limits.CLOSE_NOT_OF_THE_ENCODING, reason) from None

    def decode_server(self, frame: bytes) -> Message | None:
        """A server's frame as a message; None for a `t` this version does not know, which a client ignores.

        Raises `MalformedFrame` as `decode_client` does.
        """
        try:
            message: Message = self._server.decode(frame)
            return message
        except msgspec.ValidationError as error:
            raw = self._any.decode(frame)
            if isinstance(raw, dict) and raw.get("t") not in SERVER_TAGS:
                return None
            raise MalformedFrame(limits.CLOSE_MALFORMED, str(error)) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            reason = f"not {self._format}: {error}"
            raise MalformedFrame(limits.CLOSE_NOT_OF_THE_ENCODING, reason) from None


SERVER_TAGS = frozenset(kind.__struct_config__.tag for kind in ServerMessage.__args__)

MSGPACK = Codec(limits.SUBPROTOCOL_MSGPACK)
JSON = Codec(limits.SUBPROTOCOL_JSON)
CODECS = {codec.subprotocol: codec for codec in (MSGPACK, JSON)}
