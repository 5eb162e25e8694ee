"""A server of one's own to practise on: a child process that lives as long as the client does."""

import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import platformdirs

import server
from client_cli.address import Address, parse_address
from client_cli.failures import OwnServerEnded

START_S = 30.0
STOP_S = 10.0
POLL_S = 0.1
SLOTS_MAX = 20  # practices at the same time, each with its own directory
_ADDRESS = re.compile(rb"http://127\.0\.0\.1:\d+/")
_IN_USE = "in use by another server"

# On Linux the kernel itself ends the server where the client is killed without a word.
_BOUND = (
    "import ctypes, os, signal, sys; ctypes.CDLL(None).prctl(1, signal.SIGTERM); "
    "os.execv(sys.executable, [sys.executable, '-m', 'server', *sys.argv[1:]])"
)
_PYTHON_SERVER = [sys.executable, *(("-c", _BOUND) if sys.platform == "linux" else ("-m", "server"))]


def solo_directory() -> Path:
    """Where practice is kept."""
    return Path(platformdirs.user_data_dir("crescent-race", appauthor=False)) / "solo"


class OwnServer:
    """A context: the server runs inside it. Raises `OwnServerEnded` where it cannot."""

    def __init__(self) -> None:
        self.address = parse_address("127.0.0.1:1")
        self.directory = solo_directory()
        self._process: subprocess.Popen[bytes] | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the server
        self._before: list[tuple[int, Any]] = []

    def __enter__(self) -> "OwnServer":
        self._take_signals()
        try:
            self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._end()

    def check(self) -> None:
        """Raise `OwnServerEnded` if it has ended."""
        if self._process is not None and self._process.poll() is not None:
            raise OwnServerEnded(self._last_words())

    def _start(self) -> None:
        """Start it on the first directory that no other practice uses."""
        base = self.directory
        for number in range(1, SLOTS_MAX + 1):
            self.directory = base if number == 1 else base.with_name(f"{base.name}-{number}")
            try:
                self.address = self._start_in(self.directory)
                return
            except OwnServerEnded as error:
                if _IN_USE not in str(error) or number == SLOTS_MAX:
                    raise

    def _start_in(self, directory: Path) -> Address:
        command = [*_PYTHON_SERVER, "--port", "0", "--data", str(directory), "--drain", "0"]
        self._log.seek(0)
        self._log.truncate()
        try:
            self._process = subprocess.Popen(
                command,
                cwd=Path(server.__file__).parents[1],  # not whatever is called `server` where one stands
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._log,
                # What is set for a server of the user's own is not for this one.
                env={name: value for name, value in os.environ.items() if not name.startswith("CRESCENT_")},
                start_new_session=True,  # Ctrl-C is for the client, which ends it
            )
        except OSError as error:
            raise OwnServerEnded(error.strerror or str(error)) from None
        return parse_address(self._told_address(self._process))

    def _told_address(self, process: subprocess.Popen[bytes]) -> str:
        """The address that it says once it serves."""
        assert process.stdout is not None
        said, until_s = b"", time.monotonic() + START_S
        while time.monotonic() < until_s:
            if not select.select([process.stdout], [], [], POLL_S)[0]:
                continue
            chunk = os.read(process.stdout.fileno(), 4096)
            said += chunk
            if found := _ADDRESS.search(said):
                return found[0].decode()
            if not chunk:
                process.wait(STOP_S)
                raise OwnServerEnded(self._last_words())
        raise OwnServerEnded(f"{START_S:.0f} s")

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").splitlines()
        to_people = [
            line for line in lines if line.strip() and not line.startswith("{")
        ]  # the rest is its log
        last = to_people[-1].removeprefix("crescent-server: ") if to_people else ""
        code = self._process.returncode if self._process is not None else None
        return last[:300] or f"exit {code}"

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()
        self._log.close()
        for number, handler in self._before:
            signal.signal(number, handler)
        self._before = []

    def _take_signals(self) -> None:
        """Have what ends the client (a closed terminal, a kill) end it as Ctrl-C does: with the server."""
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None:
                self._before.append((number, signal.signal(number, _as_ctrl_c)))


def _as_ctrl_c(_: int, frame: FrameType | None) -> None:
    """Do what Ctrl-C does now: asyncio has its own way with it, and in the background it may be ignored."""
    handler = signal.getsignal(signal.SIGINT)
    (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)
