"""What a client whose game is under way adds to the server's memory."""

from typing import Any

from bench.figures import Figure, Report
from bench.processes import Load, Node, rss_kib

ROOM_SIZE = 8
WARM_UP = 16
STEP = 500
FEW_ACTIONS = 10
MANY_ACTIONS = 70  # more than the 64 whose answers are kept for repeats


def measure() -> Report:
    """See the module."""
    with Node() as node, Load() as load:
        _play(node, load, WARM_UP, FEW_ACTIONS)
        raw: dict[str, Any] = {"before_kib": rss_kib(node.pid), "store_before_kib": rss_kib(node.store_pid)}
        _play(node, load, STEP, FEW_ACTIONS)
        raw["after_500_few_kib"] = rss_kib(node.pid)
        _more(load, STEP, MANY_ACTIONS - FEW_ACTIONS)
        raw["after_500_kib"] = rss_kib(node.pid)
        _play(node, load, STEP, MANY_ACTIONS)
        raw["after_1000_kib"] = rss_kib(node.pid)
        raw["store_after_1000_kib"] = rss_kib(node.store_pid)
    first = (raw["after_500_kib"] - raw["before_kib"]) / STEP
    both = (raw["after_1000_kib"] - raw["before_kib"]) / (2 * STEP)
    few = (raw["after_500_few_kib"] - raw["before_kib"]) / STEP
    store = (raw["store_after_1000_kib"] - raw["store_before_kib"]) / (2 * STEP)
    figures = [
        Figure(f"a playing client, of 1,000, {MANY_ACTIONS} actions each", both, "KiB", 40),
        Figure(f"a playing client, of 500, {MANY_ACTIONS} actions each", first, "KiB"),
        Figure(f"a playing client, of 500, {FEW_ACTIONS} actions each", few, "KiB"),
        Figure("the same in the store, of 1,000", store, "KiB"),
    ]
    return Report(f"Memory: clients in rooms of {ROOM_SIZE}, resident", figures, raw)


def _play(node: Node, load: Load, clients: int, actions: int) -> None:
    load.do("rooms", port=node.port, clients=clients, size=ROOM_SIZE)
    _more(load, clients, actions)


def _more(load: Load, clients: int, actions: int) -> None:
    """Actions of the clients that came last."""
    load.do("run", mode="closed", seconds=60.0, actions_max=clients * actions, last=clients)
