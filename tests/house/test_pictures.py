"""The pictures in the README are what the screen shows: the snapshots, without the fonts from elsewhere.

`CRESCENT_SNAPSHOTS=write` makes them anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCREEN = ROOT / "tests/client_cli/screen"
PICTURES = {
    "lobby.svg": "snapshots_around/lobby-80x24.svg",
    "race.svg": "snapshots/race-80x24.svg",
    "result.svg": "snapshots_around/result-80x24.svg",
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_the_snapshot(name: str) -> None:
    snapshot = re.sub(r" *@font-face \{.*?\}\n", "", (SCREEN / PICTURES[name]).read_text(), flags=re.DOTALL)
    picture = ROOT / "docs/images" / name
    if os.environ.get("CRESCENT_SNAPSHOTS") == "write":
        picture.write_text(snapshot)
    assert "http" not in snapshot.replace("http://www.w3.org", "").replace("https://www.textualize.io", "")
    assert picture.read_text() == snapshot
    assert f"docs/images/{name}" in (ROOT / "README.md").read_text()
