"""What it costs to have every action on the disk before it is acknowledged: `always` against `everysec`."""

from contextlib import ExitStack

from bench.figures import Report, middle, ratio
from bench.processes import Load, Meter, Node
from tests.support.valkey import ValkeyProcess

CLIENTS = 200
ROOM_SIZE = 8
RATE = 1_000
SECONDS = 2.0
ROUNDS = 3
ACTIONS_MAX = CLIENTS * 700
SETTINGS = ("always", "everysec")


def measure() -> Report:
    """See the module."""
    raw: dict[str, dict[str, list[float]]] = {setting: {} for setting in SETTINGS}
    with ExitStack() as stack:
        loads, pids = {}, {}
        for setting in SETTINGS:
            valkey = stack.enter_context(ValkeyProcess(appendfsync=setting))
            node = stack.enter_context(Node(redis=valkey.url, expected="appendfsync everysec"))
            loads[setting] = stack.enter_context(Load())
            loads[setting].do("rooms", port=node.port, clients=CLIENTS, size=ROOM_SIZE)
            loads[setting].do("run", mode="closed", seconds=0.5, actions_max=ACTIONS_MAX)
            pids[setting] = (node.pid, valkey.pid)
        for _ in range(ROUNDS):
            for setting in SETTINGS:
                with Meter(*pids[setting]) as meter:
                    full = loads[setting].do("run", mode="closed", seconds=SECONDS, actions_max=ACTIONS_MAX)
                calm = loads[setting].do("run", mode="open", rate=RATE, seconds=SECONDS)
                values = {
                    "actions_a_second": full["actions"] / full["seconds"],
                    "node_us": meter.cpu_us[0] / full["actions"],
                    "store_us": meter.cpu_us[1] / full["actions"],
                    "full_p50_ms": full["p50_ms"],
                    "full_p99_ms": full["p99_ms"],
                    "calm_p50_ms": calm["p50_ms"],
                    "calm_p99_ms": calm["p99_ms"],
                }
                for name, value in values.items():
                    raw[setting].setdefault(name, []).append(value)
    always, everysec = (raw[setting] for setting in SETTINGS)
    names = {
        "actions_a_second": "one in flight: actions a second",
        "full_p50_ms": "one in flight: time to acknowledge, p50",
        "full_p99_ms": "one in flight: time to acknowledge, p99",
        "calm_p50_ms": f"{RATE} a second: time to acknowledge, p50",
        "calm_p99_ms": f"{RATE} a second: time to acknowledge, p99",
        "store_us": "one in flight: store CPU an action",
    }
    figures = [ratio(f"{text}, always / everysec", always[key], everysec[key]) for key, text in names.items()]
    figures.append(middle(f"{RATE} a second, always: p50", always["calm_p50_ms"], "ms"))
    figures.append(middle(f"{RATE} a second, always: p99", always["calm_p99_ms"], "ms"))
    return Report(f"Store: appendfsync, {CLIENTS} clients in rooms of {ROOM_SIZE}", figures, raw)
