"""A board to a thousand people in one room against the bare write of its bytes to as many connections."""

from bench.figures import Figure, Report, middle, ratio
from bench.processes import Echo, Load, Meter, Node

PEOPLE = 1_000
PLAYERS = 8
RATE = 9  # below the ten boards a second, so that every action is a board of its own
SECONDS = 4.0  # one beat of presence falls into each window, those of nobody playing too
ROUNDS = 3


def measure() -> Report:
    """See the module."""
    raw: dict[str, list[float]] = {"node_us": [], "bare_us": [], "node_idle_us_a_second": []}
    with Node() as node, Load() as load, Echo("--fan-out") as bare, Load() as bare_load:
        load.do("rooms", port=node.port, clients=PLAYERS, size=PLAYERS, spectators=PEOPLE - PLAYERS)
        play = {"mode": "open", "rate": RATE, "seconds": SECONDS, "clients": 1}
        board = load.do("run", **{**play, "seconds": 1.0})["board"]
        bare_load.do("echo", port=bare.port, clients=PEOPLE, board=board)
        bare_load.do("run", **{**play, "seconds": 1.0})
        for _ in range(ROUNDS):
            with Meter(bare.pid) as meter:
                result = bare_load.do("run", **play)
                received = result["boards"] + _rest(bare_load)
            raw["bare_us"].append(meter.cpu_us[0] / (received + result["actions"]))
            with Meter(node.pid) as meter:
                load.do("idle", seconds=SECONDS)
            idle_us = meter.cpu_us[0] / meter.seconds
            raw["node_idle_us_a_second"].append(idle_us)
            with Meter(node.pid) as meter:
                received = load.do("run", **play)["boards"] + _rest(load)
            raw["node_us"].append((meter.cpu_us[0] - idle_us * meter.seconds) / received)
    figures = [
        ratio("board: node CPU a recipient / bare write's", raw["node_us"], raw["bare_us"], 1.5),
        middle("board: node CPU a recipient", raw["node_us"], "µs"),
        middle("bare write: CPU a recipient", raw["bare_us"], "µs"),
        Figure("bytes of the board", len(board) / 2, "bytes"),
    ]
    title = f"Fan-out: {PLAYERS} players and {PEOPLE - PLAYERS} spectators in one room"
    return Report(title, figures, {**raw})


def _rest(load: Load) -> int:
    """The boards that were still on their way when the last action had been answered."""
    boards: int = load.do("idle", seconds=0.3)["boards"]
    return boards
