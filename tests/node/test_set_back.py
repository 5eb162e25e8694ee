"""A store that lost writes, as one does that fails over to a replica which was behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from redis.asyncio import Redis

from server.node.hub import Hub
from server.store.store import Store
from tests.support.golden import SHORTEST_WIN
from tests.support.nodes import node_on
from tests.support.peer import Peer
from tests.support.races import gather_room, play_well, start_race
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess

ACTIONS = SHORTEST_WIN.actions
Copy = dict[bytes, tuple[bytes, int]]
Losing = Callable[[Redis, Copy], Awaitable[None]]
Meet = Callable[..., Awaitable[Peer]]


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyProcess]:
    with ValkeyProcess() as valkey:
        yield valkey


@pytest.fixture(scope="module")
def nodes(valkey: ValkeyProcess) -> Iterator[list[ServerProcess]]:
    nodes = [ServerProcess("--redis", valkey.url).start() for _ in range(2)]
    yield nodes
    for node in nodes:
        assert node.stop() == 0, node.errors
        assert '"level": "error"' not in node.errors, node.errors


@pytest.fixture
async def store(valkey: ValkeyProcess) -> AsyncIterator[Redis]:
    async with valkey.client() as client:
        yield client


async def copied(store: Redis) -> Copy:
    """All that is in the store, and how long each is to live."""
    return {key: (await store.dump(key), await store.pttl(key)) for key in await store.keys()}


async def set_back(store: Redis, copy: Copy) -> None:
    """Have it as it was, in one step."""
    async with store.pipeline(transaction=True) as pipe:
        pipe.flushdb()
        for key, (dump, pttl) in copy.items():
            pipe.restore(key, max(pttl, 0), dump)
        await pipe.execute()


async def fail_over(store: Redis, copy: Copy) -> None:
    """The same, and all connections for hints are lost, as they are when a server is."""
    await set_back(store, copy)
    await store.client_kill_filter(_type="pubsub")


def moves_of(board: dict[str, Any]) -> set[tuple[str, int]]:
    return {(row["player"], row["moves"]) for row in board["rows"]}


@pytest.mark.parametrize("losing", [set_back, fail_over])
async def test_all_are_told_the_room_and_their_game_as_they_are_now(
    nodes: list[ServerProcess], store: Redis, meet: Meet, losing: Losing
) -> None:
    one, other, watcher = [await meet(url=nodes[number].url) for number in (0, 1, 1)]
    room = await start_race(one, other, deal=SHORTEST_WIN.code, spectators="live", visibility="open")
    await watcher.enter(room, "W", as_="spectator")
    assert (await watcher.ask("follow", player=one.player))["t"] == "view"
    await play_well(one, ACTIONS[:3])
    await play_well(other, ACTIONS[:2])
    copy = await copied(store)
    await play_well(one, ACTIONS[3:6], first=4)
    assert (await other.ask("forfeit"))["t"] == "ok"
    for peer in (one, other, watcher):
        await peer.next("event", kind="forfeited")
    await losing(store, copy)
    for peer, n in ((one, 3), (other, 2)):
        told = await peer.next("room")
        assert {row["player"]: row["status"] for row in told["board"]["rows"]}[other.player] == "playing"
        assert (await peer.next("game"))["n"] == n
    assert (await watcher.next("view"))["n"] == 3
    # And they go on from there, to one end.
    await play_well(one, ACTIONS[3:], first=4)
    await play_well(other, ACTIONS[2:], first=3)
    boards = [(await peer.next("event", kind="closed"))["board"]["rows"] for peer in (one, other, watcher)]
    assert boards[0] == boards[1] == boards[2]
    assert [row["status"] for row in boards[0]] == ["won", "won"]


async def test_one_that_lost_writes_and_gained_others_since_is_not_taken_for_in_step(
    nodes: list[ServerProcess], store: Redis, meet: Meet
) -> None:
    one, other = [await meet(url=node.url) for node in nodes]
    room = await start_race(one, other, deal=SHORTEST_WIN.code)
    copy = await copied(store)
    await play_well(one, ACTIONS[:4])
    await other.next("board", where=lambda board: (one.player, 4) in moves_of(board))
    await set_back(store, copy)
    await play_well(other, ACTIONS[:6])  # as many changes as were lost, and more
    await store.client_kill_filter(_type="pubsub")
    for peer, n in ((one, 0), (other, 6)):
        assert (await peer.next("room"))["room"] == room
        assert (await peer.next("game", n=n))["n"] == n


async def test_who_forfeits_while_the_start_is_lost_is_told_that_nothing_is_on(
    valkey: ValkeyProcess, store: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        node_on(valkey.url) as url,
        await Peer.hello(url) as one,
        await Peer.hello(url) as other,
    ):
        await gather_room(one, [other], deal=SHORTEST_WIN.code)
        copy = await copied(store)
        assert (await one.ask("start"))["t"] == "ok"
        for peer in (one, other):
            await peer.next("game")
        log_length = Store.log_length

        async def with_the_start_lost_meanwhile(of: Store, room: str, log: str) -> int:
            length = await log_length(of, room, log)
            monkeypatch.undo()
            await set_back(store, copy)
            await other.next("room", state="lobby")
            return length

        monkeypatch.setattr(Store, "log_length", with_the_start_lost_meanwhile)
        assert (await other.ask("forfeit"))["code"] == "wrong_state"
        assert (await one.ask("start"))["t"] == "ok"
        assert (await other.next("game"))["n"] == 0


class LateWord:
    """Two nodes, a player on each, of whom the second plays three actions that are lost in a failover; and
    what its node told the other of them, to be told again late."""

    def __init__(self, store: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
        self._store = store
        self._told: list[tuple[str, bytes]] = []
        self._looked = asyncio.Event()
        self._stack = AsyncExitStack()
        publish, look = Store.publish, Hub._reconcile_all

        async def noted(of: Store, messages: Any) -> Any:
            self._told += [message for message in messages if message[0].endswith(":progress")]
            return await publish(of, messages)

        async def counted(hub: Hub) -> None:
            await look(hub)
            self._looked.set()

        monkeypatch.setattr(Store, "publish", noted)
        monkeypatch.setattr(Hub, "_reconcile_all", counted)

    async def __aenter__(self) -> LateWord:
        await self._stack.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> None:
        await self._stack.__aexit__(*exc)

    async def lose(self, valkey: ValkeyProcess) -> None:
        """Have the three played, heard of and lost, and all told so."""
        urls = [await self._stack.enter_async_context(node_on(valkey.url)) for _ in range(2)]
        self.one, self.other = [await self._stack.enter_async_context(await Peer.hello(url)) for url in urls]
        await start_race(self.one, self.other, deal=SHORTEST_WIN.code)
        await play_well(self.other, ACTIONS[:3])
        await self.one.next("board", where=lambda board: (self.other.player, 3) in moves_of(board))
        copy = await copied(self._store)
        for n in (4, 5, 6):
            del self._told[:]
            await play_well(self.other, ACTIONS[n - 1 : n], first=n)
            await self.one.next("board", where=lambda board, n=n: (self.other.player, n) in moves_of(board))
        await set_back(self._store, copy)
        for peer in (self.one, self.other):
            assert (self.other.player, 3) in moves_of((await peer.next("room"))["board"])
            await peer.next("game")
        self.since = len(self.one.received)

    async def tell(self) -> None:
        """Tell of the last of them."""
        (message,) = self._told
        await self._store.execute_command("SPUBLISH", *message)

    async def looks(self, more: int) -> None:
        """Wait until the nodes have looked at the store so often."""
        for _ in range(more):
            self._looked.clear()
            await self._looked.wait()


@pytest.fixture
async def late_word(store: Redis, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LateWord]:
    async with LateWord(store, monkeypatch) as word:
        yield word


async def test_late_word_of_a_lost_action_is_not_believed_where_something_else_is_known_to_be_there(
    valkey: ValkeyProcess, late_word: LateWord
) -> None:
    await late_word.lose(valkey)
    one, other = late_word.one, late_word.other
    await play_well(one, ACTIONS[:4])  # the changes of the room that the lost ones were, and one more
    await late_word.tell()
    await play_well(other, ACTIONS[3:4], first=4)  # what is told of it comes behind
    await one.next("board", where=lambda board: {(other.player, 4), (one.player, 4)} <= moves_of(board))
    boards = [message for message in one.received[late_word.since :] if message["t"] == "board"]
    assert not any((other.player, 6) in moves_of(board) for board in boards)


@pytest.mark.parametrize("when", ["long after", "at once, and overtaken"])
async def test_late_word_of_a_lost_action_is_found_out_at_the_next_look(
    valkey: ValkeyProcess, late_word: LateWord, when: str
) -> None:
    await late_word.lose(valkey)
    one, other = late_word.one, late_word.other
    if when == "long after":
        await late_word.looks(4)
    await late_word.tell()
    if when != "long after":
        await play_well(one, ACTIONS[:4])
    room = await one.next("room")
    assert (other.player, 3) in moves_of(room["board"])
    await one.next("game")
    await play_well(other, ACTIONS[3:5], first=4)
    await one.next("board", where=lambda board: (other.player, 5) in moves_of(board))
