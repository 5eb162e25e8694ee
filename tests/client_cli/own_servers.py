"""The servers that practices have started for themselves, found in /proc."""

from __future__ import annotations

from pathlib import Path


def servers(tmp_path: Path, program: str = "") -> list[int]:
    """The processes that have this test's directory, and the program, in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(tmp_path / "data").encode() in command and program.encode() in command:
                found.append(int(entry.name))
    return found
