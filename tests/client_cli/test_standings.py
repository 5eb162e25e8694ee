from rich.cells import cell_len

from client_cli.standings import short_standings, standings_lines, time_text
from tests.client_cli.samples import row


def test_times() -> None:
    assert time_text(0) == "00:00.000"
    assert time_text(61_234) == "01:01.234"
    assert time_text(75 * 60_000 + 5) == "75:00.005"


def test_ties_are_shown_as_ties_and_the_deciding_key_is_named() -> None:
    rows = [row(1, "Ada", status="won", home=104), row(2, "Bo"), row(2, "Cy"), row(4, "Di")]
    lines = standings_lines(rows, "en", "time", "ID-Bo")
    assert lines[0] == "Who won by time, then moves; the others by cards home, moves, time"
    assert [line[:4] for line in lines[2:]] == ["   1", "> =2", "  =2", "   4"]
    assert lines[2].split() == ["1", "Ada", "won", "12", "0", "104/104", "01:01.234"]
    assert standings_lines(rows[:1], "en", "time")[0] == "By time, then moves"
    assert standings_lines(rows[:1], "da", "moves")[0] == "Efter træk, så fortrudte"
    assert standings_lines(rows[1:], "en", "moves")[0].startswith("Nobody has won yet: by cards home")
    over = standings_lines(rows[1:], "en", "moves", closed=True)[0]
    assert over == "Nobody has won: by cards home, moves, time; who gave up comes last"


def test_the_mark_of_ones_own_line_stands_apart_from_a_shared_rank() -> None:
    rows = [*(row(rank, f"P{rank}") for rank in range(1, 10)), row(10, "Ada"), row(10, "Bo")]
    lines = standings_lines(rows, "en", "time", "ID-Ada")
    assert [line[:6] for line in lines[1:3]] == ["    # ", "    1 "]
    assert [line[:6] for line in lines[-2:]] == ["> =10 ", "  =10 "]


def test_in_a_closed_race_nobody_plays() -> None:
    rows = [row(1, "Ada"), row(2, "Bo", status="waiting"), row(3, "Cy", status="forfeited")]
    statuses = ("not finished", "not started", "gave up")
    for line, status in zip(standings_lines(rows, "en", "time", closed=True)[2:], statuses, strict=True):
        assert status in line
    assert "playing" in standings_lines(rows, "en", "time")[2]


def test_who_is_offline_is_marked_and_columns_hold() -> None:
    rows = [row(1, "你好" * 20), row(2, "Bo", online=False, status="disqualified"), row(3, "x\x1b[2J\ny")]
    lines = standings_lines(rows, "de", "time")
    assert lines[3].endswith("(offline)")
    assert "\x1b" not in "".join(lines)
    widths = {cell_len(line.removesuffix("  (offline)")) for line in lines[2:]}
    assert len(widths) == 1
    assert widths.pop() <= 79


def test_in_one_line() -> None:
    rows = [row(rank, f"P{rank}") for rank in range(1, 20)]
    line = short_standings(rows, "ID-P15")
    assert line.startswith("1. P1 20/104 · 2. P2 20/104")
    assert line.endswith("15. P15 20/104 · …")
    assert short_standings([row(1, "P1"), row(1, "P2")]) == "=1. P1 20/104 · =1. P2 20/104"
    assert short_standings(rows[:2]) == "1. P1 20/104 · 2. P2 20/104"
