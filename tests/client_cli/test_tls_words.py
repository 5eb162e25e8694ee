"""`ws://` where TLS is spoken: the client says what to write instead, in the player's language."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trustme

from client_cli.address import DEFAULT_SERVER, parse_address
from client_cli.failures import NoConnection
from client_cli.link import open_link
from client_cli.log_access import LogFailure, named_log
from protocol.messages import Lang

WORDS: dict[Lang, str] = {"en": "write wss://", "da": "skriv wss://", "de": "schreibe wss://"}


def speaking_tls() -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    return context


@asynccontextmanager
async def hanging_up(context: ssl.SSLContext | None = None, answer: bytes = b"") -> AsyncIterator[str]:
    """A server that hangs up on whoever asks, with these words or without; the address by `ws://`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    async with server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"


async def reason(url: str, lang: Lang) -> str:
    with pytest.raises(NoConnection) as caught:
        await open_link(url, None, lang)
    return str(caught.value)


def why_no_log(page: str, lang: Lang) -> str:
    with pytest.raises(LogFailure) as caught, named_log(page, parse_address(DEFAULT_SERVER), lang, None):
        pass
    return str(caught.value)


@pytest.mark.parametrize("lang", WORDS)
async def test_a_server_that_speaks_tls(lang: Lang) -> None:
    async with hanging_up(speaking_tls()) as url:
        assert WORDS[lang] in await reason(url, lang)
        assert WORDS[lang] in await asyncio.to_thread(why_no_log, url.replace("ws:", "http:"), lang)


async def test_one_that_was_there_before_is_not_asked() -> None:
    """A server that starts again is no other one, and each attempt to come back would ask."""
    async with hanging_up(speaking_tls()) as url:
        with pytest.raises(NoConnection) as caught:
            await open_link(url, None, "en", was_there=True)
        assert "wss" not in str(caught.value)


@pytest.mark.parametrize("lang", WORDS)
async def test_one_that_speaks_neither_is_not_said_to(lang: Lang) -> None:
    async with hanging_up() as url:
        assert "wss" not in await reason(url, lang)


async def test_one_that_refuses_is_not_said_to_either() -> None:
    async with hanging_up(answer=b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n") as url:
        assert await reason(url, "en") == "HTTP 400"


@pytest.mark.parametrize(("lang", "words"), [("en", "no TLS"), ("da", "ikke TLS"), ("de", "kein TLS")])
async def test_tls_where_none_is_spoken(lang: Lang, words: str) -> None:
    async with hanging_up(answer=b"HTTP/1.1 400 Bad Request\r\n\r\n") as url:
        assert words in await reason(url.replace("ws:", "wss:"), lang)
        assert words in await asyncio.to_thread(why_no_log, url.replace("ws:", "https:"), lang)
