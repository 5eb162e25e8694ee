"""One node as a process: the store, the node and its listener, from start to a drained end."""

import asyncio
import contextlib
import errno
import gc
import os
import resource
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import structlog

from server.node.errors import SettingsError
from server.node.metrics import figures_text
from server.node.node import Node
from server.node.settings import Settings
from server.node.siblings import served
from server.node.tls import keep_renewed, tls_context
from server.node.world import RealWorld
from server.store.data_directory import StoreStartError
from server.store.embedded import EmbeddedValkey
from server.store.opening import open_store
from server.store.store import StoreUnavailableError
from server.store.suitability import UnsuitableStoreError
from server.store.urls import without_password
from server.transport.limits import Limits
from server.transport.listener import Listener, listen

log = structlog.get_logger()

ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

PROXIED_OPENINGS_MAX = 10_000

# Everything that keeps a server from starting for a reason its operator can mend.
START_ERRORS = (SettingsError, StoreStartError, UnsuitableStoreError, StoreUnavailableError)


@asynccontextmanager
async def store_url(settings: Settings) -> AsyncIterator[str]:
    """The store's URL: the one given, or that of the embedded store, which lives as long as this does."""
    if settings.redis_url is not None:
        yield settings.redis_url
        return
    fsync = "always" if settings.fsync == "always" else "everysec"
    embedded = await EmbeddedValkey.start(settings.data_dir, fsync=fsync)  # type: ignore[arg-type]
    try:
        yield embedded.url
    finally:
        await embedded.stop()


@asynccontextmanager
async def running_node(url: str, settings: Settings, *, reuse_port: bool = False) -> AsyncIterator[Listener]:
    """A node that serves, on the store at `url`; at the end it is drained.

    Raises one of `START_ERRORS`.
    """
    try:
        store, warnings = await open_store(url, wait_replicas=settings.wait_replicas)
    except ValueError as error:
        shown = without_password(url)
        raise SettingsError(f"`{shown}` is no Redis URL ({error}); write it as redis://HOST:PORT/0") from None
    for warning in warnings:
        log.warning(warning)
    world = RealWorld()
    node = Node(store, world, settings)
    try:
        await node.start()
        listener = await _listen(node, settings, reuse_port)
        try:
            figures = served(settings.figures, lambda: figures_text(node))
            async with figures, _certificate_kept_renewed(settings, listener):
                yield listener
            node.leaving = True
            await listener.drain(settings.drain_s)
        finally:
            await listener.close()
    finally:
        await node.stop()
        await world.close()
        await store.close()


async def _listen(node: Node, settings: Settings, reuse_port: bool) -> Listener:
    # Behind a proxy all come from its address.
    openings = PROXIED_OPENINGS_MAX if settings.door.trusted_proxies else 2 * settings.door.connections_max
    limits = Limits(openings_per_peer_max=max(256, openings))
    ssl = tls_context(settings.tls) if settings.tls is not None else None
    try:
        return await listen(node, settings.host, settings.port, limits=limits, reuse_port=reuse_port, ssl=ssl)
    except OSError as error:
        raise cannot_listen(settings, error) from None


@asynccontextmanager
async def _certificate_kept_renewed(settings: Settings, listener: Listener) -> AsyncIterator[None]:
    if settings.tls is None:
        yield
        return
    task = asyncio.create_task(keep_renewed(settings.tls, listener), name="certificate")
    try:
        yield
    finally:
        task.cancel()


def cannot_listen(settings: Settings, error: OSError) -> SettingsError:
    """Why the address cannot be had, and what to do."""
    address = f"{settings.host}:{settings.port}"
    advice = "choose another with --port or --host"
    if error.errno == errno.EADDRINUSE:
        left = "workers of a server that was killed leave by themselves"
        advice = f"end what listens there ({left}), or {advice}"
    number = error.errno or 0  # below 0: of a name that was not found
    why = os.strerror(number) if number > 0 else error.strerror or error
    return SettingsError(f"cannot listen on {address} ({why}); {advice}")


def end_asked() -> asyncio.Event:
    """Set once the process is asked to end: by its operator, or by the terminal that is closed."""
    ended = asyncio.Event()
    for number in ENDS:
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    return ended


def raise_file_limit() -> None:
    """As many files as may be had: every connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(ValueError, OSError):  # macOS names a hard limit that it does not grant
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def spare_the_collector() -> None:
    """What is loaded by now stays: it need not be looked through again and again. A move makes no garbage
    that only the collector finds, so it may come less often (a sixth of a move's time, measured)."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


async def serve(
    settings: Settings,
    started: Callable[[str, int], None],
    *,
    reuse_port: bool = False,
    ended: asyncio.Event | None = None,
) -> None:
    """Serve until `ended`, else until a signal of `ENDS`; `started` is told the address.

    Raises one of `START_ERRORS`.
    """
    ended = ended or end_asked()
    raise_file_limit()
    async with store_url(settings) as url, running_node(url, settings, reuse_port=reuse_port) as listener:
        started(*listener.address)
        spare_the_collector()
        await ended.wait()
        log.info("leaving", connections=len(listener.connections))
