"""The simulation sees what it is there to see: each mutant is found within its number of seeds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.simulation.mutants import MUTANTS, mutated
from tests.simulation.simulation import run


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_found(name: str, tell: Callable[..., None]) -> None:
    mutant = MUTANTS[name]
    for tried, seed in enumerate(range(mutant.first, mutant.first + mutant.seeds), start=1):
        with mutated(mutant):
            found = run(seed, mutant.kind).violations
        if found:
            assert not run(seed, mutant.kind).violations, "found without the mutant as well"
            tell("Mutants of the server", mutant=name, runs=mutant.kind, found_with_seed_no=tried)
            return
    pytest.fail(f"`{name}` was not found within {mutant.seeds} seeds")
