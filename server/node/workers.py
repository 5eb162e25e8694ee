"""Several nodes on one machine: a parent that owns the store and starts them on one port."""

import asyncio
import contextlib
import os
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from server.node.errors import SettingsError
from server.node.parent import watched
from server.node.serve import cannot_listen, end_asked, serve, store_url
from server.node.settings import Settings, format_rates
from server.store.data_directory import SOCKET_DIR_PREFIX, short_temporary_base

AGAIN_S = 1.0
# After the drain: the closing handshakes (5 s), the last writes (6 s), and some more.
ENDING_S = 15.0

log = structlog.get_logger()


async def serve_workers(settings: Settings, started: Callable[[str, int], None]) -> None:
    """Run `settings.workers` nodes until a signal of `ENDS`. Raises one of `START_ERRORS`."""
    ended = end_asked()
    with _reserved_port(settings) as reserved, _figures_directory() as figures:
        host, port = reserved.getsockname()[:2]
        async with store_url(settings) as url:
            settings = settings._replace(host=host, port=port)
            commands = (_command(settings, Path(figures, str(number))) for number in range(settings.workers))
            environment = {**os.environ, "CRESCENT_REDIS": url}  # no argument: `ps` shows those to everybody
            patience_s = settings.drain_s + ENDING_S
            keepers = [Keeper(command, ended, environment, patience_s) for command in commands]
            tasks = [asyncio.create_task(keeper.run()) for keeper in keepers]
            try:
                for keeper in keepers:
                    await keeper.first_ready
                started(host, port)
                await ended.wait()
            finally:
                ended.set()
                await asyncio.gather(*tasks)


async def serve_as_worker(settings: Settings, listening: Callable[[], None]) -> None:
    """Be one of these nodes, until a signal of `ENDS` or the parent's end. Raises one of `START_ERRORS`."""
    ended = end_asked()
    with watched(ended) as orphaned:
        await serve(settings, lambda host, port: listening(), reuse_port=True, ended=ended)
        if orphaned.is_set() and settings.figures is not None:
            _remove(settings.figures)


def _remove(figures: Path) -> None:
    """Remove our socket, and, as the last one, the directory that the parent would have removed."""
    figures.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # others' are still in it
        figures.parent.rmdir()


def _figures_directory() -> TemporaryDirectory[str]:
    """Where the workers' sockets are, each with a number for its name: not deeper than a socket may be."""
    base = short_temporary_base()
    try:
        return TemporaryDirectory(prefix=SOCKET_DIR_PREFIX, dir=base)
    except OSError as error:
        raise SettingsError(f"cannot write to `{base}` ({error.strerror or error}); set TMPDIR") from None


def _reserved_port(settings: Settings) -> socket.socket:
    """A socket that holds the port without listening, so that it stays ours while the workers come and go."""
    try:
        # Without SO_REUSEPORT first: a port that somebody else shares is in use all the same.
        with socket.create_server((settings.host, settings.port)) as probe:
            port = probe.getsockname()[1]
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        reserved = socket.socket(family, socket.SOCK_STREAM)
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reserved.bind((settings.host, port))
    except OSError as error:
        raise cannot_listen(settings, error) from None
    return reserved


def _command(settings: Settings, figures: Path) -> list[str]:
    return [
        sys.executable, "-m", "server", "--worker",
        "--host", settings.host,
        "--port", str(settings.port),
        "--rates", format_rates(settings.rates),
        "--drain", str(settings.drain_s),
        "--wait-replicas", str(settings.wait_replicas),
        "--log-level", settings.log_level,
        "--figures", str(figures),
        "--connections-per-address", str(settings.door.connections_max),
        *(("--tls-cert", str(settings.tls.cert), "--tls-key", str(settings.tls.key)) if settings.tls else ()),
        *(part for origin in settings.door.origins for part in ("--origin", origin)),
        *(part for network in settings.door.trusted_proxies for part in ("--trusted-proxy", str(network))),
    ]  # fmt: skip


class Keeper:
    """Keeps one worker running until the end, and then ends it."""

    def __init__(
        self, command: list[str], ended: asyncio.Event, environment: Mapping[str, str], patience_s: float
    ) -> None:
        """`patience_s`: how long a worker may take to leave; then it is killed."""
        self._command, self._ended = command, ended
        self._environment, self._patience_s = environment, patience_s
        self.first_ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the worker listens for the first time; `SettingsError` when it has ended instead."""

    async def run(self) -> None:
        """See the class."""
        while not self._ended.is_set():
            # In a session of its own: a Ctrl-C is the parent's to pass on, once. Its standard input is never
            # written to, and ends with us.
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, env=self._environment, start_new_session=True
            )
            ending = asyncio.create_task(self._ended.wait())
            exited = asyncio.create_task(self._watch(process))
            await asyncio.wait({ending, exited}, return_when=asyncio.FIRST_COMPLETED)
            ending.cancel()
            if self._ended.is_set():
                await _end(process, self._patience_s)
            else:
                log.error("worker ended", code=process.returncode, again_s=AGAIN_S)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._ended.wait(), AGAIN_S)
            await exited

    async def _watch(self, process: Process) -> None:
        """Note when the worker says that it listens, and wait for its end."""
        assert process.stdout is not None
        ready = await process.stdout.readline()
        if ready and not self.first_ready.done():
            self.first_ready.set_result(None)
        await process.wait()
        if not self.first_ready.done():
            why = f"a worker ended at its start with exit code {process.returncode}; it says why above"
            self.first_ready.set_exception(SettingsError(why))
            self.first_ready.exception()  # if nobody waits for it any more


async def _end(process: Process, patience_s: float) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), patience_s)
    except TimeoutError:
        log.error("worker killed", pid=process.pid, after_s=patience_s)
        process.kill()
        await process.wait()
