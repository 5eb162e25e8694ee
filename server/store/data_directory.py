"""The data directory of the embedded store: who has it, and what is in it.

| file | what |
|---|---|
| `lock` | held by the parent for its life: one server a directory |
| `valkey.lock` | held by the child for *its* life, so an orphan is known, and known to be gone |
| `valkey.pid` | the child's pid and start time, and where its socket is |
| `valkey.sock` | the socket, unless its path would be too long for the system |
| `valkey.log` | what the child says; emptied at a start when it has grown large |
| `appendonlydir/` | the data |
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

# How often a condition that announces itself nowhere (a lock, an answer) is looked at again.
POLL_S = 0.02
LOG_BYTES_MAX = 1 << 20
# `sun_path` has room for 104 bytes on macOS and 108 on Linux, the closing NUL included.
SOCKET_PATH_BYTES_MAX = 103
SOCKET_NAME = "valkey.sock"
SOCKET_DIR_PREFIX = "crescent-"

# `123:M 30 Nov 2026 14:22:07.726 # `, the last sign being the level.
_LOG_PREFIX = re.compile(r"^\d+:[A-Z] \d+ \w+ \d+ [\d:.]+ (?P<level>[.*#-]) ")


class StoreStartError(Exception):
    """The embedded store cannot start. The message is one sentence: what is wrong, and what to do."""


@dataclass(frozen=True)
class Record:
    """What `valkey.pid` says."""

    pid: int | None
    started: str | None
    socket: str


def reason(error: OSError) -> str:
    """What the system says is wrong."""
    return error.strerror or str(error)


def made(data_dir: Path) -> Path:
    """The directory, made if need be, without links and dots: what the child calls its own too.

    Raises `StoreStartError`.
    """
    try:
        # It holds the seeds of sealed deals: nobody else's business.
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        return data_dir.resolve(strict=True)
    except OSError as error:
        raise StoreStartError(
            f"The data directory {data_dir} cannot be made ({reason(error)}): "
            "make it, or give another directory."
        ) from error


def take_directory(data_dir: Path) -> int:
    """Take the directory for this server: the lock's descriptor. Raises `StoreStartError`."""
    try:
        fd = try_lock(data_dir / "lock")
    except OSError as error:
        raise StoreStartError(
            f"The data directory {data_dir} cannot be written to ({reason(error)}): "
            "make it writable, or give another directory."
        ) from error
    if fd is None:
        raise StoreStartError(
            f"The data directory {data_dir} is in use by another server: "
            "stop that one, or give this one a directory of its own."
        )
    return fd


def try_lock(path: Path) -> int | None:
    """Take a lock; its file descriptor, or None when somebody has it."""
    import fcntl  # not on Windows, which has no embedded store

    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except OSError:
        os.close(fd)
        raise
    return fd


def unlock(fd: int) -> None:
    """Give a lock back."""
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)


async def lock_within(path: Path, seconds: float) -> int | None:
    """Take a lock as soon as it is free; None: it was not, for so long."""
    give_up_at = time.monotonic() + seconds
    while True:
        fd = try_lock(path)
        if fd is not None or time.monotonic() > give_up_at:
            return fd
        await asyncio.sleep(POLL_S)


def short_temporary_base() -> str:
    """Where temporary directories may be that have sockets in them."""
    base = tempfile.gettempdir()
    return base if len(os.fsencode(base)) <= SOCKET_PATH_BYTES_MAX // 2 else "/tmp"


def choose_socket(data_dir: Path) -> Path:
    """Where the store is to listen: in the directory, or, where that path is too long, in one of its own.

    Raises `StoreStartError`.
    """
    socket = data_dir / SOCKET_NAME
    if len(os.fsencode(socket)) <= SOCKET_PATH_BYTES_MAX:
        return socket
    base = short_temporary_base()
    try:
        return Path(tempfile.mkdtemp(prefix=SOCKET_DIR_PREFIX, dir=base)) / SOCKET_NAME
    except OSError as error:
        raise StoreStartError(
            f"The path of the data directory {data_dir} is too long for a socket, and {base} cannot be "
            f"written to ({reason(error)}): give a shorter directory."
        ) from error


def remove_socket(data_dir: Path, socket: Path) -> None:
    """Remove what is left of a socket, and its own directory if it has one."""
    with contextlib.suppress(OSError):
        if socket.name == SOCKET_NAME:
            socket.unlink(missing_ok=True)
        if socket.parent != data_dir and socket.parent.name.startswith(SOCKET_DIR_PREFIX):
            socket.parent.rmdir()  # of an empty directory only


def write_record(data_dir: Path, record: Record) -> None:
    """Say which Valkey is, or is about to be, on this directory."""
    path = data_dir / "valkey.pid"
    draft = path.with_suffix(".pid.new")
    draft.write_text(json.dumps(asdict(record)) + "\n")
    draft.replace(path)  # whole or not at all


def read_record(data_dir: Path) -> Record:
    """What was said last."""
    try:
        fields = json.loads((data_dir / "valkey.pid").read_text())
        return Record(fields["pid"], fields["started"], fields["socket"])
    except (OSError, ValueError, KeyError, TypeError):
        return Record(None, None, str(data_dir / SOCKET_NAME))


def open_log(path: Path) -> tuple[int, int]:
    """A descriptor to append by, and the log's length."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if os.fstat(fd).st_size > LOG_BYTES_MAX:
        os.ftruncate(fd, 0)
    return fd, os.fstat(fd).st_size


def last_line(path: Path, start: int) -> str | None:
    """The last complaint written at or after `start`, or the last line if there was none."""
    try:
        with path.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(start, end - 8192))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return None
    lines = [line for line in lines if line.strip()]
    # Complaints have level `#`, or no prefix at all while the settings are read.
    complaints = [line for line in lines if (m := _LOG_PREFIX.match(line)) is None or m["level"] == "#"]
    chosen = (complaints or lines)[-1:]
    return _LOG_PREFIX.sub("", chosen[0]).strip() if chosen else None
