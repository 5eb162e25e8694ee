"""A connection before it is a WebSocket: one request head, then an answer or a handing over."""

import asyncio
import socket
from dataclasses import replace
from typing import cast

from server.transport import handshake
from server.transport.connection import Connection, peer_host
from server.transport.http import (
    HEAD_END,
    BadRequestError,
    Request,
    Response,
    encode_head,
    parse_head,
    plain,
)
from server.transport.reading import taken
from server.transport.registry import Member, Registry, log_failure

# RFC 8446, 5.1: how a record of a handshake begins. No method of HTTP does.
_TLS_HANDSHAKE = b"\x16"
_INTERNAL_ERROR = plain(500, "Internal error.")


class Opening(asyncio.Protocol):
    """One request of one TCP connection. Every answer but 101 ends the connection."""

    __slots__ = (
        "_answered",
        "_close_at_end",
        "_deadline",
        "_handshake",
        "_head",
        "_registry",
        "_taken_bytes",
        "_task",
        "_till",
        "_transport",
        "peer",
    )

    def __init__(self, registry: Registry, handshake: Member | None = None) -> None:
        self._registry = registry
        self._handshake = handshake  # of TLS, or what there was before it: it comes in its place
        self.peer = ""
        self._transport: asyncio.Transport
        self._head: bytearray | None = bytearray()  # None once the request is known
        self._task: asyncio.Task[None] | None = None  # of a plain HTTP request only
        self._answered = False
        self._deadline = 0.0
        self._till = 0.0  # from when on no reading puts it off
        self._taken_bytes = 0  # by the client, when last looked at
        self._close_at_end = False

    # For the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the head."""
        # Not asserted: uvloop's transports are of no class of asyncio's.
        self._transport = cast(asyncio.Transport, transport)
        self.peer = peer_host(self._transport)
        if not self._registry.arrived(self, after=self._handshake):
            self._transport.abort()
            return
        self._set_deadline(self._registry.limits.opening_seconds)
        _set_socket_options(self._transport, send_bytes=self._registry.limits.socket_send_bytes)

    def data_received(self, data: bytes) -> None:
        """Collect the head. What follows a plain request is dropped: the connection ends with its answer."""
        if self._head is None:
            return
        self._head += data
        # RFC 9112, 2.2: "ignore at least one empty line (CRLF) received prior to the request-line"
        if self._head.startswith(b"\r\n"):
            del self._head[:2]
        if self._head.startswith(_TLS_HANDSHAKE):  # its end would be waited for in vain
            self._answer(plain(400, "No TLS is spoken here: use ws:// or http://."))
            return
        end = self._head.find(HEAD_END) + len(HEAD_END)
        head_bytes = end if end >= len(HEAD_END) else len(self._head)
        if head_bytes > self._registry.limits.head_bytes_max:
            self._answer(plain(431, "The request head is too large."))
        elif end >= len(HEAD_END):
            self._serve(bytes(self._head[:end]), bytes(self._head[end:]))

    def eof_received(self) -> bool:
        """Take the client's half-close: one that has asked can still be answered, except with TLS."""
        return self._task is not None and not self._answered and self._transport.can_write_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        """Take the end; nobody waits for the answer any more."""
        self._registry.gone(self)
        if self._task is not None:
            self._task.cancel()

    # For the listener

    @property
    def idle(self) -> bool:
        """Whether nothing has been asked yet, as on a connection a browser opens for later."""
        return self._head is not None and not self._head

    def sweep(self, now: float) -> None:
        """End what takes too long: an answer of which nothing is read any more, or one that never ends."""
        if self._answered:
            self._look_at_reading(now)
        if now < self._deadline:
            return
        if self._head:
            self._answer(plain(408, "The request took too long."))
        else:
            self.abort()

    def _look_at_reading(self, now: float) -> None:
        seen = taken(self._transport)
        if seen.bytes > self._taken_bytes:
            self._taken_bytes = seen.bytes
            self._deadline = min(now + self._registry.limits.http_seconds, self._till)
        elif self._close_at_end and seen.all:  # and was then: TLS hides what it has in hand
            self._close_at_end = False
            self._transport.close()

    def abort(self) -> None:
        """End the TCP connection at once."""
        self._transport.abort()

    # The request

    def _serve(self, head: bytes, early: bytes) -> None:
        application, limits = self._registry.application, self._registry.limits
        head_only = head.startswith(b"HEAD ")
        try:
            request = parse_head(head, fields_max=limits.head_fields_max)
            request = replace(request, peer=self.peer)
            if handshake.check_upgrade(application, request):
                self._upgrade(request, head, early)
            else:
                self._head = None
                self._set_deadline(limits.http_seconds)
                self._task = self._registry.loop.create_task(self._ask(request))
        except BadRequestError as error:
            self._answer(error.response, head_only=head_only)
        except Exception as error:
            log_failure("a request could not be judged", error, peer=self.peer)
            if self in self._registry.openings:
                self._answer(_INTERNAL_ERROR, head_only=head_only)
            else:
                self.abort()

    def _upgrade(self, request: Request, head: bytes, early: bytes) -> None:
        if self._registry.draining:
            raise BadRequestError(503, "The server is leaving; connect again.")
        refusal = self._registry.application.refusal(request)
        if refusal is not None:
            self._answer(refusal)
            return
        limits = self._registry.limits
        protocol = handshake.accept(self._registry.application, head, frame_bytes_max=limits.frame_bytes_max)
        connection = Connection(self._registry, self._transport, request, protocol)
        self._registry.upgraded(self, connection)
        connection.start(early)

    async def _ask(self, request: Request) -> None:
        head_only = request.method == "HEAD"
        try:
            response = await self._registry.application.http(request)
            self._answer(response, head_only=head_only)
        except Exception as error:
            log_failure("an HTTP request failed", error, peer=self.peer, path=request.path)
            self._answer(_INTERNAL_ERROR, head_only=head_only)

    def _answer(self, response: Response, *, head_only: bool = False) -> None:
        """Write the answer and half-close. What the client still sends is dropped, not refused: a reset could
        overtake the answer (RFC 9112, 9.6). The sweep ends a client that stays."""
        head = encode_head(response)
        if self._transport.is_closing():
            return
        self._head = None
        self._answered = True
        self._set_deadline(self._registry.limits.http_seconds)
        self._till = self._registry.loop.time() + self._registry.limits.http_seconds_max
        self._transport.write(head)
        if response.body and not head_only:
            self._transport.write(response.body)  # as it is: many may be sent the same one
        self._taken_bytes = taken(self._transport).bytes
        if self._transport.can_write_eof():
            self._transport.write_eof()
        elif len(response.body) <= self._registry.limits.socket_send_bytes:
            self._transport.close()
        else:  # TLS: its close waits for `close_seconds` only, and then drops what is not sent yet
            self._close_at_end = True

    def _set_deadline(self, seconds: float) -> None:
        self._deadline = self._registry.loop.time() + seconds


def _set_socket_options(transport: asyncio.Transport, *, send_bytes: int) -> None:
    sock = transport.get_extra_info("socket")
    if sock is None:
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_bytes)
    if sock.family in (socket.AF_INET, socket.AF_INET6):
        # Messages are small and wanted now: Nagle's algorithm would hold a second back for the first's ACK.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
