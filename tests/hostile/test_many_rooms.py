"""A thousand rooms of one address: refused in words from the bound on; and what they cost where allowed."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable

import pytest

from tests.hostile.conftest import Start
from tests.hostile.raw import converse, resident_mib, script
from tests.support.peer import Peer
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess
from tests.support.web import fetch

ASKED = 1_000
IDENTITIES = 40
ADDRESS_MAY = 20  # a minute's worth, all at once


async def rooms_of_node(server: ServerProcess) -> int:
    page = (await fetch(server.port, "/metrics")).body.decode()
    found = re.search(r"^crescent_rooms\S* (\d+)", page, re.M)
    assert found is not None, page
    return int(found[1])


async def weight(server: ServerProcess, store: ValkeyProcess) -> tuple[float, float, int]:
    """MiB of the node and of the store, and the store's keys."""
    assert server.process is not None
    async with store.client() as client:
        used = (await client.info("memory"))["used_memory"] / 2**20
        return resident_mib(server.process.pid), used, await client.dbsize()


async def test_one_address_is_refused_at_the_bound(
    start_server: Start, store: ValkeyProcess, tell: Callable[..., None]
) -> None:
    server = start_server("--redis", store.url, rates="")  # the usual rates
    before = await weight(server, store)
    peers = [await Peer.hello(server.url) for _ in range(IDENTITIES)]
    asked = [{"t": "create", "options": {}}] * (ASKED // IDENTITIES)
    answers = [
        answer for each in await asyncio.gather(*(p.pipeline(asked) for p in peers)) for answer in each
    ]
    after = await weight(server, store)
    kinds = Counter(answer.get("code", answer["t"]) for answer in answers)
    # What is asked takes its time, and each minute twenty more may be made.
    assert set(kinds) == {"room", "too_many"}
    assert ADDRESS_MAY <= kinds["room"] < 3 * ADDRESS_MAY
    assert all(answer["text"] for answer in answers if answer["t"] == "error")
    assert await rooms_of_node(server) == kinds["room"]
    # Who was refused has left nothing behind.
    assert after[2] - before[2] < 5 * kinds["room"]
    for peer in peers:
        await peer.close()
    tell_weight(tell, "the usual rates", len(answers), kinds["room"], before, after)


@pytest.mark.soak
async def test_what_a_thousand_rooms_cost(
    start_server: Start, store: ValkeyProcess, tell: Callable[..., None]
) -> None:
    server = start_server("--redis", store.url)
    create = {"t": "create", "options": {"name": "a room"}}
    scripts = [script("msgpack", {"t": "hello"}, create) for _ in range(ASKED)]
    await asyncio.to_thread(converse, server.port, scripts[:50], "msgpack")
    before = await weight(server, store)
    heard = await asyncio.to_thread(converse, server.port, scripts, "msgpack")
    after = await weight(server, store)
    made = {room["room"] for each in heard for room in each.of("room")}
    assert len(made) == ASKED
    assert await rooms_of_node(server) == ASKED + 50
    assert (await fetch(server.port, "/readyz")).status == 200
    tell_weight(tell, "rates that allow it", ASKED, len(made), before, after)


def tell_weight(
    tell: Callable[..., None],
    what: str,
    asked: int,
    made: int,
    before: tuple[float, float, int],
    after: tuple[float, float, int],
) -> None:
    tell(
        "A thousand rooms of one address",
        who=what,
        asked=f"{asked:,}",
        made=f"{made:,}",
        node_MiB=f"{before[0]:.1f} → {after[0]:.1f}",
        store_MiB=f"{before[1]:.1f} → {after[1]:.1f}",
        keys=f"{before[2]:,} → {after[2]:,}",
    )
