"""One server process: the store, the journal, the hub and the sessions, put together."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from importlib.metadata import version

import structlog

from protocol.codec import CODECS
from protocol.limits import SUBPROTOCOL_JSON, SUBPROTOCOL_MSGPACK, WEBSOCKET_PATH
from server.node.clock import RaceClock
from server.node.counts import Counts
from server.node.door import Door
from server.node.hub import Hub
from server.node.journal import Journal
from server.node.pages import Pages
from server.node.rates import Buckets
from server.node.session import Session
from server.node.settings import Settings
from server.node.world import World
from server.store.store import Store
from server.transport.connection import Connection
from server.transport.http import Request, Response

BUCKETS_KEPT_MS = 60_000
BUCKETS_SWEPT_AT = 1_000
CANCEL_AGAIN_S = 0.1

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
        self.clock = RaceClock(world.monotonic_ms)
        self.journal = Journal(store, self.clock, world)
        self.hub = Hub(store, self.journal, self.clock, world)
        self.counts = Counts()
        self.sessions: set[Session] = set()
        self._pages = Pages(self)
        self._buckets: dict[str, Buckets] = {}
        self._buckets_swept_at = BUCKETS_SWEPT_AT
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Set the clock by the store and begin the background work. Raises `StoreUnavailableError`."""
        asked_ms = self.world.monotonic_ms()
        self.clock.heard(await self.store.now_ms(), asked_ms, self.world.monotonic_ms())
        self._tasks = [
            asyncio.create_task(self.journal.run(), name="journal"),
            asyncio.create_task(self.hub.subscription.run(), name="subscription"),
            asyncio.create_task(self.hub.run_reconcile(), name="reconcile"),
        ]
        for task in self._tasks:
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Without its background work a node serves nobody: it ends, to be started again."""
        if not task.cancelled():
            log.critical("background work ended", task=task.get_name(), exc_info=task.exception())
            os.kill(os.getpid(), signal.SIGTERM)

    async def stop(self) -> None:
        """Write what waits, and end the background work. The connections are closed before."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(6):
                await self.journal.drained()
        running = set(self._tasks)
        while running:  # the client library swallows a cancellation that meets it while it connects
            for task in running:
                task.cancel()
            _, running = await asyncio.wait(running, timeout=CANCEL_AGAIN_S)
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
        if code == 4429:
            self.counts.dropped += 1

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
