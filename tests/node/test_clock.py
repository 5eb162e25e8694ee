"""The node's estimate of the race clock: never further off than it can know."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.node.clock import RaceClock

START_MS = 1_790_000_000_000


class Now:
    def __init__(self) -> None:
        self.ms = 10_000.0

    def __call__(self) -> float:
        return self.ms


def test_it_is_the_stores_clock_at_the_middle_of_a_call() -> None:
    now = Now()
    clock = RaceClock(now)
    clock.heard(START_MS, 10_000.0, 10_008.0)
    now.ms = 10_004.0
    assert clock.now_ms() == START_MS
    now.ms = 11_004.5
    assert clock.now_ms() == START_MS + 1000


def test_a_narrower_bound_replaces_a_wider_one_and_not_the_other_way() -> None:
    now = Now()
    clock = RaceClock(now)
    clock.heard(START_MS + 40, 10_000.0, 10_100.0)  # 10 ms off, as far as it can know
    clock.heard(START_MS + 1, 10_000.0, 10_002.0)
    now.ms = 10_001.0
    assert clock.now_ms() == START_MS + 1
    clock.heard(START_MS + 1000 + 30, 11_000.0, 11_100.0)  # agrees within its own bound
    now.ms = 12_000.0
    assert clock.now_ms() == START_MS + 2000


def test_a_store_whose_clock_was_set_is_followed() -> None:
    now = Now()
    clock = RaceClock(now)
    clock.heard(START_MS, 10_000.0, 10_000.0)
    for leap_ms in (-60_000, 3_600_000, 5):
        start_ms = START_MS + leap_ms
        clock.heard(start_ms, 10_000.0, 10_002.0)
        now.ms = 10_001.0
        assert clock.now_ms() == start_ms


@given(
    offset=st.integers(0, 2**41),
    calls=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 3000), st.floats(0, 1)), min_size=1),
)
def test_it_is_never_further_off_than_the_latest_call_took(
    offset: int, calls: list[tuple[int, int, float]]
) -> None:
    """Whatever the ways to and fro take: the store reads its clock somewhere between."""
    now = Now()
    clock = RaceClock(now)
    at_ms = 0.0
    for pause_ms, length_ms, where in calls:
        at_ms += pause_ms
        clock.heard(int(at_ms + length_ms * where) + offset, at_ms, at_ms + length_ms)
        at_ms += length_ms
        now.ms = at_ms
        assert abs(clock.now_ms() - (at_ms + offset)) <= length_ms + 3
