"""What a shell completes, asked the way its own script asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from client_cli.__main__ import PROGRAM, app
from client_cli.completing import known_identities, known_rooms
from client_cli.identity import CONFIG_VARIABLE

ROOT = Path(__file__).parents[2]
RUN_S = 60.0


def asked_of(shell: str, line: str) -> dict[str, str]:
    """How a shell's script asks what fits the last word of a line."""
    if shell == "bash":
        words = line.split(" ")
        asked = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    else:
        asked = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    return {**asked, "_CRESCENT_COMPLETE": f"complete_{shell}"}


def ask(tmp_path: Path, **asked: str) -> str:
    environment = {"LANG": "C.UTF-8", CONFIG_VARIABLE: str(tmp_path), **asked}
    return CliRunner().invoke(app, [], env=environment, prog_name=PROGRAM).output


def kept(tmp_path: Path) -> None:
    folder = tmp_path / "identities" / "here-0"
    folder.mkdir(parents=True)
    (folder / "default.json").write_text(json.dumps({"token": "t", "name": "Ada", "room": "7K3M9QXT"}))
    (folder / "bot-2.json").write_text(json.dumps({"token": "t", "name": "Bo", "room": None}))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("crescent re", ["replay"]),
        ("crescent bot ROOM --strategy ", ["random", "greedy", "careful"]),
        ("crescent play 7", ["7K3M9QXT"]),
    ],
)
def test_each_shell_is_offered_what_there_is(
    tmp_path: Path, shell: str, line: str, offered: list[str]
) -> None:
    kept(tmp_path)
    told = ask(tmp_path, **asked_of(shell, line))
    assert all(word in told for word in offered)
    assert "verify" not in told


def test_the_program_itself_completes_an_option(tmp_path: Path) -> None:
    kept = {name: v for name, v in os.environ.items() if not name.startswith(("CRESCENT_", "LC_", "LANG"))}
    asked = asked_of("bash", "crescent bot ROOM --str")
    done = subprocess.run(
        [sys.executable, "-m", "client_cli"], cwd=ROOT, env={**kept, **asked, CONFIG_VARIABLE: str(tmp_path)},
        capture_output=True, text=True, timeout=RUN_S, check=False,
    )  # fmt: skip
    assert (done.stdout.split(), done.stderr) == (["--strategy"], "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_asks_that_way(tmp_path: Path, shell: str) -> None:
    script = ask(tmp_path, _CRESCENT_COMPLETE=f"source_{shell}")
    assert "_CRESCENT_COMPLETE=complete_" in script
    assert "crescent" in script


def test_rooms_and_identities_come_from_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path))
    assert known_rooms("") == []
    kept(tmp_path)
    assert known_rooms("7k") == ["7K3M9QXT"]
    assert known_rooms("8") == []
    assert known_identities("") == ["bot-2", "default"]
    assert known_identities("b") == ["bot-2"]
    (tmp_path / "identities" / "here-0" / "bot.json").write_text("{")
    assert "default" in known_identities("d")
