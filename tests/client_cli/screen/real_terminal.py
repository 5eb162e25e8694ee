"""A real terminal: a program on a pseudo-terminal, and an emulator (pyte) that shows what stands on it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pyte

ROOT = Path(__file__).parents[3]
PATIENCE_S = 90.0
POLL_S = 0.05
SEQUENCES = {
    "enter": "\r", "escape": "\x1b", "left": "\x1b[D", "right": "\x1b[C", "up": "\x1b[A", "down": "\x1b[B",
    "ctrl+z": "\x1a",
}  # fmt: skip
CRESCENT = (sys.executable, "-m", "client_cli")
SCREEN_ON = b"\x1b[?1049h"
SCREEN_OFF = b"\x1b[?1049l"
MODES_OFF = (
    SCREEN_OFF,
    b"\x1b[?1000l",
    b"\x1b[?25h",
)  # and mouse and cursor


class RealTerminal:
    """A program, `crescent`, at a terminal of its own. A context: at its end the program is gone.

    `has_jobs`: the terminal controls the session, with a foreground, and with a hangup when it is closed.
    """

    def __init__(
        self,
        config: Path,
        *arguments: str,
        program: tuple[str, ...] = CRESCENT,
        has_jobs: bool = True,
        columns: int = 80,
        lines: int = 24,
        **environment: str,
    ) -> None:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("CRESCENT_", "LC_", "LANG", "COLORFGBG", "NO_COLOR", "COLORTERM"))
        }
        self.raw = b""
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process = subprocess.Popen(
            [*program, *arguments],
            cwd=ROOT,
            env={
                **kept, "CRESCENT_CONFIG_DIR": str(config), "LANG": "C.UTF-8", "TERM": "xterm-256color",
                **environment,
            },
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if has_jobs else None,
        )  # fmt: skip
        os.close(slave)

    def __enter__(self) -> RealTerminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.close()

    def close(self) -> None:
        """Close the terminal under the program."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def press(self, *keys: str) -> None:
        """Press keys, by their names or as characters."""
        for key in keys:
            os.write(self._master, SEQUENCES.get(key, key).encode())

    def click(self, x: int, y: int) -> None:
        """Press and let go of the mouse's button over a column and a line, both from 0."""
        os.write(self._master, f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m".encode())

    def see(self, *texts: str) -> str:
        """Wait until all of that stands on the screen, and return the screen."""
        return self.until(lambda: all(text in self.text for text in texts), f"{texts} to be seen")

    def until(self, condition: object, what: str) -> str:
        """Read on until something is so."""
        assert callable(condition)
        end_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end_s, f"waited for {what}:\n{self.text}"
            read = self.read() or self.process.poll() is None
            assert read or condition(), f"ended before {what}:\n{self.text}"
        return self.text

    def is_given_back(self) -> bool:
        """Whether the program has left the terminal as it found it, as far as that was read."""
        return all(mode in self.raw for mode in MODES_OFF)

    def read(self) -> bool:
        """Take in what was written, if anything was."""
        if not select.select([self._master], [], [], POLL_S)[0]:
            return False
        try:
            written = os.read(self._master, 65536)
        except OSError:  # the other side is closed
            return False
        self.raw += written
        self._stream.feed(written)
        return bool(written)

    def end(self) -> int:
        """Wait until the program has ended, and return its exit code."""
        self.until(lambda: self.process.poll() is not None, "the end")
        while self.read():
            pass
        return self.process.returncode

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self.process.send_signal(number)
