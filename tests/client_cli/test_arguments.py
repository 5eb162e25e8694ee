"""Arguments and variables that are not UTF-8."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from client_cli.__main__ import app
from client_cli.arguments import readable, readable_arguments, with_command

ROOT = Path(__file__).parents[2]
BAD = b"B\xf6"


def crescent(tmp_path: Path, *args: bytes, **more: str) -> subprocess.CompletedProcess[bytes]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CRESCENT_")}
    return subprocess.run(
        [sys.executable.encode(), b"-m", b"client_cli", *args], cwd=ROOT, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=30, check=False,
        env={**kept, "CRESCENT_CONFIG_DIR": str(tmp_path), "LANG": "C.UTF-8", **more},
    )  # fmt: skip


def test_what_is_no_utf_8_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    assert readable("Bö ♠") == "Bö ♠"
    assert readable(os.fsdecode(BAD)) == "B\ufffd"
    monkeypatch.setenv("CRESCENT_PASSWORD", os.fsdecode(BAD))
    assert readable_arguments(["crescent", os.fsdecode(BAD)]) == ["crescent", "B\ufffd"]
    assert os.environ["CRESCENT_PASSWORD"] == "B\ufffd"


@pytest.mark.parametrize("option", [b"--name", b"--password"])
def test_a_name_that_is_none_ends_in_words(race_server: Any, tmp_path: Path, option: bytes) -> None:
    told = crescent(tmp_path, b"play", b"ABCDEFGH", option, BAD, b"--server", race_server.url.encode())
    assert told.returncode == 1
    assert b"no room" in told.stderr
    assert b"Traceback" not in told.stderr


def test_a_server_and_a_variable_too(tmp_path: Path) -> None:
    for told in (
        crescent(tmp_path, b"rooms", b"--server", BAD),
        crescent(tmp_path, b"rooms", CRESCENT_SERVER=os.fsdecode(BAD)),
        crescent(tmp_path, b"deal", BAD),
    ):
        assert told.returncode in (2, 3)
        assert b"Traceback" not in told.stderr


@pytest.mark.parametrize(
    ("typed", "means"),
    [
        ("", "lobby"),
        ("--server x", "lobby --server x"),
        ("--server=x --lang da", "lobby --server=x --lang da"),
        ("--name play", "lobby --name play"),
        ("--name Ada play ROOM", "play --name Ada ROOM"),
        ("--lines play ROOM", "play --lines ROOM"),
        ("--no-undo --server x host", "host --no-undo --server x"),
        ("play ROOM --server x", "play ROOM --server x"),
        ("--server x nonsense", "lobby --server x nonsense"),
        ("--help", "--help"),
        ("--version", "--version"),
        ("--show-completion bash", "--show-completion bash"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_command_may_follow_its_options_and_without_one_it_is_the_lobby(typed: str, means: str) -> None:
    program = typer.main.get_command(app)
    assert with_command(program, typed.split(), "lobby") == means.split()
