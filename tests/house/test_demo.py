"""`python -m demo`: ends by itself, is honest about what it found, and leaves nothing running."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from demo.audit import BrokenLog, compare, fold_room, replay
from protocol.messages import Row
from server.rooms.events import Created, Joined, Started
from server.rooms.options import Options
from server.rooms.standings import Entry
from server.store.records import ActionRecord, next_tip, pack_action, pack_event
from server.store.records import Entry as LogEntry
from tests.support.golden import SHORTEST_WIN
from tests.support.house import ROOT

DEMO_S = 100


def start_demo(tmp_path: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "TERM": "dumb"}
    return subprocess.Popen(
        [sys.executable, "-m", "demo"],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def processes_about(path: Path) -> list[str]:
    """The command lines in which a path stands, of whatever runs."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(path) in command:
            found.append(command)
    return found


def test_the_board_agrees_with_the_logs_and_nothing_is_left(tmp_path: Path) -> None:
    began = time.monotonic()
    out, errors = start_demo(tmp_path).communicate(timeout=DEMO_S)
    assert "4 logs replayed: the board agrees" in out, out + errors
    assert errors == ""
    lines = out.splitlines()
    board = lines[next(i for i, line in enumerate(lines) if line.startswith("#")) + 1 :][:4]
    assert [line.split()[0] for line in board] == ["1", "2", "3", "4"]
    assert re.search(r"won +104/104", board[0])
    assert time.monotonic() - began < 60
    assert list(tmp_path.iterdir()) == []
    assert processes_about(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_interrupted_it_puts_everything_away(tmp_path: Path, number: signal.Signals) -> None:
    process = start_demo(tmp_path)
    assert process.stdout is not None
    line = process.stdout.readline()  # the server runs, the bots are being started
    assert line.startswith("Room"), line
    process.send_signal(number)
    _, errors = process.communicate(timeout=DEMO_S)
    assert process.returncode == 130
    assert errors == ""
    assert list(tmp_path.iterdir()) == []
    assert processes_about(tmp_path) == []


# The audit itself

START_AT = 1_000_000


def stored(payloads: list[bytes], stamps: list[int]) -> list[LogEntry]:
    entries, tip = [], ""
    for n, (payload, stamp) in enumerate(zip(payloads, stamps, strict=True), start=1):
        tip = next_tip(tip, payload)
        entries.append(LogEntry(n, tip, stamp, payload))
    return entries


def a_room() -> list[LogEntry]:
    events = [
        Created(by="P1", options=Options(), deal=SHORTEST_WIN.code),
        Joined(player="P1", name="Ada", role="player"),
        Started(start_at=START_AT),
    ]
    return stored([pack_event(event) for event in events], [1, 2, START_AT])


def a_game(count: int) -> list[LogEntry]:
    actions = SHORTEST_WIN.actions[:count]
    payloads = [pack_action(ActionRecord(a.op, a.src, a.place, a.dst)) for a in actions]
    return stored(payloads, [START_AT + 10 * n for n in range(1, len(payloads) + 1)])


def a_row(entry: Entry) -> Row:
    return Row(
        rank=1, player=entry.player, name=entry.name, status="won", moves=entry.moves, undone=entry.undone,
        redeals=entry.redeals, home=entry.home, ms=entry.ms, online=True,
    )  # fmt: skip


def test_a_won_game_is_replayed_to_its_win() -> None:
    log = a_game(len(SHORTEST_WIN.actions))
    entry = replay(fold_room("R", a_room()), SHORTEST_WIN.code, "P1", log)
    assert (entry.status, entry.home, entry.ms) == ("won", 104, 10 * len(log))
    assert compare(a_row(entry), 1, entry) == []


@pytest.mark.parametrize("field", ["rank", "moves", "undone", "redeals", "home", "ms"])
def test_a_figure_that_differs_is_named(field: str) -> None:
    log = a_game(len(SHORTEST_WIN.actions))
    entry = replay(fold_room("R", a_room()), SHORTEST_WIN.code, "P1", log)
    row = a_row(entry)
    setattr(row, field, getattr(row, field) + 1)
    (difference,) = compare(row, 1, entry)
    assert "Ada" in difference
    assert field in difference


def test_a_log_that_was_tampered_with_is_broken() -> None:
    log = a_game(10)
    log[4] = log[4]._replace(payload=pack_action(ActionRecord("r", 0, 0, 0)))
    with pytest.raises(BrokenLog, match="Entry 5"):
        replay(fold_room("R", a_room()), SHORTEST_WIN.code, "P1", log)


def test_a_log_that_breaks_the_rules_is_broken() -> None:
    log = stored([pack_action(ActionRecord("m", 0, 0, 0))], [START_AT])
    with pytest.raises(BrokenLog, match="breaks the rules"):
        replay(fold_room("R", a_room()), SHORTEST_WIN.code, "P1", log)
