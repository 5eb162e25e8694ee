"""A real server process for tests."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

START_S = 30.0
FAST = ",".join(
    f"{kind}=100000:100000"
    for kind in ("op", "say", "create", "other", "address_hello", "address_create", "address_page")
)


class ServerProcess:
    """`python -m server` on a free port of the loopback address, with high rates unless told otherwise.

    `program`: what Python runs instead. `environment`: beside the test's own, which has no settings.
    """

    def __init__(
        self,
        *arguments: str,
        rates: str = FAST,
        program: Sequence[str] = ("-m", "server"),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.program, self.environment = program, environment or {}
        self.arguments = [*arguments, "--rates", rates] if rates else list(arguments)
        if rates == FAST:
            self.arguments += ["--connections-per-address", "100000"]
        self.port = 0
        self.tls = ""  # "s" once it is served with a certificate
        self.process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"ws{self.tls}://127.0.0.1:{self.port}/ws"

    @property
    def http(self) -> str:
        return f"http{self.tls}://127.0.0.1:{self.port}"

    def start(self) -> ServerProcess:
        """Start it, on the same port as before if it ran before, and wait until it says its address."""
        command = [sys.executable, *self.program, "--port", str(self.port), "--drain", "0", *self.arguments]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CRESCENT_")}
        environment = {**clean, **self.environment}
        # A file: a pipe that nobody reads is full one day, and whoever logs to it then hangs.
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed when the process is gone
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self._log, text=True, env=environment
        )
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], START_S)
        line = self.process.stdout.readline() if ready else ""
        found = re.search(r"http(s?)://127\.0\.0\.1:(\d+)/", line)
        if found is None:
            self.kill()
            raise AssertionError(f"the server did not start: {line}{self.errors}")
        self.tls, self.port = found[1], int(found[2])
        return self

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        return self.end(signal.SIGTERM)

    def end(self, number: int) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        self._gone()
        return self.process.returncode

    def kill(self) -> None:
        """SIGKILL."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
        if self.process is not None:
            self._gone()

    def close(self) -> None:
        """End it, if it has not ended yet, and what it leaves when it is killed: its store."""
        self.kill()
        if "--data" in self.arguments:
            end_store(Path(self.arguments[self.arguments.index("--data") + 1]))

    def _gone(self) -> None:
        """Wait for its end, and keep what it said."""
        assert self.process is not None
        self.process.communicate(timeout=START_S)
        if not self._log.closed:
            self._log.seek(0)
            self.errors = self._log.read()
            self._log.close()

    errors = ""


def end_store(data: Path) -> None:
    """End the Valkey that a killed server has left on its data, if it has; its next start would."""
    record = data / "valkey.pid"
    if not record.exists():
        return
    with (data / "valkey.lock").open() as lock:  # held by the store for its life
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.kill(json.loads(record.read_text())["pid"], signal.SIGKILL)
            fcntl.flock(lock, fcntl.LOCK_EX)
    socket = Path(json.loads(record.read_text())["socket"])
    socket.unlink(missing_ok=True)
    if socket.parent != data.resolve():  # where the path of the data is too long for a socket
        with contextlib.suppress(FileNotFoundError):
            socket.parent.rmdir()
    record.unlink()


def wait_until_gone(path: Path, seconds: float = 10.0) -> None:
    """Wait, within a bound, until a file is gone."""
    end = time.monotonic() + seconds
    while path.exists():
        assert time.monotonic() < end, f"{path} is still there"
        time.sleep(0.01)
