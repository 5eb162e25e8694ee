"""What a listener and all its connections share."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import structlog

from server.transport.limits import Limits

if TYPE_CHECKING:
    from server.transport.connection import Application, Connection
    from server.transport.opening import Opening

_log = structlog.get_logger()


class Registry:
    """The live connections of one listener, before and after their handshake."""

    def __init__(self, application: "Application", limits: Limits) -> None:
        self.application = application
        self.limits = limits
        self.loop = asyncio.get_running_loop()
        self.openings: set[Opening] = set()
        self._openings_of: Counter[str] = Counter()  # by peer
        self.connections: set[Connection] = set()
        self.draining = False
        self.everyone_gone = asyncio.Event()
        self.everyone_gone.set()

    def arrived(self, opening: "Opening") -> bool:
        """Take in a new TCP connection, unless its peer has too many that are not yet WebSockets."""
        if self._openings_of[opening.peer] >= self.limits.openings_per_peer_max:
            return False
        self._openings_of[opening.peer] += 1
        self.openings.add(opening)
        self.everyone_gone.clear()
        return True

    def upgraded(self, opening: "Opening", connection: "Connection") -> None:
        """Note that a handshake is done."""
        self._opened(opening)
        self.connections.add(connection)

    def gone(self, member: "Opening | Connection") -> None:
        """Note the end of a TCP connection."""
        self._opened(member)
        self.connections.discard(member)
        if not self.openings and not self.connections:
            self.everyone_gone.set()

    def _opened(self, member: "Opening | Connection") -> None:
        """An opening is over, whatever has become of it."""
        if member in self.openings:
            self.openings.discard(member)
            self._openings_of[member.peer] -= 1
            if not self._openings_of[member.peer]:
                del self._openings_of[member.peer]

    def all(self) -> Iterator["Opening | Connection"]:
        """Iterate over a copy, which callbacks may not disturb."""
        yield from list(self.openings)
        yield from list(self.connections)


def log_failure(event: str, error: BaseException, **facts: object) -> None:
    """Log an exception by its type and the places it went through, innermost last.

    Not by its text: that may quote a message, and messages hold secrets.
    """
    places = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        places.append(f"{code.co_filename}:{traceback.tb_lineno} {code.co_qualname}")
        traceback = traceback.tb_next
    _log.error(event, error=type(error).__qualname__, places=places, **facts)
