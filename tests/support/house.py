"""What the tests of the files around the code share."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def read(name: str) -> str:
    """A file of the tree."""
    return (ROOT / name).read_text(encoding="utf-8")


def make_targets() -> set[str]:
    """The targets people may name."""
    found = re.search(r"^\.PHONY:(.*)$", read("Makefile"), re.MULTILINE)
    assert found is not None
    return set(found[1].split())
