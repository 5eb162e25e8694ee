"""Tries at a room's password: the right one is none, and of wrong ones there are five, however they come."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from server.node import password_tries, passwords
from server.node.password_tries import PasswordTries
from server.node.world import RealWorld
from server.rooms.problems import RoomProblem
from server.store.store import PASSWORD_TRIES_MAX, Store, connect
from tests.support.items import fresh_room
from tests.support.races import gather_room
from tests.support.web import fetch

SECRET = "sesame"
GUESSES = 100
RIGHT_AT = 40  # among the guesses
CLASS = 30


async def code_of(peer: Any, room: str, name: str, password: str) -> str:
    answer = await peer.ask("enter", room=room, as_="player", name=name, password=password)
    return str(answer.get("code", answer["t"]))


async def test_a_class_comes_in_at_once_also_after_some_have_mistyped(meet, two_nodes) -> None:
    ann = await meet(url=two_nodes[0].url)
    room = await gather_room(ann, password=SECRET, max_players=CLASS + 1)
    peers = [await meet(url=two_nodes[number % 2].url) for number in range(CLASS)]
    for number in range(PASSWORD_TRIES_MAX - 1):
        assert await code_of(peers[number], room, "B", "no") == "wrong_password"
    codes = await asyncio.gather(
        *(code_of(peer, room, f"P{number}", SECRET) for number, peer in enumerate(peers))
    )
    assert codes == ["room"] * CLASS
    pages = await asyncio.gather(
        *(fetch(two_nodes[number % 2].port, f"/api/rooms/{room}", Authorization=f"Bearer {SECRET}")
          for number in range(CLASS))
    )  # fmt: skip
    assert {page.status for page in pages} == {200}
    assert await code_of(await meet(url=two_nodes[0].url), room, "B", "no") == "wrong_password"
    assert await code_of(await meet(url=two_nodes[0].url), room, "Z", SECRET) == "too_many"


async def test_of_many_guesses_at_once_five_are_judged_and_the_right_one_is_not_found(
    meet, two_nodes
) -> None:
    ann = await meet(url=two_nodes[0].url)
    room = await gather_room(ann, password=SECRET)
    for node in two_nodes:  # it is known to both
        assert (await fetch(node.port, f"/api/rooms/{room}", Authorization=f"Bearer {SECRET}")).status == 200
    pages = await asyncio.gather(
        *(fetch(two_nodes[number % 2].port, f"/api/rooms/{room}",
                Authorization=f"Bearer {SECRET if number == RIGHT_AT else f'guess {number}'}")
          for number in range(GUESSES))
    )  # fmt: skip
    codes = Counter(page.json.get("code", "told") for page in pages)
    assert codes == {"wrong_password": PASSWORD_TRIES_MAX, "too_many": GUESSES - PASSWORD_TRIES_MAX}


# On one store, without a server


@pytest.fixture
async def store(valkey_url: str) -> AsyncIterator[Store]:
    store = Store(connect(valkey_url))
    yield store
    await store.close()


@pytest.fixture
async def world() -> AsyncIterator[RealWorld]:
    world = RealWorld()
    yield world
    await world.close()


class Gate:
    """In place of the hasher: who is judged waits here until it is opened."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()
        self.judged = 0
        self.problem: RoomProblem | None = None

    async def fits(self, hash: str, password: str) -> bool:
        self.judged += 1
        await self.opened.wait()
        if self.problem is not None:
            raise self.problem
        return hash == password

    async def until_judged(self, count: int) -> None:
        async with asyncio.timeout(5):
            while self.judged < count:  # noqa: ASYNC110 - seen from outside
                await asyncio.sleep(0)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    gate = Gate()
    monkeypatch.setattr(passwords, "fits", gate.fits)
    return gate


def a_room() -> Any:
    return SimpleNamespace(id=fresh_room(), room=SimpleNamespace(options=SimpleNamespace(password=SECRET)))


async def none_under_way(store: Store, room: str) -> int:
    """Wait until nothing is judged any more: how many were wrong."""
    async with asyncio.timeout(5):
        while (tries := await store.password_tries(room, "here")).under_way:
            pass
    return tries.wrong


