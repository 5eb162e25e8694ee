"""The board's order: total, and ranks that are shared exactly by equals."""

from hypothesis import given
from hypothesis import strategies as st

from server.rooms.standings import GROUPS, Entry, ranked, sort_key

small = st.integers(0, 3)  # few values, so that ties are common
entries = st.lists(
    st.builds(
        Entry,
        player=st.uuids().map(str),
        name=st.sampled_from(["Ann", "Bob", "ann", "Åse"]),
        status=st.sampled_from(sorted(GROUPS)),
        moves=small,
        undone=small,
        redeals=small,
        home=st.sampled_from([8, 9, 104]),
        ms=small,
    ),
    max_size=12,
    unique_by=lambda entry: entry.player,
)
rank_bys = st.sampled_from(["time", "moves"])


def entry(name, status="playing", *, moves=0, undone=0, home=8, ms=0):
    return Entry(name, name, status, moves, undone, 3, home, ms)


def order(found, rank_by="time"):
    return [(rank, entry.name) for rank, entry in ranked(found, rank_by)]


@given(entries, rank_bys)
def test_ranks_are_shared_exactly_by_equal_keys_and_count_who_stands_before(found, rank_by):
    board = ranked(found, rank_by)
    for rank, one in board:
        before = sum(sort_key(other, rank_by) < sort_key(one, rank_by) for other in found)
        assert rank == before + 1
        for other_rank, other in board:
            assert (rank == other_rank) == (sort_key(one, rank_by) == sort_key(other, rank_by))


@given(entries, rank_bys, st.randoms())
def test_the_order_is_total_whatever_order_the_entries_come_in(found, rank_by, random):
    board = ranked(found, rank_by)
    assert sorted(found, key=lambda e: e.player) == sorted((e for _, e in board), key=lambda e: e.player)
    shuffled = list(found)
    random.shuffle(shuffled)
    assert ranked(shuffled, rank_by) == board
    assert [rank for rank, _ in board] == sorted(rank for rank, _ in board)


@given(entries, rank_bys)
def test_groups_stand_one_after_the_other(found, rank_by):
    groups = [GROUPS[entry.status] for _, entry in ranked(found, rank_by)]
    assert groups == sorted(groups)


def test_equals_share_a_rank_1_2_2_4():
    found = [entry("A", ms=9, home=9), entry("C"), entry("B"), entry("D", moves=1)]
    assert order(found) == [(1, "A"), (2, "B"), (2, "C"), (4, "D")]


def test_won_by_time_compare_ms_then_moves_then_undone():
    found = [
        entry("A", "won", ms=2),
        entry("B", "won", ms=1, moves=9),
        entry("C", "won", ms=1, moves=8, undone=2),
        entry("D", "won", ms=1, moves=8, undone=1),
    ]
    assert order(found) == [(1, "D"), (2, "C"), (3, "B"), (4, "A")]


def test_won_by_moves_compare_moves_then_undone_then_ms():
    found = [
        entry("A", "won", moves=2),
        entry("B", "won", moves=1, undone=9),
        entry("C", "won", moves=1, undone=8, ms=2),
        entry("D", "won", moves=1, undone=8, ms=1),
    ]
    assert order(found, "moves") == [(1, "D"), (2, "C"), (3, "B"), (4, "A")]


def test_playing_blocked_and_waiting_are_one_group_by_home_then_moves_then_ms():
    found = [
        entry("A", "waiting"),
        entry("B", "blocked", home=60),
        entry("C", home=50, moves=1),
        entry("D", home=50, moves=2),
        entry("E", home=50, moves=1, ms=1),
        entry("F", "playing"),
    ]
    assert order(found) == [(1, "B"), (2, "C"), (3, "E"), (4, "D"), (5, "A"), (5, "F")]


def test_forfeited_come_after_all_who_play_and_disqualified_last():
    found = [entry("A", "disqualified", home=104), entry("B", "forfeited", home=100), entry("C")]
    assert order(found) == [(1, "C"), (2, "B"), (3, "A")]
