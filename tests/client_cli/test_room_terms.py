"""A room's terms, and what one is told to type first."""

from __future__ import annotations

from typing import Any

import pytest

from client_cli.durations import clock_text, duration_text, until_text
from client_cli.lines import LineScreen
from client_cli.notices import Lost
from client_cli.output import Output
from client_cli.race_state import RaceState
from client_cli.room_options import SettingError, read_setting, typed_name
from client_cli.room_terms import change_text, first_hint, terms_line
from protocol import messages as wire
from server.rooms.options import RULES, Options, shown_options
from tests.client_cli.samples import event, game_message, room, row

NOW_MS = 1_700_000_000_000
DEFAULTS = shown_options(Options())


def terms(**options: Any) -> str:
    return terms_line({**DEFAULTS, **options}, NOW_MS, "en")


def test_durations() -> None:
    assert duration_text(0, "en") == "0 s"
    assert duration_text(90_000, "en") == "1 min 30 s"
    assert duration_text(4 * 3_600_000 + 12 * 60_000, "en") == "4 h 12 min"
    assert duration_text(3_600_000, "da") == "1 t"
    assert until_text(899_400, "en") == "15 min"
    assert until_text(59_000, "en") == "59 s"
    assert len(clock_text(NOW_MS + 60_000, NOW_MS)) == len("20:30")
    assert clock_text(NOW_MS + 200_000_000, NOW_MS).startswith("2023-11-1")


def test_what_is_default_is_not_told_and_the_rest_is() -> None:
    assert terms() == ""
    assert terms(max_players=1, start="ready", min_players=1) == ""
    told = terms(
        start="at", start_at=NOW_MS + 15_120_000, limit_ms=900_000, rank_by="moves", sealed=True, undo=False,
        late=True, password=True, spectators="delayed", delay_ms=30_000, chat=False, after_win_ms=60_000,
    )  # fmt: skip
    clock = clock_text(NOW_MS + 15_120_000, NOW_MS)
    assert told == (
        f"sealed · fewest moves win · starts {clock} (in 4 h 12 min) · limit 15 min · ends 1 min after the "
        "first win · late entry · no undo · spectators see games 30 s later · no chat · password"
    )
    for lang in ("en", "da", "de"):
        for name in RULES:
            value: Any = {"start": "own", "rank_by": "moves", "spectators": "none"}.get(name, NOW_MS)
            assert terms_line({**DEFAULTS, name: value}, NOW_MS, lang) or name in (  # type: ignore[arg-type]
                "name", "deal", "variant", "visibility", "max_players", "delay_ms",
            )  # fmt: skip


def test_changes_are_told_as_they_are_typed() -> None:
    assert change_text("limit_ms", 600_000, NOW_MS, "en") == "limit = 10 min"
    assert change_text("password", True, NOW_MS, "en") == "password set"
    assert change_text("password", None, NOW_MS, "en") == "no password"
    assert change_text("undo", False, NOW_MS, "en") == "undo = no"
    assert change_text("close_at", None, NOW_MS, "en") == "close-at = none"
    assert change_text("max_players", 9, NOW_MS, "en") == "max-players = 9"
    clock = clock_text(NOW_MS + 1, NOW_MS)
    assert change_text("start_at", NOW_MS + 1, NOW_MS, "en") == f"start-at = {clock}"


def hint(state: str = "lobby", you: Any = ("player",), **options: Any) -> Any:
    known = RaceState()
    known.me = "ID-Bo"
    rows = [row(1, "Bo", status="waiting")]
    known.fold(
        room(state=state, you=list(you), options=options, board=wire.BoardData(seq=1, at=1, rows=rows))
    )
    found = first_hint(known)
    return found[0] if found else None


def test_each_is_told_what_to_type() -> None:
    assert hint() == "get_ready"
    assert hint(you=("host", "player")) == "host_start"
    assert hint(start="ready", you=("host", "player")) == "get_ready"
    assert hint(start="own") == "get_ready_own"
    assert hint("running", start="own") == "get_ready_own"
    assert hint(start="at", start_at=NOW_MS) == "starts_by_itself"
    assert hint(start="at", start_at=NOW_MS, you=("host",)) == "starts_by_itself"
    assert hint(you=("spectator",)) == "help_hint"
    assert hint("running", you=("spectator",)) == "help_hint"
    assert hint(start="ready", you=("host",)) == "help_hint"
    assert hint("running") is None


@pytest.mark.parametrize(
    ("option", "value", "key"),
    [
        ("limit", "0.01", "out_of_range"), ("countdown", "61", "out_of_range"),
        ("delay", "0", "out_of_range"),
        ("limit", "nan", "no_number"), ("limit", "inf", "no_number"), ("limit", "x", "no_number"),
        ("start-at", "2020-01-01T00:00", "moment_past"), ("close-at", "2030-01-01T00:00", "moment_far"),
        ("start", "at", "start_at_set"),
    ],
)  # fmt: skip
def test_values_are_judged_in_the_units_they_are_typed_in(option: str, value: str, key: str) -> None:
    with pytest.raises(SettingError) as error:
        read_setting(option, value, NOW_MS)
    assert error.value.key == key


