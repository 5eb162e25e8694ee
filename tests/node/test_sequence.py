"""Which of a room's numbered changes are known: against a plain set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.node.sequence import Sequence

notes = st.tuples(st.just("note"), st.integers(0, 12))
reads = st.tuples(st.just("at_least"), st.integers(0, 12))


@given(st.lists(st.one_of(notes, notes, reads), max_size=30))
def test_it_knows_what_a_set_of_all_would_know(steps: list[tuple[str, int]]) -> None:
    sequence, known = Sequence(), {0}
    for kind, seq in steps:
        if kind == "note":
            sequence.note(seq)
            known.add(seq)
        else:
            sequence.at_least(seq)
            known |= set(range(seq + 1))
        whole = next(n for n in range(100) if n + 1 not in known)
        assert sequence.whole == whole
        assert sequence.missing == (max(known) > whole)
        assert sequence.last == max(known)


def test_changes_in_order_leave_nothing_missing() -> None:
    sequence = Sequence()
    for seq in range(1, 1001):
        sequence.note(seq)
        assert (sequence.whole, sequence.missing) == (seq, False)


def test_a_gap_is_closed_by_what_was_missing_or_by_a_read() -> None:
    sequence = Sequence()
    for seq in (1, 3, 4):
        sequence.note(seq)
    assert (sequence.whole, sequence.missing) == (1, True)
    sequence.note(2)
    assert (sequence.whole, sequence.missing) == (4, False)
    sequence.note(9)
    sequence.at_least(6)
    assert (sequence.whole, sequence.missing) == (6, True)
    sequence.at_least(8)
    assert (sequence.whole, sequence.missing) == (9, False)
