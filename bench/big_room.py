"""A thousand players in one room, all with a row: common rows once encoded, nine hundred with their own."""

from bench.figures import Figure, Report, middle
from bench.processes import Load, Meter, Node

PLAYERS = 1_000
RATE = 200  # far more changes than boards
SECONDS = 3.0
ROUNDS = 3


def measure() -> Report:
    """See the module."""
    raw: dict[str, list[float]] = {"us": [], "boards": [], "p99_ms": [], "busy": []}
    with Node() as node, Load() as load:
        with Meter(node.pid) as entering:
            load.do("rooms", port=node.port, clients=PLAYERS, size=PLAYERS)
        load.do("run", mode="open", rate=RATE, seconds=1.0)
        for _ in range(ROUNDS):
            with Meter(node.pid) as meter:
                result = load.do("run", mode="open", rate=RATE, seconds=SECONDS)
            raw["us"].append(meter.cpu_us[0] / result["boards"])
            raw["boards"].append(result["boards"] / PLAYERS / result["seconds"])
            raw["p99_ms"].append(result["p99_ms"])
            raw["busy"].append(meter.cpu_us[0] / 1e6 / meter.seconds)
    figures = [
        middle("boards a second, to each", raw["boards"], "boards", 10),
        middle("node CPU a recipient of a board, actions included", raw["us"], "µs"),
        middle("of one core, at these boards", raw["busy"], "cores"),
        middle("time to acknowledge an action, p99", raw["p99_ms"], "ms"),
        Figure("node CPU for all of them to enter", entering.cpu_us[0] / 1e6, "s"),
    ]
    return Report(f"A big room: {PLAYERS:,} players, {RATE} actions a second", figures, {**raw})
