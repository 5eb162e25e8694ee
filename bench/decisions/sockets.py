"""Three WebSocket servers that echo: `websockets.asyncio`, its bare Sans-I/O protocol, our transport.

Each runs as a process of its own on uvloop, without compression; its own CPU clock and memory are read while
200 connections each send 24 bytes, wait for them, and send again.
"""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

import uvloop
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as websockets_serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.http11 import Request as Handshake
from websockets.server import ServerProtocol

from bench.decisions.clocks import cpu_s, resident_kib
from server.transport.connection import Connection, Receiver
from server.transport.http import Request, Response, plain
from server.transport.limits import Limits
from server.transport.listener import listen

CONNECTIONS = 200
MESSAGES = 60_000
ROUNDS = 3
PAYLOAD = b"\x5a" * 24
MASK = b"\x11\x22\x33\x44"
SUBPROTOCOL = "crescent-race.v1.msgpack"


async def serve_asyncio() -> int:
    """`websockets.asyncio.server`, as its documentation shows an echo."""

    async def echo(connection: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            async for message in connection:
                await connection.send(message)

    server = await websockets_serve(echo, "127.0.0.1", 0, compression=None, subprotocols=[SUBPROTOCOL])  # type: ignore[list-item]
    return int(next(iter(server.sockets)).getsockname()[1])


class Bare(asyncio.Protocol):
    """The Sans-I/O protocol with nothing around it: a lower bound."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.transport = cast(asyncio.Transport, transport)
        self.protocol = ServerProtocol()

    def data_received(self, data: bytes) -> None:
        """Answer the handshake, then each message."""
        protocol = self.protocol
        protocol.receive_data(data)
        for event in protocol.events_received():
            if isinstance(event, Handshake):
                protocol.send_response(protocol.accept(event))
            elif isinstance(event, Frame) and event.opcode is Opcode.BINARY:
                protocol.send_binary(bytes(event.data))
        for out in protocol.data_to_send():
            if out:
                self.transport.write(out)


async def serve_sansio() -> int:
    """The bare one."""
    server = await asyncio.get_running_loop().create_server(Bare, "127.0.0.1", 0, backlog=1024)
    return int(server.sockets[0].getsockname()[1])


class Echo:
    """An application of this project's transport that sends back what comes."""

    subprotocols: Sequence[str] = (SUBPROTOCOL,)
    default_subprotocol = SUBPROTOCOL
    path = "/ws"

    def refusal(self, request: Request) -> Response | None:
        """Everybody may come in."""
        return None

    def connected(self, connection: Connection) -> Receiver:
        """A connection's receiver."""
        return EchoReceiver(connection)

    async def http(self, request: Request) -> Response:
        """Nothing."""
        return plain(404, "no")


class EchoReceiver:
    """See `Echo`."""

    def __init__(self, connection: Connection) -> None:
        self._send = connection.send
        self.received = self._send

    def disconnected(self, code: int) -> None:
        """Nothing to do."""


async def serve_ours() -> int:
    """With handshake and closing time-outs, pings, limits and high-water marks."""
    listener = await listen(Echo(), "127.0.0.1", 0, limits=Limits())
    return listener.address[1]


SERVERS = {"websockets.asyncio": serve_asyncio, "Sans-I/O, bare": serve_sansio, "this transport": serve_ours}


async def serve_until_told(name: str) -> None:
    """Serve until standard input ends; the port goes to standard output."""
    print(await SERVERS[name](), flush=True)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), ended.set)
    await ended.wait()


class Client(asyncio.Protocol):
    """Sends one frame, ready-made, and the next when the echo is there."""

    opened = 0
    answered = 0

    def __init__(self, enough: asyncio.Event, all_open: asyncio.Event) -> None:
        self.enough, self.all_open, self.got = enough, all_open, 0
        self.handshake: bytes | None = b""
        masked = bytes(byte ^ MASK[i % 4] for i, byte in enumerate(PAYLOAD))
        self.frame = bytes((0x82, 0x80 | len(PAYLOAD))) + MASK + masked

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the WebSocket."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(
            b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Protocol: " + SUBPROTOCOL.encode() + b"\r\n\r\n"
        )

    def data_received(self, data: bytes) -> None:
        """Count, and go on."""
        if self.handshake is not None:
            self.handshake += data
            if b"\r\n\r\n" not in self.handshake:
                return
            assert self.handshake.startswith(b"HTTP/1.1 101"), self.handshake
            self.handshake = None
            Client.opened += 1
            if Client.opened == CONNECTIONS:
                self.all_open.set()
            return
        self.got += len(data)
        while self.got >= 2 + len(PAYLOAD):
            self.got -= 2 + len(PAYLOAD)
            Client.answered += 1
            if Client.answered >= MESSAGES:
                self.enough.set()
            else:
                self.transport.write(self.frame)


async def measure(name: str) -> tuple[float, float]:
    """CPU microseconds a message, KiB a connection."""
    process = subprocess.Popen(  # noqa: ASYNC220 (nothing else runs)
        [sys.executable, "-m", "bench.decisions.sockets", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        loop, enough, all_open = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        clients: list[Client] = []
        Client.opened = Client.answered = 0
        memory = resident_kib(process.pid)
        for _ in range(CONNECTIONS):
            _, client = await loop.create_connection(lambda: Client(enough, all_open), "127.0.0.1", port)
            clients.append(client)
        async with asyncio.timeout(60):
            await all_open.wait()
            grown = (resident_kib(process.pid) - memory) / CONNECTIONS
            began = cpu_s(process.pid)
            for client in clients:
                client.transport.write(client.frame)
            await enough.wait()
        used = cpu_s(process.pid) - began
        for client in clients:
            client.transport.abort()
        return used / MESSAGES * 1e6, grown
    finally:
        process.stdin.close()
        process.kill()
        process.wait()


async def main() -> None:
    """Measure each, in turn and several times, and print the best."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in SERVERS}
    for _ in range(ROUNDS):
        for name in SERVERS:
            found[name].append(await measure(name))
    base = min(cpu for cpu, _ in found["Sans-I/O, bare"])
    for name, rounds in found.items():
        cpu, memory = min(cpu for cpu, _ in rounds), min(memory for _, memory in rounds)
        print(f"{name:20} {cpu / base:.2f} x  {cpu:5.1f} us a message  {memory:5.1f} KiB a connection")


if __name__ == "__main__":
    uvloop.run(serve_until_told(sys.argv[1]) if len(sys.argv) > 1 else main())
