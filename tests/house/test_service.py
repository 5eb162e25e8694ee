"""The systemd unit: it starts what there is, as systemd reads it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from server.__main__ import app
from server.node.workers import ENDING_S
from tests.support.house import read

UNIT = "deploy/crescent-server.service"


def settings() -> dict[str, str]:
    lines = [line for line in read(UNIT).splitlines() if "=" in line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def test_it_starts_the_server_with_options_that_there_are() -> None:
    program, *arguments = settings()["ExecStart"].split()
    assert program.endswith("/bin/crescent-server")
    known = {name for parameter in typer.main.get_command(app).params for name in parameter.opts}
    assert {word for word in arguments if word.startswith("--")} <= known
    variables = {parameter.envvar for parameter in typer.main.get_command(app).params}
    assert settings()["Environment"].partition("=")[0] in variables


def test_the_server_has_time_to_end_what_it_started() -> None:
    arguments = settings()["ExecStart"].split()
    drain_s = float(arguments[arguments.index("--drain") + 1])
    assert settings()["KillMode"] == "mixed", "else systemd ends the store before the nodes"
    assert float(settings()["TimeoutStopSec"]) >= drain_s + ENDING_S + 3 * 10, "the store has thrice 10 s"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze here")
def test_systemd_has_nothing_to_say_against_it(tmp_path: Path) -> None:
    copy = tmp_path / Path(UNIT).name
    copy.write_text(read(UNIT).replace("/opt/crescent/bin/crescent-server", sys.executable))
    ended = subprocess.run(
        ["systemd-analyze", "verify", copy], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
