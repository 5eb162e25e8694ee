"""A seed is a run: the same each time, to the byte, in whichever process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.simulation import run

ROOT = Path(__file__).parents[2]


def printed(seed: int, hash_seed: str) -> str:
    command = [sys.executable, "-m", "tests.simulation", f"{seed}", "--trace"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout


@pytest.mark.parametrize("seed", [3, 8])
def test_a_seed_is_the_same_run_each_time(seed: int) -> None:
    first, second = run(seed, "all", tracing=True), run(seed, "all", tracing=True)
    assert len(first.trace) > 100
    assert first.trace == second.trace
    assert first.figures == second.figures


def test_a_seed_is_the_same_run_in_every_process() -> None:
    traces = {printed(12, hash_seed).rpartition("seed 12 (")[0] for hash_seed in ("1", "2")}
    assert len(traces) == 1
    assert traces.pop().count("\n") > 100


def test_seeds_differ() -> None:
    assert run(1, tracing=True).trace != run(2, tracing=True).trace
