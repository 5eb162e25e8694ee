"""A wall clock that is wrong, for a Valkey of the tests: its TIME is off by what a file says."""

from __future__ import annotations

import struct
import time
from pathlib import Path

from tests.support import preload

SOURCE = Path(__file__).with_suffix(".c")
READ_AGAIN_S = 0.002  # a Valkey looks at its clock once a millisecond at most


def why_not() -> str:
    """Why there can be no wrong clock on this machine; empty where there can."""
    return preload.why_not("a wrong clock")


class WrongClock:
    """See the module. `environment`: what a process is to be started in; it is right until `set_ms`."""

    def __init__(self, directory: Path) -> None:
        """`directory`: an empty one, for the library and the file."""
        directory.mkdir(parents=True, exist_ok=True)
        self._file = directory / "wrong_clock"
        self._file.write_bytes(struct.pack("=q", 0))
        self.environment = {
            "LD_PRELOAD": str(preload.made(SOURCE, directory)),
            "WRONG_CLOCK": str(self._file),
        }

    def set_ms(self, ahead_ms: int) -> None:
        """Have it ahead by so much from this moment on; behind, if negative."""
        with self._file.open("r+b") as file:  # in place: it is mapped
            file.write(struct.pack("=q", ahead_ms))
        time.sleep(READ_AGAIN_S)
