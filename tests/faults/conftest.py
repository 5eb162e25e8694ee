"""What tests of real faults share: a store, and the row that each adds to their table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

import pytest

from tests.faults.load import Count, Load, Since
from tests.support.valkey import ValkeyProcess

Row = Callable[..., None]
Finish = Callable[..., Awaitable[None]]


@pytest.fixture
def valkey() -> Iterator[ValkeyProcess]:
    """A store for one test."""
    with ValkeyProcess() as valkey:
        yield valkey


@pytest.fixture
def row(tell: Callable[..., None]) -> Row:
    """`row("fault", count, since, times=…)` tells a row, in which nothing may be lost or doubled."""

    def told(fault: str, count: Count, since: Since, **more: object) -> None:
        tell("Real faults", fault=fault, **more, **count._asdict(), **since._asdict())
        assert (count.lost, count.doubled) == (0, 0)

    return told


@pytest.fixture
def finish(row: Row) -> Finish:
    """`await finish("fault", load, store_url, times=…)`: the races are played to their end and checked, and a
    row told of it all."""

    async def told(fault: str, load: Load, store_url: str, **more: object) -> None:
        since = load.since(0)
        row(fault, await load.finish(store_url), since, **more)

    return told
