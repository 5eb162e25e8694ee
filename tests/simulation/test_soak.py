"""Any number of seeds: `make soak SEEDS=10000`."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed

import pytest

from tests.simulation.seeds import added, row, run_all

FIRST = 1_000_000  # other seeds than those of every run
CHUNK = 50
BROKEN_MAX = 5  # then it is time to look


@pytest.mark.soak
def test_every_promise_is_kept_in_a_great_many_races(
    tell: Callable[..., None], capfd: pytest.CaptureFixture[str]
) -> None:
    count = int(os.environ.get("CRESCENT_SEEDS", "2000"))
    chunks = [range(at, min(at + CHUNK, FIRST + count)) for at in range(FIRST, FIRST + count, CHUNK)]
    totals = []
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(run_all, chunk) for chunk in chunks]):
            totals.append(done.result())
            so_far = added(totals)
            with capfd.disabled():
                sys.stderr.write(
                    f"simulation: {so_far['seeds']} of {count}, {len(so_far['broken'])} broken\n"
                )
            if len(so_far["broken"]) >= BROKEN_MAX:
                pool.shutdown(cancel_futures=True)
                break
    total = added(totals)
    tell("Simulated races", **row(total))
    assert not total["broken"], "\n".join(total["broken"])