@pytest.mark.parametrize(("said", "wrong"), [(SECRET, 0), ("no", 1)])
async def test_who_leaves_while_they_are_judged_is_judged(store, world, gate, said: str, wrong: int) -> None:
    room, tries = a_room(), PasswordTries(store, world)
    asking = asyncio.create_task(tries.check(room, "here", said))
    await gate.until_judged(1)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await store.password_tries(room.id, "here") == (0, 1)
    gate.opened.set()
    assert await none_under_way(store, room.id) == wrong


async def test_who_waits_is_judged_by_the_password_there_is_then(store, world, gate) -> None:
    room, tries = a_room(), PasswordTries(store, world)
    first = asyncio.create_task(tries.check(room, "here", "no"))
    await gate.until_judged(1)
    second, third = (asyncio.create_task(tries.check(room, "here", said)) for said in (SECRET, "new"))
    await asyncio.sleep(0)
    room.room.options.password = "new"
    gate.opened.set()
    outcomes = await asyncio.gather(first, second, third, return_exceptions=True)
    assert [getattr(outcome, "code", outcome) for outcome in outcomes] == ["wrong_password"] * 2 + [None]


async def test_those_whose_askers_leave_take_turns_as_well(store, world, gate, monkeypatch) -> None:
    room, tries = a_room(), PasswordTries(store, world)
    begun: list[str] = []
    begin = Store.password_try

    async def noted(of: Store, room: str, address: str, id: str):
        begun.append(id)
        return await begin(of, room, address, id)

    monkeypatch.setattr(Store, "password_try", noted)
    asking = [asyncio.create_task(tries.check(room, "here", f"guess {number}")) for number in range(4)]
    await gate.until_judged(1)
    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    assert await store.password_tries(room.id, "here") == (0, 1)
    assert len(begun) == 1
    gate.opened.set()
    await gate.until_judged(4)
    assert await none_under_way(store, room.id) == 4


async def test_what_could_not_be_judged_is_no_try(store, world, gate) -> None:
    room, tries = a_room(), PasswordTries(store, world)
    gate.problem = RoomProblem("too_many")
    gate.opened.set()
    with pytest.raises(RoomProblem, match="too_many"):
        await tries.check(room, "here", SECRET)
    assert await store.password_tries(room.id, "here") == (0, 0)


async def test_tries_beyond_those_allowed_wait_for_the_others_on_other_nodes(store, world, gate) -> None:
    room, nodes = a_room(), [PasswordTries(store, world) for _ in range(PASSWORD_TRIES_MAX + 3)]
    asking = [asyncio.create_task(tries.check(room, "here", SECRET)) for tries in nodes]
    await gate.until_judged(PASSWORD_TRIES_MAX)
    gate.opened.set()
    await asyncio.gather(*asking)
    assert await store.password_tries(room.id, "here") == (0, 0)


async def test_who_waits_too_long_is_told_so(store, world, gate, monkeypatch) -> None:
    monkeypatch.setattr(password_tries, "WAIT_MS", 100)
    room, nodes = a_room(), [PasswordTries(store, world) for _ in range(PASSWORD_TRIES_MAX + 1)]
    asking = [asyncio.create_task(tries.check(room, "here", SECRET)) for tries in nodes[:-1]]
    await gate.until_judged(PASSWORD_TRIES_MAX)
    with pytest.raises(RoomProblem, match="too_many"):
        await nodes[-1].check(room, "here", SECRET)
    gate.opened.set()
    await asyncio.gather(*asking)


async def test_one_that_was_right_is_known_until_the_password_is_another(store, world, gate) -> None:
    room, tries = a_room(), PasswordTries(store, world)
    gate.opened.set()
    for address in ("here", "there", "here"):
        await tries.check(room, address, SECRET)
    assert gate.judged == 1
    room.room.options.password = "another"
    with pytest.raises(RoomProblem, match="wrong_password"):
        await tries.check(room, "here", SECRET)
    await tries.check(room, "here", "another")
    assert gate.judged == 3


async def test_not_more_are_known_than_are_kept(store, world, gate, monkeypatch) -> None:
    monkeypatch.setattr(password_tries, "RIGHT_KEPT", 2)
    tries, rooms = PasswordTries(store, world), [a_room() for _ in range(3)]
    for number, room in enumerate(rooms):
        room.room.options.password = f"{SECRET} {number}"
    gate.opened.set()
    for number in (0, 1, 0, 2, 0, 1):  # the second is the one that was not said again
        await tries.check(rooms[number], "here", f"{SECRET} {number}")
    assert gate.judged == 4
