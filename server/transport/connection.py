"""One WebSocket after its handshake: an `asyncio.Protocol` around `websockets`' Sans-I/O protocol."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from websockets.frames import DATA_OPCODES, Frame
from websockets.server import ServerProtocol

from server.transport.frames import FrameTooLargeError, encode_frame, first_byte, frame_end, small_message
from server.transport.handshake import is_binary
from server.transport.http import Request, Response
from server.transport.messages import Assembler, BadMessageError, check_utf8
from server.transport.registry import Registry, log_failure

# RFC 6455, 7.4.1, and the protocol's own
_ABNORMAL = 1006
_INVALID_DATA = 1007
_POLICY_VIOLATION = 1008
_MESSAGE_TOO_BIG = 1009
_INTERNAL_ERROR = 1011
_READS_TOO_SLOWLY = 4429

# 5.5: "All control frames MUST have a payload length of 125 bytes or less", of which the code takes two.
_REASON_BYTES_MAX = 123
# 5.2: opcodes 8 to 15 are those of control frames.
_CONTROL = 0x08


class Receiver(Protocol):
    """What the application does with one WebSocket. Both are called from the event loop, never from within a
    method of the connection."""

    def received(self, data: bytes) -> None:
        """Take one whole message; they come in order. A raised exception closes the connection with 1011."""

    def disconnected(self, code: int) -> None:
        """Take leave: once, and nothing is called afterwards.

        `code` is ours where we began the closing, else the peer's close code (1005 when it gave none), or
        1006 when the connection just ended.
        """


class Application(Protocol):
    """What the transport serves."""

    subprotocols: Sequence[str]
    """In order of preference."""
    default_subprotocol: str
    """For a client that offers none."""
    path: str
    """Where the WebSockets are."""

    def refusal(self, request: Request) -> Response | None:
        """Say why a WebSocket may not be opened, as the answer to its handshake; None: it may."""

    def connected(self, connection: "Connection") -> Receiver:
        """Give a WebSocket its receiver. It is open: it may be sent to, and closed."""

    async def http(self, request: Request) -> Response:
        """Answer a plain HTTP request."""


class Connection(asyncio.Protocol):
    """A WebSocket. The application calls the public methods, the event loop those of `asyncio.Protocol`.

    `open` is True until the closing begins, whoever begins it. Sending later is silently nothing: a broadcast
    need not ask who is still there, and the receiver is told of the end anyway.
    """

    __slots__ = (
        "_abort_at",
        "_assembler",
        "_closed_with",
        "_first",
        "_heard",
        "_heard_at",
        "_loop",
        "_other_frames",
        "_paused",
        "_pinged_at",
        "_protocol",
        "_receiver",
        "_registry",
        "_scheduled",
        "_transport",
        "_unread",
        "binary",
        "open",
        "remote_address",
        "request",
        "subprotocol",
    )

    def __init__(
        self, registry: Registry, transport: asyncio.Transport, request: Request, protocol: ServerProtocol
    ) -> None:
        self.request = request
        self.subprotocol: str = protocol.subprotocol or registry.application.default_subprotocol
        self.binary = is_binary(self.subprotocol)
        self.remote_address = peer_host(transport)
        self.open = True
        self._registry = registry
        self._loop = registry.loop
        self._transport = transport
        self._protocol = protocol
        self._first = first_byte(binary=self.binary)
        self._assembler = Assembler(binary=self.binary)
        self._receiver: Receiver | None = None
        self._unread = b""  # what has come and is not yet handled; it begins at a frame's boundary
        self._paused = False  # by the application
        self._scheduled = False  # `_continue` will be called
        self._heard = True  # a flag, not a time: the clock is read by the sweep, not for every segment
        self._heard_at = 0.0
        self._pinged_at: float | None = None
        self._other_frames = 0  # since the last sweep: those that are no whole message
        self._closed_with: int | None = None  # the close code, where we began the closing
        self._abort_at: float | None = None  # set once the closing has begun

    # For the application

    def send(self, payload: bytes) -> None:
        """Send one message of the connection's kind."""
        if self.open:
            self._transport.write(encode_frame(payload, binary=self.binary))

    def send_frame(self, frame: bytes) -> None:
        """Send what `encode_frame` made, once for many connections of this kind."""
        if self.open:
            self._transport.write(frame)

    def close(self, code: int, reason: str = "") -> None:
        """Begin the closing handshake; nothing more is received. Without the peer's answer the connection is
        aborted after `close_seconds`. A reason too long for its frame is cut."""
        if not self.open:
            return
        self._closed_with = code
        self._protocol.send_close(code, cut(reason))
        self._begin_closing(self._registry.limits.close_seconds)

    def abort(self) -> None:
        """End the TCP connection at once: `disconnected(1006)` follows."""
        self.open = False
        self._transport.abort()

    def pause_reading(self) -> None:
        """Deliver nothing more until `resume_reading`, not even what has already arrived, and hold the peer
        back. Where the connection ends meanwhile, what was not delivered is lost."""
        if self.open and not self._paused:
            self._paused = True
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Go on where `pause_reading` stopped, in the event loop's next turn."""
        if not self._paused:
            return
        self._paused = False
        self._heard = True  # a peer that was not listened to is not silent
        if self._unread:
            self._schedule()
        elif not self._scheduled:
            self._transport.resume_reading()

    # For the opening and the listener

    def start(self, early: bytes) -> None:
        """Answer the handshake, meet the application, and take what came in the handshake's own segment."""
        limits = self._registry.limits
        self._transport.set_write_buffer_limits(high=limits.write_buffer_bytes_max)
        self._transport.set_protocol(self)
        self._flush()
        try:
            self._receiver = self._registry.application.connected(self)
        except Exception as error:
            log_failure("the application refused a connection", error, peer=self.remote_address)
            self._fail(_INTERNAL_ERROR, "internal error")
        if early:
            self.data_received(early)

    def sweep(self, now: float) -> None:
        """Ping a silent peer, give up a dead one, end a closing that takes too long."""
        limits = self._registry.limits
        self._other_frames = 0
        if self._abort_at is not None:
            if now >= self._abort_at:
                self.abort()
        elif self._heard or self._paused:
            self._heard = False
            self._heard_at = now
            self._pinged_at = None
        elif self._pinged_at is not None:
            if now - self._pinged_at >= limits.pong_within_seconds:
                self.abort()
        elif now - self._heard_at >= limits.ping_every_seconds:
            self._pinged_at = now
            self._protocol.send_ping(b"")
            self._flush()

    # For the event loop

    def data_received(self, data: bytes) -> None:
        """Take a segment, or a turn's worth of it."""
        self._heard = True
        self._unread = self._unread + data if self._unread else data
        if not self._paused and not self._scheduled:
            self._read(self._registry.limits.turn_bytes_max)

    def eof_received(self) -> None:
        """Take the peer's half-close. The transport then closes, after writing what is buffered."""
        # Only TLS gets here with whole frames unread: a plain transport that is paused sees no end.
        self._read(len(self._unread))
        self._protocol.receive_eof()
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Take the end."""
        self.open = False
        self._unread = b""
        self._protocol.receive_eof()
        self._registry.gone(self)
        self._report()

    def pause_writing(self) -> None:
        """Drop a slow reader: the write buffer is full."""
        if self.open:
            self.open = False
            # Not here: this may be within a `send`, in the application's loop over its connections.
            self._loop.call_soon(self._drop_slow_reader)

    # Reading

    def _read(self, bytes_max: int) -> None:
        """Handle the whole frames that begin in the first `bytes_max` of what is unread. The rest comes in
        the loop's next turn, after the other connections."""
        data = self._unread
        stop = min(len(data), bytes_max)
        position = 0
        while position < stop and not self._paused:
            end = self._read_small(data, position) or self._read_frame(data, position)
            if not end:
                break
            position = end
        self._unread = data[position:]
        if stop <= position < len(data) and not self._paused:
            self._transport.pause_reading()
            self._schedule()

    def _read_small(self, data: bytes, start: int) -> int:
        """Handle a small whole message at `start`; return where it ends, 0 where the protocol has to judge.

        Before our close frame and between messages the protocol would have no more to say about it, and would
        stay in the state it is in.
        """
        if not self.open or self._assembler.under_way:
            return 0
        message = small_message(data, start, self._first)
        if message is None:
            return 0
        try:
            if not self.binary:
                check_utf8(message)
        except BadMessageError as error:
            self._fail(_INVALID_DATA, str(error))
        else:
            self._deliver(message)
        return start + 6 + len(message)

    def _read_frame(self, data: bytes, start: int) -> int:
        """Handle the frame at `start`; return where it ends, 0 when it is not all there.

        Each goes to the protocol by itself: a pause takes effect between any two messages, and a close frame
        is not answered before what came ahead of it has been received.
        """
        if self._protocol.eof_sent:
            # 7.1.7: no "attempt to process data" after failing; 1.4: the same after the peer's close frame.
            return len(data)
        payload_bytes_max = self._registry.limits.frame_bytes_max
        if not data[start] & _CONTROL:
            payload_bytes_max -= self._assembler.held_bytes
        try:
            end = frame_end(data, start, payload_bytes_max)
        except FrameTooLargeError:
            self._fail(
                _MESSAGE_TOO_BIG, f"a message is at most {self._registry.limits.frame_bytes_max} bytes"
            )
            return len(data)
        if end:
            self._handle(data[start:end])
        return end

    def _handle(self, raw_frame: bytes) -> None:
        self._protocol.receive_data(raw_frame)
        events = self._protocol.events_received()
        self._flush()
        whole = False
        for event in events:
            if isinstance(event, Frame) and event.opcode in DATA_OPCODES:
                whole = self._assemble(event)
        if self._protocol.eof_sent:
            self._end()
        elif not whole:
            self._other_frames += 1
            if self._other_frames > self._registry.limits.other_frames_max:
                self._fail(_POLICY_VIOLATION, "too many control frames and fragments")

    def _assemble(self, frame: Frame) -> bool:
        """Take a data frame; return whether a message is whole with it."""
        try:
            message = self._assembler.add(frame)
        except BadMessageError as error:
            self._fail(_INVALID_DATA, str(error))
            return False
        if message is None:
            return False
        self._deliver(message)
        return True

    def _deliver(self, message: bytes) -> None:
        # After our close frame the application has finished with this connection; the peer may not know yet.
        if not self.open or self._receiver is None:
            return
        try:
            self._receiver.received(message)
        except Exception as error:
            log_failure("a receiver failed", error, peer=self.remote_address)
            self._fail(_INTERNAL_ERROR, "internal error")

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._continue)

    def _continue(self) -> None:
        self._scheduled = False
        if not self._paused:
            self._read(self._registry.limits.turn_bytes_max)
        if not self._paused and not self._scheduled:
            self._transport.resume_reading()

    # Writing and closing

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)
            elif self._transport.can_write_eof():
                self._transport.write_eof()
            else:  # TLS has no half-close
                self._transport.close()

    def _begin_closing(self, seconds: float) -> None:
        self.open = False
        self._flush()
        self._abort_at = self._loop.time() + seconds
        # The peer's close frame, or its end, lies behind what the application did not want to read.
        self.resume_reading()

    def _fail(self, code: int, reason: str) -> None:
        """Fail the connection (7.1.7): the close frame, then nothing is read any more."""
        self._closed_with = code
        self._protocol.fail(code, reason)
        self._end()

    def _drop_slow_reader(self) -> None:
        if self._transport.is_closing():
            return
        self._closed_with = _READS_TOO_SLOWLY
        self._protocol.fail(_READS_TOO_SLOWLY, "reads too slowly")
        self._end(self._registry.limits.slow_reader_seconds)

    def _end(self, seconds: float | None = None) -> None:
        """Tell the receiver; the peer has `seconds` to end the TCP connection."""
        self._begin_closing(self._registry.limits.close_seconds if seconds is None else seconds)
        self._report()

    def _report(self) -> None:
        receiver, self._receiver = self._receiver, None
        if receiver is None:
            return
        try:
            receiver.disconnected(self._close_code())
        except Exception as error:
            log_failure("a receiver failed in taking leave", error, peer=self.remote_address)

    def _close_code(self) -> int:
        protocol = self._protocol
        if self._closed_with is not None:
            return self._closed_with
        if protocol.close_rcvd is not None:
            return protocol.close_rcvd.code
        if (
            protocol.parser_exc is not None
            and protocol.close_sent is not None
            and not isinstance(protocol.parser_exc, EOFError)
        ):
            return protocol.close_sent.code
        return _ABNORMAL


def cut(reason: str) -> str:
    """Return as much of a close reason as its frame has room for, ending between two characters."""
    return reason.encode()[:_REASON_BYTES_MAX].decode(errors="ignore")


def peer_host(transport: asyncio.Transport) -> str:
    """Return the peer's address without its port; "" where it has none."""
    name = transport.get_extra_info("peername")
    return name[0] if isinstance(name, tuple) else ""
