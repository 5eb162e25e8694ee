"""Rooms opened, raced and closed by the thousand: what is left of them in the node and in the store."""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from server.node.conditions import CLOSED_LIFE_MS
from server.rooms.options import DAY_MS
from server.store.store import IDENTITY_LIFE_MS
from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import play, play_well
from tests.support.server import ServerProcess

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc for memory")

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
AT_ONCE = 8
WAYS = ("cancelled", "won", "forfeited", "followed", "password", "listed")
PATIENCE_S = 90.0
# What a look at the store, or the beats of presence, may have under way at any moment.
UNDER_WAY = {"tasks": 2, "files": 2, "objects: TimerHandle": 4, "objects: Append": 1}
Census = dict[str, int]


class Looked:
    """The server, and the window into it."""

    def __init__(self, directory: Path, kept_idle_ms: int) -> None:
        self._window = directory / "window"
        self.data = directory / "data"
        program = (str(Path(__file__).with_name("looked_into.py")), str(self._window), str(kept_idle_ms))
        self.server = ServerProcess("--data", str(self.data), program=program)

    async def census(self) -> Census:
        reader, writer = await asyncio.open_unix_connection(self._window)
        found: Census = json.loads(await reader.read())
        writer.close()
        return found

    async def quiet(self) -> Census:
        """The same once no room is held any more."""
        async with asyncio.timeout(PATIENCE_S):
            while (found := await self.census())["sessions"] or found["objects: LiveRoom"]:  # noqa: ASYNC110
                await asyncio.sleep(0.5)
        return found


async def race(url: str, number: int) -> tuple[str, int]:
    """One room from its making to its close, in one of several ways: how many actions were done in it."""
    ann, bob = [await Peer.hello(url, ("msgpack", "json")[(number + n) % 2]) for n in range(2)]
    peers = [ann, bob]
    way = WAYS[number % len(WAYS)]
    room = await gather(way, ann, bob)
    done = 0
    if way != "cancelled":
        assert (await ann.ask("start"))["t"] == "ok"
        for peer in (ann, bob):
            await peer.next("game")
        if way == "followed":
            peers.append(await Peer.hello(url))
            assert (await peers[2].ask("enter", room=room, as_="spectator"))["t"] == "room"
            assert (await peers[2].ask("follow", player=ann.player))["t"] == "view"
        done = await play_in(way, ann, bob, number)
    if way != "won":
        assert (await ann.ask("manage", action="close"))["t"] == "ok"
    for peer in peers:
        await peer.next("event", kind="closed")
    await leave(peers, number)
    return room, done


async def gather(way: str, ann: Peer, bob: Peer) -> str:
    """A room with both in it."""
    options: dict[str, Any] = {"password": "open sesame"} if way == "password" else {}
    room = await ann.create(deal=CODE, countdown_ms=0, spectators="live", listed=way == "listed", **options)
    await ann.enter(room, "Ann")
    if way == "password":
        assert (await bob.ask("enter", room=room, as_="player", password="no"))["code"] == "wrong_password"
    entered = await bob.ask("enter", room=room, as_="player", name="Bob", password="open sesame")
    assert entered["t"] == "room"
    return room


async def play_in(way: str, ann: Peer, bob: Peer, number: int) -> int:
    """Both play some: how many actions were done."""
    own, other = (MOVES, MOVES) if way == "won" else (MOVES[: 4 + number % 30], MOVES[:5])
    answers = await asyncio.gather(play_well(ann, own), play_well(bob, other))
    if way == "forfeited":
        assert (await bob.ask("forfeit"))["t"] == "ok"
        assert (await play(bob, MOVES[5:6], first=6))[0]["code"] == "not_running"
    if way == "listed":
        assert (await ann.ask("say", text="well played"))["t"] == "ok"
    return sum(map(len, answers))


async def leave(peers: list[Peer], number: int) -> None:
    """Some say goodbye, and some lines are just cut."""
    for n, peer in enumerate(peers):
        if (number + n) % 3:
            await peer.close()
        else:
            peer.abort()
            await peer.wait_closed()


async def races(url: str, numbers: range) -> tuple[list[str], int]:
    """All of these, some at once: the rooms, and how many actions were done."""
    left, found = iter(numbers), []

    async def some() -> None:
        for number in left:
            found.append(await race(url, number))

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))
    return [room for room, _ in found], sum(done for _, done in found)


KINDS = {
    ":head": "heads", ":room": "logs of rooms", "game": "logs of games", "identity": "identities",
    "rooms": "rooms of identities", ":listed": "lists", "tries": "tries of passwords",
}  # fmt: skip


def kind_of(key: str) -> str:
    return next((kind for part, kind in KINDS.items() if key.endswith(part) or f":{part}:" in key), key)


