"""Whether the program has the terminal it is at, or stands in its background."""

import os
import sys


def in_background() -> bool:
    """Whether another job has the terminal: who takes it then is stopped, or told that it cannot be had."""
    if sys.platform == "win32":
        return False
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) != os.getpgrp()
    except (OSError, ValueError):
        return False  # no terminal, or one without jobs
