"""A Valkey on a data directory, talked to by its socket: is it ready, and how it is ended, also when a killed
server has left it behind."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, RedisError

from server.store.data_directory import (
    SOCKET_NAME,
    StoreStartError,
    lock_within,
    read_record,
    remove_socket,
    try_lock,
)

# How long each way of ending a Valkey (SHUTDOWN, SIGTERM, SIGKILL) has before the next, harder one.
GRACE_S = 10.0

log = structlog.get_logger(__name__)


@contextlib.asynccontextmanager
async def _client(socket: Path) -> AsyncIterator[Redis]:
    client = Redis(
        unix_socket_path=str(socket),
        socket_timeout=GRACE_S,
        socket_connect_timeout=GRACE_S,
        retry=Retry(NoBackoff(), 0),
        decode_responses=True,
    )
    try:
        yield client
    finally:
        await client.aclose()


async def readiness(socket: Path) -> Literal["ready", "loading", "silent"]:
    """What the server at this socket says of itself; `silent` also when there is none."""
    try:
        async with _client(socket) as client:
            await client.ping()
    except BusyLoadingError:
        return "loading"
    except (RedisError, OSError):
        return "silent"
    return "ready"


async def shut_down(data_dir: Path, socket: Path) -> int | None:
    """Ask the server at `socket` to flush and end, if it is this directory's; its pid, if it heard."""
    pid: int | None = None
    # SHUTDOWN is answered by the closing of the connection.
    with contextlib.suppress(RedisError, OSError):
        async with _client(socket) as client:
            if (await client.config_get("dir"))["dir"] != str(data_dir):
                return None
            pid = int((await client.info("server"))["process_id"])
            await client.shutdown()
    return pid


async def end_orphan(data_dir: Path) -> None:
    """End what a killed parent left running here, and return once it is gone."""
    record = read_record(data_dir)
    socket = Path(record.socket)
    lock = data_dir / "valkey.lock"
    fd = try_lock(lock)
    if fd is None:
        log.warning("store_orphan_found", pid=record.pid)
        told_pid = await shut_down(data_dir, socket)
        fd = await lock_within(lock, 0 if told_pid is None else GRACE_S)
        pid = record.pid or told_pid
        for harder in (signal.SIGTERM, signal.SIGKILL):
            if fd is None and pid is not None and _is_ours(pid, record.started, told_pid, data_dir):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, harder)
                fd = await lock_within(lock, GRACE_S)
        if fd is None:
            raise StoreStartError(
                f"A Valkey that an earlier server left in {data_dir} (process {pid or 'unknown'}) still runs "
                "and cannot be ended from here: end it, then start again."
            )
    os.close(fd)
    if await readiness(data_dir / SOCKET_NAME) != "silent":
        # Not started by us, so not ours to end; and two on the same files would ruin them.
        raise StoreStartError(
            f"A Valkey that was started by somebody else answers in {data_dir}: "
            "stop it, or give another directory."
        )
    remove_socket(data_dir, socket)


def start_of(pid: int) -> str | None:
    """When a process started, in the kernel's ticks: with the pid, it names a process for good."""
    if sys.platform != "linux":
        return None
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The name, in parentheses, may hold anything; the start is the 20th field behind it.
    return stat.rpartition(")")[2].split()[19]


def _is_ours(pid: int, started: str | None, told_pid: int | None, data_dir: Path) -> bool:
    """Whether a process is, beyond doubt, the Valkey of this directory."""
    if sys.platform != "linux":
        return pid == told_pid
    try:
        here = Path(f"/proc/{pid}/cwd").readlink() == data_dir
        valkey = Path(f"/proc/{pid}/comm").read_text().startswith("valkey-server")
    except OSError:
        return False
    return here and valkey and started in (None, start_of(pid))
