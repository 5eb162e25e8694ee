"""Options: defaults, ranges, what depends on what, and that a refused change changes nothing."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.rooms.options import (
    AHEAD_MS_MAX,
    DAY_MS,
    HOUR_MS,
    RULES,
    Options,
    Whole,
    change_options,
    shown_options,
)
from server.rooms.problems import RoomProblem

NOW = 1_800_000_000_000
NUMBERS = [(option, rule) for option, rule in RULES.items() if isinstance(rule, Whole)]


def problem(wanted, base=Options(), present=0):  # noqa: B008 - immutable
    with pytest.raises(RoomProblem) as caught:
        change_options(base, wanted, NOW, present)
    assert caught.value.code == "bad_options"
    return caught.value.option, caught.value.allowed.en


def changed(wanted, base=Options(), present=0):  # noqa: B008 - immutable
    return change_options(base, wanted, NOW, present)


def test_every_option_has_a_rule():
    assert set(RULES) <= set(Options.__struct_fields__)


def test_defaults_are_themselves_allowed():
    for option, value in msgspec.structs.asdict(Options()).items():
        if option in RULES:
            assert RULES[option].accepts(value), option


@pytest.mark.parametrize("option", RULES)
def test_every_range_has_the_same_figures_in_every_language_and_no_english_in_others(option):
    told = RULES[option].allowed
    assert len({tuple(re.findall(r"\d+", text)) for text in told}) == 1
    for text in (told.da, told.de):
        assert not {"characters", "now", "days", "none of them"} & set(re.findall(r"[a-z ]*[a-z]", text))


def test_nothing_wanted_changes_nothing():
    assert changed({}) == Options()


@pytest.mark.parametrize(("option", "rule"), NUMBERS, ids=[option for option, _ in NUMBERS])
def test_numbers_are_allowed_to_their_bounds_and_no_further(option, rule):
    base = Options(min_players=1, max_players=1000)
    wanted = {"min_players": 1, "max_players": 1000}
    for value in (rule.low, rule.high, *((0,) if rule.zero else ())):
        assert getattr(changed({**wanted, option: value}, base), option) == value
    for value in (rule.low - 1 or -1, rule.high + 1, -1, float(rule.low), str(rule.low), True, None):
        assert problem({option: value}, base) == (option, rule.allowed.en)
        assert str(rule.low) in rule.allowed.en
        assert str(rule.high) in rule.allowed.en


def test_a_code_says_its_variant_itself():
    options = changed({"deal": "cr1f aaaaaab", "variant": "N"})
    assert (options.deal, options.variant) == ("CR1-F-AAAAAAB", "F")
    assert problem({"variant": "N"}, options) == ("variant", "F")
    assert changed({"deal": "random", "variant": "N"}, options).variant == "N"


def test_a_sealed_room_needs_a_random_deal():
    assert problem({"sealed": True, "deal": "CR1-N-AAAAAAA"})[0] == "deal"
    assert problem({"sealed": True}, changed({"deal": "CR1-N-AAAAAAA"}))[0] == "deal"


def test_ranking_by_moves_takes_undo_away_unless_it_is_asked_for():
    by_moves = changed({"rank_by": "moves"})
    assert by_moves.undo is False
    assert changed({"rank_by": "moves", "undo": True}).undo is True
    assert changed({"rank_by": "time"}, by_moves).undo is True
    assert changed({"name": "x"}, by_moves).undo is False


def test_moments_lie_ahead_and_at_most_thirty_days():
    for moment in (NOW + 1, NOW + AHEAD_MS_MAX):
        assert changed({"start": "at", "start_at": moment}).start_at == moment
        assert changed({"close_at": moment}).close_at == moment
    for moment in (NOW, NOW - 1, NOW + AHEAD_MS_MAX + 1):
        assert problem({"start": "at", "start_at": moment})[0] == "start_at"
        assert problem({"close_at": moment})[0] == "close_at"
    assert AHEAD_MS_MAX == 30 * DAY_MS


def test_start_at_belongs_to_start_at_and_a_close_comes_after_it():
    assert problem({"start": "at"})[0] == "start_at"
    assert problem({"start_at": NOW + HOUR_MS})[0] == "start_at"
    at = changed({"start": "at", "start_at": NOW + HOUR_MS})
    assert changed({"start": "host"}, at).start_at is None
    assert problem({"close_at": NOW + HOUR_MS}, at)[0] == "close_at"
    assert changed({"close_at": NOW + HOUR_MS + 1}, at).close_at == NOW + HOUR_MS + 1


def test_there_are_as_many_seats_as_players_asked_for_and_present():
    assert problem({"min_players": 9}) == ("max_players", "9-1000")
    assert problem({"max_players": 3}, present=4) == ("max_players", "4-1000")
    assert changed({"max_players": 4}, present=4).max_players == 4


def test_what_is_shown_leaves_out_none_and_shows_a_password_as_true():
    assert "password" not in shown_options(Options())
    assert shown_options(Options(password="secret"))["password"] is True
    assert "start_at" not in shown_options(Options())


values = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers(), max_size=2)
)


@given(st.dictionaries(st.sampled_from([*RULES, "no such", ""]), values, max_size=4))
def test_whatever_is_wanted_is_either_refused_in_words_or_allowed(wanted):
    try:
        options = change_options(Options(), wanted, NOW)
    except RoomProblem as problem:
        said = (problem.code, all(problem.allowed))
    else:
        said = ("", True)
        check_allowed(options, wanted)
    assert said in (("", True), ("bad_options", True))


def check_allowed(options, wanted):
    assert options.min_players <= options.max_players
    assert (options.start == "at") == (options.start_at is not None)
    for option in wanted:
        assert RULES[option].accepts(wanted[option])
    assert change_options(options, {}, NOW) == options
