"""A thousand players in one room: one encoding for all within the first hundred rows, ten boards a second."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from typing import Any

import pytest
from redis.asyncio import Redis

from server.rooms.events import Joined
from server.store import keys
from server.store.items import Append, Extra
from server.store.records import next_tip, pack_event
from server.store.store import Store
from tests.support.golden import SHORTEST_WIN, Action
from tests.support.peer import Peer
from tests.support.races import play, told
from tests.support.server import ServerProcess

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
PLAYERS = 1000
HERE = [*range(1, 7), *range(PLAYERS - 6, PLAYERS)]  # who is connected: within the first hundred, and beyond
Map = dict[str, Any]


class FramePeer(Peer):
    """A peer that keeps the frames of boards as they came."""

    frames: list[bytes]

    async def _read(self) -> None:
        self.frames = []
        receive = self.connection.recv

        async def kept(*arguments: Any, **named: Any) -> Any:
            frame = await receive(*arguments, **named)
            if b"\xa5board" in frame[:16]:
                self.frames.append(frame)
            return frame

        self.connection.recv = kept  # type: ignore[method-assign]
        await super()._read()


@pytest.fixture
def server(valkey_url: str) -> Iterator[ServerProcess]:
    server = ServerProcess("--redis", valkey_url).start()
    try:
        yield server
    except BaseException:
        server.kill()
        raise
    assert server.stop() == 0, server.errors


@pytest.fixture
async def store(valkey_url: str) -> AsyncIterator[Store]:
    async with Redis.from_url(valkey_url) as redis:
        yield Store(redis)


async def seat_all(store: Store, room: str) -> None:
    """Seats for all who are not here, as some node would write them."""
    head, _ = await store.load_room(room)
    assert head is not None
    n, tip, items = head.room.n, head.room.tip, []
    for number in range(1, PLAYERS):
        if number not in HERE:
            payload = pack_event(Joined(player=f"PLAYER{number:06}", name=name_of(number), role="player"))
            before, tip, n = tip, next_tip(tip, payload), n + 1
            items.append(
                Append(room, keys.ROOM_LOG, n, before, tip, payload, 0.0, ([], []), print, extra=Extra())
            )
    _, answers = await store.write(items, 0.0)
    assert all(answer.stored for answer in answers)


def name_of(number: int) -> str:
    return f"P{number:04}"


async def test_a_thousand_players_race_in_one_room(server: ServerProcess, store: Store, meet) -> None:
    host = await meet(url=server.url)
    room = await host.create(min_players=1, max_players=PLAYERS, countdown_ms=0, deal=CODE)
    await host.enter(room, name_of(0))
    await seat_all(store, room)
    await host.next("event", kind="joined", name=name_of(HERE[6] - 1))
    peers = [await FramePeer.hello(server.url) for _ in HERE]
    eve = await FramePeer.hello(server.url)
    for number, peer in zip(HERE, peers, strict=True):
        shown = await peer.enter(room, name_of(number))
        assert ("own" in shown["board"]) is (number > 100)
    one_more = await meet(url=server.url)
    assert (await one_more.ask("enter", room=room, as_="player", name="x"))["code"] == "room_full"
    shown = await eve.enter(room, "Eve", as_="spectator")
    assert (len(shown["players"]), len(shown["board"]["rows"])) == (PLAYERS + 1, 100)
    assert (await host.ask("start"))["t"] == "ok"
    for peer in (host, *peers):
        assert (await peer.next("game"))["n"] == 0
    await check_rate(eve, peers)
    await check_frames(host, eve, peers)
    await check_close(host, eve, peers)
    for peer in (*peers, eve):
        await peer.close()


async def back_and_forth(peer: Peer, turns: int) -> None:
    """A move and its undo, again and again, each answered before the next."""
    n = 0
    for _ in range(turns):
        answers = await play(peer, [MOVES[0], Action("u")], first=n + 1)
        assert all(answer["t"] == "done" for answer in answers)
        n += 2


async def check_rate(eve: Peer, peers: list[Peer]) -> None:
    """At most ten boards a second to anyone, though hundreds of actions are played."""
    for peer in (*peers, eve):
        peer.frames.clear()  # type: ignore[attr-defined]
    since = {peer: len(peer.received) for peer in (*peers, eve)}
    loop = asyncio.get_running_loop()
    begun = loop.time()
    await asyncio.gather(*(back_and_forth(peer, 40) for peer in peers[:4]))
    for peer in (*peers, eve):
        await peer.ask("clock", sent=1)
    seconds = loop.time() - begun
    for peer, first in since.items():
        boards = [m for m in peer.received[first:] if m["t"] == "board"]
        assert 1 <= len(boards) <= 10 * seconds + 2
        assert all(later["at"] - sooner["at"] >= 95 for sooner, later in pairwise(boards))
        assert all(len(board["rows"]) == 100 for board in boards)


async def check_frames(host: Peer, eve: Peer, peers: list[Peer]) -> None:
    """Everyone without a row of their own beyond the hundredth is sent the same bytes."""
    await play(host, MOVES[:50])
    wanted = told(CODE, MOVES[:50]).moves
    for peer in (*peers, eve):
        await peer.next("board", where=lambda m: m["rows"][0]["moves"] == wanted)
    same: dict[int, list[bytes]] = {}
    beyond_told = 0
    for peer in (*peers, eve):
        frames: list[bytes] = peer.frames  # type: ignore[attr-defined]
        boards = peer.all("board")[-len(frames) :]
        for board, frame in zip(boards, frames, strict=True):
            beyond = peer is not eve and peer.player not in {row["player"] for row in board["rows"]}
            assert ("own" in board) is beyond
            if beyond:
                assert board["own"]["player"] == peer.player
                assert board["own"]["rank"] >= board["rows"][-1]["rank"]
                beyond_told += 1
            else:
                same.setdefault(board["seq"], []).append(frame)
    assert all(len(set(frames)) == 1 for frames in same.values())
    assert max(len(frames) for frames in same.values()) >= 3
    assert beyond_told >= 6


async def check_close(host: Peer, eve: Peer, peers: list[Peer]) -> None:
    await host.ask("manage", action="close")
    finals = {peer: (await peer.next("event", kind="closed"))["board"] for peer in (host, eve, *peers)}
    assert all(board["rows"] == finals[host]["rows"] for board in finals.values())
    rows = {row["player"] for row in finals[host]["rows"]}
    assert len(rows) == 100
    for peer, board in finals.items():
        assert ("own" in board) is (peer is not eve and peer.player not in rows)
    assert finals[host]["rows"][0]["name"] == name_of(0)
