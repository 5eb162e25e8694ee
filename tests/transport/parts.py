"""What the transport's tests are made of: an application that takes notes, a client that sends bytes."""

import asyncio
import base64
import os
import socket
import struct
from collections.abc import Callable

from server.transport.connection import Connection
from server.transport.http import Request, Response
from server.transport.limits import Limits
from server.transport.listener import Listener

MSGPACK, JSON = "test.v1.msgpack", "test.v1.json"
TEXT, BINARY, CONT, CLOSE, PING, PONG = 1, 2, 0, 8, 9, 10
PATIENCE_SECONDS = 5.0
MASK = b"\x11\x22\x33\x44"

# Nothing times out by itself; a test shortens what it is about.
CALM = Limits(sweep_seconds=0.02, close_seconds=3.0)


async def eventually(condition: Callable[[], object]) -> None:
    """Wait for something that has no event of its own."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.0005)


class Notes:
    """A receiver that keeps everything; `react` may do more."""

    def __init__(self, connection: Connection, react: Callable[["Notes", bytes], None] | None) -> None:
        self.connection = connection
        self.messages: list[bytes] = []
        self.codes: list[int] = []
        self._react = react

    def received(self, data: bytes) -> None:
        assert type(data) is bytes
        assert not self.codes, "received after disconnected"
        self.messages.append(data)
        if self._react is not None:
            self._react(self, data)

    def disconnected(self, code: int) -> None:
        self.codes.append(code)


class App:
    subprotocols = (MSGPACK, JSON)
    default_subprotocol = JSON
    path = "/ws"

    def __init__(self) -> None:
        self.notes: list[Notes] = []
        self.requests: list[Request] = []
        self.react: Callable[[Notes, bytes], None] | None = None
        self.greet: Callable[[Connection], None] | None = None
        self.answer: Callable[[Request], Response] = lambda request: Response(200, {}, b"hello\n")
        self.refuse: Callable[[Request], Response | None] = lambda request: None
        self.gate: asyncio.Event | None = None

    def refusal(self, request: Request) -> Response | None:
        return self.refuse(request)

    def connected(self, connection: Connection) -> Notes:
        if self.greet is not None:
            self.greet(connection)
        self.notes.append(Notes(connection, self.react))
        return self.notes[-1]

    async def http(self, request: Request) -> Response:
        self.requests.append(request)
        if self.gate is not None:
            await self.gate.wait()
        return self.answer(request)


def echo(notes: Notes, data: bytes) -> None:
    notes.connection.send(data)


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True, rsv: int = 0, masked: bool = True) -> bytes:
    """Return a client's frame, wrong in whatever way is asked for."""
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    flag = 0x80 if masked else 0
    if len(payload) < 126:
        head = bytes((first, flag | len(payload)))
    elif len(payload) < 65536:
        head = struct.pack("!BBH", first, flag | 126, len(payload))
    else:
        head = struct.pack("!BBQ", first, flag | 127, len(payload))
    if not masked:
        return head + payload
    return head + MASK + bytes(byte ^ MASK[i % 4] for i, byte in enumerate(payload))


def close_frame(code: int, reason: str = "") -> bytes:
    return frame(CLOSE, struct.pack("!H", code) + reason.encode())


def handshake(*subprotocols: str, path: str = "/ws", extra: str = "") -> bytes:
    key = base64.b64encode(os.urandom(16)).decode()
    offer = f"Sec-WebSocket-Protocol: {', '.join(subprotocols)}\r\n" if subprotocols else ""
    return (
        f"GET {path} HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{offer}{extra}\r\n"
    ).encode()


class Client:
    """A TCP client that knows no more of WebSockets than a test tells it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def send_in_pieces(self, data: bytes) -> None:
        """Send byte by byte, each in a turn of the loop of its own."""
        for index in range(len(data)):
            self.writer.write(data[index : index + 1])
            await asyncio.sleep(0)

    async def head(self) -> tuple[int, dict[str, str]]:
        """Return status and fields (by lower-case name) of an HTTP answer."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
        fields = (line.split(": ", 1) for line in lines[1:])
        return int(lines[0].split(" ")[1]), {name.lower(): value for name, value in fields}

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        """Return a whole HTTP answer, to the end of the connection."""
        status, fields = await self.head()
        return status, fields, await self.rest()

    async def rest(self) -> bytes:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self.reader.read()

    async def frame(self) -> tuple[int, bytes]:
        """Return opcode and payload of the next frame, which has to be final and unmasked."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            first, length = await self.reader.readexactly(2)
            assert first & 0xF0 == 0x80
            if length == 126:
                length = int.from_bytes(await self.reader.readexactly(2), "big")
            elif length == 127:
                length = int.from_bytes(await self.reader.readexactly(8), "big")
            return first & 0x0F, await self.reader.readexactly(length)

    async def closed(self) -> tuple[int, str]:
        """Return code and reason of the close frame, which has to be the next frame."""
        opcode, payload = await self.frame()
        assert opcode == CLOSE
        return int.from_bytes(payload[:2], "big"), payload[2:].decode()

    def reset(self) -> None:
        """End the connection with a TCP reset, as a crash does."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def end(self) -> None:
        """Check that the server ends its side, and end this one."""
        assert await self.rest() == b""
        self.writer.close()


async def connect(listener: Listener, *, rcvbuf: int | None = None) -> Client:
    sock = socket.socket()
    if rcvbuf is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
    sock.setblocking(False)
    try:
        await asyncio.get_running_loop().sock_connect(sock, listener.address)
    except OSError:
        sock.close()
        raise
    return Client(*await asyncio.open_connection(sock=sock, limit=2048 if rcvbuf else 65536))


async def join(
    listener: Listener, subprotocol: str = MSGPACK, early: bytes = b"", *, rcvbuf: int | None = None
) -> Client:
    """Return a client whose handshake is done."""
    client = await connect(listener, rcvbuf=rcvbuf)
    client.send(handshake(subprotocol) + early)
    status, fields = await client.head()
    assert (status, fields.get("sec-websocket-protocol")) == (101, subprotocol)
    return client
