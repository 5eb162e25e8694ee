"""A store whose clock is set back, as of a server that takes over with an earlier one; and a warning."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from server.store.heads import is_online
from server.store.items import Extra, Verdict
from server.store.store import Store, connect
from server.store.suitability import check_clocks
from tests.support.items import answers, beat, running_room, write
from tests.support.valkey import ValkeyProcess
from tests.support.wrong_clock import WrongClock, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

STORED, EARLY, FENCED, TAKEN = Verdict.STORED, Verdict.EARLY, Verdict.FENCED, Verdict.TAKEN
BACK_MS = 300_000


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> WrongClock:
    return WrongClock(tmp_path_factory.mktemp("clock"))


@pytest.fixture(scope="module")
def valkey(clock: WrongClock) -> Iterator[ValkeyProcess]:
    valkey = ValkeyProcess()
    valkey.environment = clock.environment
    with valkey:
        yield valkey


@pytest.fixture
async def store(valkey: ValkeyProcess, clock: WrongClock) -> AsyncIterator[Store]:
    clock.set_ms(0)
    store = Store(connect(valkey.url))
    yield store
    await store.close()


async def test_stamps_go_on_from_the_last_of_their_log(store: Store, clock: WrongClock) -> None:
    room = await running_room(store)
    game = room.game("a")
    (first,) = await answers(store, game.next())
    clock.set_ms(-BACK_MS)
    assert await store.now_ms() < first.stamp
    told = await answers(store, game.next(), game.next())
    assert [answer.stamp for answer in told] == [first.stamp] * 2
    clock.set_ms(BACK_MS)
    (ahead,) = await answers(store, game.next())
    assert ahead.stamp >= first.stamp + BACK_MS


async def test_what_a_stamp_in_the_room_has_reached_is_not_early(store: Store, clock: WrongClock) -> None:
    room = await running_room(store)
    (won,) = await answers(store, room.game("a").next())
    clock.set_ms(-BACK_MS)
    assert await write(store, room.event(stamp=won.stamp, from_ms=won.stamp)) == [STORED]
    assert await write(store, room.event(from_ms=won.stamp + 1)) == [EARLY]


async def test_a_lease_of_the_future_is_not_a_living_one(store: Store, clock: WrongClock) -> None:
    room = await running_room(store)
    assert await write(store, beat(room.id, "a", "c:2"), beat(room.id, "b", "c:1")) == [STORED] * 2
    assert await write(store, beat(room.id, "a", "c:1")) == [TAKEN]
    clock.set_ms(-BACK_MS)
    _, left = await store.moment(room.id, "a")
    assert left is not None
    assert not is_online(left, await store.now_ms())
    assert await write(store, beat(room.id, "a", "c:1")) == [STORED]
    assert await write(store, room.log.item(extra=Extra(absent="a"))) == [FENCED]
    assert await write(store, room.log.item(extra=Extra(absent="b"))) == [STORED]


async def test_clocks_that_are_apart_are_told_before_they_do_harm(
    store: Store, valkey_url: str, clock: WrongClock
) -> None:
    with ValkeyProcess() as away:
        gone = connect(away.url)
    other = connect(valkey_url)
    servers = [store.redis, other, gone]
    assert await check_clocks(servers) == []
    clock.set_ms(-BACK_MS)
    (warning,) = await check_clocks(servers)
    assert f"{valkey_url.removeprefix('unix://')} is 300 s ahead of" in warning
    assert warning.endswith(".")
    assert "\n" not in warning
    for client in (other, gone):
        await client.aclose()
