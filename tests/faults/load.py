"""People who race while things break, what they were told, and a check that all of it is true.

A `Racer` plays over whichever node, comes back whenever a line is lost, and sends again what was not
answered. It keeps a ledger: what it sent as its action `n` and when, and what was acknowledged with which
time. A `Load` is some rooms of them. `Load.count` compares the ledgers with the logs in the store, at any
moment; `Load.finish` has the races played to their end and compares every final board with one that is
counted again from the logs.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import msgpack
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from server.store import keys
from server.store.opening import open_store
from server.store.records import Entry
from tests.support.golden import WON, Action, Golden
from tests.support.peer import Peer
from tests.support.races import request, start_race
from tests.support.recount import COLUMNS, board_of
from tests.support.web import fetch

Map = dict[str, Any]
PATIENCE_S = 120.0
PAUSE_S = 0.3  # before a lost line is tried again: anything up to this
FINISHING_WINDOW = 8
POLL_S = 0.01
CLOCK_MS = 5  # by so much may a stamp seem to be outside: two readings of one clock
PASSING = ("store_unavailable", "wrong_state")  # another try, or another node, will do


class Acknowledged(NamedTuple):
    """What a `done` said: the action, its destination resolved, and its time."""

    op: str
    src: int
    dst: int
    ms: int


class Count(NamedTuple):
    """The ledgers against the logs. `doubled`: entries that are not what was asked for as that action."""

    acknowledged: int
    lost: int
    doubled: int


class Since(NamedTuple):
    """What a fault cost. `lines_lost`: how often somebody had to come back; `longest_wait_s`: the longest
    that anybody waited for an answer, from when they first asked."""

    lines_lost: int
    longest_wait_s: float


class Racer:
    """One player: wanders (a move, its undo, the move again …) till told to finish, then plays a won game.

    `window`: how many actions may wait for an answer at once, while it wanders. `stops`: plays only half of
    the game.
    """

    def __init__(
        self, name: str, golden: Golden, encoding: str, *, window: int, pace_s: float, stops: bool
    ) -> None:
        self.name, self._encoding, self._window, self._pace_s = name, encoding, window, pace_s
        actions = golden.actions
        self._wandering = (actions[0], Action("u"))
        self._last: list[Action] = actions[: len(actions) // 2] if stops else actions
        self.player = self.token = self.room = ""
        self.start_at = 0
        self.plan: list[Action] = []  # what it plays: so far, or once it is finishing, all
        self.finishing = False
        self.closes: Callable[[], bool] | None = None  # of a host: whether to close the race now
        self.sent_at: list[float] = []  # when each action was first sent, Unix seconds
        self.done: list[Acknowledged] = []
        self.waits: list[tuple[float, float]] = []  # of each answer: when it came, and after how many seconds
        self.lines_lost: list[tuple[float, int]] = []  # when, Unix seconds, and with which close code
        self.events: dict[int, Map] = {}
        self.board: list[Map] | None = None  # the final one
        self.faults: list[str] = []

    @property
    def played_out(self) -> bool:
        """Whether all that it plays is acknowledged."""
        return self.finishing and len(self.done) == len(self.plan)

    def finish(self) -> None:
        """Wander no longer: play the game."""
        self._plan_to(len(self.plan) + len(self.plan) % 2)
        self.plan += self._last
        self.finishing, self._window = True, max(self._window, FINISHING_WINDOW)

    def _plan_to(self, n: int) -> None:
        while len(self.plan) < n and not self.finishing:
            self.plan.append(self._wandering[len(self.plan) % 2])

    # What it is told

    def _heard(self, message: Map) -> None:
        kind = message["t"]
        if kind == "done":
            self._acknowledged(message)
        elif kind == "event":
            if message["kind"] == "closed":
                # Who is online is told there as well, and is as old as each node's last look.
                self._closed(message.pop("board")["rows"])
            if self.events.setdefault(message["v"], message) != message:
                self._fault(f"event {message['v']} was {self.events[message['v']]}, and now {message}")
        elif kind == "room" and message["state"] == "closed":
            self._closed(message["board"]["rows"])
        elif kind == "refused" or (kind == "error" and message["code"] not in PASSING):
            self._fault(f"{message}")

    def _acknowledged(self, message: Map) -> None:
        n, now = message["n"], time.time()
        done = Acknowledged(message["op"], message.get("src", 0), message.get("dst", 0), message["ms"])
        if n <= len(self.done):
            if self.done[n - 1] != done:
                self._fault(f"action {n} was {self.done[n - 1]}, and now {done}")
            return
        sent_at = self.sent_at[n - 1]
        if n != len(self.done) + 1 or not is_of(self.plan[n - 1], done):
            self._fault(f"{self.plan[n - 1]} as action {n}, after {len(self.done)}, was answered {done}")
        if not self._is_in_time(sent_at, done, now):
            self._fault(f"action {n}, sent at {sent_at} and answered at {now}, has the time {done.ms}")
        self.done.append(done)
        self.waits.append((now, now - sent_at))

    def _is_in_time(self, sent_at: float, done: Acknowledged, now: float) -> bool:
        """Whether its time lies between the asking and the answer; the store's clock is this machine's."""
        return sent_at * 1000 - CLOCK_MS <= self.start_at + done.ms <= now * 1000 + CLOCK_MS

    def _closed(self, rows: list[Map]) -> None:
        board = [{column: row[column] for column in COLUMNS} for row in rows]
        if self.board not in (None, board):
            self._fault(f"the final board was {self.board}, and now {board}")
        self.board = board

    def _fault(self, what: str) -> None:
        self.faults.append(f"{self.name}: {what}")

    # What it does

    async def run(self, urls: Callable[[], Sequence[str]], chance: random.Random) -> None:
        """Race, over one line after the other, till all is played and the race is closed."""
        while not (self.played_out and self.board is not None):
            try:
                peer = await Peer.open(chance.choice(urls()), self._encoding)
            except TimeoutError:
                raise  # nobody is left waiting
            except (OSError, InvalidHandshake, ConnectionClosed):  # nobody is there, or is leaving
                await asyncio.sleep(chance.uniform(0, PAUSE_S))
                continue
            try:
                await self._race(peer)
            except (ConnectionError, ConnectionClosed):
                await peer.close()
                self.lines_lost.append((time.time(), (await peer.wait_closed())[0]))
                await asyncio.sleep(chance.uniform(0, PAUSE_S))
            finally:
                await peer.close()

    async def _come_in(self, peer: Peer) -> None:
        """Say who it is, and come back into the room and game. `ConnectionError` where that is refused."""
        peer.on_message = self._heard
        for asked in ({"t": "hello", "token": self.token}, {"t": "enter", "room": self.room}):
            answer = await peer.ask(**asked)
            if answer["t"] == "error":
                raise ConnectionError(answer["code"])
        game = await peer.next("game")
        if game["n"] < len(self.done):
            self._fault(f"after {len(self.done)} acknowledged, a game of {game['n']} actions")

    async def _race(self, peer: Peer) -> None:
        """Race over this line to the end. `ConnectionError` when another is needed."""
        await self._come_in(peer)
        asked_n = len(self.done)
        close_asked = False
        while not (self.played_out and self.board is not None):
            if peer.closed is not None:
                raise ConnectionError(peer.closed)
            self._plan_to(asked_n + 1)
            if asked_n < len(self.plan) and asked_n - len(self.done) < self._window:
                asked_n += 1
                if len(self.sent_at) < asked_n:
                    self.sent_at.append(time.time())
                await peer.send(**request(asked_n, self.plan[asked_n - 1]))
                if not self.finishing:
                    await asyncio.sleep(self._pace_s)
            elif self.closes is not None and self.played_out and not close_asked:
                if self.closes():
                    await peer.send(t="manage", action="close")
                    close_asked = True
                else:
                    await asyncio.sleep(POLL_S)
            else:
                heard = len(peer.received)
                await peer.until(lambda heard=heard: len(peer.received) > heard or peer.closed is not None)  # type: ignore[misc]


def is_of(asked: Action, done: Acknowledged) -> bool:
    """Whether this is what was asked for; of an undo, what it takes back is not said by who asks."""
    return done.op == asked.op and (asked.op != "m" or (done.src, done.dst) == (asked.src, asked.place))


def of_entry(entry: Entry, start_at: int) -> Acknowledged:
    """As it is stored, in whichever format: what a newer one adds comes after this."""
    op, src, dst, *_ = msgpack.unpackb(entry.payload[1:])
    return Acknowledged(op, src, dst, entry.stamp - start_at)


class Survivor(Racer):
    """One who may be told that what was acknowledged is no more: it is counted, and they go on from there."""

    lost = 0
    peer: Peer | None = None

    async def _race(self, peer: Peer) -> None:
        self.peer = peer
        await super()._race(peer)

    def _heard(self, message: Map) -> None:
        if message["t"] == "game" and message["n"] < len(self.done):
            self.lost += len(self.done) - message["n"]
            del self.done[message["n"] :]
            assert self.peer is not None
            self.peer.abort()  # and ask again from where the log is now
        elif message["t"] != "refused":
            super()._heard(message)


class Load:
    """Rooms of racers on these nodes, who race while the context is entered.

    `urls` tells at any moment which nodes one may try; `racer` is the kind of those who race. In every other
    room the last racer stops halfway, and the host closes the race; the others end when all have won.
    """

    def __init__(
        self,
        urls: Callable[[], Sequence[str]],
        *,
        rooms: int = 2,
        racers: int = 3,
        pace_s: float = 0.05,
        seed: int = 1,
        racer: type[Racer] = Racer,
    ) -> None:
        self._urls, self._chance = urls, random.Random(seed)
        self.rooms = [
            [
                racer(
                    f"{number}{'ABCDEFGHIJ'[seat]}",
                    WON[number % len(WON)],
                    ("msgpack", "json")[seat % 2],
                    window=(1, 8, 3)[seat % 3],
                    pace_s=pace_s,
                    stops=number % 2 == 1 and seat == racers - 1,
                )
                for seat in range(racers)
            ]
            for number in range(rooms)
        ]
        self._group = asyncio.TaskGroup()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def racers(self) -> list[Racer]:
        return [racer for room in self.rooms for racer in room]

    async def __aenter__(self) -> Self:
        await asyncio.gather(*(self._begin(number, room) for number, room in enumerate(self.rooms)))
        await self._group.__aenter__()
        self._tasks = [
            self._group.create_task(racer.run(self._urls, self._chance), name=racer.name)
            for racer in self.racers
        ]
        await self.progressed()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self._group.__aexit__(kind, error, where)

    async def _begin(self, number: int, room: list[Racer]) -> None:
        """Open a room and start its race."""
        peers = [await Peer.hello(self._chance.choice(self._urls())) for _ in room]
        try:
            room_id = await start_race(*peers, deal=WON[number % len(WON)].code)
            for racer, peer in zip(room, peers, strict=True):
                racer.room, racer.player, racer.token = room_id, peer.player, peer.token
                racer.start_at = peer.all("game")[0]["start_at"]
        finally:
            await asyncio.gather(*(peer.close() for peer in peers))
        if number % 2 == 1:
            room[0].closes = lambda: all(racer.played_out for racer in room)

    @property
    def survived(self) -> int:
        """How many actions `Survivor`s were told the loss of."""
        return sum(racer.lost for racer in self.racers if isinstance(racer, Survivor))

    def longest_wait_s(self, *rooms: list[Racer]) -> float:
        """The longest that anybody waited for an answer, in these rooms."""
        return max(wait for room in rooms for racer in room for _, wait in racer.waits)

    async def progressed(self) -> float:
        """Wait till everybody has something acknowledged that they first sent after this call: how long that
        took, in seconds."""
        began = time.time()
        async with asyncio.timeout(PATIENCE_S):
            for racer in self.racers:
                while not racer.done or racer.sent_at[len(racer.done) - 1] < began:  # noqa: ASYNC110 - simplest
                    await asyncio.sleep(POLL_S)
        return time.time() - began

    def end(self) -> None:
        """Stop racing, wherever everyone is."""
        for task in self._tasks:
            task.cancel()

    async def count(self, store_url: str) -> Count:
        """Compare what was acknowledged up to now with the logs in the store."""
        acknowledged = lost = doubled = 0
        store, _ = await open_store(store_url)
        try:
            for racer in self.racers:
                told = list(racer.done)
                entries = await store.load_log(racer.room, keys.game_log(racer.player))
                assert [entry.n for entry in entries] == list(range(1, len(entries) + 1))
                stored = [of_entry(entry, racer.start_at) for entry in entries]
                acknowledged += len(told)
                lost += len(told) - sum(said == was for said, was in zip(told, stored, strict=False))
                asked = racer.plan[: len(racer.sent_at)]
                doubled += len(stored) - sum(map(is_of, asked, stored))
        finally:
            await store.close()
        return Count(acknowledged, lost, doubled)

    async def finish(self, store_url: str) -> Count:
        """Have every race played to its end, and everything compared that can be."""
        for racer in self.racers:
            racer.finish()
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*self._tasks)
        assert not [fault for racer in self.racers for fault in racer.faults]
        for room in self.rooms:
            await self._check_board(room)
        return await self.count(store_url)

    async def _check_board(self, room: list[Racer]) -> None:
        """All were told the same story and the same board, and it is what the log says, on every node."""
        story: dict[int, Map] = {}
        for racer in room:
            assert all(story.setdefault(v, event) == event for v, event in racer.events.items())
        ports = [urlsplit(url).port or 0 for url in self._urls()]
        pages = [await fetch(port, f"/api/rooms/{room[0].room}/log.jsonl") for port in ports]
        lines = pages[0].lines
        assert all(page.lines == lines for page in pages)
        board = board_of(lines)
        assert all(racer.board == board for racer in room)
        logs = {line["player"]: [ms for ms, _ in line["log"]] for line in lines[1:]}
        assert logs == {racer.player: [done.ms for done in racer.done] for racer in room}

    def since(self, moment: float) -> Since:
        """What it cost since this moment (Unix seconds), and before everything is done."""
        lost = [1 for racer in self.racers for at, _ in racer.lines_lost if at >= moment]
        waits = [wait for racer in self.racers for at, wait in racer.waits if at >= moment]
        return Since(len(lost), max(waits, default=0.0))
