"""Libraries of a few lines that are put before the system's (`LD_PRELOAD`), for a Valkey of the tests. They
are made where there is a C compiler."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def why_not(what: str) -> str:
    """Why there can be no such thing on this machine, as a slow disk; empty where there can."""
    if sys.platform != "linux":
        return f"{what} is made by LD_PRELOAD, which is Linux's"
    if shutil.which("cc") is None:
        return f"{what} needs a C compiler, and there is no `cc`"
    return ""


def made(source: Path, directory: Path) -> Path:
    """The library of this C source, made in `directory`."""
    library = directory / f"{source.stem}.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"], check=True)
    return library
