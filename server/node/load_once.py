"""What is read from the store is read once, however many ask for it meanwhile."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from server.node.world import World

Value = TypeVar("Value")


class LoadOnce(Generic[Value]):
    """Loads that are under way, by key; `name` is told of one that fails by a fault of ours."""

    def __init__(self, world: World, name: str) -> None:
        self._world, self._name = world, name
        self._under_way: dict[str, asyncio.Future[Value]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._under_way

    def __len__(self) -> int:
        return len(self._under_way)

    async def get(self, key: str, load: Callable[[], Coroutine[Any, Any, Value]], **about: str) -> Value:
        """What `load` returns or raises; it puts the value where it belongs.

        Who gives up waiting stops nothing. `about`: see `World.spawn`.
        """
        future = self._under_way.get(key)
        if future is None:
            future = self._under_way[key] = asyncio.get_running_loop().create_future()
            self._world.spawn(self._run(key, load, future), self._name, **about)
        return await asyncio.shield(future)

    async def _run(
        self, key: str, load: Callable[[], Coroutine[Any, Any, Value]], future: "asyncio.Future[Value]"
    ) -> None:
        try:
            value = await load()
        except Exception as error:
            del self._under_way[key]
            future.set_exception(error)
            future.exception()  # whoever waits raises it; nobody may be waiting any more
        else:
            del self._under_way[key]
            future.set_result(value)
