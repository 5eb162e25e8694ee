"""What a listener and all its connections share."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

import structlog

from server.transport.limits import Limits

if TYPE_CHECKING:
    from server.transport.connection import Application, Connection

_log = structlog.get_logger()


class Member(Protocol):
    """A connection before it is a WebSocket."""

    @property
    def peer(self) -> str:
        """Its address."""

    @property
    def idle(self) -> bool:
        """Whether nothing has been asked yet."""

    def sweep(self, now: float) -> None:
        """End what takes too long."""

    def abort(self) -> None:
        """End the TCP connection at once."""


class Registry:
    """The live connections of one listener, before and after their handshake."""

    def __init__(self, application: "Application", limits: Limits) -> None:
        self.application = application
        self.limits = limits
        self.loop = asyncio.get_running_loop()
        self.openings: set[Member] = set()
        self._openings_of: Counter[str] = Counter()  # by peer
        self.connections: set[Connection] = set()
        self.draining = False
        self.everyone_gone = asyncio.Event()
        self.everyone_gone.set()

    def arrived(self, opening: Member, after: Member | None = None) -> bool:
        """Take in a new TCP connection, unless its peer has too many that are not yet WebSockets; or one that
        comes `after`, in place of, an earlier member."""
        if after is not None:
            self._opened(after)
        if self._openings_of[opening.peer] >= self.limits.openings_per_peer_max:
            return False
        self._openings_of[opening.peer] += 1
        self.openings.add(opening)
        self.everyone_gone.clear()
        return True

    def upgraded(self, opening: Member, connection: "Connection") -> None:
        """Note that a handshake is done."""
        self._opened(opening)
        self.connections.add(connection)

    def gone(self, member: "Member | Connection") -> None:
        """Note the end of a TCP connection."""
        self._opened(member)
        self.connections.discard(member)
        if not self.openings and not self.connections:
            self.everyone_gone.set()

    def _opened(self, member: "Member | Connection") -> None:
        """An opening is over, whatever has become of it."""
        if member in self.openings:
            self.openings.discard(member)
            self._openings_of[member.peer] -= 1
            if not self._openings_of[member.peer]:
                del self._openings_of[member.peer]

    def all(self) -> Iterator["Member | Connection"]:
        """Iterate over a copy, which callbacks may not disturb."""
        yield from list(self.openings)
        yield from list(self.connections)


def log_shortage(error: OSError) -> None:
    """Log why nobody can be accepted, in the system's words."""
    _log.error("cannot accept connections", error=os.strerror(error.errno or 0))


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
