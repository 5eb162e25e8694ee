"""A disk whose `fsync` is slow, for a Valkey of the tests: a library of 20 lines put before the system's.

It is made where there is a C compiler. Nothing that needs none does the same: a stopped process (SIGSTOP) is
slow in everything, and slow block devices take a superuser.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")


def why_not() -> str:
    """Why there can be no slow disk on this machine; empty where there can."""
    if sys.platform != "linux":
        return "a slow disk is made by LD_PRELOAD, which is Linux's"
    if shutil.which("cc") is None:
        return "a slow disk needs a C compiler, and there is no `cc`"
    return ""


def slow_disk(directory: Path, milliseconds: int) -> dict[str, str]:
    """The environment in which each `fsync` takes so much longer; the library is made in `directory`."""
    library = directory / "slow_disk.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return {"LD_PRELOAD": str(library), "SLOW_DISK_MS": str(milliseconds)}
