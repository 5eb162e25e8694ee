"""A disk whose `fsync` is slow, for a Valkey of the tests. Nothing else does the same: a stopped process
(SIGSTOP) is slow in everything, and slow block devices take a superuser."""

from __future__ import annotations

from pathlib import Path

from tests.support import preload

SOURCE = Path(__file__).with_suffix(".c")


def why_not() -> str:
    """Why there can be no slow disk on this machine; empty where there can."""
    return preload.why_not("a slow disk")


def slow_disk(directory: Path, milliseconds: int) -> dict[str, str]:
    """The environment in which each `fsync` takes so much longer; the library is made in `directory`."""
    return {"LD_PRELOAD": str(preload.made(SOURCE, directory)), "SLOW_DISK_MS": str(milliseconds)}
