import pytest

from client_cli.room_options import MomentError, SettingError, read_setting
from client_cli.typed_names import name_and_rest

KNOWN = {"Bo", "Bo B", "Ada"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bo", ("Bo", "")),
        ("Bo B", ("Bo B", "")),
        ("Bo cheats", ("Bo", "cheats")),
        ("Bo B cheats  a lot", ("Bo B", "cheats  a lot")),
        ('"Bo B" cheats', ("Bo B", "cheats")),
        ("“Bo B” cheats", ("Bo B", "cheats")),
        ("„Bo B“", ("Bo B", "")),
        ("'Ada'", ("Ada", "")),
        ('"Ada', ('"Ada', "")),
        ("Cy is here", ("Cy is here", "")),
    ],
)
def test_a_name_and_what_follows(text: str, expected: tuple[str, str]) -> None:
    assert name_and_rest(text, KNOWN.__contains__) == expected


NOW_MS = 1_700_000_000_000


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("limit", "15", {"limit_ms": 900_000}),
        ("limit_ms", "15000", {"limit_ms": 15_000}),
        ("countdown", "2.5", {"countdown_ms": 2500}),
        ("Max-Players", "3", {"max_players": 3}),
        ("undo", "no", {"undo": False}),
        ("listed", "TRUE", {"listed": True}),
        ("room-name", "The club", {"name": "The club"}),
        ("password", "none", {"password": None}),
        ("password", "yes", {"password": "yes"}),
        ("close-at", "+15", {"close_at": NOW_MS + 900_000}),
        ("start_at", "none", {"start_at": None}),
        ("deal", "CR1-N-AAAAAAB", {"deal": "CR1-N-AAAAAAB"}),
    ],
)
def test_an_option_and_its_value(option: str, value: str, expected: dict[str, object]) -> None:
    assert read_setting(option, value, NOW_MS) == expected


@pytest.mark.parametrize(
    ("option", "value", "key"),
    [
        ("colour", "red", "unknown_option"),
        ("undo", "", "no_value"),
        ("undo", "perhaps", "no_flag"),
        ("limit", "long", "no_number"),
        ("limit", "1e999", "no_number"),
        ("max_players", "nan", "no_number"),
    ],
)
def test_what_is_no_option(option: str, value: str, key: str) -> None:
    with pytest.raises(SettingError) as error:
        read_setting(option, value, NOW_MS)
    assert error.value.key == key


def test_a_moment_that_is_none() -> None:
    with pytest.raises(MomentError):
        read_setting("start_at", "soon", NOW_MS)
