"""The form's table and what a filled form comes to; without a terminal."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from client_cli.screen.form_fields import FIELDS, known_options, option_named, read_form, shown_fields
from protocol.messages import Lang
from server.rooms.options import MINUTE_MS, RULES, Options, change_options, shown_options

NOW_MS = 1_800_000_000_000
DEFAULTS = Options()


def filled(
    base: Options = DEFAULTS, present: int = 0, lang: Lang = "en", **typed: str
) -> tuple[dict[str, Any], dict[str, str]]:
    shown = shown_fields(base, NOW_MS)
    return read_form(shown | typed, shown, base, NOW_MS, lang, present)


def test_there_is_a_field_for_every_option_of_the_protocol() -> None:
    assert [field.option for field in FIELDS] == list(RULES)


@pytest.mark.parametrize("lang", get_args(Lang))
@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.option)
def test_every_field_says_what_it_is_and_which_values_it_takes(field: Any, lang: Lang) -> None:
    assert 0 < len(field.label(lang)) <= 17
    hint = field.hint(lang)
    assert hint.endswith(".")
    assert len(hint) <= 3 * 70, "the lines there are for it at 80 columns, with words not broken"
    assert bool(field.values) != bool(field.range(lang))
    words = field.words(lang)
    assert len(words) == len(field.values)
    assert sum(len(word) + 2 for word in words) <= 36, "a line of the form"


def test_an_untouched_form_is_all_defaults() -> None:
    assert filled() == ({}, {})


@pytest.mark.parametrize(
    ("typed", "options"),
    [
        ({"name": " Friday club "}, {"name": "Friday club"}),
        ({"deal": "cr1-n-aaaaaab"}, {"deal": "CR1-N-AAAAAAB"}),
        ({"variant": "F"}, {"variant": "F"}),
        ({"visibility": "open"}, {"visibility": "open"}),
        ({"sealed": "yes"}, {"sealed": True}),
        ({"rank_by": "moves", "undo": "no"}, {"rank_by": "moves", "undo": False}),
        ({"rank_by": "moves"}, {"rank_by": "moves", "undo": True}),
        ({"start": "ready"}, {"start": "ready"}),
        ({"start": "at", "start_at": "+15"}, {"start": "at", "start_at": NOW_MS + 15 * MINUTE_MS}),
        ({"start_at": "+15"}, {"start": "at", "start_at": NOW_MS + 15 * MINUTE_MS}),
        ({"close_at": "+60"}, {"close_at": NOW_MS + 60 * MINUTE_MS}),
        ({"min_players": "1"}, {"min_players": 1}),
        ({"min_players": "9", "max_players": "100"}, {"min_players": 9, "max_players": 100}),
        ({"countdown_ms": "2.5"}, {"countdown_ms": 2500}),
        ({"limit_ms": "15"}, {"limit_ms": 15 * MINUTE_MS}),
        ({"after_win_ms": "0.5"}, {"after_win_ms": 30_000}),
        ({"late": "yes"}, {"late": True}),
        ({"spectators": "delayed", "delay_ms": "30"}, {"spectators": "delayed", "delay_ms": 30_000}),
        ({"chat": "no"}, {"chat": False}),
        ({"listed": "yes"}, {"listed": True}),
        ({"password": "sesame"}, {"password": "sesame"}),
    ],
    ids=str,
)
def test_what_is_typed_becomes_options(typed: dict[str, str], options: dict[str, Any]) -> None:
    assert filled(**typed) == (options, {})


@pytest.mark.parametrize(
    ("typed", "option", "says"),
    [
        ({"deal": "CR1-N-AAAAAA!"}, "deal", "no game code"),
        ({"deal": "CR1-N-AAAAAAB", "sealed": "yes"}, "deal", "drawn by the server"),
        ({"start": "at"}, "start_at", "Type the moment"),
        ({"start": "ready", "start_at": "+15"}, "start_at", "Only a race that starts at a moment"),
        ({"start_at": "soon"}, "start_at", "“soon” is no moment"),
        ({"start_at": "2020-01-01T10:00"}, "start_at", "is past"),
        ({"close_at": "2099-01-01T10:00"}, "close_at", "too far ahead"),
        ({"start_at": "+60", "close_at": "+15"}, "close_at", "after the start"),
        ({"min_players": "0"}, "min_players", "Players needed: allowed is 1-1000."),
        ({"min_players": "9"}, "max_players", "Players at most: allowed is 9-1000."),
        ({"max_players": "many"}, "max_players", "“Players at most” must be a number."),
        ({"max_players": ""}, "max_players", "must be a number"),
        ({"countdown_ms": "61"}, "countdown_ms", "Countdown, s: allowed is 0-60 s."),
        ({"limit_ms": "0.01"}, "limit_ms", "allowed is 0, 0.17-10080 min."),
        ({"after_win_ms": "1e9"}, "after_win_ms", "allowed is 0, 0.02-1440 min."),
        ({"delay_ms": "nan"}, "delay_ms", "must be a number"),
        ({"name": "a\u202eb"}, "name", "allowed is 0-60 characters, none of them control"),
    ],
    ids=str,
)
def test_what_cannot_be_is_said_at_its_field(typed: dict[str, str], option: str, says: str) -> None:
    _, wrong = filled(**typed)
    assert list(wrong) == [option]
    assert says in wrong[option]


@pytest.mark.parametrize(
    ("lang", "says"), [("da", "tilladt er 0-60 tegn"), ("de", "erlaubt ist 0-60 Zeichen")]
)
def test_a_range_is_said_in_the_players_language(lang: Lang, says: str) -> None:
    told = filled(lang=lang, name="x" * 61)[1]["name"]
    assert says in told
    assert "characters" not in told


def test_every_wrong_field_is_told_at_once() -> None:
    _, wrong = filled(countdown_ms="soon", limit_ms="-1", min_players="9")
    assert set(wrong) == {"countdown_ms", "limit_ms", "max_players"}


def test_there_cannot_be_fewer_seats_than_players() -> None:
    _, wrong = filled(present=4, max_players="3")
    assert "4-1000" in wrong["max_players"]


def test_of_a_room_only_what_was_changed_is_sent() -> None:
    wanted = {
        "name": "Club", "limit_ms": 90_000, "rank_by": "moves", "password": "x",
        "close_at": NOW_MS + MINUTE_MS,
        "spectators": "live",
    }  # fmt: skip
    room = change_options(DEFAULTS, wanted, NOW_MS)
    base = known_options({**shown_options(room), "later": "an option of a newer version"})
    assert filled(base) == ({}, {})
    assert shown_fields(base, NOW_MS)["limit_ms"] == "1.5"
    assert filled(base, limit_ms="2") == ({"limit_ms": 120_000}, {})
    assert filled(base, close_at="") == ({"close_at": None}, {})
    assert filled(base, password="none") == ({"password": None}, {})
    assert filled(base, name="") == ({"name": ""}, {})


@pytest.mark.parametrize("option", RULES)
@pytest.mark.parametrize(
    "says", ["Option {}: allowed is x", "Indstillingen {}: tilladt er x", "Option {}: erlaubt ist x"]
)
def test_the_servers_sentence_is_shown_at_its_field(option: str, says: str) -> None:
    assert option_named(says.format(option)) == option
