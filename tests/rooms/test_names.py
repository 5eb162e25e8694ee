"""Names of players: which are allowed, and which two are taken for one."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.rooms.names import FORBIDDEN_CATEGORIES, NO_NAME, alike, clean_name, keys_of


@pytest.mark.parametrize(
    "typed",
    [
        "",
        " ",
        "\t\n",
        "x" * 25,
        "a\x00b",
        "a\u202eb",
        "\u2066a\u2069",
        "a\u200bb",
        "\u3164",
        "a\u2800",
        "\ufe0f",
        "\u0301",
        "\u0301 \u20dd",
        "\u093e",
        NO_NAME,
        f" {NO_NAME}\ufe0f",
        f"{NO_NAME}\u0335",
    ],
)
def test_what_is_no_name(typed):
    assert clean_name(typed) is None


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        (" Ann ", "Ann"),
        ("e\u0301va", "éva"),
        ("x" * 24, "x" * 24),
        ("a  b", "a  b"),
        ("名", "名"),
        ("कि", "कि"),
        ("a—b", "a—b"),
    ],
)
def test_a_name_is_trimmed_and_in_nfc(typed, name):
    assert clean_name(typed) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob", "BOB"),
        ("straße", "STRASSE"),
        ("Ｂｏｂ", "bob"),
        ("a b", "a  b"),
        ("é", "e\u0301"),
        ("Paul", "\u0420\u0430ul"),
        ("\u0412\u041e\u0412", "\u0432\u043e\u0432"),
        ("B0b", "Bob"),
        ("Bill", "BiII"),
        ("Ian", "lan"),
        ("Bi11", "bill"),
        ("\u039f\u03c3", "o\u03c3"),
        ("ﬁn", "fin"),
        ("Bob", "B\ufe0fob"),
        ("Bob", "Bo\u034fb"),
    ],
)
def test_names_that_one_takes_for_each_other_are_alike(one, other):
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"), [("Ann", "Anna"), ("Ann", "Änn"), ("Arne", "Ame"), ("Øre", "Ore"), ("ian", "lan")]
)
def test_names_that_differ_are_not_alike(one, other):
    assert not alike(one, other)


@given(st.text(max_size=40))
def test_a_clean_name_is_clean_and_alike_in_any_case(typed):
    name = clean_name(typed)
    if name is None:
        return
    assert clean_name(name) == name
    assert 1 <= len(name) <= 24
    assert unicodedata.is_normalized("NFC", name)
    assert not any(unicodedata.category(character) in FORBIDDEN_CATEGORIES for character in name)
    assert alike(name, name.casefold())
    assert all(alike(key, name) for key in keys_of(name))
