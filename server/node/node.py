"""One server process: the store, the journal, the hub and the sessions, put together."""

import asyncio
import contextlib
from collections.abc import Sequence
from importlib.metadata import version

import structlog

from protocol.codec import CODECS
from protocol.limits import SUBPROTOCOL_JSON, SUBPROTOCOL_MSGPACK, WEBSOCKET_PATH
from server.node.counts import Counts
from server.node.door import Door
from server.node.hub import Hub
from server.node.journals import Journals
from server.node.pages import Pages
from server.node.password_tries import PasswordTries
from server.node.rates import Buckets
from server.node.session import Session
from server.node.settings import Settings
from server.node.world import World
from server.store.cancelling import cancel_all
from server.store.store import Store
from server.transport.connection import Connection
from server.transport.http import Request, Response

BUCKETS_KEPT_MS = 60_000
BUCKETS_SWEPT_AT = 1_000
LOOP_WATCHED_MS = 250

log = structlog.get_logger()


class Node:
    """See the module. It is the transport's application."""

    subprotocols: Sequence[str] = (SUBPROTOCOL_MSGPACK, SUBPROTOCOL_JSON)
    default_subprotocol = SUBPROTOCOL_JSON
    path = WEBSOCKET_PATH

    def __init__(self, store: Store, world: World, settings: Settings) -> None:
        self.store, self.world, self.rates = store, world, settings.rates
        self.door = Door(settings.door, settings.rates)
        self.version = version("crescent-race")
        self.figures = settings.figures
        self.leaving = False  # told to end: new connections are for others
        self.counts = Counts()
        self.journals = Journals(store, world)
        self.hub = Hub(store, self.journals, world, self.counts)
        self.password_tries = PasswordTries(store, world)
        self.sessions: set[Session] = set()
        self._pages = Pages(self)
        self._buckets: dict[str, Buckets] = {}
        self._buckets_swept_at = BUCKETS_SWEPT_AT
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Set the clocks by the store and begin the background work. Raises `StoreUnavailableError`."""
        for lane, journal in enumerate(self.journals):
            asked_ms = self.world.monotonic_ms()
            journal.clock.heard(await self.store.now_ms(lane), asked_ms, self.world.monotonic_ms())
        self._tasks = [
            *(asyncio.create_task(journal.run(), name="journal") for journal in self.journals),
            asyncio.create_task(self.hub.run_subscription(), name="subscription"),
            asyncio.create_task(self.hub.run_reconcile(), name="reconcile"),
            asyncio.create_task(self.hub.probe.run(), name="probe"),
            asyncio.create_task(self._watch_loop(), name="loop watch"),
        ]
        for task in self._tasks:
            task.add_done_callback(self._ended)

    async def _watch_loop(self) -> None:
        """Note how late the event loop is, again and again."""
        while True:
            due_ms = self.world.monotonic_ms() + LOOP_WATCHED_MS
            await self.world.sleep_ms(LOOP_WATCHED_MS)
            self.counts.late_ms.add(max(0.0, self.world.monotonic_ms() - due_ms))

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Without its background work a node serves nobody: it ends, to be started again."""
        if not task.cancelled():
            log.critical("background work ended", task=task.get_name(), exc_info=task.exception())
            self.world.end_process()

    async def stop(self) -> None:
        """Write what waits, and end the background work. The connections are closed before."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(6):
                await self.journals.drained()
        await cancel_all(self._tasks)
        for room in self.hub.rooms.values():
            room.stop()

    def refusal(self, request: Request) -> Response | None:
        """Why a WebSocket may not be opened; None: it may."""
        return self.door.refusal(request)

    def connected(self, connection: Connection) -> Session:
        """A WebSocket has come in."""
        session = Session(self, connection, CODECS[connection.subprotocol])
        self.door.entered(session.address)
        self.sessions.add(session)
        self.counts.connections += 1
        return session

    def disconnected(self, session: Session, code: int) -> None:
        """It is gone."""
        self.sessions.discard(session)
        self.door.left(session.address)
        self.counts.closed[code] += 1

    async def http(self, request: Request) -> Response:
        """A page."""
        return await self._pages.serve(request)

    def buckets(self, player: str) -> Buckets:
        """This identity's rates, whatever number of connections it has here."""
        buckets = self._buckets.get(player)
        if buckets is None:
            now_ms = self.world.monotonic_ms()
            if len(self._buckets) >= self._buckets_swept_at:
                kept_from_ms = now_ms - BUCKETS_KEPT_MS
                self._buckets = {id: b for id, b in self._buckets.items() if b.used_ms >= kept_from_ms}
                self._buckets_swept_at = max(BUCKETS_SWEPT_AT, 2 * len(self._buckets))
            buckets = self._buckets[player] = Buckets(self.rates, now_ms)
        return buckets
