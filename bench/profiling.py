"""Where an action's time goes: `python -m bench.profiling`, under `cProfile`, one action in flight each.

The profiler makes calls dearer, so shares say more than microseconds, and calls an action most of all. What
the kernel, the event loop and the collector of memory take is in the functions during which it happens.
"""

import pstats
import tempfile
from pathlib import Path
from typing import Any

from bench.actions import CLIENTS, ROOM_SIZE
from bench.processes import ROOT, Load, Node, raise_file_limit

SECONDS = 8.0
LINES = 40


def main() -> None:
    """Print the functions by their own time, and then by that of all they call."""
    raise_file_limit()
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        path = Path(directory) / "profile"
        with Node(interpreter=("-m", "cProfile", "-o", str(path))) as node, Load() as load:
            load.do("rooms", port=node.port, clients=CLIENTS, size=ROOM_SIZE)
            actions = load.do("run", mode="closed", seconds=SECONDS)["actions"]
        profile: dict[tuple[str, int, str], Any] = vars(pstats.Stats(str(path)))["stats"]
    functions = [
        (own, with_calls, calls, where(file, name))
        for (file, _, name), (_, calls, own, with_calls, _) in profile.items()
    ]
    total = sum(own for own, *_ in functions)
    print(f"{actions} actions, {total / actions * 1e6:.0f} µs each under the profiler")
    for title, column in (("own time", 0), ("with what it calls", 1)):
        print(f"\n   µs  share  calls an action  ({title})")
        for function in sorted(functions, key=lambda one: one[column], reverse=True)[:LINES]:
            seconds, calls, place = function[column], function[2], function[3]
            print(f"{seconds / actions * 1e6:6.1f} {seconds / total:6.1%} {calls / actions:8.2f}  {place}")


def where(file: str, name: str) -> str:
    """A function's place, short."""
    for base in (str(ROOT) + "/", "site-packages/"):
        _, found, rest = file.rpartition(base)
        if found:
            return f"{rest} {name}"
    return name if file == "~" else f"{Path(file).name} {name}"


if __name__ == "__main__":
    main()
