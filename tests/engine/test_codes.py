from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.engine.codes import (
    CODE_TEXT_CHARS_MAX,
    CodeError,
    GameCode,
    draw_code,
    draw_long_code,
    parse_code,
)

LONG = "CR2-N-QUXIWFPEDZPSDFSBRYSJFCATSCJJ"


@pytest.mark.parametrize(
    ("text", "number"),
    [("CR1-N-AAAAAAA", 0), ("CR1-N-AAAAAAB", 1), ("CR1-N-AAAAABA", 26), ("CR1-N-ZZZZZZZ", 8_031_810_175)],
)
def test_R19_the_number_is_base_26_most_significant_first(text, number):
    assert parse_code(text) == GameCode(1, "N", number)
    assert str(GameCode(1, "N", number)) == text


@pytest.mark.parametrize(
    "text",
    [
        "CR1-F-UEVHRLM",
        "cr1-f-uevhrlm",
        "  CR1-F-UEVHRLM\n",
        "CR1 F UEVHRLM",
        "CR1FUEVHRLM",
        "CR1F-UEVHRLM",
        "CR1-FUEVHRLM",
        "CR1--F--UEVHRLM",
        "c r 1 - - f - u e v h r l m",
        "CR1- -F-\tUEV HRLM",
    ],
)
def test_R19_typed_forms_are_accepted(text):
    assert str(parse_code(text)) == "CR1-F-UEVHRLM"


@pytest.mark.parametrize("text", [LONG, LONG.lower(), LONG.replace("-", ""), " ".join(LONG), f" {LONG} "])
def test_R21_long_codes_are_accepted_in_the_same_forms(text):
    code = parse_code(text)
    assert str(code) == LONG
    assert code.long


def test_R21_a_short_code_is_not_long():
    assert not parse_code("CR1-N-AAAAAAA").long


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "no game code"),
        (" \n", "no game code"),
        ("---", "no game code"),
        ("CR1-N-AAAAAA!", "only the letters A-Z"),
        ("CR1–N–AAAAAAB", "only the letters A-Z"),
        ("CR1-N-AAAAAAſ", "only the letters A-Z"),
        ("CR1-N-AAAAAß", "only the letters A-Z"),
        ("CR１-N-AAAAAAB", "only the letters A-Z"),
        ("CR1_N_AAAAAAB", "only the letters A-Z"),
        ("XR1-N-AAAAAAB", "begins with CR1"),
        ("CR", "begins with CR1"),
        ("AAAAAAB", "begins with CR1"),
        ("CRN-AAAAAAB", "begins with CR1"),
        ("CR3-N-AAAAAAB", "CR3 is a deal this game does not know"),
        ("CR0-N-AAAAAAB", "CR0 is a deal this game does not know"),
        ("CR1", "variant must be N"),
        ("CR1-X-AAAAAAB", "variant must be N"),
        ("CR1-AAAAAAB", "variant must be N"),
        ("CR1-N-AAAAAA0", "letters only, no digits"),
        ("CR1-N-AAAAAA", "has 7 letters, not 6"),
        ("CR1-N-", "has 7 letters, not 0"),
        ("CR1-N-AAAAAABB", "has 7 letters, not 8"),
        ("CR2-N-AAAAAAB", "has 28 letters, not 7"),
        (LONG[:-1], "has 28 letters, not 27"),
        (LONG.replace("CR2", "CR1"), "has 7 letters, not 28"),
        ("CR1---N-AAAAAAB", "hyphens"),
        ("C-R1-N-AAAAAAB", "hyphens"),
        ("CR1-N-AAA-AAAB", "hyphens"),
        ("CR1-N-AAAAAAB-", "hyphens"),
        ("A" * (CODE_TEXT_CHARS_MAX + 1), "too long"),
        ("CR1-N-AAAAAAB" + " " * CODE_TEXT_CHARS_MAX, "too long"),
    ],
)
def test_R19_anything_else_is_refused_with_what_is_wrong(text, wrong):
    with pytest.raises(CodeError, match=wrong) as caught:
        parse_code(text)
    sentences = [caught.value.text(lang) for lang in ("en", "da", "de")]
    assert sentences[0] == str(caught.value)
    assert len(set(sentences)) == 3


def test_the_longest_text_is_still_read():
    text = "CR1-N-AAAAAAB"
    assert parse_code(text.ljust(CODE_TEXT_CHARS_MAX)) == GameCode(1, "N", 1)


@given(st.text(max_size=CODE_TEXT_CHARS_MAX + 9) | st.text("CR12NFAB- \n", max_size=40))
def test_any_text_is_a_code_or_a_code_error(text):
    with suppress(CodeError):  # any other error fails
        code = parse_code(text)
        assert "".join(text.split()).replace("-", "").upper() == str(code).replace("-", "")


@given(st.from_type(GameCode))
def test_codes_round_trip(code):
    assert parse_code(str(code)) == code
    assert parse_code(str(code).lower().replace("-", " ")) == code
    assert len(str(code)) == (34 if code.long else 13)


@pytest.mark.parametrize(("text", "redeals"), [("CR1-N-AAAAAAA", 3), ("CR1-F-AAAAAAA", 4)])
def test_R17_redeals_of_the_variants(text, redeals):
    assert parse_code(text).redeals == redeals


@pytest.mark.parametrize(
    ("algorithm", "variant", "number"),
    [(0, "N", 1), (3, "N", 1), (1, "X", 1), (1, "n", 1), (1, "N", -1), (1, "N", 26**7), (2, "F", 26**28)],
)
def test_a_code_that_cannot_be_written_cannot_be_made(algorithm, variant, number):
    with pytest.raises(ValueError, match=r"^(There is no|Deal number)"):
        GameCode(algorithm, variant, number)


@pytest.mark.parametrize("variant", ["N", "F"])
def test_codes_are_drawn_from_all_numbers(variant):
    asked = []

    def highest(below):
        asked.append(below)
        return below - 1

    assert str(draw_code(variant, highest)) == f"CR1-{variant}-ZZZZZZZ"
    assert str(draw_long_code(variant, highest)) == f"CR2-{variant}-{'Z' * 28}"
    assert str(draw_code(variant, lambda below: 0)) == f"CR1-{variant}-AAAAAAA"
    assert asked == [26**7, 26**28]
