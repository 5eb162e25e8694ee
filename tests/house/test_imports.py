"""Imports run downwards: the contracts in `pyproject.toml` hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.house import ROOT


def test_every_contract_is_kept() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " 0 broken" in ran.stdout
