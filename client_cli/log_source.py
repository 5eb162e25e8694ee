"""Where a log comes from: a file, standard input, or a server's page, with a bound on its size and a wait."""

import http.client
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

import msgspec

from client_cli.address import Address
from client_cli.asking_again import NotNowError
from client_cli.reasons import reason_of
from client_cli.report import NotALogError
from protocol.limits import WEBSOCKET_PATH

WAIT_S = 30.0
BYTES_MAX = 256 * 1024 * 1024
REFUSAL_BYTES_MAX = 10_000
_AGAIN_DIGITS_MAX = 9  # more is no number of seconds that anybody waits

ROOM_PATH = "/api/rooms/"
LOG_PAGE = "log.jsonl"


class FileFaultError(Exception):
    """A file that cannot be read; str() says why."""


class NoAnswerError(Exception):
    """No server, or none that has pages of rooms, answers at `url`; `cause` and str() say why."""

    def __init__(self, url: str, cause: Exception) -> None:
        super().__init__(reason_of(cause))
        self.url, self.cause = url, cause


class PageRefusedError(NotNowError):
    """The server answered at `url`, and has no log for us: `status` and str(), in its words."""

    def __init__(self, url: str, status: int, text: str, again_s: int | None = None) -> None:
        super().__init__(text)
        self.url, self.status, self.again_s = url, status, again_s


def is_url(text: str) -> bool:
    """Whether a source is the address of a page."""
    return text.lower().startswith(("http://", "https://"))


def is_file(text: str) -> bool:
    """Whether a source is a file, rather than a room's id: it is there, or looks like a path."""
    return text == "-" or any(mark in text for mark in (os.sep, "/", ".")) or Path(text).exists()


def page_of(text: str) -> str:
    """The log's address for that of a log, of a room's page, or a link to a room (`http://host/#ROOM`)."""
    parts = urlsplit(text)
    path = parts.path.rstrip("/")
    if parts.fragment and ROOM_PATH not in f"{path}/":
        path = f"{path}{ROOM_PATH}{parts.fragment.strip('/')}"
    if ROOM_PATH in path and not path.endswith(f"/{LOG_PAGE}"):
        path = f"{path.removesuffix('/board.csv')}/{LOG_PAGE}"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def room_page(server: Address, room: str) -> str:
    """The log's address for a room of this server."""
    parts = urlsplit(server.url)
    scheme = "https" if parts.scheme == "wss" else "http"
    prefix = parts.path.removesuffix(WEBSOCKET_PATH)
    return f"{scheme}://{parts.netloc}{prefix}{ROOM_PATH}{room}/{LOG_PAGE}"


@contextmanager
def file_lines(name: str) -> Iterator[Iterator[bytes]]:
    """The lines of a file, or of standard input for `-`. Raises `FileFaultError`, `NotALogError`."""
    try:
        raw = io.FileIO(sys.stdin.fileno() if name == "-" else name, closefd=name != "-")
    except (OSError, ValueError, AttributeError) as error:
        raise FileFaultError(reason_of(error)) from None
    with io.BufferedReader(raw) as file:
        try:
            yield _lines(file)
        except OSError as error:
            raise FileFaultError(reason_of(error)) from None


@contextmanager
def page_lines(url: str, password: str | None = None) -> Iterator[Iterator[bytes]]:
    """The lines of a server's page, asked once: `NoAnswerError`, `PageRefusedError`, `NotALogError`."""
    with _ask(url, password) as answer:
        try:
            yield _lines(answer)
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswerError(url, error) from None


def _ask(url: str, password: str | None) -> http.client.HTTPResponse:
    # As UTF-8: the library writes a header as Latin-1, which has not everybody's letters.
    headers = {"Authorization": f"Bearer {password}".encode().decode("latin-1")} if password else {}
    try:
        answer: http.client.HTTPResponse = _opener(url).open(Request(url, headers=headers), timeout=WAIT_S)
    except HTTPError as error:
        with error:
            text = _refusal_text(error)
        raise PageRefusedError(url, error.code, text, _again_s(error)) from None
    except URLError as error:
        cause = error.reason if isinstance(error.reason, Exception) else error
        raise NoAnswerError(url, cause) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoAnswerError(url, error) from None
    return answer


def _again_s(error: HTTPError) -> int | None:
    """Return after how many seconds a busy server wants to be asked again; None where it does not say."""
    again = error.headers.get("Retry-After", "")
    is_number = again.isascii() and again.isdigit() and len(again) <= _AGAIN_DIGITS_MAX
    return int(again) if is_number else None


class _SameHost(HTTPRedirectHandler):
    """Follows a redirect on the same host only: the password is for nobody else."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
        """A redirect elsewhere stays what it is: an answer that is no log."""
        here, there = urlsplit(req.full_url), urlsplit(newurl)
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(url: str) -> OpenerDirector:
    host = urlsplit(url).hostname or ""
    # A proxy does not reach the machine one sits at.
    own = [ProxyHandler({})] if host in ("localhost", "127.0.0.1", "::1") else []
    return build_opener(_SameHost, *own)


class _Readable(Protocol):
    def readline(self, limit: int, /) -> bytes: ...


def _lines(file: _Readable) -> Iterator[bytes]:
    left = BYTES_MAX
    while line := file.readline(left + 1):
        left -= len(line)
        if left < 0:
            raise NotALogError("too_long")
        yield line


def _refusal_text(error: HTTPError) -> str:
    """What a refusal says: the text of the server's JSON, or the page's first line."""
    try:
        body = error.read(REFUSAL_BYTES_MAX)
    except (OSError, http.client.HTTPException):
        body = b""
    try:
        said = msgspec.json.decode(body, type=dict[str, str]).get("text", "")
    except msgspec.DecodeError:
        plain = "text/plain" in error.headers.get("Content-Type", "")
        said = next(iter(io.StringIO(body.decode(errors="replace"))), "").strip() if plain else ""
    return said or f"HTTP {error.code}"
