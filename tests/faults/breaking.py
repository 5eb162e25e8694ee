"""The faults: each a context that breaks something and, but for what is said to be there meanwhile, mends it
before it is entered, so that one can wait in it for everybody to go on."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import NamedTuple

from tests.faults.nodes import Nodes
from tests.support.proxy import PIECE_BYTES, Proxy
from tests.support.valkey import ValkeyProcess


class Scene(NamedTuple):
    """Nodes on a store, the link between them, and what decides when and which."""

    valkey: ValkeyProcess
    link: Proxy
    nodes: Nodes
    chance: random.Random

    async def random_moment(self) -> None:
        await asyncio.sleep(self.chance.uniform(0.05, 0.4))


Fault = Callable[[Scene], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def scene(nodes: int, *, seed: int, **store_settings: str) -> AsyncIterator[Scene]:
    """A store, and so many nodes that reach it over a proxy."""
    async with AsyncExitStack() as stack:
        valkey = stack.enter_context(ValkeyProcess(**store_settings))
        link = await stack.enter_async_context(Proxy(valkey.socket_path))
        running = await stack.enter_async_context(Nodes(link.store_url, nodes))
        yield Scene(valkey, link, running, random.Random(seed))


@asynccontextmanager
async def node_killed(scene: Scene) -> AsyncIterator[None]:
    """A node is killed with -9, and is away meanwhile."""
    await scene.random_moment()
    index = scene.chance.randrange(len(scene.nodes.all))
    await scene.nodes.kill(index)
    yield
    await scene.nodes.start(index)


@asynccontextmanager
async def store_killed(scene: Scene) -> AsyncIterator[None]:
    """The store is killed with -9, and started on its file."""
    await scene.random_moment()
    await asyncio.to_thread(scene.valkey.kill)
    await asyncio.to_thread(scene.valkey.start)
    yield


def store_stopped(seconds: float) -> Fault:
    """The store is held by SIGSTOP for so long."""

    @asynccontextmanager
    async def fault(scene: Scene) -> AsyncIterator[None]:
        await scene.random_moment()
        scene.valkey.pause()
        try:
            await asyncio.sleep(seconds)
        finally:
            scene.valkey.resume()
        yield

    return fault


def link_cut(seconds: float) -> Fault:
    """All connections to the store are cut, and new ones refused for so long."""

    @asynccontextmanager
    async def fault(scene: Scene) -> AsyncIterator[None]:
        await scene.random_moment()
        await scene.link.close()
        await asyncio.sleep(seconds)
        await scene.link.open()
        yield

    return fault


def link_silent(seconds: float) -> Fault:
    """Half-open: what is sent on the connections to the store is lost without a word, for ever, and for so
    long on new ones as well."""

    @asynccontextmanager
    async def fault(scene: Scene) -> AsyncIterator[None]:
        await scene.random_moment()
        scene.link.fall_silent()
        await asyncio.sleep(seconds)
        scene.link.silent = False
        yield

    return fault


def link_slow(delay_s: float) -> Fault:
    """What passes between nodes and store comes so late meanwhile, each way, and in pieces."""

    @asynccontextmanager
    async def fault(scene: Scene) -> AsyncIterator[None]:
        scene.link.up_s = scene.link.down_s = delay_s
        scene.link.piece_bytes = 100
        try:
            yield
        finally:
            scene.link.up_s = scene.link.down_s = 0.0
            scene.link.piece_bytes = PIECE_BYTES

    return fault


def link_too_slow(delay_s: float, seconds: float) -> Fault:
    """Answers come later than they are waited for, for so long: what was asked is done all the same."""

    @asynccontextmanager
    async def fault(scene: Scene) -> AsyncIterator[None]:
        scene.link.up_s = scene.link.down_s = delay_s
        await asyncio.sleep(seconds)
        scene.link.up_s = scene.link.down_s = 0.0
        yield

    return fault
