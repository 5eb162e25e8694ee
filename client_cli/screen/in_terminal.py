"""Running an app in its terminal: whatever ends it, the terminal is given back and the program is gone."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

from client_cli import exits
from client_cli.screen.themed_app import ThemedApp

END_S = 5.0
"""How long an app may take to end after a signal; a terminal that reads nothing more can hold it up."""
LOOK_S = 1.0
"""How often it is looked whether the terminal is still there."""

Settings = list[Any]
"""How a terminal is set, as `termios` has it."""


async def run_in_terminal(app: ThemedApp) -> int:
    """Run an app in the terminal and return its exit code."""
    with _ended_by_signals(app):
        watching = asyncio.create_task(_end_with_terminal(app))
        try:
            code = await app.run_async()
        finally:
            watching.cancel()
    return code if code is not None else app.return_code or exits.OK


async def _end_with_terminal(app: ThemedApp) -> None:
    """End the app once its terminal is closed, which not every shell tells the programs in it."""
    while _terminal_settings() is not None:  # noqa: ASYNC110 - nothing tells it
        await asyncio.sleep(LOOK_S)
    app.exit(exits.INTERRUPTED)


@contextlib.contextmanager
def _ended_by_signals(app: ThemedApp) -> Iterator[None]:
    """Have a closed terminal, or a kill, end the app in good order, and at last in any."""
    loop, settings = asyncio.get_running_loop(), _terminal_settings()
    at_last = threading.Timer(END_S, _end_at_once, (settings,))
    at_last.daemon = True

    def end(_: int, __: FrameType | None) -> None:
        # No handler of the loop's: it would wait for what the loop waits for.
        if not app.ends:
            app.ends = True
            at_last.start()
            loop.call_soon_threadsafe(app.exit, exits.INTERRUPTED)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = [(number, signal.signal(number, end)) for number in numbers]
    try:
        yield
    finally:
        at_last.cancel()
        for number, handler in before:
            signal.signal(number, handler)


if sys.platform == "win32":

    def _terminal_settings() -> Settings | None:
        return []

    def _end_at_once(_: Settings | None) -> None:
        os._exit(exits.INTERRUPTED)

else:
    import termios

    def _terminal_settings() -> Settings | None:
        """Return how the terminal is set; None where it is closed."""
        try:
            return termios.tcgetattr(sys.stdin.fileno())
        except (termios.error, ValueError):
            return None

    def _end_at_once(settings: Settings | None) -> None:
        """Set the terminal as it was and end the program, which the kernel tidies up after."""
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTTOU,))  # else this would stop it
        if settings is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, settings)
        os._exit(exits.INTERRUPTED)
