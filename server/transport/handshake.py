"""The opening handshake (RFC 6455, section 4.2): which requests become WebSockets, and of what kind."""

import logging
from collections.abc import Sequence
from typing import Protocol

from websockets.exceptions import NegotiationError
from websockets.http11 import Request as HandshakeRequest
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from server.transport.http import BadRequestError, Request

_VERSION = "13"
_CONTROL_PAYLOAD_BYTES_MAX = 125

# At DEBUG the library writes every frame's content into the log; at INFO a line for every connection.
_LOGGER = logging.getLogger("server.transport.websockets")
_LOGGER.setLevel(logging.WARNING)


class Offer(Protocol):
    """What the server speaks, and where."""

    subprotocols: Sequence[str]
    default_subprotocol: str
    path: str


def is_binary(subprotocol: str) -> bool:
    """Whether the messages of `subprotocol` travel in binary frames."""
    return subprotocol.endswith("msgpack")


def check_upgrade(offer: Offer, request: Request) -> bool:
    """Return whether `request` is to become a WebSocket; raise BadRequestError where it should and cannot."""
    if request.path != offer.path:
        if request.wants_websocket:
            raise BadRequestError(404, f"WebSockets are at {offer.path}.")
        return False
    if not request.wants_websocket:
        # RFC 9110, 15.5.22: "The server MUST send an Upgrade header field in a 426 response".
        raise BadRequestError(
            426, "Connect with a WebSocket client.", {"Upgrade": "websocket", "Connection": "Upgrade, close"}
        )
    if request.headers.get("Sec-WebSocket-Version", _VERSION) != _VERSION:
        # 4.4: tell "the version(s) the server is willing to understand".
        raise BadRequestError(
            426, f"Only WebSocket version {_VERSION} is spoken here.", {"Sec-WebSocket-Version": _VERSION}
        )
    return True


def accept(offer: Offer, head: bytes, *, frame_bytes_max: int) -> ServerProtocol:
    """Return an open protocol with the 101 waiting in its `data_to_send`. Raises BadRequestError.

    `subprotocol` is None where the client offered none: 4.2.2 forbids to name one that was not offered.
    """
    protocol = ServerProtocol(
        subprotocols=[Subprotocol(name) for name in offer.subprotocols],
        select_subprotocol=_select,
        extensions=None,  # no compression: small messages, and 300 KiB of memory a connection
        # The connection bounds messages itself; control frames come on top of a nearly full one.
        max_size=frame_bytes_max + _CONTROL_PAYLOAD_BYTES_MAX,
        logger=_LOGGER,
    )
    protocol.receive_data(head)
    for event in protocol.events_received():
        if isinstance(event, HandshakeRequest):
            answer = protocol.accept(event)
            if answer.status_code != 101:
                raise BadRequestError(answer.status_code, answer.body.decode().strip())
            protocol.send_response(answer)
            return protocol
    # It announces a body, say; the library ends such a connection without a word.
    raise BadRequestError(400, "The handshake is malformed.")


def _select(protocol: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Choose the first of ours that the client offers; nothing where it offers nothing."""
    if not offered:
        return None
    known = protocol.available_subprotocols or ()
    for subprotocol in known:
        if subprotocol in offered:
            return subprotocol
    raise NegotiationError(f"none of the offered subprotocols is known; offer {' or '.join(known)}")
