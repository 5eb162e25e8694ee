import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.engine.actions import REDEAL, UNDO, Action
from server.engine.game import Game
from server.engine.notation import ACTION_TEXT_CHARS_MAX, NotationError, format_action, parse_action
from server.engine.places import DESTINATIONS, PLACES


@pytest.fixture
def game(table) -> Game:
    """Pile 1 has the seven of hearts on top, pile 3 the five of clubs, pile 5 nothing."""
    return table("2D 7H", "9S", "5C", "3S", "", up=(2, 1, 1, 1))


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("10>14", Action("m", 9, 13)),
        ("1>16", Action("m", 0, 15)),
        ("5>5", Action("m", 4, 4)),
        ("1>A", Action("m", 0, 17)),
        ("3>A", Action("m", 2, 19)),
        ("1>K", Action("m", 0, 21)),
        ("3>K", Action("m", 2, 23)),
        ("3>F", Action("m", 2, 24)),
        ("5>F", Action("m", 4, 24)),
        ("3>*", Action("m", 2, 25)),
        ("AS>K", Action("m", 16, 20)),
        ("KS>A", Action("m", 20, 16)),
        ("AS>A", Action("m", 16, 16)),
        ("AC>K", Action("m", 19, 23)),
        ("AS>5", Action("m", 16, 4)),
        ("AH>F", Action("m", 17, 24)),
        ("KD>*", Action("m", 22, 25)),
        ("R", REDEAL),
        ("U", UNDO),
    ],
)
def test_each_form_is_read_and_written(game, text, action):
    assert parse_action(game, text) == action
    assert parse_action(game, text.lower()) == action
    assert parse_action(game, "  " + " ".join(text) + "\n") == action
    assert format_action(game, action) == text


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("5>AS", Action("m", 4, 16)),  # an empty pile has no suit
        ("5>KC", Action("m", 4, 23)),
        ("3>AS", Action("m", 2, 16)),  # another suit than the card's
        ("AS>KH", Action("m", 16, 21)),
        ("AS>AD", Action("m", 16, 18)),
    ],
)
def test_a_foundation_is_named_in_full_where_the_short_form_means_another(game, text, action):
    assert format_action(game, action) == text
    assert parse_action(game, text) == action


def test_a_full_name_is_read_where_the_short_form_would_do(game):
    assert parse_action(game, "3>AC") == parse_action(game, "3>A")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "no action"),
        (" \t", "no action"),
        ("X", "move with a > in it"),
        ("3 14", "move with a > in it"),
        ("RU", "move with a > in it"),
        ("3-A", "move with a > in it"),
        (">", "Before the >"),
        (">3", "Before the >"),
        ("0>3", "Before the >"),
        ("17>3", "Before the >"),
        ("03>4", "Before the >"),
        ("-1>4", "Before the >"),
        ("³>4", "Before the >"),
        ("٣>4", "Before the >"),
        ("aſ>k", "Before the >"),
        ("A>3", "Before the >"),
        ("F>3", "Before the >"),
        ("*>3", "Before the >"),
        ("QS>3", "Before the >"),
        ("3>", "After the >"),
        ("3>0", "After the >"),
        ("3>17", "After the >"),
        ("3>>4", "After the >"),
        ("3>4>5", "After the >"),
        ("3>AX", "After the >"),
        ("3>S", "After the >"),
        ("3>R", "After the >"),
        ("5>A", "Pile 5 has no card"),
        ("5>K", "Pile 5 has no card"),
        ("3>A" + " " * ACTION_TEXT_CHARS_MAX, "too long"),
        ("9" * 10_000 + ">1", "too long"),
    ],
)
def test_wrong_text_is_told_what_is_wrong(game, text, wrong):
    with pytest.raises(NotationError, match=wrong) as caught:
        parse_action(game, text)
    sentences = [caught.value.text(lang) for lang in ("en", "da", "de")]
    assert sentences[0] == str(caught.value)
    assert len(set(sentences)) == 3


def test_the_longest_text_is_still_read(game):
    assert parse_action(game, "AS>KH".center(ACTION_TEXT_CHARS_MAX)) == Action("m", 16, 21)


@pytest.mark.parametrize(("src", "dst"), [(-1, 0), (24, 0), (25, 0), (0, -1), (0, 26)])
def test_what_is_no_place_has_no_text(game, src, dst):
    with pytest.raises(ValueError, match="is no place"):
        format_action(game, Action("m", src, dst))


@given(st.from_type(Game))
def test_notation_round_trips(game):
    for action in (REDEAL, UNDO, *(Action("m", src, dst) for src in PLACES for dst in DESTINATIONS)):
        assert parse_action(game, format_action(game, action)) == action


@given(st.from_type(Game))
def test_the_short_form_is_written_exactly_where_it_means_the_place(game):
    for src in PLACES:
        source = format_action(game, Action("m", src, 25)).removesuffix(">*")
        meant = set()
        for short in ("A", "K"):
            try:
                meant.add(parse_action(game, f"{source}>{short}").dst)
            except NotationError:
                assert game.top(src) is None
        written_short = {
            dst for dst in PLACES if format_action(game, Action("m", src, dst))[-2:] in (">A", ">K")
        }
        assert written_short == meant


@given(st.from_type(Game), st.text(max_size=8) | st.text("AKSHDCFRU*>0123456789 ", max_size=8))
def test_any_text_is_an_action_or_a_notation_error(game, text):
    try:
        action = parse_action(game, text)
    except NotationError:
        return
    assert parse_action(game, format_action(game, action)) == action
