"""A stored, acknowledged action against a message of the bare echo, boards to rooms of eight included."""

from typing import Any

from bench.figures import Report, middle, ratio
from bench.processes import Echo, Load, Meter, Node

CLIENTS = 200
ROOM_SIZE = 8
RATE = 4_000  # 20 a second for each client
ROUNDS = 5
NODE_S = 1.5
ECHO_S = 1.0
# So that all rounds together stay below a game's 5,000 actions, however fast the machine.
ACTIONS_MAX = CLIENTS * 700

MODES: dict[str, dict[str, Any]] = {
    "one in flight": {"mode": "closed"},
    f"{RATE} a second": {"mode": "open", "rate": RATE},
}


def measure() -> Report:
    """See the module."""
    raw: dict[str, dict[str, list[float]]] = {}
    with Node() as node, Load() as load, Echo() as echo, Load() as echo_load:
        load.do("rooms", port=node.port, clients=CLIENTS, size=ROOM_SIZE)
        echo_load.do("echo", port=echo.port, clients=CLIENTS)
        load.do("run", mode="closed", seconds=1.0, actions_max=CLIENTS * 100)
        echo_load.do("run", mode="closed", seconds=0.5, actions_max=CLIENTS * 100)
        for _ in range(ROUNDS):
            for name, mode in MODES.items():
                rounds = raw.setdefault(name, {})
                with Meter(echo.pid) as meter:
                    result = echo_load.do("run", seconds=ECHO_S, actions_max=ACTIONS_MAX, **mode)
                _keep(rounds, "echo_us", meter.cpu_us[0] / result["actions"])
                _keep(rounds, "echoes_a_second", result["actions"] / result["seconds"])
                with Meter(node.pid, node.store_pid, load.pid) as meter:
                    result = load.do("run", seconds=NODE_S, actions_max=ACTIONS_MAX, **mode)
                node_us, store_us, load_us = (us / result["actions"] for us in meter.cpu_us)
                _keep(rounds, "node_us", node_us)
                _keep(rounds, "store_us", store_us)
                _keep(rounds, "clients_us", load_us)
                _keep(rounds, "actions_a_second", result["actions"] / result["seconds"])
                _keep(rounds, "boards_an_action", result["boards"] / result["actions"])
                _keep(rounds, "p50_ms", result["p50_ms"])
                _keep(rounds, "p99_ms", result["p99_ms"])
    figures = []
    for name, rounds in raw.items():
        aim = 2.5 if name == "one in flight" else None
        figures += [
            ratio(f"{name}: node an action / echo a message", rounds["node_us"], rounds["echo_us"], aim),
            ratio(f"{name}: store an action / echo a message", rounds["store_us"], rounds["echo_us"]),
            middle(f"{name}: node CPU an action", rounds["node_us"], "µs"),
            middle(f"{name}: store CPU an action", rounds["store_us"], "µs"),
            middle(f"{name}: echo CPU a message", rounds["echo_us"], "µs"),
            middle(f"{name}: actions reached", rounds["actions_a_second"], "/s"),
            middle(f"{name}: boards received an action", rounds["boards_an_action"], "boards"),
        ]
    return Report(f"Actions: {CLIENTS} clients in rooms of {ROOM_SIZE}", figures, raw)


def _keep(rounds: dict[str, list[float]], name: str, value: float) -> None:
    rounds.setdefault(name, []).append(value)
