"""`crescent` alone, and `crescent replay`, at a real terminal and without one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.client_cli.screen.real_terminal import RealTerminal
from tests.client_cli.screen.still_around import log_lines


def test_crescent_alone_opens_the_lobby(race_server: Any, tmp_path: Path) -> None:
    with RealTerminal(tmp_path, CRESCENT_SERVER=race_server.url) as terminal:
        terminal.see("You are “", "q leave")
        terminal.press("o")
        terminal.see("Open a room", "I play too")
        terminal.press("enter")
        terminal.see("s starts the race")
        terminal.press("q")
        terminal.see("g goes on in room")
        terminal.press("q")
        assert terminal.end() == 0
        assert terminal.is_given_back()


def test_a_log_is_seen_again_and_its_keys_are_on_the_screen(tmp_path: Path) -> None:
    log = tmp_path / "race.jsonl"
    log.write_bytes(b"".join(log_lines()))
    with RealTerminal(tmp_path, "replay", str(log), "--player", "Bo", "--at", "0:08") as terminal:
        terminal.see("Replay of room 4F7K2M9Q", "00:08.000 of 01:39.200", "Bo's table", "Space run")
        terminal.press("right")
        terminal.see("00:08.800")
        terminal.press("q")
        assert terminal.end() == 0


def test_without_a_terminal_the_lobby_says_what_to_type_instead() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "client_cli", "lobby"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "The lobby needs a terminal" in done.stderr
    assert "crescent play ROOM" in done.stderr
