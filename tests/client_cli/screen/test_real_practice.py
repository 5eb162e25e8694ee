"""`crescent solo` at a real terminal, with the server it starts for itself."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client_cli.own_servers import servers
from tests.client_cli.screen.real_terminal import SCREEN_OFF, SCREEN_ON, RealTerminal
from tests.support.server import end_store

CODE = "CR1-N-AAAAAAB"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks its processes up in /proc")


def solo(tmp_path: Path, *options: str) -> RealTerminal:
    return RealTerminal(
        tmp_path, "solo", CODE, "--name", "Ada", *options, XDG_DATA_HOME=str(tmp_path / "data")
    )


def logs_of(terminal: RealTerminal) -> list[str]:
    """The logs' files, as told when the screen has gone."""
    return [found.decode() for found in re.findall(rb"crescent verify (\S+)", terminal.raw)]


def agrees(log: str) -> bool:
    done = subprocess.run(
        [sys.executable, "-m", "client_cli", "verify", log], capture_output=True, text=True, check=False
    )
    return done.returncode == 0


def test_two_deals_and_their_logs(tmp_path: Path) -> None:
    with solo(tmp_path) as ada:
        ada.see(CODE, "home 8/104", "redeal (3)", "q end")
        ada.press("r")
        ada.see("r once more")
        ada.press("r")
        ada.until(lambda: "redeals 2" in ada.text and "unconfirmed" not in ada.text, "the redeal")
        ada.press("g", "g")
        ada.see("gave up", "What happened", "n another deal")
        ada.press("n")
        ada.until(lambda: "redeal (3)" in ada.text and "home 8/104" in ada.text, "another deal")
        ada.press("q")
        ada.see("End the practice?")
        ada.press("q")
        assert ada.end() == 0
        assert ada.is_given_back()
        logs = logs_of(ada)
        assert len(logs) == 2
        assert [agrees(log) for log in logs] == [True, True]
        assert CODE in Path(logs[0]).read_text()
        assert servers(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_ends_it_leaves_the_terminal_as_it_was_and_the_log(
    tmp_path: Path, number: signal.Signals
) -> None:
    with solo(tmp_path) as ada:
        ada.see("home 8/104", "redeal (3)")
        ada.signal(number)
        assert ada.end() == 130
        assert ada.is_given_back()
        (log,) = logs_of(ada)
        assert agrees(log)
        assert servers(tmp_path) == []


def test_a_server_that_dies_is_told_once_the_screen_has_gone(tmp_path: Path) -> None:
    with solo(tmp_path) as ada:
        ada.see("home 8/104", "redeal (3)")
        for pid in servers(tmp_path, "server\0--port"):
            os.kill(pid, signal.SIGKILL)
        assert ada.end() == 3
        after = ada.raw.rpartition(SCREEN_OFF)[2].decode()
        assert "The server for practice does not run (exit -9)" in after
        assert logs_of(ada) == []
        (record,) = (tmp_path / "data").rglob("valkey.pid")
        end_store(record.parent)


def test_lines_are_there_for_who_asks_for_them(tmp_path: Path) -> None:
    with solo(tmp_path, "--lines") as ada:
        ada.see("Practice, alone", "home 8/104")
        assert SCREEN_ON not in ada.raw
        ada.press(*"quit", "enter")
        assert ada.end() == 0
        assert len(logs_of(ada)) == 1
