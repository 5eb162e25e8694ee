"""Handshakes that never end, of TLS and of HTTP: ended in ten seconds, while everybody else is served."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable

import pytest

from server.transport.limits import Limits
from tests.hostile.conftest import Certificate, Start
from tests.hostile.raw import opening
from tests.support.peer import Peer

PATIENCE_S = 60.0
HEAD = opening("json")


async def dawdle(
    port: int, start: bytes, slowly: bytes, *, tls: ssl.SSLContext | None = None
) -> tuple[float, bytes]:
    """Say `start`, then `slowly` byte by byte for as long as it lasts; the seconds till the server ended it,
    and what it said."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
    began = time.monotonic()
    writer.write(start)

    async def say_slowly() -> None:
        for index in range(len(slowly)):
            await asyncio.sleep(0.2)
            writer.write(slowly[index : index + 1])

    saying = asyncio.create_task(say_slowly())
    try:
        async with asyncio.timeout(PATIENCE_S):
            answer = await reader.read()
    except ConnectionError:
        answer = b""
    took = time.monotonic() - began
    saying.cancel()
    writer.transport.abort()
    return took, answer


@pytest.mark.soak  # ten seconds of waiting
async def test_a_handshake_that_never_ends_is_ended_and_costs_nobody_else(
    start_server: Start, certificate: Certificate, tell: Callable[..., None]
) -> None:
    plain, tls = start_server(), start_server(*certificate.arguments)
    context = ssl.create_default_context()
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"  # the beginning of a ClientHello of 512 bytes
    kinds = {
        "nothing is said": dawdle(plain.port, b"", b""),
        "a head without its end": dawdle(plain.port, HEAD[:-2], b""),
        "a head, a byte at a time": dawdle(plain.port, b"", b"GET / HTTP/1.1\r\nX: " + b"y" * 1000),
        "TLS: nothing is said": dawdle(tls.port, b"", b""),
        "TLS: a ClientHello, a byte at a time": dawdle(tls.port, hello, b"\x00" * 300),
        "TLS: a head without its end": dawdle(tls.port, HEAD[:-2], b"", tls=context),
    }
    dawdling = asyncio.gather(*kinds.values())
    served = 0
    while not dawdling.done():
        for server in (plain, tls):
            async with await Peer.hello(server.url) as peer:
                assert (await peer.ask("clock", sent=served))["sent"] == served
                served += 1
        await asyncio.sleep(0.1)
    for kind, (took, answer) in zip(kinds, await dawdling, strict=True):
        assert took > Limits().opening_seconds - 1, kind
        assert answer == b"" or answer.startswith(b"HTTP/1.1 408 "), kind
        tell(
            "Handshakes that never end",
            kind=kind,
            ended_after_s=f"{took:.1f}",
            told=answer.split(b"\r\n")[0].decode() or "-",
            others_served_meanwhile=served,
        )
