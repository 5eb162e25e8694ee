"""The few HTTP pages beside the WebSocket."""

from importlib.resources import files
from typing import TYPE_CHECKING

from server.store.store import StoreUnavailableError
from server.transport.http import Request, Response, plain

if TYPE_CHECKING:
    from server.node.node import Node

PROBE_SILENT_MS = 10_000

# The page is all there is: nothing is loaded from anywhere, no script runs, and nobody frames it.
PAGE_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class Pages:
    """Answers plain requests."""

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._index = Response(200, PAGE_HEADERS, files("server").joinpath("web", "index.html").read_bytes())

    async def serve(self, request: Request) -> Response:
        """The page at this path, or 404 in a sentence."""
        if request.path == "/healthz":
            return plain(200, "alive")
        if request.path == "/readyz":
            return await self._ready()
        if request.path == "/metrics":
            return self._metrics()
        if request.path == "/":
            return self._index
        return plain(404, "There is no such page; the race is at /ws")

    async def _ready(self) -> Response:
        try:
            await self._node.store.now_ms()
        except StoreUnavailableError:
            return plain(503, "the store does not answer")
        silent_ms = self._node.world.monotonic_ms() - self._node.hub.probe_heard_ms
        if silent_ms > PROBE_SILENT_MS:
            return plain(503, "messages between nodes do not come back")
        return plain(200, "ready")

    def _metrics(self) -> Response:
        """Plain counters, put into metric objects only when somebody asks."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

        node = self._node
        counters = {
            "connections": node.counts.connections,
            "actions_stored": node.counts.stored,
            "actions_refused": node.counts.refused,
            "clients_dropped": node.counts.dropped,
            "store_writes": node.journal.writes,
            "store_items": node.journal.items_written,
            "store_errors": node.journal.store_errors,
        }
        gauges = {"sessions": len(node.sessions), "rooms": len(node.hub.rooms)}

        class Collector:
            def collect(self) -> list[Metric]:
                return [
                    *(
                        CounterMetricFamily(f"crescent_{name}", name, value=value)
                        for name, value in counters.items()
                    ),
                    *(
                        GaugeMetricFamily(f"crescent_{name}", name, value=value)
                        for name, value in gauges.items()
                    ),
                ]

        registry = CollectorRegistry()
        registry.register(Collector())
        return Response(200, {"Content-Type": "text/plain; version=0.0.4"}, generate_latest(registry))
