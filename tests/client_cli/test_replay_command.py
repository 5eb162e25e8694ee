"""`crescent replay` as people and programs run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from client_cli.__main__ import PROGRAM, app
from client_cli.durations import race_time_ms
from tests.support.golden import SHORTEST_WIN
from tests.support.table import Table

ROOT = Path(__file__).parents[2]
RUN_S = 60.0


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A log of two who play the same twenty moves, the one a second after the other."""
    table = Table(SHORTEST_WIN.code)
    moves = []
    for action in SHORTEST_WIN.actions[:20]:
        table.play(action.op, action.src, action.place)
        name = (
            f"{'AK'[action.place >= 20]}{'SHDC'[action.place % 4]}"
            if action.place >= 16
            else str(action.place + 1)
        )
        moves.append(f"{action.src + 1}>{name}" if action.src < 16 else "")
    assert all(moves)
    header = {"room": "7K3M9QXT", "options": {}, "code": SHORTEST_WIN.code, "events": [], "board": []}
    players = [
        {
            "player": f"ID-{name}",
            "name": name,
            "log": [[late + 2000 * n, move] for n, move in enumerate(moves, 1)],
        }
        for name, late in (("Ada", 0), ("Bo\x1b[2J", 1000))
    ]
    path = tmp_path_factory.mktemp("replay") / "race.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in (header, *players)))
    return str(path)


def replay(*args: str, typed: str = "") -> tuple[int, str, str]:
    kept = {name: v for name, v in os.environ.items() if not name.startswith(("CRESCENT_", "LC_", "LANG"))}
    done = subprocess.run(
        [sys.executable, "-m", "client_cli", "replay", *args], cwd=ROOT, env={**kept, "LANG": "C.UTF-8"},
        input=typed, capture_output=True, text=True, timeout=RUN_S, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_a_moment_of_it(log: str) -> None:
    code, out, complaints = replay(log, "--at", "0:20.5", "--player", "ada")
    assert (code, complaints) == (0, "")
    assert "\x1b" not in out
    lines = out.splitlines()
    assert lines[0].startswith(f"The race of room 7K3M9QXT, deal {SHORTEST_WIN.code}, 00:41.000 long.")
    assert lines[1] == "At 00:20.500:"
    assert lines[2].startswith("Ada")
    assert lines[3].startswith("Bo[2J")
    assert lines[4] == "Ada's table at 00:20.500:"
    assert len(lines) == 15  # and the horseshoe


def test_what_is_typed_is_done(log: str) -> None:
    typed = "\nnext\nback\n+10\n-4.5\n0:30\nend\nstart\nshow bo[2J\npiles\nshow Cy\nnonsense\nhelp\nquit\n"
    code, out, complaints = replay(log, "--json", "--player", "Ada", typed=typed)
    assert (code, complaints) == (0, "")
    told = [json.loads(line) for line in out.splitlines()]
    moments = [line["moment"] for line in told if "moment" in line]
    assert [moment["at_ms"] for moment in moments] == [
        0, 2000, 3000, 2000, 12_000, 7500, 30_000, 41_000, 0, 0
    ]  # fmt: skip
    assert [player["n"] for player in moments[4]["players"]] == [6, 5]
    assert [line["notice"] for line in told if "notice" in line] == [
        "unknown_name", "unknown_name", "replay_unknown", "replay_help"
    ]  # fmt: skip


def test_by_itself_in_a_thousandth_of_the_time(log: str) -> None:
    code, out, complaints = replay(log, "--speed", "1000", "--json")
    assert (code, complaints) == (0, "")
    told = [json.loads(line) for line in out.splitlines()]
    steps = [line["step"] for line in told if "step" in line]
    assert [step["ms"] for step in steps] == [ms for n in range(1, 21) for ms in (2000 * n, 2000 * n + 1000)]
    assert {step["name"]: step["n"] for step in steps} == {"Ada": 20, "Bo\x1b[2J": 20}
    assert told[-1]["moment"]["at_ms"] == 41_000


def test_for_a_screen_reader_what_has_changed(log: str) -> None:
    code, out, complaints = replay(log, "--plain", "--lang", "da", typed="\n\nend\n")
    assert (code, complaints) == (0, "")
    assert "·" not in out
    assert "█" not in out
    first, *later = out.split("Ved ")[1:]
    assert first.count("bunke ") + first.count("Bunke ") >= 24
    assert later[0].splitlines()[0] == "2 sekunder:"
    assert 2 <= len(later[0].splitlines()) <= 4  # one player's cards, and the two places of a move
    assert later[1].splitlines()[0] == "3 sekunder:"


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["--at", "soon"], 2, "is no time of a race"),
        (["--speed", "0"], 2, "is no speed"),
        (["--player", "Cy"], 2, "Nobody here is called “Cy”"),
    ],
)
def test_what_cannot_be_is_said(log: str, args: list[str], code: int, said: str) -> None:
    ended = CliRunner().invoke(app, ["replay", log, *args, "--lang", "en"], prog_name=PROGRAM)
    assert (ended.exit_code, ended.stdout) == (code, "")
    assert said in ended.stderr


def test_no_log_is_said(tmp_path: Path) -> None:
    none = str(tmp_path / "none.jsonl")
    assert CliRunner().invoke(app, ["replay", none], prog_name=PROGRAM).exit_code == 2
    (tmp_path / "empty.jsonl").write_text(
        json.dumps({"room": "7K3M9QXT", "options": {}, "code": SHORTEST_WIN.code, "events": []})
    )
    ended, _, complaints = replay(str(tmp_path / "empty.jsonl"))
    assert ended == 1
    assert complaints.startswith("Nobody has a game in this log")


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("83", 83_000), ("83.5", 83_500), ("1:23", 83_000), ("1:02:03.250", 3_723_250), (" 0:05 ", 5000),
        ("", None), ("x", None), ("-1", None), ("1:", None), ("1:2:3:4", None), ("9" * 30, None),
    ],
)  # fmt: skip
def test_times_as_they_are_typed(text: str, ms: int | None) -> None:
    assert race_time_ms(text) == ms
