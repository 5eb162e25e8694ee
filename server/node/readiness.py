"""Whether people may be sent to this node: what `/readyz` says, and the log when a store takes no writes."""

from typing import TYPE_CHECKING

import structlog

from server.node.load_once import LoadOnce
from server.store.store import StoreUnavailableError

if TYPE_CHECKING:
    from server.node.node import Node

PROBE_SILENT_MS = 10_000
TRIAL_KEPT_MS = 1_000  # whoever asks all the time has no more written than this

log = structlog.get_logger()


class Readiness:
    """Of one node."""

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._trials: LoadOnce[str] = LoadOnce(node.world, "trial write")
        self._tried_ms = float("-inf")
        self._refused = ""  # why the store took no write when that was tried last; empty: it took it

    async def hindrance(self) -> str:
        """Why nobody should be sent here, in a sentence; empty: the node is ready."""
        node = self._node
        if node.leaving:
            return "the server is leaving"
        if not await node.store.answers():
            return "the store does not answer"
        if await self._write_refused():
            return "the store takes no writes"
        if node.hub.probe.age_ms > PROBE_SILENT_MS:
            return "messages between nodes do not come back"
        return ""

    async def _write_refused(self) -> str:
        if self._node.world.monotonic_ms() - self._tried_ms < TRIAL_KEPT_MS:
            return self._refused
        return await self._trials.get("", self._try)

    async def _try(self) -> str:
        """Write, for nobody may have come to write: their `hello` would fail first."""
        before, refused = self._refused, ""
        try:
            await self._node.store.try_write()
        except StoreUnavailableError as error:
            refused = str(error)
        self._refused, self._tried_ms = refused, self._node.world.monotonic_ms()
        if refused and not before:
            log.warning("the store takes no writes", error=refused)
        elif before and not refused:
            log.info("the store takes writes again")
        return refused
