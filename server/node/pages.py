"""The HTTP pages beside the WebSocket."""

from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from server.node import results
from server.node.ids import read_room_id
from server.node.kept_logs import BusyError, KeptLogs
from server.node.live_room import LiveRoom
from server.node.metrics import metrics_page
from server.node.readiness import Readiness
from server.node.texts import text
from server.rooms.problems import RoomProblem
from server.store.records import NewerFormatError
from server.store.store import StoreUnavailableError
from server.transport.http import Request, Response, plain

if TYPE_CHECKING:
    from server.node.node import Node

ROOM_PATH = "/api/rooms/"
LOG_PAGE = "log.jsonl"

# The page is all there is: nothing is loaded from anywhere, no script runs, and nobody frames it.
PAGE_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
JSON_HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store"}
CSV_HEADERS = {"Content-Type": "text/csv; charset=utf-8", "Cache-Control": "no-store"}
LOG_LATER = {"Retry-After": "5"}
JSONL_HEADERS = {"Content-Type": "application/jsonl", "Cache-Control": "no-store"}


class Pages:
    """Answers plain requests."""

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._logs = KeptLogs(node.store, node.world)
        self._readiness = Readiness(node)
        self._index = Response(200, PAGE_HEADERS, files("server").joinpath("web", "index.html").read_bytes())

    async def serve(self, request: Request) -> Response:
        """The page at this path, or 404 in a sentence."""
        match request.path:
            case "/":
                return self._index
            case "/healthz":
                return plain(200, "alive")
            case "/readyz":
                return await self._ready()
            case "/metrics":
                return await metrics_page(self._node)
            case path if path.startswith(ROOM_PATH):
                return await self._room_page(request)
        return plain(404, "There is no such page; the race is at /ws")

    async def _ready(self) -> Response:
        hindrance = await self._readiness.hindrance()
        return plain(503, hindrance) if hindrance else plain(200, "ready")

    async def _room_page(self, request: Request) -> Response:
        """A page of a room: itself, its board, or its log."""
        if not self._node.door.may_ask(self._node.door.address(request), self._node.world.monotonic_ms()):
            return _error(429, "too_many", {"Retry-After": "1"})
        typed, _, page = request.path.removeprefix(ROOM_PATH).partition("/")
        try:
            room_id = read_room_id(typed)
            live = await self._node.hub.room(room_id) if room_id is not None else None
            if live is None:
                return _error(404, "unknown_room")
            refusal = await self._refusal(live, request)
            return refusal or await self._page_of(live, page)
        except StoreUnavailableError:
            return _error(503, "store_unavailable")
        except NewerFormatError:
            return plain(503, "A newer version of the server made this room; ask its operator to upgrade.")

    async def _refusal(self, live: LiveRoom, request: Request) -> Response | None:
        """Rooms with a password want `Authorization: Bearer <password>`."""
        if live.room.options.password is None:
            return None
        scheme, _, password = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return _error(401, "wrong_password", {"WWW-Authenticate": "Bearer"})
        address = self._node.door.address(request)
        try:
            await self._node.password_tries.check(live, address, _typed(password.strip()))
        except RoomProblem as problem:
            if problem.code == "wrong_password":
                return _error(401, "wrong_password", {"WWW-Authenticate": "Bearer"})
            return _error(429, problem.code)
        return None

    async def _page_of(self, live: LiveRoom, page: str) -> Response:
        if page == LOG_PAGE:
            await live.in_step()  # who was told of the close by another node may ask here, and at once
        await live.teller.settled()
        if page == "":
            return Response(200, JSON_HEADERS, results.room_json(live))
        if page == "board.csv":
            return Response(200, CSV_HEADERS, results.board_csv(live))
        if page != LOG_PAGE:
            return plain(404, "A room has board.csv and, after the close, log.jsonl")
        if live.room.state != "closed":
            return plain(409, "The log can be had after the close of the race")
        try:
            return Response(200, JSONL_HEADERS, await self._logs.get(live))
        except BusyError:
            return plain(503, "The log is being put together; ask again in a few seconds.", LOG_LATER)


def _typed(value: str) -> str:
    """A field's value as it was typed: people's terminals send UTF-8."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


def _error(status: int, code: str, headers: dict[str, str] | None = None) -> Response:
    body = msgspec.json.encode({"code": code, "text": text(code, "en")})
    return Response(status, {**JSON_HEADERS, **(headers or {})}, body)
