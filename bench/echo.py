"""The yardstick: a bare WebSocket echo on uvloop, `websockets`' Sans-I/O protocol and nothing else.

`python -m bench.echo` echoes each message; with `--fan-out` it writes each, encoded once, to all connections.
"""

import asyncio
import sys
from typing import cast

import uvloop
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

connections: list[asyncio.Transport] = []


class Echo(asyncio.Protocol):
    """One connection: what comes goes back."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.transport = cast(asyncio.Transport, transport)
        self.protocol = ServerProtocol(subprotocols=[Subprotocol("crescent-race.v1.msgpack")])

    def data_received(self, data: bytes) -> None:
        """Answer the handshake, then every message."""
        protocol = self.protocol
        protocol.receive_data(data)
        for event in protocol.events_received():
            if isinstance(event, Request):
                protocol.send_response(protocol.accept(event))
                connections.append(self.transport)
            elif isinstance(event, Frame) and event.opcode is Opcode.BINARY:
                self.message(bytes(event.data))
        for out in protocol.data_to_send():
            if out:
                self.transport.write(out)

    def message(self, payload: bytes) -> None:
        """Send it back."""
        self.protocol.send_binary(payload)


class FanOut(Echo):
    """A message to everybody."""

    def message(self, payload: bytes) -> None:
        """One frame, written to all."""
        self.protocol.send_binary(payload)
        (frame,) = self.protocol.data_to_send()
        for transport in connections:
            transport.write(frame)


async def serve(kind: type[Echo]) -> None:
    """Serve on a free port, told on standard output, until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(kind, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    ended = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ended.set)
    await ended.wait()


if __name__ == "__main__":
    uvloop.run(serve(FanOut if "--fan-out" in sys.argv else Echo))
