"""The screen's parts without a terminal: geometry, drawing, the mouse, the line, the standings, the words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from rich.cells import cell_len

from client_cli.screen.ascii_filter import as_ascii
from client_cli.screen.forecast import UNKNOWN
from client_cli.screen.gestures import DOUBLE_CLICK_S, Click, DoubleClick, Drop, Mouse
from client_cli.screen.horseshoe import COLUMNS, ROWS, Horseshoe
from client_cli.screen.line_state import LineState
from client_cli.screen.look import environment_theme
from client_cli.screen.paint import TableView, as_text, paint
from client_cli.screen.saying import sentence
from client_cli.screen.standings_widget import standings
from client_cli.screen.status_widget import clock_words, figures
from client_cli.screen.words import WORDS, word
from client_cli.texts import say
from protocol.messages import Lang
from server.engine.codes import parse_code
from server.engine.game import Game
from server.engine.places import FOUNDATION_AREA, FOUNDATIONS, PLACES
from server.engine.texts import LANGUAGES
from tests.client_cli.screen import still

SIZES = [(50, 10), (50, 15), (80, 15), (100, 35), (104, 41), (200, 60)]


@pytest.mark.parametrize("size", SIZES)
def test_each_place_lies_where_one_points_and_none_over_another(size: tuple[int, int]) -> None:
    layout = Horseshoe(*size)
    assert layout.fits
    taken: set[tuple[int, int]] = set()
    for place in PLACES:
        cell = layout.cell(place)
        points = {
            (x, y) for x in range(cell.x, cell.x + cell.width) for y in range(cell.y, cell.y + cell.height)
        }
        assert points.isdisjoint(taken)
        taken |= points
        assert {layout.place_at(x, y) for x, y in points} == {place}
        assert all(0 <= x < size[0] and 0 <= y < size[1] for x, y in points)


@pytest.mark.parametrize("size", SIZES)
def test_the_layout_is_that_of_the_rules(size: tuple[int, int]) -> None:
    """R2: 1-4 up the left side, 5-12 along the top, 13-16 down the right, aces above kings in the middle."""
    layout = Horseshoe(*size)
    cells = [layout.cell(place) for place in PLACES]
    assert len({cells[pile].x for pile in range(4)}) == 1
    assert [cells[pile].y for pile in range(4)] == sorted((cells[p].y for p in range(4)), reverse=True)
    assert len({cells[pile].y for pile in range(4, 12)}) == 1
    assert [cells[pile].x for pile in range(4, 12)] == sorted(cells[pile].x for pile in range(4, 12))
    assert [cells[pile].y for pile in range(12, 16)] == sorted(cells[pile].y for pile in range(12, 16))
    assert cells[0].x < cells[4].x < cells[11].x < cells[12].x
    for ace, king in zip(range(16, 20), range(20, 24), strict=True):
        assert cells[ace].x == cells[king].x
        assert cells[ace].y < cells[king].y
        assert cells[0].x < cells[ace].x < cells[12].x


def test_the_foundation_area_is_around_the_foundations_and_nothing_else() -> None:
    layout = Horseshoe(50, 15)
    area = {(x, y) for x in range(50) for y in range(15) if layout.place_at(x, y) == FOUNDATION_AREA}
    for place in FOUNDATIONS:
        cell = layout.cell(place)
        assert (cell.x - 1, cell.y) in area or layout.place_at(cell.x - 1, cell.y) in FOUNDATIONS
    assert layout.place_at(7, 4) is None, "beside the piles lies nothing"
    assert layout.place_at(-1, 0) is None


def test_too_small_is_too_small() -> None:
    assert not Horseshoe(COLUMNS * 5 - 1, 40).fits
    assert not Horseshoe(100, ROWS * 2 - 1).fits


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_each_line_is_as_wide_as_the_table(size: tuple[int, int], ascii_only: bool) -> None:
    game = Game.deal(parse_code("CR1-N-AAAAAAB"))
    game.piles[3] = []
    game.piles[4] = [UNKNOWN] * 13
    view = TableView(game, 4, 5, (6, 7), frozenset((8,)), drag=(size[0] - 1, 3))
    lines = paint(view, Horseshoe(*size), "en", ascii_only=ascii_only)
    assert len(lines) == size[1]
    if not ascii_only:
        view.drag = None
        lines = paint(view, Horseshoe(*size), "en", ascii_only=ascii_only)
    for line in lines[4:]:
        assert sum(cell_len(span.text) for span in line) == size[0]
    text = "\n".join(as_text(lines))
    assert text.isascii() is ascii_only
    for mark in "*+>" if ascii_only else "●◆›":
        assert mark in text


@pytest.mark.parametrize(
    ("lang", "ace", "queen"), [("en", "A♠", "Q♦"), ("da", "E♠", "D♦"), ("de", "A♠", "D♦")]
)
def test_cards_are_in_the_players_letters(lang: Lang, ace: str, queen: str) -> None:
    game = Game([["QD"], *[["TH"]] * 15], [1, 1, 1, 1], [1, 1, 1, 1], 3)
    text = "\n".join(as_text(paint(TableView(game), Horseshoe(50, 15), lang)))
    assert ace in text
    assert queen in text
    assert "10♥" in text


def test_suits_have_four_colours_and_each_place_its_number_and_count() -> None:
    game = Game.deal(parse_code("CR1-N-AAAAAAB"))
    lines = paint(TableView(game), Horseshoe(50, 15), "en")
    suits = {style for line in lines for span in line for style in span.styles if "suit" in style}
    assert len(suits) == 4
    text = " ".join(as_text(lines))
    for number in range(1, 17):
        assert re.search(rf"\b{number}·6\b", text)


def test_the_mouse_clicks_double_clicks_and_drags() -> None:
    mouse = Mouse()

    def press(down: int | None, up: int | None, at_s: float) -> Any:
        mouse.down(down)
        mouse.move(up)
        return mouse.up(up, at_s)

    assert press(3, 3, 1.0) == Click(3)
    assert press(3, 3, 1.1) == DoubleClick(3)
    assert press(3, 3, 1.2) == Click(3), "a third click is a first one again"
    assert press(4, 4, 1.3) == Click(4), "another place"
    assert press(4, 4, 1.4 + DOUBLE_CLICK_S) == Click(4), "too late"
    assert press(4, 5, 3.0) == Drop(4, 5)
    assert press(5, 5, 3.1) == Click(5), "a drop is no first click"
    assert press(5, None, 3.2) == Drop(5, None)
    assert press(None, 5, 3.3) is None
    assert mouse.up(5, 3.4) is None


def test_the_line_is_there_slow_or_lost() -> None:
    now = [100.0]
    line = LineState(lambda: now[0])
    assert line.told().kind == "online"
    line.asked()
    now[0] += 0.04
    line.answered()
    assert line.told() == ("online", "line_online_ms", {"ms": 40})
    line.asked()
    now[0] += 3.0
    assert line.told() == ("slow", "line_slow", {"seconds": 3})
    line.answered()
    assert line.told().kind == "slow", "until an answer comes quickly again"
    line.asked()
    line.answered()
    assert line.told().kind == "online"
    assert line.told(action_sent_s=now[0] - 2).kind == "slow", "an action waits"
    line.lost(4.2)
    assert line.told(action_sent_s=now[0] - 2) == ("lost", "line_lost_in", {"seconds": 5})
    now[0] += 5
    assert line.told() == ("lost", "line_lost", {})
    line.asked()
    line.back()
    now[0] += 5
    assert line.told().kind == "online"


def room_of(rows: int, me: int) -> still.Still:
    made = still.Still()
    made.room("running")
    assert made.state.room is not None
    made.state.room.rows = [
        row_of(rank=number, player=f"p{number}", name=f"Player {number}") for number in range(1, rows + 1)
    ]
    made.state.me = f"p{me}"
    return made


def row_of(**fields: Any) -> Any:
    row = still.row(still.BO, 1, 30, 40, 61_999)
    for name, value in fields.items():
        setattr(row, name, value)
    return row


@pytest.mark.parametrize(("rows", "me"), [(3, 2), (14, 14), (40, 33), (1000, 1)])
def test_the_standings_fit_and_have_ones_own_line(rows: int, me: int) -> None:
    made = room_of(rows, me)
    lines = standings(made.state, "de", 28, 15)
    assert len(lines) == min(rows + 1, 15)
    assert all(cell_len(line.text) <= 28 for line in lines)
    own = [line for line in lines if line.style == "mine"]
    assert [line.text.split()[:2] for line in own] == [[">", str(me)]]
    if rows > 14:
        assert "weitere" in lines[-1].text


def test_the_standings_say_who_is_offline_tied_blocked_or_out() -> None:
    made = room_of(5, 1)
    room = made.state.room
    assert room is not None
    for row, fields in zip(
        room.rows,
        [
            {},
            {"rank": 2, "online": False},
            {"rank": 2},
            {"rank": 4, "status": "blocked"},
            {"status": "forfeited"},
        ],
        strict=True,
    ):
        for name, value in fields.items():
            setattr(row, name, value)
    lines = [line.text for line in standings(made.state, "en", 30, 15)]
    assert lines[1].endswith("01:01")
    assert lines[1].startswith(">  1 ")
    assert lines[2].startswith("  =2 ")
    assert lines[2].endswith("offline")
    assert "=2" in lines[3]
    assert lines[4].endswith("blocked")
    assert lines[5].endswith("gave up")
    assert "01:01.999" in standings(made.state, "en", 44, 15)[1].text
    assert "Mv  Hm" in standings(made.state, "en", 44, 15)[0].text
    made.state.me = "p3"
    assert standings(made.state, "en", 30, 15)[3].text.startswith("> =2 "), "not >=2"
    wide = [line.text for line in standings(made.state, "en", 60, 15)]
    assert "Moves   Home" in wide[0]
    assert {len(line) for line in wide[:2]} == {len(wide[0])}


def test_the_clock_counts_down_to_the_start_and_up_from_it() -> None:
    made = still.race()
    assert clock_words(made.state, "en") == "01:23"
    assert figures(made.state, None, "en")[-1] == "ends in 08:37"
    assert made.state.room is not None
    made.state.room.state = "countdown"
    made.state.room.start_at = still.NOW + 4_001
    assert clock_words(made.state, "en") == "start in 00:05"
    assert clock_words(still.won().state, "en") == "01:23"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("make", [still.blocked, still.won, still.closed])
async def test_no_sentence_is_cut_off_at_eighty_columns(lang: Lang, make: Any) -> None:
    async with still.shown(make(), (80, 24)) as sitting:
        app = sitting.app
        told = sentence(app.seat.state, app.seat.playing.forecast, app.race.choosing, lang)
    assert 0 < cell_len(told.text) <= 78


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_told_under_the_table_fits(lang: Lang) -> None:
    starts = ("sure_", "explains_", "no_", "not_", "forfeited", "blocked", "number_", "closed")
    for key, texts in WORDS.items():
        if key.startswith(starts) and "{" not in texts.en:
            assert cell_len(word(key, lang)) <= 78, (key, lang)
    assert cell_len(say("muted", lang)) <= 78


def test_words_have_the_same_values_in_every_language() -> None:
    for key, texts in WORDS.items():
        values = {tuple(sorted(re.findall(r"\{(\w+)\}", text))) for text in texts}
        assert len(values) == 1, key


def test_ascii_is_as_wide_as_what_it_stands_for() -> None:
    text = "♠♥♦♣ “Køge” æßü 漢字 │─ … é 🂡"
    assert as_ascii(text).isascii()
    assert len(as_ascii(text)) == cell_len(text)
    assert as_ascii("Åse") == "Ase"
    for texts in WORDS.values():
        for told in texts:
            assert len(as_ascii(told)) == cell_len(told)


@pytest.mark.parametrize(
    ("told", "theme"), [({}, "dark"), ({"COLORFGBG": "0;15"}, "light"), ({"COLORFGBG": "15;0"}, "dark")]
)
def test_the_theme_is_the_terminals(told: dict[str, str], theme: str) -> None:
    assert environment_theme(told) == theme
