"""Answers that take long to read: as long as something is read they go on, up to a bound."""

from __future__ import annotations

import asyncio
import dataclasses
import socket
import ssl
import time

import pytest
import trustme

from server.transport.http import Response
from tests.transport.parts import CALM, PATIENCE_SECONDS, App, Client, eventually

BODY = b"0123456789abcdef" * 100_000
GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
PIECE = 64 * 1024
IDLE_SECONDS = 0.8


@pytest.fixture
def contexts() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Of the server and of its client."""
    authority = trustme.CA()
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(server)
    client = ssl.create_default_context()
    authority.configure_trust(client)
    return server, client


async def asked(listener, trust: ssl.SSLContext | None) -> Client:
    """A client that has asked, and takes in no more than it reads."""
    client = Client(*await asyncio.open_connection(*listener.address, ssl=trust, limit=2048))
    client.send(GET)
    return client


def read_slowly(address: tuple[str, int], trust: ssl.SSLContext | None, pause_seconds: float) -> bytes:
    """The whole answer, read with a pause after each piece; the system takes little in for it."""
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE)
        plain.connect(address)
        sock = plain if trust is None else trust.wrap_socket(plain, server_hostname="127.0.0.1")
        with sock:
            sock.settimeout(PATIENCE_SECONDS)
            sock.sendall(GET)
            got = bytearray()
            while piece := sock.recv(PIECE):
                got += piece
                time.sleep(pause_seconds * len(piece) / PIECE)
    return bytes(got)


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_slow_reader_gets_the_whole_answer(app: App, serve, contexts, scheme: str) -> None:
    app.answer = lambda request: Response(200, {}, BODY)
    server, trust = contexts if scheme == "https" else (None, None)
    limits = dataclasses.replace(CALM, http_seconds=IDLE_SECONDS, close_seconds=IDLE_SECONDS)
    listener = await serve(limits, ssl=server)
    loop = asyncio.get_running_loop()
    began = loop.time()
    # All of it takes several times as long as one may be idle.
    pause_seconds = 3 * IDLE_SECONDS * PIECE / len(BODY)
    answer = await asyncio.to_thread(read_slowly, listener.address, trust, pause_seconds)
    assert answer.partition(b"\r\n\r\n")[2] == BODY
    assert loop.time() - began > 2 * IDLE_SECONDS
    await eventually(lambda: not listener._registry.openings)


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_who_stops_reading_is_ended(app: App, serve, contexts, scheme: str) -> None:
    app.answer = lambda request: Response(200, {}, BODY)
    server, trust = contexts if scheme == "https" else (None, None)
    listener = await serve(dataclasses.replace(CALM, http_seconds=0.2), ssl=server)
    client = await asked(listener, trust)
    assert (await client.head())[0] == 200
    await eventually(lambda: not listener._registry.openings)
    client.writer.transport.abort()


async def test_who_reads_without_end_is_ended(app: App, serve) -> None:
    app.answer = lambda request: Response(200, {}, BODY * 4)
    limits = dataclasses.replace(CALM, http_seconds=5.0, http_seconds_max=0.3)
    listener = await serve(limits)
    client = await asked(listener, None)
    assert (await client.head())[0] == 200
    got = 0
    async with asyncio.timeout(5):
        while listener._registry.openings:
            got += len(await client.reader.read(PIECE))
            await asyncio.sleep(0.03)
    assert got < len(BODY)
    client.writer.transport.abort()


async def test_who_asks_and_stays_is_ended(app: App, serve, clients) -> None:
    listener = await serve(dataclasses.replace(CALM, http_seconds=0.1))
    client = await clients(listener, None)
    client.send(GET)
    assert (await client.answer())[0] == 200
    await eventually(lambda: not listener._registry.openings)
