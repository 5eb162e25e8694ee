"""`/metrics` against what was played, and the two pages that say whether a node lives and is ready."""

from __future__ import annotations

import asyncio
import re
import signal
import urllib.parse
from pathlib import Path

import pytest

from server.node.counts import Histogram
from server.node.journal import error_word
from server.node.siblings import merged
from tests.support.figures import Figures, scrape
from tests.support.golden import SHORTEST_WIN, Action
from tests.support.nodes import node_on
from tests.support.peer import Peer
from tests.support.races import game_on_entering, play, play_well, start_race
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess
from tests.support.web import fetch

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
PATIENCE_S = 20.0


async def until(port: int, condition) -> Figures:  # type: ignore[no-untyped-def]
    """The first scrape of which this holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition(figures := await scrape(port)):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.02)
    return figures


async def test_a_scrape_during_a_race_tells_what_was_played(meet, own_server: ServerProcess) -> None:
    port = own_server.port
    before = await scrape(port)
    assert before.of("crescent_connections") == before.of("crescent_rooms") == 0
    ann, bob = await meet(url=own_server.url), await meet("json", url=own_server.url)
    await start_race(ann, bob, deal=CODE)
    await asyncio.gather(play_well(ann, MOVES[:70]), play_well(bob, MOVES[:30]))
    await play_well(bob, MOVES[25:30], first=26)  # again
    refused = await play(bob, [Action("m", 0, 0), Action("u")], first=31)
    assert [answer["code"] for answer in refused] == ["same_place", "out_of_step"]

    during = await scrape(port)
    assert during.of("crescent_connections") == during.of("crescent_connections_opened_total") == 2
    assert during.of("crescent_rooms") == 1
    assert during.by("crescent_actions_total", "result") == {
        "done": 100,
        "repeated": 5,
        "unknown": 0,
        "same_place": 1,
        "out_of_step": 1,
    }
    assert during.of("crescent_acknowledge_seconds_count") == 100
    assert during.of("crescent_acknowledge_seconds_bucket", le="+Inf") == 100
    assert 0 < during.of("crescent_acknowledge_seconds_sum") < 100 * PATIENCE_S
    items = during.of("crescent_flush_items_sum") - before.of("crescent_flush_items_sum")
    writes = during.of("crescent_flush_items_count") - before.of("crescent_flush_items_count")
    assert items >= 100 + len(ann.all("event"))
    assert 0 < writes < items
    assert during.of("crescent_items_waiting") == 0
    assert during.of("crescent_store_errors_total") == during.of("crescent_flushes_failed_total") == 0
    assert 0 <= during.of("crescent_probe_age_seconds") < PATIENCE_S
    # It is looked at now and then, and the server is young.
    await until(port, lambda figures: figures.of("crescent_loop_lag_seconds_count") > 0)
    assert during.of("crescent_build_info", version=ann.all("welcome")[0]["server"]) == 1
    assert during.of("process_resident_memory_bytes") > 1e6

    await bob.send(t="op", n=0, op="r")
    assert (await bob.wait_closed())[0] == 4400
    ann.abort()
    after = await until(port, lambda figures: figures.of("crescent_connections") == 0)
    assert after.of("crescent_connections_closed_total", code="4400") == 1
    assert after.of("crescent_connections_closed_total", code="1006") == 1
    assert after.of("crescent_connections_closed_total") == 2


async def test_a_code_of_a_client_s_own_invention_is_no_label(meet, race_server: ServerProcess) -> None:
    name = "crescent_connections_closed_total"
    before = await scrape(race_server.port)
    for code in (3999, 4999):
        peer = await meet()
        await peer.connection.close(code)
    after = await until(race_server.port, lambda figures: figures.of(name) >= before.of(name) + 2)
    assert after.of(name, code="other") == before.of(name, code="other") + 2
    assert not {"3999", "4999"} & after.by(name, "code").keys()


async def test_every_figure_has_its_unit_and_stands_in_the_page_on_operations(race_server) -> None:
    page = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
    names = {family.name for family in (await scrape(race_server.port)).families}
    for name in {name for name in names if name.startswith("crescent_")}:
        assert re.fullmatch(r"[a-z_]+", name)
        assert not re.search(r"_(ms|millis|total)$", name), name
        assert f"`{name}" in page, name
    for named in re.findall(r"`(crescent_\w+)", page):
        assert re.sub(r"_(total|count|sum|bucket)$", "", named) in names, named


async def test_a_store_that_goes_is_counted_and_told(meet) -> None:
    with ValkeyProcess() as valkey:
        async with node_on(valkey.url) as url:
            port = urllib.parse.urlsplit(url).port
            assert port is not None
            ann = await meet(url=url)
            await start_race(ann, deal=CODE)
            assert (await fetch(port, "/readyz")).body == b"ready\n"
            await asyncio.to_thread(valkey.kill)
            await ann.send(t="op", n=1, op="r")
            ready = await fetch(port, "/readyz")
            assert (ready.status, ready.body) == (503, b"the store does not answer\n")
            assert (await fetch(port, "/healthz")).status == 200
            figures = await scrape(port)
            assert figures.of("crescent_items_waiting") >= 1
            assert figures.of("crescent_flushes_failed_total") >= 1
            assert figures.of("crescent_store_errors_total", error="ConnectionError") >= 2
            assert (await ann.wait_closed())[0] == 1013
            figures = await scrape(port)
            assert figures.of("crescent_actions_total", result="unknown") == 1
            assert figures.of("crescent_connections_closed_total", code="1013") == 1
            await asyncio.to_thread(valkey.start)
            async with asyncio.timeout(PATIENCE_S):
                while (await fetch(port, "/readyz")).status != 200:  # noqa: ASYNC110 - as any client
                    await asyncio.sleep(0.05)


async def test_a_store_without_memory_is_counted_by_its_own_word(meet) -> None:
    with ValkeyProcess() as valkey:
        async with node_on(valkey.url) as url:
            port = urllib.parse.urlsplit(url).port
            assert port is not None
            ann = await meet(url=url)
            room = await start_race(ann, deal=CODE)
            async with valkey.client() as client:
                await client.config_set("maxmemory", "1")
                await ann.send(t="op", n=1, op="r")
                figures = await until(port, lambda figures: figures.of("crescent_items_failed_total") > 0)
                assert figures.by("crescent_items_failed_total", "error").keys() == {"OOM"}
                await client.config_set("maxmemory", "0")
            assert (await ann.next("done"))["n"] == 1
            assert (await game_on_entering(ann, room))["n"] == 1


async def test_a_server_that_leaves_is_not_ready(own_server: ServerProcess) -> None:
    """Asked on a connection that was there before; new ones it takes no more."""
    peer = await Peer.hello(own_server.url)
    reader, writer = await asyncio.open_connection("127.0.0.1", own_server.port)
    writer.write(b"GET /readyz HTTP/1.1\r\nHost: there\r\n")
    await scrape(own_server.port)  # so what was written before has come
    assert own_server.process is not None
    own_server.process.send_signal(signal.SIGTERM)
    assert (await peer.wait_closed())[0] == 1012
    writer.write(b"\r\n")
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert answer.endswith(b"the server is leaving\n")
    with pytest.raises(OSError, match=r".*"):
        await asyncio.open_connection("127.0.0.1", own_server.port)
    writer.close()
    await asyncio.to_thread(own_server.kill)


# The parts


def test_a_histogram_puts_a_bound_below_itself() -> None:
    values = Histogram((1, 5))
    for value in (0, 0.5, 1, 1.5, 5, 6, 1000):
        values.add(value)
    assert values.counts == [3, 2, 2]
    assert (values.count, values.sum) == (7, 1014)


def test_pages_are_merged_figure_by_figure() -> None:
    one = b'# HELP a A thing\n# TYPE a gauge\na{w="0"} 1\n# HELP b B\n# TYPE b counter\n'
    two = (
        b'# HELP a A thing\n# TYPE a gauge\na{w="1"} 2\na{w="2"} 3\n# HELP b B\n# TYPE b counter\nb_total 4\n'
    )
    assert merged([one, b"", two]) == (
        b'# HELP a A thing\n# TYPE a gauge\na{w="0"} 1\na{w="1"} 2\na{w="2"} 3\n'
        b"# HELP b B\n# TYPE b counter\nb_total 4\n"
    )


@pytest.mark.parametrize(
    ("error", "word"),
    [
        ("OOM command not allowed when used memory > 'maxmemory'.", "OOM"),
        ("-READONLY You can't write against a read only replica.", "READONLY"),
        ("user_script:12: attempt to index a nil value", "ERR"),
        ("", "ERR"),
    ],
)
def test_an_error_is_counted_by_its_first_word(error: str, word: str) -> None:
    assert error_word(error) == word
