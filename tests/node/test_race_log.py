"""The log of a closed race as a page: made once, kept, made again where it changed, and in small pieces."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from server.node import kept_logs, race_log
from server.node.kept_logs import BusyError, KeptLogs
from server.node.node import Node
from server.node.race_log import PIECE_MS, Line, Mark, Pieces, log_lines
from server.node.serve import running_node
from server.node.settings import Settings, parse_rates
from server.node.world import RealWorld
from server.rooms.standings import Progress
from tests.support.golden import SHORTEST_WIN
from tests.support.races import play_well, start_race
from tests.support.server import FAST
from tests.support.web import fetch

MOVES = SHORTEST_WIN.actions[:40]


@pytest.fixture
async def world() -> AsyncIterator[RealWorld]:
    world = RealWorld()
    yield world
    await world.close()


class Maker:
    """In place of what makes logs: each has its size in `sizes`, and waits for `opened`."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()
        self.opened.set()
        self.sizes: dict[str, int] = {}
        self.made: list[str] = []
        self.at_once = self.most_at_once = 0
        self.had: list[dict[Mark, bytes]] = []

    async def log_lines(self, live: Any, store: Any, made: dict[Mark, bytes]) -> AsyncIterator[Line]:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.made.append(live.id)
        self.had.append(made)
        await self.opened.wait()
        yield Line(b"head of " + live.tip.encode() + b"\n")
        size = self.sizes.get(live.id, 10)
        yield Line(b"<" + b"x" * size + b">", Mark("p", size, 1), 1, 1 + size)
        self.at_once -= 1


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch) -> Maker:
    maker = Maker()
    monkeypatch.setattr(kept_logs, "log_lines", maker.log_lines)
    return maker


def a_room(name: str, tip: str = "t1") -> Any:
    return SimpleNamespace(id=name, tip=tip, progress={"p": Progress(n=10, stamp=1)})


async def test_a_log_is_made_once_however_many_ask(world, maker) -> None:
    logs, room = KeptLogs(None, world), a_room("R")
    answers = await asyncio.gather(*(logs.get(room) for _ in range(20)))
    assert answers == [b"head of t1\n<" + b"x" * 10 + b">"] * 20
    assert await logs.get(room) is answers[0]
    assert all(answer is answers[0] for answer in answers), (
        "many are sent the same bytes, which are there once"
    )
    assert maker.made == ["R"]


async def test_it_is_made_again_when_the_room_has_changed_from_what_has_not(world, maker) -> None:
    logs, room = KeptLogs(None, world), a_room("R")
    await logs.get(room)
    room.tip = "t2"
    assert (await logs.get(room)).startswith(b"head of t2\n")
    assert maker.had == [{}, {Mark("p", 10, 1): b"x" * 10}]


async def test_it_is_made_again_where_moves_were_lost_and_the_same_close_has_come_again(world, maker) -> None:
    logs, room = KeptLogs(None, world), a_room("R")
    await logs.get(room)
    room.progress["p"] = Progress(n=9, stamp=1)
    await logs.get(room)
    assert maker.made == ["R", "R"]


async def test_one_is_made_at_a_time_and_too_many_are_refused(world, maker, monkeypatch) -> None:
    monkeypatch.setattr(kept_logs, "WAITING_MAX", 3)
    maker.opened.clear()
    logs, rooms = KeptLogs(None, world), [a_room(name) for name in "ABCD"]
    asking = [asyncio.create_task(logs.get(room)) for room in rooms[:3] * 2]
    async with asyncio.timeout(5):
        while len(logs._making) < 3:  # noqa: ASYNC110 - seen from outside
            await asyncio.sleep(0)
    with pytest.raises(BusyError):
        await logs.get(rooms[3])
    maker.opened.set()
    await asyncio.gather(*asking)
    assert sorted(maker.made) == ["A", "B", "C"]
    assert maker.most_at_once == 1
    await logs.get(rooms[3])


async def test_who_waits_too_long_is_told_so_and_it_is_made_nevertheless(world, maker, monkeypatch) -> None:
    monkeypatch.setattr(kept_logs, "PATIENCE_S", 0.01)
    maker.opened.clear()
    logs, room = KeptLogs(None, world), a_room("R")
    with pytest.raises(BusyError):
        await logs.get(room)
    maker.opened.set()
    async with asyncio.timeout(5):
        while not logs._kept:  # noqa: ASYNC110 - seen from outside
            await asyncio.sleep(0)
    await logs.get(room)
    assert maker.made == ["R"]


