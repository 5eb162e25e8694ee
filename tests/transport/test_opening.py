"""Handshakes and plain HTTP: who is let in, who gets which answer, and who is not waited for."""

import asyncio
import contextlib
import dataclasses

import pytest
import structlog

from server.transport.http import Response
from tests.transport.parts import BINARY, CALM, JSON, MSGPACK, App, Client, eventually, frame, handshake


@pytest.mark.parametrize(
    ("offered", "chosen", "binary"),
    [
        ([], None, False),
        ([JSON], JSON, False),
        ([MSGPACK], MSGPACK, True),
        ([JSON, MSGPACK], MSGPACK, True),
        (["other", JSON], JSON, False),
    ],
)
async def test_the_subprotocol(
    app: App, serve, clients, offered: list[str], chosen: str | None, binary: bool
) -> None:
    client = await clients(await serve(), None)
    client.send(handshake(*offered, extra="X-Trace: 7\r\nX-Trace: 8\r\n"))
    status, fields = await client.head()
    # RFC 6455, 4.2.2: no header where the client offered none
    assert (status, fields.get("sec-websocket-protocol")) == (101, chosen)
    assert "sec-websocket-extensions" not in fields
    connection = app.notes[0].connection
    assert (connection.subprotocol, connection.binary, connection.open) == (chosen or JSON, binary, True)
    assert connection.remote_address == "127.0.0.1"
    assert connection.request.headers["x-trace"] == "7, 8"


async def test_only_unknown_subprotocols(app: App, serve, clients) -> None:
    client = await clients(await serve(), None)
    client.send(handshake("other"))
    status, _, body = await client.answer()
    assert status == 400
    assert MSGPACK.encode() in body
    assert b"subprotocol" in body
    assert not app.notes


def get(path: str = "/", extra: str = "", method: str = "GET", version: str = "HTTP/1.1") -> bytes:
    return f"{method} {path} {version}\r\nHost: here\r\n{extra}\r\n".encode()


UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
KEY = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
REFUSED = {
    "another path": (handshake(path="/other"), 404, {}),
    "no upgrade": (get("/ws"), 426, {"upgrade": "websocket"}),
    "another upgrade": (get("/ws", "Upgrade: h2c\r\nConnection: Upgrade\r\n"), 426, {"upgrade": "websocket"}),
    "HTTP/1.0": (get("/ws", UPGRADE + KEY, version="HTTP/1.0"), 426, {"upgrade": "websocket"}),
    "no Connection": (get("/ws", "Upgrade: websocket\r\n" + KEY), 426, {}),
    "another version": (
        get("/ws", UPGRADE + KEY + "Sec-WebSocket-Version: 8\r\n"), 426, {"sec-websocket-version": "13"},
    ),
    "no version": (get("/ws", UPGRADE + KEY), 400, {}),
    "no key": (get("/ws", UPGRADE + "Sec-WebSocket-Version: 13\r\n"), 400, {}),
    "a body": (handshake(extra="Content-Length: 3\r\n") + b"abc", 400, {}),
    "POST": (get("/", "Content-Length: 5\r\n", method="POST") + b"hello", 405, {"allow": "GET, HEAD"}),
    "DELETE /ws": (get("/ws", method="DELETE"), 405, {"allow": "GET, HEAD"}),
    "no Host": (b"GET / HTTP/1.1\r\n\r\n", 400, {}),
    "two Hosts": (get("/", "Host: there\r\n"), 400, {}),
    "nonsense": (b"\x16\x03\x01 what\r\n\r\n", 400, {}),
    "a TLS handshake": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 400, {}),
    "two words": (b"GET /\r\n\r\n", 400, {}),
    "no protocol": (b"GET / FTP/1.1\r\nHost: x\r\n\r\n", 400, {}),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, {}),
    "a relative target": (b"GET x HTTP/1.1\r\nHost: x\r\n\r\n", 400, {}),
    "a broken absolute target": (b"GET http://[x HTTP/1.1\r\nHost: x\r\n\r\n", 400, {}),
    "a field without a colon": (get("/", "nonsense\r\n"), 400, {}),
    "a space before the colon": (get("/", "X : y\r\n"), 400, {}),
    "a folded field": (get("/", "X: y\r\n z\r\n"), 400, {}),
    "a bare line feed": (get("/", "X: y\nZ: z\r\n"), 400, {}),
    "many fields": (get("/", "".join(f"X-{n}: y\r\n" for n in range(100))), 431, {}),
    "a large head": (get("/", f"X: {'y' * 9000}\r\n"), 431, {}),
    "an endless head": (b"GET /" + b"y" * 9000, 431, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
async def test_what_is_refused(app: App, serve, clients, name: str) -> None:
    data, expected, fields_expected = REFUSED[name]
    client = await clients(await serve(), None)
    client.send(data)
    status, fields, body = await client.answer()
    assert status == expected
    assert {key: fields.get(key) for key in fields_expected} == fields_expected
    assert "close" in fields["connection"]
    assert int(fields["content-length"]) == len(body) > 0
    assert not app.notes
    assert not app.requests


async def test_a_plain_request(app: App, serve, clients) -> None:
    client = await clients(await serve(), None)
    await client.send_in_pieces(
        b"\r\n" + get("/api/rooms/X?as=csv&x=%20", "Authorization: Bearer secret\r\n")
    )
    status, fields, body = await client.answer()
    assert (status, body, fields["content-length"]) == (200, b"hello\n", "6")
    request = app.requests[0]
    assert (request.method, request.path, request.query) == ("GET", "/api/rooms/X", "as=csv&x=%20")
    assert request.headers.get("AUTHORIZATION") == "Bearer secret"
    assert request.headers.get("x") is None


@pytest.mark.parametrize("target", ["http://here/x?y", "HTTP://here/x?y"])
async def test_the_absolute_form(app: App, serve, clients, target: str) -> None:
    client = await clients(await serve(), None)
    client.send(get(target))
    assert (await client.answer())[0] == 200
    assert (app.requests[0].path, app.requests[0].query) == ("/x", "y")


async def test_head_has_the_fields_and_no_body(app: App, serve, clients) -> None:
    client = await clients(await serve(), None)
    client.send(get(method="HEAD"))
    status, fields, body = await client.answer()
    assert (status, fields["content-length"], body) == (200, "6", b"")


async def test_a_client_that_has_asked_may_half_close(app: App, serve, clients) -> None:
    app.gate = asyncio.Event()
    client = await clients(await serve(), None)
    client.send(get())
    client.writer.write_eof()
    await eventually(lambda: app.requests)
    app.gate.set()
    assert (await client.answer())[0] == 200


async def test_a_large_answer(app: App, serve, clients) -> None:
    app.answer = lambda request: Response(200, {"Content-Type": "text/csv"}, b"0123456789abcdef" * 100_000)
    client = await clients(await serve(), None)
    client.send(get())
    status, fields, body = await client.answer()
    assert (status, fields["content-type"], len(body)) == (200, "text/csv", 1_600_000)


@pytest.mark.parametrize("headers", [None, {"X": "a\r\nSet-Cookie: b"}, {"X y": "z"}])
async def test_a_failing_page_is_a_500(app: App, serve, clients, headers: dict[str, str] | None) -> None:
    def answer(_: object) -> Response:
        if headers is None:
            raise RuntimeError("do not log this")
        return Response(200, headers)

    app.answer = answer
    client = await clients(await serve(), None)
    with structlog.testing.capture_logs() as logs:
        client.send(get())
        status, _, body = await client.answer()
    assert status == 500
    assert b"do not log" not in body
    assert "do not log" not in str(logs)
    assert logs[0]["event"] == "an HTTP request failed"


async def test_nobody_waits_for_the_answer(app: App, serve, clients) -> None:
    app.gate = asyncio.Event()
    listener = await serve()
    client = await clients(listener, None)
    client.send(get())
    await eventually(lambda: app.requests)
    client.reset()
    await eventually(lambda: not listener._registry.openings)


@pytest.mark.parametrize(("sent", "status"), [(b"", None), (b"GET /ws HT", 408), (handshake()[:-2], 408)])
async def test_slow_openings_are_ended(app: App, serve, clients, sent: bytes, status: int | None) -> None:
    listener = await serve(dataclasses.replace(CALM, opening_seconds=0.1, http_seconds=0.1))
    client: Client = await clients(listener, None)
    client.send(sent)
    if status is None:
        assert await client.rest() == b""
    else:
        assert (await client.answer())[0] == status
    # and one that does not close its side is aborted
    await eventually(lambda: not listener._registry.openings)


async def test_a_slow_page_is_ended(app: App, serve, clients) -> None:
    app.gate = asyncio.Event()
    listener = await serve(dataclasses.replace(CALM, http_seconds=0.1))
    client = await clients(listener, None)
    client.send(get())
    with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
        await client.head()


async def test_others_are_served_while_one_dawdles(app: App, serve, clients) -> None:
    listener = await serve()
    await clients(listener, None)
    client = await clients(listener)
    client.send(frame(BINARY, b"x"))
    await eventually(lambda: app.notes[0].messages == [b"x"])


async def test_one_address_has_so_many_connections_at_most_that_ask_for_nothing(app, serve, clients) -> None:
    listener = await serve(dataclasses.replace(CALM, openings_per_peer_max=3))
    await clients(listener)  # a WebSocket is no opening
    waiting = [await clients(listener, None) for _ in range(3)]
    one_more = await clients(listener, None)
    with contextlib.suppress(ConnectionError):  # reset, or ended
        assert await one_more.rest() == b""
    waiting[0].writer.transport.abort()
    await eventually(lambda: len(listener._registry.openings) == 2)
    again = await clients(listener, None)
    again.send(handshake(MSGPACK))
    assert (await again.head())[0] == 101


async def test_a_fault_in_judging_a_handshake_is_a_500_and_one_line(app: App, serve, clients) -> None:
    def refuse(_: object) -> Response:
        raise ValueError("do not log this")

    app.refuse = refuse
    listener = await serve()
    client = await clients(listener, None)
    with structlog.testing.capture_logs() as logs:
        client.send(handshake(MSGPACK))
        status, _, body = await client.answer()
    assert status == 500
    assert b"do not log" not in body
    assert "do not log" not in str(logs)
    assert [line["error"] for line in logs] == ["ValueError"]
    client.writer.close()
    await eventually(lambda: not listener._registry.openings)
