"""`python -m tests.simulation SEED [COUNT] [--kind KIND] [--trace]`: run seeds, and tell what broke."""

from __future__ import annotations

import argparse
import sys
import time

from tests.simulation.scenario import KINDS
from tests.simulation.simulation import run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    parser.add_argument("--kind", choices=KINDS, default="", help="make it a scenario of this kind")
    parser.add_argument("--trace", action="store_true", help="tell everything that happens")
    given = parser.parse_args()
    broken = 0
    for seed in range(given.seed, given.seed + given.count):
        begun_s = time.perf_counter()
        outcome = run(seed, given.kind, tracing=given.trace)
        for line in outcome.trace:
            print(line)  # noqa: T201
        took_s = time.perf_counter() - begun_s
        if outcome.violations or given.count == 1:
            figures = ", ".join(f"{name} {value:g}" for name, value in outcome.figures.items())
            print(f"seed {seed} ({took_s:.2f} s): {figures}")  # noqa: T201
        for violation in outcome.violations[:3]:
            print(f"  {violation}")  # noqa: T201
        broken += bool(outcome.violations)
    print(f"{given.count} runs, {broken} broken")  # noqa: T201
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
