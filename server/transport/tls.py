"""TLS: accepting by ourselves, so that a connection counts for its address from its first moment.

An `asyncio` server with a context tells its protocol of a connection only after the TLS handshake, and until
then anybody could hold as many as they liked.
"""

import asyncio
import socket
from ssl import SSLContext

from server.transport.opening import Opening
from server.transport.registry import Registry, log_failure

# After an accept that failed for want of files or memory, as asyncio's own server waits.
_ACCEPT_AGAIN_SECONDS = 1.0


class Handshake:
    """A TCP connection whose TLS handshake is under way: in the registry until it is an `Opening`."""

    __slots__ = ("peer", "task")

    idle = True  # nothing has been asked yet

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self.task: asyncio.Task[None]

    def sweep(self, now: float) -> None:
        """Do nothing: the event loop ends a handshake that takes too long."""

    def abort(self) -> None:
        """End the TCP connection at once."""
        self.task.cancel()


class TlsServer:
    """Accepts on listening sockets. Handshakes use `context`, which may be replaced at any time."""

    def __init__(self, registry: Registry, sockets: list[socket.socket], context: SSLContext) -> None:
        for sock in sockets:
            sock.listen(registry.limits.backlog)
            sock.setblocking(False)
        self.sockets = sockets
        self.context = context
        self._registry = registry
        self._accepting = [self._start(sock) for sock in sockets]

    def close(self) -> None:
        """Accept no more."""
        for task in self._accepting:
            task.cancel()

    def _start(self, listening: socket.socket) -> asyncio.Task[None]:
        task = self._registry.loop.create_task(self._accept(listening))
        task.add_done_callback(lambda _: listening.close())
        return task

    async def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, address = await self._registry.loop.sock_accept(listening)
            except OSError as error:
                log_failure("cannot accept connections", error)
                await asyncio.sleep(_ACCEPT_AGAIN_SECONDS)
                continue
            handshake = Handshake(address[0])
            if self._registry.arrived(handshake):
                self._begin(handshake, connection)
            else:
                connection.close()

    def _begin(self, handshake: Handshake, connection: socket.socket) -> None:
        def over(task: asyncio.Task[None]) -> None:
            self._registry.gone(handshake)
            if task.cancelled():  # perhaps before its first step: nobody else has closed it
                connection.close()

        handshake.task = self._registry.loop.create_task(self._shake_hands(handshake, connection))
        handshake.task.add_done_callback(over)

    async def _shake_hands(self, handshake: Handshake, connection: socket.socket) -> None:
        limits = self._registry.limits
        try:
            await self._registry.loop.connect_accepted_socket(
                lambda: Opening(self._registry, handshake),
                connection,
                ssl=self.context,
                ssl_handshake_timeout=limits.opening_seconds,
                ssl_shutdown_timeout=limits.close_seconds,
            )
        except OSError:
            pass  # no TLS, another version, a distrusted certificate, too slow: the peer's affair
        except Exception as error:
            log_failure("a TLS handshake failed", error, peer=handshake.peer)


async def bind(host: str | None, port: int | None, reuse_port: bool) -> list[socket.socket]:
    """Return bound sockets of all the host's addresses. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(
        host or None, port or 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, address in dict.fromkeys(found):
            sockets.append(socket.create_server(address, family=family, reuse_port=reuse_port))
    except BaseException:
        for sock in sockets:
            sock.close()
        raise
    return sockets
