"""A race seen again: the clock without a screen, and the screen by keys and mouse, without a server."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from client_cli.log_file import read_log
from client_cli.replay_model import Standing
from client_cli.screen.asking import AskScreen
from client_cli.screen.bars_widget import bar_texts
from client_cli.screen.replay_screen import SPEEDS, ReplayClock, ReplayScreen
from tests.client_cli.screen import still_around
from tests.client_cli.screen.seats import Sitting
from tests.client_cli.screen.still_around import PACE_MS
from tests.support.golden import SHORTEST_WIN


def test_the_clock_runs_as_fast_as_it_is_told_and_stands_at_the_end() -> None:
    clock = ReplayClock(10_000)
    clock.passed(5)
    assert clock.ms == 0, "it waits to be run"
    clock.toggle()
    clock.passed(1)
    assert clock.ms == 1000
    clock.faster(1)
    clock.passed(1)
    assert (clock.speed, clock.ms) == (2, 3000)
    clock.toggle()
    clock.passed(1)
    assert clock.ms == 3000
    clock.toggle()
    clock.passed(100)
    assert (clock.ms, clock.runs) == (10_000, False)
    clock.toggle()
    assert (clock.ms, clock.runs) == (0, True), "from the start again"


def test_the_clock_loses_no_time_to_rounding() -> None:
    clock = ReplayClock(10_000)
    clock.toggle()
    for _ in range(3000):
        clock.passed(0.0005)
    assert 1498 <= clock.ms <= 1500


def test_there_are_a_slowest_and_a_fastest_speed_and_moments_are_within_the_race() -> None:
    clock = ReplayClock(10_000, speed=7)
    assert clock.speed == 5
    for _ in range(20):
        clock.faster(1)
    assert clock.speed == SPEEDS[-1]
    for _ in range(20):
        clock.faster(-1)
    assert clock.speed == SPEEDS[0]
    clock.go(99_999)
    assert clock.ms == 10_000
    clock.go(-1)
    assert clock.ms == 0


@pytest.mark.parametrize("width", [27, 29, 40, 90])
def test_bars_are_as_long_as_cards_are_home_and_no_line_is_too_long(width: int) -> None:
    def standing(name: str, home: int, status: str) -> Standing:
        return Standing(name, name, status, 1, "R", home, 1, 0, 3, 1)  # type: ignore[arg-type]

    homes = {"Ada\x1b[2J": 104, "Bo": 52, "A name of twenty-four ch": 8}
    lines = bar_texts([standing(*one, "won") for one in homes.items()], "en", width)
    assert max(map(len, lines)) <= width
    assert "\x1b" not in "".join(lines)
    filled = [line.count("█") for line in lines]
    cells = lines[0].count("█")
    assert filled == [cells, 52 * cells // 104, 8 * cells // 104]
    assert lines[0].count("░") == 0


def screen_of(sitting: Sitting) -> ReplayScreen:
    assert isinstance(sitting.app.screen, ReplayScreen)
    return sitting.app.screen


async def test_through_a_race_by_keys_and_mouse() -> None:
    header, _ = read_log(still_around.log_lines())
    async with still_around.replay((80, 24), at_ms=0) as sitting:
        screen, end_ms = screen_of(sitting), len(SHORTEST_WIN.actions) * PACE_MS
        assert "00:00.000 of" in sitting.text
        assert "Bo's table" in sitting.text
        await sitting.press("right", "right")
        assert screen.clock.ms == 2 * PACE_MS
        await sitting.press("left")
        assert screen.clock.ms == PACE_MS
        await sitting.press("5")
        assert screen.clock.ms == end_ms // 2
        await sitting.press("end")
        assert screen.clock.ms == end_ms
        await sitting.press("up")
        assert "Ada's table" in sitting.text
        assert sitting.text.count("·13") == 8, "all cards are home"
        assert "latest" in sitting.text
        await sitting.press("home", "j")
        assert isinstance(sitting.app.screen, AskScreen)
        sitting.app.screen.query_one(Input).value = "0:08"
        await sitting.press("enter")
        assert screen.clock.ms == 8000
        await sitting.press("j", *"soon", "enter")
        assert "“soon” is no time of a race" in sitting.text
        assert screen.clock.ms == 8000
        await sitting.press("escape", "o")
        rows = [
            line
            for line in sitting.text.splitlines()
            if line[:3].strip().isdigit() and line[3:5].strip() == ":"
        ]
        assert len(rows) == 16
        await sitting.press("o", "plus", "plus", "plus", "space")
        await sitting.until(lambda: screen.clock.ms > 8000)
        assert "10×, running" in sitting.text
        await sitting.press("space")
        stands_ms = screen.clock.ms
        await sitting.pilot.click("#bars", offset=(3, 2))
        assert screen.player == header.board[2].player
        assert screen.clock.ms == stands_ms
        await sitting.press("question_mark")
        await sitting.until(lambda: "jump to a moment" in sitting.text)
        await sitting.press("escape", "q")
        await sitting.until(lambda: sitting.app.return_value == 0)


async def test_it_runs_at_once_where_that_is_asked_for_and_ends_at_the_end() -> None:
    async with still_around.replay((80, 24), at_ms=0, speed=100.0) as sitting:
        clock = screen_of(sitting).clock
        await sitting.until(lambda: clock.ms == clock.end_ms)
        assert not clock.runs
        await sitting.until(lambda: "paused" in sitting.text)
