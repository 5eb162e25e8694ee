"""`/metrics` for Prometheus: plain counters, put into metric objects only when somebody asks."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from server.transport.http import Response

if TYPE_CHECKING:
    from server.node.node import Node


class NodeCollector(Collector):
    """Reads a node's counts."""

    def __init__(self, node: "Node") -> None:
        self._node = node

    def collect(self) -> Iterator[Metric]:
        """Each figure with its description."""
        node = self._node
        counts, journal = node.counts, node.journal
        yield CounterMetricFamily("crescent_connections", "WebSockets opened", value=counts.connections)
        yield CounterMetricFamily("crescent_clients_dropped", "Slow readers dropped", value=counts.dropped)
        yield CounterMetricFamily("crescent_actions_stored", "Actions acknowledged", value=counts.stored)
        yield CounterMetricFamily("crescent_actions_refused", "Actions refused", value=counts.refused)
        yield CounterMetricFamily("crescent_store_writes", "Calls of the script", value=journal.writes)
        yield CounterMetricFamily("crescent_store_items", "Items written", value=journal.items_written)
        yield CounterMetricFamily("crescent_store_errors", "Calls that failed", value=journal.store_errors)
        yield GaugeMetricFamily("crescent_sessions", "WebSockets open", value=len(node.sessions))
        yield GaugeMetricFamily("crescent_rooms", "Rooms held by this node", value=len(node.hub.rooms))


def metrics_page(node: "Node") -> Response:
    """The figures as Prometheus reads them."""
    registry = CollectorRegistry()
    registry.register(NodeCollector(node))
    return Response(200, {"Content-Type": "text/plain; version=0.0.4"}, generate_latest(registry))
