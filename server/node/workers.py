"""Several nodes on one machine: a parent that owns the store and starts them on one port."""

import asyncio
import contextlib
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from server.node.errors import SettingsError
from server.node.serve import cannot_listen, end_asked, store_url
from server.node.settings import Settings, format_rates

AGAIN_S = 1.0
KILLED_AFTER_S = 15.0

log = structlog.get_logger()


async def serve_workers(settings: Settings, started: Callable[[str, int], None]) -> None:
    """Run `settings.workers` nodes until a signal of `ENDS`. Raises one of `START_ERRORS`."""
    ended = end_asked()
    with _reserved_port(settings) as reserved, TemporaryDirectory(prefix="crescent-") as figures:
        host, port = reserved.getsockname()[:2]
        async with store_url(settings) as url:
            settings = settings._replace(host=host, port=port, redis_url=url)
            commands = (_command(settings, Path(figures, str(number))) for number in range(settings.workers))
            keepers = [Keeper(command, ended) for command in commands]
            tasks = [asyncio.create_task(keeper.run()) for keeper in keepers]
            try:
                for keeper in keepers:
                    await keeper.first_ready
                started(host, port)
                await ended.wait()
            finally:
                ended.set()
                await asyncio.gather(*tasks)


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
        "--redis", settings.redis_url or "",
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

    def __init__(self, command: list[str], ended: asyncio.Event) -> None:
        self._command, self._ended = command, ended
        self.first_ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the worker listens for the first time; `SettingsError` when it has ended instead."""

    async def run(self) -> None:
        """See the class."""
        while not self._ended.is_set():
            # In a session of its own: a Ctrl-C is the parent's to pass on, once.
            process = await asyncio.create_subprocess_exec(
                *self._command, stdout=PIPE, start_new_session=True
            )
            ending = asyncio.create_task(self._ended.wait())
            exited = asyncio.create_task(self._watch(process))
            await asyncio.wait({ending, exited}, return_when=asyncio.FIRST_COMPLETED)
            ending.cancel()
            if self._ended.is_set():
                await _end(process)
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


async def _end(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), KILLED_AFTER_S)
    except TimeoutError:
        process.kill()
        await process.wait()
