"""Whether an action grows dearer with the players and rooms of a node, its actions a second being equal.

Twice: with everybody playing, where fewer actions share a board the more rooms there are, so that more
boards go out an action; and with two rooms playing while the others sit there with their games under way,
which has the same boards always. What the node spends with nobody playing (presence, looking at the store)
is measured in between, told by itself, and taken off.
"""

from contextlib import ExitStack
from statistics import median
from typing import Any

from bench.figures import Figure, Report, middle
from bench.processes import Load, Meter, Node

SIZES = (20, 200, 2_000)
BASE = 200
ROOM_SIZE = 8
TWO_ROOMS = 16
RATE = 1_000
SECONDS = 4.0  # one beat of presence falls into each window
ROUNDS = 2
WAYS = {"all play": None, "two rooms play": TWO_ROOMS}


def measure() -> Report:
    """See the module."""
    raw: dict[int, dict[str, list[float]]] = {size: {} for size in SIZES}
    with ExitStack() as stack:
        nodes, loads = {}, {}
        for size in SIZES:
            nodes[size] = stack.enter_context(Node())
            loads[size] = stack.enter_context(Load())
            loads[size].do("rooms", port=nodes[size].port, clients=size, size=ROOM_SIZE)
            loads[size].do("run", mode="open", rate=RATE, seconds=1.0, clients=TWO_ROOMS)
        for _ in range(ROUNDS):
            for size in SIZES:
                for name, value in _round(nodes[size], loads[size]).items():
                    raw[size].setdefault(name, []).append(value)
    figures = []
    for way in WAYS:
        for size in SIZES:
            if size != BASE:
                name, base = f"{way} us", raw[BASE][f"{way} us"]
                value = median(raw[size][name]) / median(base)
                aim = 1.1 if way == "two rooms play" and size > BASE else None
                figures.append(Figure(f"{way}: node an action, {size:,} / {BASE} clients", value, aim=aim))
        figures += [
            middle(f"{way}: node CPU an action, {size:,} clients", raw[size][f"{way} us"], "µs")
            for size in SIZES
        ]
        figures += [
            middle(f"{way}: boards an action, {size:,} clients", raw[size][f"{way} boards"], "boards")
            for size in SIZES
        ]
    for size in SIZES:
        each = [us / size for us in raw[size]["idle us a second"]]
        figures.append(middle(f"nobody plays: node CPU a client and second, of {size:,}", each, "µs"))
    title = f"Growth: {RATE:,} actions a second in all, rooms of {ROOM_SIZE}"
    return Report(title, figures, {str(size): rounds for size, rounds in raw.items()})


def _round(node: Node, load: Load) -> dict[str, float]:
    values: dict[str, float] = {}
    with Meter(node.pid) as meter:
        load.do("idle", seconds=SECONDS)
    idle_us = meter.cpu_us[0] / meter.seconds
    values["idle us a second"] = idle_us
    for way, clients in WAYS.items():
        with Meter(node.pid) as meter:
            result: dict[str, Any] = load.do("run", mode="open", rate=RATE, seconds=SECONDS, clients=clients)
        values[f"{way} us"] = (meter.cpu_us[0] - idle_us * meter.seconds) / result["actions"]
        values[f"{way} boards"] = result["boards"] / result["actions"]
        values[f"{way} a second"] = result["actions"] / result["seconds"]
    return values
