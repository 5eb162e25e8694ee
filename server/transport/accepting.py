"""Accepting by ourselves, with TLS and without.

An `asyncio` server with a context tells its protocol of a connection only after the TLS handshake, and until
then anybody could hold as many as they liked. And libuv's server, without files left, cuts who comes and says
nothing: here they wait until there are some, and the operator is told.
"""

import asyncio
import errno
import socket
from ssl import SSLContext

from server.transport.opening import Opening
from server.transport.registry import Registry, log_failure, log_shortage

# After an accept that failed for want of files or memory, as asyncio's own server waits.
_ACCEPT_AGAIN_SECONDS = 1.0
# accept(2): what befell one connection, or the network on its way. The next one may be well.
_OF_ONE_CONNECTION = frozenset(
    getattr(errno, name, 0)
    for name in (
        "ECONNABORTED", "ECONNRESET", "EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETUNREACH", "ENONET",
        "ENOPROTOOPT", "EOPNOTSUPP", "EPERM", "EPROTO",
    )
)  # fmt: skip
# Accepted at once before the others have their turn.
_TURN_CONNECTIONS_MAX = 32
_NOT_OF_THIS_MACHINE = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)


class Arrival:
    """A TCP connection on its way, with its TLS handshake: in the registry until it is an `Opening`."""

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


class AcceptingServer:
    """Accepts on bound sockets. Handshakes use `context`, which may be replaced at any time; None: no TLS."""

    def __init__(
        self, registry: Registry, sockets: list[socket.socket], context: SSLContext | None = None
    ) -> None:
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
        turn = 0
        while True:
            try:
                connection, address = await self._registry.loop.sock_accept(listening)
            except OSError as error:
                if error.errno in _OF_ONE_CONNECTION:
                    await asyncio.sleep(0)
                else:
                    log_shortage(error)
                    await asyncio.sleep(_ACCEPT_AGAIN_SECONDS)
                continue
            try:
                self._take(connection, address)
            except Exception as error:  # one that fails must not be the last
                log_failure("a connection could not be accepted", error)
                connection.close()
            turn += 1
            if turn % _TURN_CONNECTIONS_MAX == 0:
                await asyncio.sleep(0)

    def _take(self, connection: socket.socket, address: tuple[str, int] | None) -> None:
        arrival = Arrival(address[0] if address else "")  # none: macOS, for a peer that has gone again
        if self._registry.arrived(arrival):
            self._begin(arrival, connection)
        else:
            connection.close()

    def _begin(self, arrival: Arrival, connection: socket.socket) -> None:
        def over(task: asyncio.Task[None]) -> None:
            self._registry.gone(arrival)
            if task.cancelled():  # perhaps before its first step: nobody else has closed it
                connection.close()

        arrival.task = self._registry.loop.create_task(self._open(arrival, connection))
        arrival.task.add_done_callback(over)

    async def _open(self, arrival: Arrival, connection: socket.socket) -> None:
        limits, context = self._registry.limits, self.context
        try:
            await self._registry.loop.connect_accepted_socket(
                lambda: Opening(self._registry, arrival),
                connection,
                ssl=context,
                ssl_handshake_timeout=limits.opening_seconds if context is not None else None,
                ssl_shutdown_timeout=limits.close_seconds if context is not None else None,
            )
        except OSError:
            pass  # no TLS, another version, a distrusted certificate, too slow: the peer's affair
        except Exception as error:
            log_failure("a connection failed at its beginning", error, peer=arrival.peer)


async def bind(host: str | None, port: int | None, reuse_port: bool) -> list[socket.socket]:
    """Return bound sockets of all the host's addresses that this machine has. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(
        host or None, port or 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    sockets: list[socket.socket] = []
    missing: OSError | None = None
    try:
        for family, _, _, _, address in dict.fromkeys(found):
            try:
                sockets.append(socket.create_server(address, family=family, reuse_port=reuse_port))
            except OSError as error:
                if error.errno not in _NOT_OF_THIS_MACHINE:
                    raise
                missing = error  # as `::1` of `localhost`, where there is no IPv6
        if missing is not None and not sockets:
            raise missing
    except BaseException:
        for sock in sockets:
            sock.close()
        raise
    return sockets