async def check_store(data: Path, rooms: list[str], tell: Callable[..., None], title: str) -> None:
    """Every key has its expiry, and a room's keys have one in common, 30 days ahead."""
    redis = Redis(unix_socket_path=str(data / "valkey.sock"))
    async with redis:
        keys = [key.decode() async for key in redis.scan_iter(count=1000)]
        pipe = redis.pipeline(transaction=False)
        for key in keys:
            pipe.pttl(key)
            pipe.pexpiretime(key)
            pipe.memory_usage(key)
        answers = await pipe.execute()
    ttls, ends, sizes = answers[::3], answers[1::3], answers[2::3]
    by_kind: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    of_room: defaultdict[str, set[int]] = defaultdict(set)
    for key, ttl, end, size in zip(keys, ttls, ends, sizes, strict=True):
        assert ttl != -1, f"{key} stays for ever"
        if ttl < 0 or size is None:
            continue  # gone meanwhile
        by_kind[kind_of(key)].append((ttl, size))
        if kind_of(key) in ("heads", "logs of rooms", "logs of games"):
            of_room[key.split(":")[2]].add(end)
            assert CLOSED_LIFE_MS - DAY_MS < ttl <= CLOSED_LIFE_MS, key
        elif "identit" in kind_of(key):
            assert IDENTITY_LIFE_MS - DAY_MS < ttl <= IDENTITY_LIFE_MS, key
    assert {room: len(ends) for room, ends in of_room.items()} == dict.fromkeys(rooms, 1)
    assert len(by_kind["heads"]) == len(by_kind["logs of rooms"]) == len(rooms)
    assert "lists" not in by_kind, "a closed room is in no list"
    for kind, found in sorted(by_kind.items()):
        days = [ttl / DAY_MS for ttl, _ in found]
        lived = f"{min(days):.1f}" if max(days) - min(days) < 0.1 else f"{min(days):.1f} to {max(days):.1f}"
        tell(
            f"{title}: what is left in the store",
            kind=kind,
            keys=len(found),
            days_to_live=lived,
            bytes_each=sum(size for _, size in found) // len(found),
        )


def check_node(first: Census, last: Census) -> None:
    """The node is where it was: nothing of the rooms is held, and no more is under way than at rest."""
    for name, count in last.items():
        if name.startswith("buckets"):
            continue  # kept for a minute, and let go when there are many: no rate begins anew
        if name == "channels":
            assert count <= first[name] + 16, "a channel a partition, none a room"
        elif name not in ("objects in all", "resident KiB"):
            assert count <= first[name] + UNDER_WAY.get(name, 0), (name, first[name], count)


async def run(directory: Path, rooms: int, kept_idle_ms: int, tell: Callable[..., None], title: str) -> None:
    looked = Looked(directory, kept_idle_ms)
    looked.server.start()
    try:
        began = time.monotonic()
        await races(looked.server.url, range(AT_ONCE))  # what is made once is made by now
        first = await looked.quiet()
        made, actions = await races(looked.server.url, range(rooms // 2))
        half = await looked.quiet()
        more, more_actions = await races(looked.server.url, range(rooms // 2, rooms))
        last = await looked.quiet()
        took_s = time.monotonic() - began
        tell(title, rooms=rooms, actions=actions + more_actions, took_s=took_s)
        for name in last:
            tell(f"{title}: what is left in the node", of=name, **{
                "before": first[name], "after half": half[name], "after all": last[name],
            })  # fmt: skip
        check_node(first, half)
        check_node(first, last)
        check_no_growth(half, last, rooms - rooms // 2)
        async with Redis(unix_socket_path=str(looked.data / "valkey.sock")) as redis:
            everything = {key.decode().split(":")[2] async for key in redis.scan_iter("cr:{*}:*:head")}
        assert everything > {*made, *more}
        await check_store(looked.data, sorted(everything), tell, title)
    finally:
        code = await asyncio.to_thread(looked.server.stop)
    assert code == 0, looked.server.errors
    assert '"level": "error"' not in looked.server.errors, looked.server.errors


def check_no_growth(half: Census, last: Census, rooms: int) -> None:
    """No room of the second half has left more behind than the identities' buckets are."""
    buckets = max(0, last["buckets of identities"] - half["buckets of identities"])
    objects = last["objects in all"] - half["objects in all"]
    assert objects < 500 + 20 * buckets, (objects, buckets)
    assert last["resident KiB"] - half["resident KiB"] < 8 * 1024 + 4 * rooms


@pytest.mark.soak
async def test_fifty_rooms_leave_nothing_behind(tmp_path: Path, tell: Callable[..., None]) -> None:
    await run(tmp_path, 50, 200, tell, "Fifty rooms")


@pytest.mark.soak
async def test_two_thousand_rooms_leave_nothing_behind(tmp_path: Path, tell: Callable[..., None]) -> None:
    await run(tmp_path, 2_000, 30_000, tell, "Two thousand rooms")
