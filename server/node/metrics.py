"""`/metrics` for Prometheus: plain counters, put into metric objects only when somebody asks.

What each figure tells, and which to be woken for, is in `docs/operations.md`.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from server.node.counts import Histogram
from server.node.siblings import gathered
from server.transport.http import Response

if TYPE_CHECKING:
    from server.node.node import Node

# A client may close with whatever code it likes; those without a meaning here are one label.
CODES = (1000, 1001, 1002, 1005, 1006, 1007, 1008, 1009, 1011, 1012, 1013, 4400, 4401, 4403, 4409, 4429)


class NodeCollector(Collector):
    """Reads a node's counts."""

    def __init__(self, node: "Node") -> None:
        self._node = node

    def collect(self) -> Iterator[Metric]:
        """Each figure with its description."""
        node, counts = self._node, self._node.counts
        yield _by("crescent_build_info", "The version that runs", "version", {node.version: 1}, gauge=True)
        yield _gauge("crescent_connections", "WebSockets that are open", len(node.sessions))
        yield _counter("crescent_connections_opened", "WebSockets opened", counts.connections)
        yield _by("crescent_connections_closed", "WebSockets ended, by code", "code", _by_code(counts.closed))
        yield _gauge("crescent_rooms", "Rooms that the node has", len(node.hub.rooms))
        yield _by("crescent_actions", "Actions by what became of them", "result", self._results())
        yield _histogram("crescent_acknowledge_seconds", "From action to done", counts.acknowledged_ms)
        yield from self._store()
        yield _histogram("crescent_loop_lag_seconds", "How late the event loop calls", counts.late_ms)
        yield _gauge("crescent_tasks", "Tasks of the event loop", len(asyncio.all_tasks()))

    def _results(self) -> dict[str, int]:
        counts = self._node.counts
        stored = {"done": counts.acknowledged_ms.count, "repeated": counts.repeated}
        return {**stored, "unknown": counts.unknown, **counts.refused}

    def _store(self) -> Iterator[Metric]:
        node, journal = self._node, self._node.journals
        yield _histogram("crescent_flush_items", "Items of a write", journal.flushed_items, per_unit=1)
        yield _counter("crescent_flushes_failed", "Writes that were not answered", journal.store_errors)
        yield _gauge("crescent_items_waiting", "Items that wait to be written", journal.waiting)
        yield _by("crescent_items_failed", "Items not taken, by error", "error", journal.items_failed)
        yield _by("crescent_store_errors", "Calls that failed, by error", "error", node.store.errors)
        yield _gauge("crescent_probe_age_seconds", "Since a probe came back", node.hub.probe.age_ms / 1000)


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(name, about, value=value)


def _counter(name: str, about: str, value: float) -> Metric:
    return CounterMetricFamily(name, about, value=value)


def _by(name: str, about: str, label: str, values: Mapping[str, int], *, gauge: bool = False) -> Metric:
    """A figure for each value of a label."""
    family: Any = (GaugeMetricFamily if gauge else CounterMetricFamily)(name, about, labels=[label])
    for text, value in values.items():
        family.add_metric([text], value)
    return family  # type: ignore[no-any-return]


def _by_code(closed: Counter[int]) -> dict[str, int]:
    other = sum(count for code, count in closed.items() if code not in CODES)
    return {**{str(code): closed[code] for code in CODES if closed[code]}, "other": other}


def _histogram(name: str, about: str, values: Histogram, *, per_unit: int = 1000) -> Metric:
    """What was added up in `per_unit` parts: milliseconds are told as seconds."""
    bounds = [f"{bound / per_unit:g}" for bound in values.bounds] + ["+Inf"]
    buckets = list(zip(bounds, accumulate(values.counts), strict=True))
    return HistogramMetricFamily(name, about, buckets=buckets, sum_value=values.sum / per_unit)


class OfWorker(Collector):
    """The same figures with the worker's number on each."""

    def __init__(self, figures: Iterable[Collector], worker: str) -> None:
        self._figures, self._worker = figures, worker

    def collect(self) -> Iterator[Metric]:
        """See the class."""
        for figures in self._figures:
            for metric in figures.collect():
                for number, sample in enumerate(metric.samples):
                    labels = {**sample.labels, "worker": self._worker}
                    metric.samples[number] = sample._replace(labels=labels)
                yield metric


def figures_text(node: "Node") -> bytes:
    """This node's figures, and its process's, as Prometheus reads them."""
    registry = CollectorRegistry()
    figures: list[Collector] = [NodeCollector(node), ProcessCollector(registry=None)]
    registry.register(OfWorker(figures, node.figures.name if node.figures is not None else "0"))
    return generate_latest(registry)


async def metrics_page(node: "Node") -> Response:
    """The figures of this node; of all workers, where it is one of several."""
    own = figures_text(node)
    text = own if node.figures is None else await gathered(node.figures, own)
    return Response(200, {"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}, text)
