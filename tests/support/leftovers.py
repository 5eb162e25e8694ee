"""What tests leave behind: processes that they started, and files outside of pytest's own folders."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 10.0  # a process that was told to end may still be at it
POLL_S = 0.05


@contextmanager
def none_left(kept: Path) -> Iterator[None]:
    """Whatever is started and made in here must be gone at the end; what is in `kept` only has to be still.

    Meanwhile this process and those that it starts have a folder of their own for temporary files.
    """
    before = os.environ.get("TMPDIR")
    folder = Path(tempfile.mkdtemp(prefix="tests-")).resolve()
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    try:
        yield
    finally:
        give_up_at = time.monotonic() + PATIENCE_S
        while (running := still_running(folder, kept)) and time.monotonic() < give_up_at:
            time.sleep(POLL_S)
        files = sorted(path.name for path in folder.iterdir())
        shutil.rmtree(folder, ignore_errors=bool(running))
        tempfile.tempdir = None
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before
    assert not running, f"still running: {running}"
    assert not files, f"left in the folder for temporary files: {files}"


def still_running(folder: Path, kept: Path) -> list[str]:
    """Processes whose folder for temporary files is this one, and those that are at home in either, as a
    store is in its data; where there is no /proc, none."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes().split(b"\0")
            home = (process / "cwd").readlink()
            command = (process / "cmdline").read_bytes()
        except OSError:  # gone meanwhile, or somebody else's
            continue
        if b"multiprocessing.resource_tracker" in command:  # Python's own, which ends with this process
            continue
        ours = f"TMPDIR={folder}".encode() in environment or home.is_relative_to(folder)
        if (ours or home.is_relative_to(kept)) and command and int(process.name) != os.getpid():
            found.append(f"{process.name} in {home}: {command.replace(bytes(1), b' ').decode().strip()}")
    return found
