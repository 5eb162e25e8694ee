"""The Makefile's promises: what it offers, and what it says when it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.house import ROOT, make_targets

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")

PYTHON_39 = """#!/bin/sh
exec {python} -c 'import sys; sys.version_info = (3, 9, 2); sys.version = "3.9.2"; exec(sys.argv[1])' "$2"
"""
WITHOUT_VENV = """#!/bin/sh
exec {python} -c 'import importlib.util as u, sys; u.find_spec = lambda name: None; exec(sys.argv[1])' "$2"
"""


def make(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(
        command, cwd=where, env=clean, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A checkout in which nothing was set up yet."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def refusal(fresh: Path, python: str) -> str:
    ran = make(fresh, "check", f"PYTHON={python}")
    assert ran.returncode != 0
    assert not (fresh / ".venv").exists()
    lines = [line for line in ran.stderr.splitlines() if not line.startswith("make:")]
    assert len(lines) == 1, ran.stderr
    return lines[0]


def test_without_a_target_it_says_what_there_is(fresh: Path) -> None:
    ran = make(fresh)
    assert ran.returncode == 0
    assert not (fresh / ".venv").exists()
    for target in ("run", "demo", "test", "check", "bench"):
        assert f"make {target} " in ran.stdout


@pytest.mark.parametrize("target", sorted(make_targets()))
def test_every_target_can_be_made(fresh: Path, target: str) -> None:
    assert make(fresh, "--dry-run", "-j4", target).returncode == 0


def test_set_up_is_done_once_and_again_when_the_project_file_is_newer(fresh: Path) -> None:
    (fresh / ".venv").mkdir()
    stamp = fresh / ".venv" / ".installed"
    stamp.touch()
    os.utime(fresh / "pyproject.toml", (1, 1))
    assert "pip" not in make(fresh, "--dry-run", "run").stdout
    os.utime(stamp, (0, 0))
    assert "pip" in make(fresh, "--dry-run", "run").stdout


def test_an_older_python_is_refused_in_a_sentence(fresh: Path) -> None:
    old = fresh / "python-old"
    old.write_text(PYTHON_39.format(python=sys.executable))
    old.chmod(0o755)
    said = refusal(fresh, str(old))
    assert "3.11" in said
    assert "3.9.2" in said


def test_a_python_without_venv_is_refused_in_a_sentence(fresh: Path) -> None:
    bare = fresh / "python-bare"
    bare.write_text(WITHOUT_VENV.format(python=sys.executable))
    bare.chmod(0o755)
    assert "venv" in refusal(fresh, str(bare))


def test_a_missing_python_is_refused_in_a_sentence(fresh: Path) -> None:
    assert "no-such-python" in refusal(fresh, "no-such-python")


def test_arguments_are_passed_on(fresh: Path) -> None:
    assert "-m server --port 9000" in make(fresh, "--dry-run", "run", "ARGS=--port 9000").stdout


def test_ci_runs_the_same_command() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    assert script.read_text().rstrip().endswith("make test")
