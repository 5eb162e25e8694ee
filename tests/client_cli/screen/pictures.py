"""Pictures of screens as SVG: kept beside the tests, and compared with what is seen now.

`CRESCENT_SNAPSHOTS=write` keeps what is seen now. Look at the pictures before you commit them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from textual.app import App


def normal(svg: str) -> str:
    """An SVG without what textual makes anew for each: the names of its styles begin with a number."""
    return re.sub(r"terminal-\d+", "terminal", svg)


def picture(app: App[int]) -> str:
    """What is seen now."""
    return normal(app.export_screenshot(title="crescent"))


def compare(svg: str, file: Path, seen_folder: Path) -> None:
    """The picture in `file` must be this one; what is seen is left in the other folder."""
    if os.environ.get("CRESCENT_SNAPSHOTS") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(svg, encoding="utf-8")
    seen = seen_folder / file.name
    seen.write_text(svg, encoding="utf-8")
    assert file.exists(), f"there is no {file}; what is seen is in {seen}"
    assert svg == file.read_text(encoding="utf-8"), f"{file} is not what is seen, which is in {seen}"
