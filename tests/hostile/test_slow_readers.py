"""Clients that read nothing: dropped with 4429, their memory given back, and the room does not wait."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Callable

import pytest

from tests.hostile.conftest import Certificate, Start
from tests.hostile.measure import Racers, racers
from tests.hostile.raw import message_frame, opening, packed, resident_mib
from tests.support.peer import Peer
from tests.support.server import ServerProcess

SLOW = 5
ASKED = 2_000
LINE = "x" * 300


def reads_nothing(server: ServerProcess, token: str, room: str) -> socket.socket:
    """A client that comes into the room, asks the time again and again, and never reads; its kernel takes
    little for it. The answers fill the server's buffers in part, what is said in the room does the rest."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", server.port))
    if server.tls:
        sock = ssl.create_default_context().wrap_socket(sock, server_hostname="127.0.0.1")
    enter = {"t": "enter", "room": room, "as": "spectator"}
    said = [message_frame(packed(m, "json"), "json") for m in ({"t": "hello", "token": token}, enter)]
    asked = message_frame(packed({"t": "clock", "sent": "x" * 64}, "json"), "json") * ASKED
    sock.sendall(opening("json") + b"".join(said) + asked)
    return sock


async def dropped(server: ServerProcess) -> int:
    """How many the server says it has dropped."""
    context = ssl.create_default_context() if server.tls else None
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, ssl=context)
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n")
    page = (await reader.read()).decode()
    writer.transport.abort()
    found = re.search(r'^crescent_connections_closed_total{[^}]*code="4429"[^}]*} (\d+)', page, re.M)
    assert found is not None, page
    return int(found[1])


async def chatter(honest: Racers, done: Callable[[], bool]) -> int:
    """Keep the room busy until something holds; how much was said."""
    lines = 0
    while not done():
        said = [peer.pipeline([{"t": "say", "text": LINE}] * 5) for peer in honest.peers]
        answers = [answer for each in await asyncio.gather(*said) for answer in each]
        assert {answer["t"] for answer in answers} == {"ok"}
        lines += len(answers)
    return lines


# That they are dropped, with TLS as well, `tests/transport` shows in a second; this shows the room meanwhile.
@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["ws", "wss"])
async def test_who_reads_nothing_is_dropped_and_the_room_does_not_wait(
    start_server: Start, certificate: Certificate, scheme: str, tell: Callable[..., None]
) -> None:
    server = start_server(*(certificate.arguments if scheme == "wss" else ()))
    assert server.process is not None
    async with racers(server.url, spectators="board") as honest:
        rounds = iter(range(100))
        before = await honest.during(chatter(honest, lambda: next(rounds) == 10), rounds_min=20)
        tokens = []
        for _ in range(SLOW):
            async with await Peer.hello(server.url) as peer:
                await peer.ask("enter", room=honest.room, as_="spectator")
                tokens.append(peer.token)
                last = peer.player
        memory_before = resident_mib(server.process.pid)
        # In threads: the handshake of TLS blocks, and this loop's peers read on.
        slow = [await asyncio.to_thread(reads_nothing, server, token, honest.room) for token in tokens]
        gone: set[str] = set()

        def note(message: dict[str, object]) -> None:
            if message["t"] == "presence" and not message["online"]:
                gone.add(str(message["player"]))

        await honest.peers[0].next("presence", player=last, online=True)
        honest.peers[0].on_message = note
        during = await honest.during(chatter(honest, lambda: len(gone) == SLOW), rounds_min=20)
        memory_after = resident_mib(server.process.pid)
        assert await dropped(server) == SLOW
        # The server does not listen to them any more either: their lines have ended.
        for sock in slow:
            await asyncio.to_thread(read_to_the_end, sock)
        again = await Peer.hello(server.url, token=tokens[0])
        assert (await again.ask("enter", room=honest.room))["t"] == "room"
        await again.close()
    # The median: the slowest of a hundred waits is this machine's business.
    assert during.at(0.5) < 10 * before.at(0.5)
    tell(
        "Clients that read nothing",
        by=scheme,
        clients=SLOW,
        dropped_with="4429",
        before_ms=before.shown,
        meanwhile_ms=during.shown,
        MiB_before=f"{memory_before:.0f}",
        MiB_after=f"{memory_after:.0f}",
    )


def read_to_the_end(sock: socket.socket) -> None:
    with sock:
        sock.settimeout(30)
        try:
            while sock.recv(65536):
                pass
        except (ConnectionError, ssl.SSLError):
            pass
