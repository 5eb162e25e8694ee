"""Runs many seeds, and adds up what they came to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.simulation.simulation import run


def replay_command(seed: int, kind: str = "") -> str:
    """How to see this very run again, with all that happens in it."""
    return f"python -m tests.simulation {seed}{f' --kind {kind}' if kind else ''} --trace"


def run_all(seeds: Iterable[int]) -> dict[str, Any]:
    """Run them: their figures added up, and under `broken` what broke, with the command that shows it."""
    total: dict[str, Any] = {"seeds": 0, "broken": []}
    for seed in seeds:
        outcome = run(seed)
        total["seeds"] += 1
        if outcome.violations:
            total["broken"].append(f"seed {seed}: {outcome.violations[0]}\n  again: {replay_command(seed)}")
        lost = outcome.figures.pop("lost acknowledged", 0)
        kept = "lost acknowledged with set-backs" if outcome.figures["set-backs"] else "lost acknowledged"
        for name, value in {**outcome.figures, kept: lost}.items():
            total[name] = total.get(name, 0) + value
    return total


def added(totals: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Several of these in one."""
    whole: dict[str, Any] = {"broken": []}
    for total in totals:
        for name, value in total.items():
            whole[name] = whole.get(name, [] if isinstance(value, list) else 0) + value
    return whole


def row(total: dict[str, Any]) -> dict[str, Any]:
    """What is told of it in a table."""
    return {
        "seeds": total["seeds"],
        "virtual hours": total["virtual s"] / 3600,
        "acknowledged": total["actions"],
        "node kills": total["kills"],
        "outages": total["outages"],
        "calls lost": total["calls lost"],
        "calls doubled": total["calls doubled"],
        "set-backs": total["set-backs"],
        "lost acknowledged": total.get("lost acknowledged", 0),
        "the same, of stores set back": total.get("lost acknowledged with set-backs", 0),
        "broken": len(total["broken"]),
    }
