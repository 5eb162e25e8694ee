"""The processes of a measurement: started on the loopback address, read by their CPU clocks, and ended."""

import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.server import FAST

ROOT = Path(__file__).parent.parent
START_S = 30.0
REPLY_S = 150.0
STOP_S = 20.0


class BenchError(Exception):
    """A measurement that is worth nothing: lost answers, closed connections, a process that ended."""


def raise_file_limit() -> None:
    """As many file descriptors as may be had: two thousand clients are that many, twice."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def cpu_us(pid: int) -> float:
    """Microseconds that all threads of a process have spent on a CPU, user and system."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1000


def rss_kib(pid: int) -> int:
    """Resident memory."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1])


def children(pid: int) -> list[int]:
    """The process ids of a process's children."""
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]


class Process:
    """A Python module of ours as a process, its standard error kept in a file. A context manager."""

    def __init__(self, *arguments: str, interpreter: tuple[str, ...] = ()) -> None:
        # Not a pipe: one that nobody reads could hold the process up.
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by `stop`
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CRESCENT_")}
        self._process = subprocess.Popen(
            [sys.executable, *interpreter, "-m", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=environment,
            cwd=ROOT,
        )
        self.pid = self._process.pid
        self.name = arguments[0]

    def line(self, seconds: float) -> str:
        """The next line that it prints."""
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], seconds)
        line = self._process.stdout.readline() if ready else ""
        if not line:
            raise BenchError(f"{self.name} said nothing in {seconds:.0f} s; its errors: {self.errors()}")
        return line

    def write(self, line: str) -> None:
        """A line for it to read."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def said(self) -> str:
        """What it said on standard error."""
        self._errors.seek(0)
        return self._errors.read()

    def errors(self) -> str:
        """The end of that, for a message."""
        return self.said()[-2_000:]

    def stop(self) -> None:
        """End it, gently first."""
        if self._process.poll() is None:
            self._end()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                stream.close()

    def _end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.stop()


class Node(Process):
    """`crescent-server` on a free port, its rates raised; on the embedded store unless `redis` is a URL.

    Whatever it logs as a warning or an error, but for what is `expected`, is shown at its end.
    """

    def __init__(self, redis: str = "", interpreter: tuple[str, ...] = (), expected: str = "nothing") -> None:
        self._expected = expected
        self._data = tempfile.TemporaryDirectory(prefix="bench-")
        store = ["--redis", redis] if redis else ["--data", self._data.name]
        arguments = [
            "server",
            "--port",
            "0",
            "--drain",
            "0",
            "--rates",
            FAST,
            "--connections-per-address",
            "1000000",
            *store,
        ]
        super().__init__(*arguments, interpreter=interpreter)
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", self.line(START_S))
        if found is None:
            raise BenchError(f"the server did not start: {self.errors()}")
        self.port = int(found[1])
        embedded = [] if redis else children(self.pid)
        self.store_pid = embedded[0] if embedded else 0

    def stop(self) -> None:
        """End it."""
        logged = [
            line
            for line in self.said().splitlines()
            if '"level": "info"' not in line and self._expected not in line
        ]
        super().stop()
        self._data.cleanup()
        for line in logged:
            print(f"  the server logged: {line[:500]}", file=sys.stderr)


class Echo(Process):
    """The bare echo, or the bare fan-out."""

    def __init__(self, *options: str) -> None:
        super().__init__("bench.echo", *options)
        self.port = int(self.line(START_S))


class Load(Process):
    """The clients."""

    def __init__(self) -> None:
        super().__init__("bench.load")
        self.line(START_S)

    def do(self, name: str, **fields: Any) -> dict[str, Any]:
        """Have a command done; its result. Raises `BenchError` for anything but a clean run."""
        self.write(json.dumps({"do": name, **fields}))
        result: dict[str, Any] = json.loads(self.line(REPLY_S))
        if result["faults"]:
            raise BenchError(f"{name} {fields}: {'; '.join(result['faults'])}; {self.errors()}")
        return result


class Meter:
    """The CPU that processes spend during a `with` block, in microseconds, and the time that passes."""

    def __init__(self, *pids: int) -> None:
        self._pids = pids
        self.cpu_us: list[float] = []
        self.seconds = 0.0

    def __enter__(self) -> Self:
        self._began = [cpu_us(pid) for pid in self._pids]
        self._began_at = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.cpu_us = [cpu_us(pid) - began for pid, began in zip(self._pids, self._began, strict=True)]
        self.seconds = time.monotonic() - self._began_at