async def test_what_is_kept_is_bounded_and_the_last_asked_for_stays(world, maker, monkeypatch) -> None:
    monkeypatch.setattr(kept_logs, "BYTES_MAX", 1_000)
    logs = KeptLogs(None, world)
    maker.sizes = {"A": 300, "B": 300, "C": 300, "D": 5_000}
    for name in "ABCAB":
        await logs.get(a_room(name))
    assert maker.made == ["A", "B", "C"]
    assert logs._bytes == sum(len(log.text) for log in logs._kept.values()) <= 1_000
    maker.sizes["C"] = 600
    await logs.get(a_room("C", "t2"))  # of those asked for, A is the longest ago
    assert set(logs._kept) == {"B", "C"}
    await logs.get(a_room("D"))
    assert set(logs._kept) == {"D"}, "one too large stays alone"
    await logs.get(a_room("A"))
    assert set(logs._kept) == {"A"}
    assert logs._bytes == len(logs._kept["A"].text)


# Of a race


@pytest.fixture
async def node(valkey_url: str) -> AsyncIterator[tuple[Node, int]]:
    """A node in this process, and its port."""
    async with running_node(valkey_url, Settings(port=0, rates=parse_rates(FAST), drain_s=0)) as listener:
        node: Any = listener._registry.application
        yield node, listener.address[1]


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The players whose actions have been played again, in order."""
    players: list[str] = []
    actions = race_log._actions

    async def noted(live: Any, person: Any, *rest: Any) -> Any:
        players.append(person.name)
        return await actions(live, person, *rest)

    monkeypatch.setattr(race_log, "_actions", noted)
    return players


async def closed_race(meet: Callable[..., Any], port: int) -> tuple[str, list[Any]]:
    peers = [await meet(url=f"ws://127.0.0.1:{port}/ws") for _ in range(2)]
    room = await start_race(*peers, deal=SHORTEST_WIN.code)
    for peer in peers:
        await play_well(peer, MOVES)
    await peers[0].ask("manage", action="close")
    await peers[1].next("event", kind="closed")
    return room, peers


async def test_no_action_is_played_twice_whatever_happens_in_the_room(meet, node, replayed) -> None:
    _, port = node
    room, peers = await closed_race(meet, port)
    path = f"/api/rooms/{room}/log.jsonl"
    pages = await asyncio.gather(*(fetch(port, path) for _ in range(10)))
    assert {page.body for page in pages} == {pages[0].body}
    guest = await meet(url=f"ws://127.0.0.1:{port}/ws")
    await guest.enter(room, "Guest", as_="spectator")
    again = await fetch(port, path)
    assert again.lines[0]["events"][-1]["kind"] == "joined"
    assert again.lines[1:] == pages[0].lines[1:]
    await peers[1].ask("forget")
    await peers[0].next("event", kind="forgotten")
    forgotten = await fetch(port, path)
    assert [line["name"] for line in forgotten.lines[1:]] == ["A", "—"]
    assert [line["log"] for line in forgotten.lines[1:]] == [line["log"] for line in again.lines[1:]]
    assert b'"B"' not in forgotten.body
    assert replayed == ["A", "B"]


async def test_where_too_many_wait_one_is_told_when_to_ask_again(meet, node, monkeypatch) -> None:
    _, port = node
    room, _ = await closed_race(meet, port)
    monkeypatch.setattr(kept_logs, "WAITING_MAX", 0)
    page = await fetch(port, f"/api/rooms/{room}/log.jsonl")
    assert page.status == 503
    assert int(page.headers["retry-after"]) > 0
    assert b"ask again" in page.body


class Steps:
    """A clock by which any work takes its time, and the rests that were taken by it."""

    def __init__(self, step_ms: float) -> None:
        self.now_ms, self.step_ms = 0.0, step_ms
        self.rests: list[float] = []

    def monotonic_ms(self) -> float:
        self.now_ms += self.step_ms
        return self.now_ms

    async def sleep_ms(self, delay_ms: float) -> None:
        self.rests.append(delay_ms)
        await asyncio.sleep(0)


async def test_half_of_the_time_is_for_others() -> None:
    steps = Steps(PIECE_MS / 10)
    pieces = Pieces(steps)  # type: ignore[arg-type]
    for _ in range(1_000):
        await pieces.rest()
    worked = steps.now_ms - len(steps.rests) * steps.step_ms
    assert sum(steps.rests) >= 0.9 * worked
    assert max(steps.rests) <= PIECE_MS * 1.1


async def test_a_log_is_made_with_a_rest_whenever_one_is_due(meet, node, monkeypatch) -> None:
    served, port = node
    room, _ = await closed_race(meet, port)
    live = await served.hub.room(room)
    assert live is not None
    monkeypatch.setattr(race_log, "ENTRIES_AT_ONCE", 7)
    plain = [line.text async for line in log_lines(live, served.store)]
    steps = Steps(PIECE_MS)  # each step is a whole piece
    monkeypatch.setattr(live, "world", steps)
    assert [line.text async for line in log_lines(live, served.store)] == plain
    assert len(steps.rests) >= 2 * len(MOVES) + live.room.v
