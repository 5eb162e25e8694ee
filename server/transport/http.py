"""The little HTTP that shares the port: a request head in, an answer out, one of each a connection.

The head is parsed here and not by `websockets`, whose parser is for handshakes only: it ends a connection
without an answer where HTTP wants 400, and bounds the lines but not the whole head.
"""

import email.utils
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import urlsplit

# RFC 9110, 5.6.2 and 5.5. A value may hold no control characters: they could end it and begin another field.
_TOKEN = re.compile(rb"[-!#$%&'*+.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")
_TARGET = re.compile(rb"[\x21-\x7e]+")

HEAD_END = b"\r\n\r\n"


class Headers(Mapping[str, str]):
    """HTTP fields by name, in any case. A repeated field is one, values joined by commas (RFC 9110, 5.3)."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Iterable[tuple[str, str]] = ()) -> None:
        self._fields: dict[str, str] = {}
        for name, value in fields:
            key = name.lower()
            self._fields[key] = f"{self._fields[key]}, {value}" if key in self._fields else value

    def __getitem__(self, name: str) -> str:
        return self._fields[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def tokens(self, name: str) -> list[str]:
        """Return the parts of a comma-separated field, lower-cased; none when it is missing."""
        return [token.strip().lower() for token in self.get(name, "").split(",") if token.strip()]


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asked for. `path` and `query` are as they came, not percent-decoded.

    `peer` is the address at the other end of the TCP connection, without its port; "" where it has none.
    """

    method: str
    path: str
    query: str = ""
    headers: Headers = field(default_factory=Headers)
    version: str = "HTTP/1.1"
    peer: str = ""

    @property
    def wants_websocket(self) -> bool:
        """Whether this asks to become a WebSocket. RFC 9110, 7.8: an `Upgrade` in HTTP/1.0 is ignored."""
        return (
            self.method == "GET"
            and self.version == "HTTP/1.1"
            and "websocket" in self.headers.tokens("Upgrade")
        )


@dataclass(frozen=True, slots=True)
class Response:
    """What it gets. Length, date and the end of the connection are added when it is sent."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


class BadRequestError(Exception):
    """A request that cannot be served, with the answer to give."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.response = plain(status, text, headers)


def plain(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a one-sentence answer for people to read."""
    fields = {"Content-Type": "text/plain; charset=utf-8", **(headers or {})}
    return Response(status, fields, f"{text}\n".encode())


def parse_head(head: bytes, *, fields_max: int) -> Request:
    """Return the request in `head`, which ends with the empty line. Raises BadRequestError."""
    request_line, *lines = head[: -len(HEAD_END)].split(b"\r\n")
    method, target, version = _parse_request_line(request_line)
    if len(lines) > fields_max:
        raise BadRequestError(431, "Too many header fields.")
    headers = Headers(map(_parse_field, lines))
    # RFC 9112, 3.2: 400 for HTTP/1.1 without exactly one Host. No host's name contains a comma.
    if version == "HTTP/1.1" and ("Host" not in headers or "," in headers["Host"]):
        raise BadRequestError(400, "The request must have one Host field.")
    if method not in ("GET", "HEAD"):
        raise BadRequestError(405, "Only GET and HEAD are served here.", {"Allow": "GET, HEAD"})
    path, query = _parse_target(target)
    return Request(method, path, query, headers, version)


def _parse_request_line(line: bytes) -> tuple[str, bytes, str]:
    parts = line.split(b" ")
    if len(parts) != 3 or not _TOKEN.fullmatch(parts[0]) or not _TARGET.fullmatch(parts[1]):
        raise BadRequestError(400, "The request line is malformed.")
    if not parts[2].startswith(b"HTTP/"):
        raise BadRequestError(400, "The request line is malformed.")
    if parts[2] not in (b"HTTP/1.1", b"HTTP/1.0"):
        raise BadRequestError(505, "Only HTTP/1.1 is spoken here.")
    return parts[0].decode("ascii"), parts[1], parts[2].decode("ascii")


def _parse_field(line: bytes) -> tuple[str, str]:
    name, colon, value = line.partition(b":")
    value = value.strip(b" \t")
    if not colon or not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
        raise BadRequestError(400, "A header field is malformed.")
    return name.decode("ascii"), value.decode("latin-1")


def _parse_target(target: bytes) -> tuple[str, str]:
    text = target.decode("ascii")
    if text.lower().startswith(("http://", "https://")):
        # RFC 9112, 3.2.2: "a server MUST accept the absolute-form in requests"
        try:
            parts = urlsplit(text)
        except ValueError:
            raise BadRequestError(400, "The request target is malformed.") from None
        return parts.path or "/", parts.query
    if not text.startswith("/"):
        raise BadRequestError(400, "The request target is malformed.")
    path, _, query = text.partition("?")
    return path, query


def encode_head(response: Response) -> bytes:
    """Return the answer's head: its body comes behind. ValueError for a field that breaks it."""
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:
        phrase = "Unknown"
    fields = {
        "Date": email.utils.formatdate(usegmt=True),
        "Connection": "close",
        **response.headers,
        "Content-Length": str(len(response.body)),
    }
    lines = [f"HTTP/1.1 {response.status} {phrase}".encode("ascii")]
    for name, value in fields.items():
        raw_name, raw_value = name.encode("ascii"), value.encode("latin-1")
        if not _TOKEN.fullmatch(raw_name) or not _VALUE.fullmatch(raw_value):
            raise ValueError(f"not a header field: {name!r}")
        lines.append(raw_name + b": " + raw_value)
    return b"\r\n".join(lines) + HEAD_END
