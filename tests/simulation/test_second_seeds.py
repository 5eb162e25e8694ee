"""The second half of the seeds that every run of the tests goes through; in two files, for two workers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.simulation.seeds import row, run_all

CHUNK = 25


@pytest.mark.parametrize("first", range(100, 200, CHUNK))
def test_every_promise_is_kept_whatever_happens(first: int, tell: Callable[..., None]) -> None:
    total = run_all(range(first, first + CHUNK))
    tell("Simulated races", **row(total))
    assert not total["broken"], "\n".join(total["broken"])
    assert total["actions"] > CHUNK