def test_the_range_is_told_in_the_unit() -> None:
    with pytest.raises(SettingError) as error:
        read_setting("limit", "0.01", NOW_MS)
    assert error.value.values == {"text": "limit", "allowed": "0, 0.17-10080 min"}
    assert read_setting("limit", "0.17", NOW_MS) == {"limit_ms": 10_200}
    assert read_setting("limit_ms", "600000", NOW_MS) == {"limit_ms": 600_000}
    assert read_setting("after-win", "2", NOW_MS) == {"after_win_ms": 120_000}
    assert read_setting("delay", "30", NOW_MS) == {"delay_ms": 30_000}
    assert read_setting("start-at", "+15", NOW_MS) == {"start": "at", "start_at": NOW_MS + 900_000}
    assert [typed_name(name) for name in ("limit_ms", "rank_by")] == ["limit", "rank-by"]


def shown(capsys: pytest.CaptureFixture[str], *messages: wire.Message, tables: bool = True) -> list[str]:
    state = RaceState()
    state.me = "ID-Ada"
    screen = LineScreen(Output(), "en", state, tables=tables)
    for message in messages:
        state.fold(message)
        screen.message(message)
    return capsys.readouterr().out.splitlines()


def test_terms_and_end_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    options = {**DEFAULTS, "limit_ms": 900_000}
    started = event(2, "started", start_at=1000, ends_at=901_000)
    lines = shown(capsys, room(options=options), started)
    assert lines[1] == "limit 15 min"
    assert "It ends in 15 min." in lines


def test_giving_up_says_how_it_is_taken_back(capsys: pytest.CaptureFixture[str]) -> None:
    gone = event(2, "forfeited", player="ID-Ada")
    running = room(state="running")
    assert any("“unforfeit” within 60 s" in line for line in shown(capsys, running, gone))
    assert not any("unforfeit" in line for line in shown(capsys, running, gone, tables=False))
    other = event(2, "forfeited", player="ID-Bo")
    assert not any("unforfeit" in line for line in shown(capsys, running, other))


def game(n: int, redeals: int = 3, **more: Any) -> wire.GameState:
    """A game in which no card can move."""
    piles = [[rank + suit, 6] for suit in "SHDC" for rank in "2468"]
    values: dict[str, Any] = {
        "n": n, "piles": piles, "up": [9] * 4, "down": [2] * 4, "redeals": redeals, "moves": n, "undone": 0,
        "undoable": n, "status": "playing", "start_at": 0,
    }  # fmt: skip
    return wire.GameState(**{**values, **more})


def test_who_comes_back_is_told_that_the_game_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    running = room(state="running")
    back = "You are back: your game goes on, and its clock ran on meanwhile."
    assert shown(capsys, running, game(7), game(7)).count(back) == 1
    assert back not in shown(capsys, running, game(0), game(7))


def test_where_no_card_can_move_a_redeal_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    done = wire.Done(
        n=8,
        op="m",
        src=0,
        dst=1,
        changed=[],
        redeals=3,
        moves=8,
        undone=0,
        undoable=1,
        status="playing",
        ms=1,
    )
    lines = shown(capsys, room(state="running"), game(7), done)
    assert lines[-1] == "No card can move: R redeals (3 left), U takes back."
    nothing = shown(capsys, room(state="running", options={"undo": False}), game(7), done)
    assert nothing[-1] == "No card can move: R redeals (3 left)."


def test_who_leaves_a_running_race_keeps_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    left = event(2, "left", player="ID-Bo", name="Bo")
    assert "Bo is away; their game is kept." in shown(capsys, room(state="running"), left)
    assert "Bo has left." in shown(capsys, room(), left)


def test_a_spectator_s_words_have_a_speaker(capsys: pytest.CaptureFixture[str]) -> None:
    said = wire.Said(room=room().room, at=1, player="ID-X", name="", text="hi")
    assert "<Somebody> hi" in shown(capsys, room(), said)


def test_the_clock_of_a_closed_race_stands(capsys: pytest.CaptureFixture[str]) -> None:
    from server.engine.codes import parse_code
    from server.engine.game import Game

    closed = room(state="closed", now=1000 + 3_600_000)
    lines = shown(capsys, closed, game_message(Game.deal(parse_code("CR1-N-AAAAAAB"))))
    head = next(line for line in lines if line.startswith("moves 0"))
    assert head.endswith("00:00.000")


def test_after_the_close_nobody_s_leaving_is_news(capsys: pytest.CaptureFixture[str]) -> None:
    gone = wire.Presence(room=room().room, player="ID-Bo", online=False)
    assert "Bo is offline." in shown(capsys, room(state="running"), gone)
    assert "Bo is offline." not in shown(capsys, room(state="closed"), gone)


def test_the_close_s_words_are_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    closed = event(2, "closed", reason="host", text="enough")
    assert "The race is closed: the host closed it. “enough”" in shown(capsys, room(state="running"), closed)
    alone = room(state="running", options={"max_players": 1})
    assert "The race is over." in shown(capsys, alone, event(2, "closed", reason="host"))


def test_a_wait_of_no_length_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    screen = LineScreen(Output(), "en", RaceState())
    screen.notice(Lost(None, "", 0.04))
    screen.notice(Lost(None, "", 2.2))
    out = capsys.readouterr().out
    assert "Trying again; your" in out
    assert "Trying again in 2 s; your" in out


def test_only_people_are_told_what_a_blocked_game_needs(capsys: pytest.CaptureFixture[str]) -> None:
    done = wire.Done(
        n=1, op="r", src=None, dst=None, changed=[], redeals=0, moves=1, undone=0, undoable=0,
        status="blocked", ms=1,
    )  # fmt: skip
    assert any("blocked" in line for line in shown(capsys, room(state="running"), done))
    assert not any("blocked" in line for line in shown(capsys, room(state="running"), done, tables=False))
