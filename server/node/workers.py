"""Several nodes on one machine: a parent that owns the store and starts them on one port."""

import asyncio
import contextlib
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import Callable

import structlog

from server.node.serve import cannot_listen, end_asked, store_url
from server.node.settings import Settings, format_rates

AGAIN_S = 1.0
KILLED_AFTER_S = 15.0

log = structlog.get_logger()


async def serve_workers(settings: Settings, started: Callable[[str, int], None]) -> None:
    """Run `settings.workers` nodes until a signal of `ENDS`. Raises one of `START_ERRORS`."""
    ended = end_asked()
    with _reserved_port(settings) as reserved:
        host, port = reserved.getsockname()[:2]
        async with store_url(settings) as url:
            command = _command(settings._replace(host=host, port=port, redis_url=url))
            keepers = [asyncio.create_task(_keep(command, ended)) for _ in range(settings.workers)]
            started(host, port)
            await ended.wait()
            await asyncio.gather(*keepers)


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


def _command(settings: Settings) -> list[str]:
    return [
        sys.executable, "-m", "server", "--worker",
        "--host", settings.host,
        "--port", str(settings.port),
        "--redis", settings.redis_url or "",
        "--rates", format_rates(settings.rates),
        "--drain", str(settings.drain_s),
        "--connections-per-address", str(settings.door.connections_max),
        *(part for origin in settings.door.origins for part in ("--origin", origin)),
        *(part for network in settings.door.trusted_proxies for part in ("--trusted-proxy", str(network))),
    ]  # fmt: skip


async def _keep(command: list[str], ended: asyncio.Event) -> None:
    """Keep one worker running until the end, and then end it."""
    while not ended.is_set():
        # In a session of its own: a Ctrl-C is the parent's to pass on, once.
        process = await asyncio.create_subprocess_exec(*command, start_new_session=True)
        ending = asyncio.create_task(ended.wait())
        exited = asyncio.create_task(process.wait())
        await asyncio.wait({ending, exited}, return_when=asyncio.FIRST_COMPLETED)
        if ended.is_set():
            await _end(process)
            return
        ending.cancel()
        log.error("worker ended", code=process.returncode, again_s=AGAIN_S)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), AGAIN_S)


async def _end(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), KILLED_AFTER_S)
    except TimeoutError:
        process.kill()
        await process.wait()
