"""The listening socket, and what is done for all its connections together."""

import asyncio
import contextlib
import socket
from ssl import SSLContext

from server.transport.accepting import AcceptingServer, bind
from server.transport.connection import Application, Connection
from server.transport.limits import Limits
from server.transport.registry import Registry, log_failure

# Between two batches of closings while draining.
_DRAIN_STEP_SECONDS = 0.02


async def listen(
    application: Application,
    host: str | None,
    port: int | None,
    *,
    limits: Limits,
    reuse_port: bool = False,
    ssl: SSLContext | None = None,
    sock: socket.socket | None = None,
) -> "Listener":
    """Serve `application` on an address, or on a bound `sock` (then `host` and `port` are not used).

    Port 0 takes a free one; `Listener.address` tells which. Raises OSError where the address cannot be had.
    """
    registry = Registry(application, limits)
    sockets = [sock] if sock is not None else await bind(host, port, reuse_port)
    return Listener(AcceptingServer(registry, sockets, ssl), registry)


class Listener:
    """A serving socket with its connections. One periodic sweep keeps all their time-outs."""

    def __init__(self, server: AcceptingServer, registry: Registry) -> None:
        self._server = server
        self._registry = registry
        self._address: tuple[str, int] = server.sockets[0].getsockname()[:2]
        self._sweep_timer = registry.loop.call_later(registry.limits.sweep_seconds, self._sweep)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that are listened on (of the first socket, where a name has several addresses)."""
        return self._address

    @property
    def connections(self) -> set[Connection]:
        """The WebSockets, from the end of their handshake to that of their TCP connection."""
        return self._registry.connections

    def renew(self, context: SSLContext) -> None:
        """Use another certificate, for connections that come from now on. Only where TLS is spoken."""
        assert self._server.context is not None, "there is no certificate to renew"
        self._server.context = context

    def stop_accepting(self) -> None:
        """Take no new TCP connections, and refuse handshakes that are under way with 503."""
        self._registry.draining = True
        self._server.close()

    async def drain(self, seconds: float) -> None:
        """Stop accepting, close every WebSocket with 1012, and wait for the closing handshakes; abort who has
        not finished within `close_seconds` after the last.

        The closings are evenly spread over `seconds`, so that not all come to another node at once.
        """
        self.stop_accepting()
        for opening in list(self._registry.openings):
            if opening.idle:
                opening.abort()
        loop, began = self._registry.loop, self._registry.loop.time()
        waiting = list(self.connections)
        total = len(waiting)
        while waiting:
            elapsed = loop.time() - began
            left = int(total * (1 - elapsed / seconds)) if elapsed < seconds else 0
            while len(waiting) > left:
                waiting.pop().close(1012, "the server is leaving")
            await asyncio.sleep(_DRAIN_STEP_SECONDS)
        await self._gone(self._registry.limits.close_seconds)
        await self.close()

    async def close(self) -> None:
        """Stop accepting and end all connections at once."""
        self.stop_accepting()
        for member in self._registry.all():
            member.abort()
        await self._gone(self._registry.limits.close_seconds)
        self._sweep_timer.cancel()

    async def _gone(self, seconds: float) -> None:
        """Wait until nobody is connected, or for `seconds`."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._registry.everyone_gone.wait(), seconds)

    def _sweep(self) -> None:
        now = self._registry.loop.time()
        self._sweep_timer = self._registry.loop.call_later(self._registry.limits.sweep_seconds, self._sweep)
        for member in self._registry.all():
            try:
                member.sweep(now)
            except Exception as error:
                log_failure("a sweep failed", error)
                member.abort()
