"""The clients, in a process of their own: `python -m bench.load` takes commands as lines of JSON, and answers
each with a line of JSON.

Clients speak MessagePack in frames made before the measurement, check that each action was answered by its
own `done`, in order, and read past everything else. Nothing is sent ahead: in the closed loop a client has
one action in flight; in the open loop actions go out at their moments, whatever has been answered.
"""

import asyncio
import contextlib
import json
import random
import sys
import time
from collections import deque
from collections.abc import Iterable
from typing import Any, cast

import msgpack
import uvloop

from bench.script import Script, make_script, masked_frame

ANSWER_S = 15.0
ROOMS_AT_ONCE = 16
SPECTATORS_AT_ONCE = 10  # more of them can hold the server up for longer than it waits for its store
TICK_S = 0.001
BOARD = b"\xa1t\xa5board"
FAULTS_MAX = 10
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: crescent-race.v1.msgpack\r\n\r\n"
)


class Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, load: "Load") -> None:
        self.load = load
        self.n = 0  # actions answered
        self.sent_at: deque[float] = deque()  # of those that are not
        self.rest = b""
        self.upgraded = False
        self.wanted: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self.early: dict[str, dict[str, Any]] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for a WebSocket."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(UPGRADE)

    def connection_lost(self, exc: Exception | None) -> None:
        """Only the end of the whole load may end a connection."""
        if not self.load.ending:
            self.load.fault(f"a connection was lost: {exc}")
            self.give_up()

    def data_received(self, data: bytes) -> None:
        """Take whole frames; keep the rest."""
        if self.rest:
            data = self.rest + data
        at, end = 0, len(data)
        if not self.upgraded:
            at = data.find(b"\r\n\r\n") + 4
            if at < 4:
                self.rest = data
                return
            self.upgraded = True
            if not data.startswith(b"HTTP/1.1 101 "):
                self.load.fault(data[:100].decode(errors="replace"))
            self.take({"t": "upgraded"})
        while end - at >= 2:
            length, start = data[at + 1], at + 2
            if length == 126:
                length, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            elif length == 127:
                length, start = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
            if start + length > end or start > end:
                break
            self.frame(data, at, start, start + length)
            at = start + length
        self.rest = data[at:]

    def frame(self, data: bytes, at: int, start: int, end: int) -> None:
        """One frame: an answer, a board, or something rarer."""
        load = self.load
        if self.sent_at and data.startswith(load.answers[self.n], start + 1):
            load.answered(self)
        elif data.startswith(BOARD, start + 1):
            load.boards += 1
            load.board = data[start:end]
        elif data[at] == 0x89:
            self.transport.write(masked_frame(data[start:end], 0x8A))
        elif data[at] == 0x88:
            load.fault(f"closed by the server: {data[start:end]!r}")
        else:
            self.take(msgpack.unpackb(data[start:end]))

    def take(self, message: dict[str, Any]) -> None:
        """A message of the opening, or one that must not come."""
        kind = message["t"]
        if kind in ("refused", "error", "done"):
            self.load.fault(f"after action {self.n}: {message}")
            self.give_up()
        future = self.wanted.pop(kind, None)
        if future is not None and not future.done():
            future.set_result(message)
        elif kind in ("upgraded", "game"):
            self.early[kind] = message

    def give_up(self) -> None:
        """What is awaited will not come."""
        for future in self.wanted.values():
            if not future.done():
                future.set_exception(ConnectionError("see the faults"))

    def ask(self, wanted: str, **fields: Any) -> "asyncio.Future[dict[str, Any]]":
        """Send a request, if there is one; the next message of the kind `wanted`."""
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if wanted in self.early:
            future.set_result(self.early.pop(wanted))
        else:
            self.wanted[wanted] = future
        if fields:
            self.transport.write(masked_frame(msgpack.packb(fields)))
        return future

    def act(self, moment: float) -> None:
        """Send the next action."""
        index = self.n + len(self.sent_at)
        self.sent_at.append(moment)
        self.transport.write(self.load.requests[index])


class Load:
    """All clients, and the round that is being measured."""

    def __init__(self) -> None:
        self.script: Script = make_script()
        self.requests = self.script.requests
        self.answers = self.script.answers
        self.clients: list[Client] = []
        self.faults: list[str] = []
        self.faults_more = 0
        self.ending = False
        self.board = b""
        self.closed = False
        self.stop_at = self.last_at = 0.0
        self.left = 0
        self.order = random.Random(1)
        self.boards = 0
        self._begin_round(closed=False, stop_at=0.0, actions_max=0)

    def fault(self, text: str) -> None:
        """Something that must not happen."""
        text = text[:300]
        if len(self.faults) < FAULTS_MAX and text not in self.faults:
            self.faults.append(text)
        else:
            self.faults_more += 1

    # Commands

    async def rooms(self, port: int, clients: int, size: int, spectators: int = 0) -> dict[str, Any]:
        """Connect clients, all playing, in rooms of `size`; `spectators` more in the first room."""
        gate = asyncio.Semaphore(ROOMS_AT_ONCE)

        async def one_room(count: int) -> tuple[list[Client], str]:
            async with gate:
                return await self._room(port, count)

        first = len(self.clients)
        sizes = [min(size, clients - begun) for begun in range(0, clients, size)]
        made = await asyncio.gather(*[one_room(count) for count in sizes])
        self.clients += [client for members, _ in made for client in members]
        for begun in range(0, spectators, SPECTATORS_AT_ONCE):
            count = min(SPECTATORS_AT_ONCE, spectators - begun)
            watchers = await asyncio.gather(*[self._hello(port) for _ in range(count)])
            entering = {"t": "enter", "room": made[0][1], "as": "spectator"}
            await asyncio.gather(*[watcher.ask("room", **entering) for watcher in watchers])
            self.clients += watchers
        return {"clients": len(self.clients) - first}

    async def echo(self, port: int, clients: int, board: str = "") -> dict[str, Any]:
        """Connect clients to the bare echo, which answers with what it is sent: actions, or one `board`."""
        payload = bytes.fromhex(board)
        if payload:
            self.requests = [masked_frame(payload)] * len(self.requests)
            self.answers = [payload[1:]] * len(self.answers)
        else:
            self.answers = [payload[1:] for payload in self.script.payloads]
        for begun in range(0, clients, 100):
            count = min(100, clients - begun)
            self.clients += await asyncio.gather(*[self._connect(port) for _ in range(count)])
        return {"clients": len(self.clients)}

    async def run(
        self,
        mode: str,
        seconds: float,
        rate: float = 0.0,
        actions_max: int = 1_000_000,
        clients: int | None = None,
        last: int = 0,
    ) -> dict[str, Any]:
        """One round: `closed`, or `open` at `rate` actions a second in all; by the first `clients`, by the
        `last` so many, or by everyone."""
        who = self.clients[-last:] if last else self.clients[:clients]
        began = time.perf_counter()
        self._begin_round(closed=mode == "closed", stop_at=began + seconds, actions_max=actions_max)
        if mode == "closed":
            for client in who:
                client.act(time.perf_counter())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.used_up.wait(), seconds)
        else:
            await self._send_at(who, rate, began, seconds)
        self.closed = False
        lost = await self._all_answered(who)
        return self._result(self.last_at - began, lost)

    async def idle(self, seconds: float) -> dict[str, Any]:
        """Nothing for a while, or but what the server does by itself."""
        self._begin_round(closed=False, stop_at=0.0, actions_max=0)
        await asyncio.sleep(seconds)
        return {"boards": self.boards}

    # The way there

    async def _connect(self, port: int) -> Client:
        loop = asyncio.get_running_loop()
        _, client = await loop.create_connection(lambda: Client(self), "127.0.0.1", port)
        await client.ask("upgraded")
        return client

    async def _hello(self, port: int) -> Client:
        client = await self._connect(port)
        await client.ask("welcome", t="hello")
        return client

    async def _room(self, port: int, count: int) -> tuple[list[Client], str]:
        """A room of players whose race is on."""
        members = [await self._hello(port) for _ in range(count)]
        options = {
            "deal": self.script.code,
            "variant": "F",
            "countdown_ms": 0,
            "min_players": 1,
            "max_players": count,
        }
        host = members[0]
        room = (await host.ask("room", t="create", options=options))["room"]
        for number, member in enumerate(members):
            entering = {"t": "enter", "room": room, "as": "player", "name": f"Player {number}"}
            await member.ask("room", **entering)
        games = [member.ask("game") for member in members]
        await host.ask("ok", t="start")
        await asyncio.gather(*games)
        for member in members:  # a first action has the game read from the store: not what is measured
            member.act(time.perf_counter())
            if await self._all_answered([member]):
                raise TimeoutError("a first action was not answered")
        return members, room

    # A round

    def _begin_round(self, *, closed: bool, stop_at: float, actions_max: int) -> None:
        self.closed, self.stop_at, self.left = closed, stop_at, actions_max
        self.done = self.boards = 0
        self.last_at = time.perf_counter()
        self.latencies: list[float] = []
        self.used_up = asyncio.Event()

    def answered(self, client: Client) -> None:
        """An action of this client was acknowledged."""
        now = time.perf_counter()
        self.latencies.append(now - client.sent_at.popleft())
        client.n += 1
        self.done += 1
        self.left -= 1
        self.last_at = now
        if self.closed and now < self.stop_at:
            if self.left > 0:
                client.act(now)
            else:
                self.used_up.set()

    async def _send_at(self, who: list[Client], rate: float, began: float, seconds: float) -> None:
        who = self.order.sample(who, len(who))  # or the eight of a room would always share a board
        total, sent = int(rate * seconds), 0
        while sent < total:
            due = min(total, int((time.perf_counter() - began) * rate) + 1)
            while sent < due:
                who[sent % len(who)].act(began + sent / rate)
                sent += 1
            await asyncio.sleep(TICK_S)

    async def _all_answered(self, who: Iterable[Client]) -> int:
        give_up_at = time.perf_counter() + ANSWER_S
        while lost := sum(len(client.sent_at) for client in who):
            if time.perf_counter() > give_up_at:
                self.fault(f"{lost} actions without an answer for {ANSWER_S:.0f} s")
                return lost
            await asyncio.sleep(0.002)
        return 0

    def _result(self, seconds: float, lost: int) -> dict[str, Any]:
        ordered = sorted(self.latencies) or [0.0]
        return {
            "actions": self.done,
            "seconds": seconds,
            "lost": lost,
            "boards": self.boards,
            "p50_ms": ordered[len(ordered) // 2] * 1000,
            "p99_ms": ordered[len(ordered) * 99 // 100] * 1000,
        }


async def obey(load: Load) -> None:
    """Take commands until standard input ends."""
    loop = asyncio.get_running_loop()
    print(json.dumps({"ready": True}), flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command = json.loads(line)
        name = command.pop("do")
        try:
            async with asyncio.timeout(120):
                result: dict[str, Any] = await getattr(load, name)(**command)
        except (TimeoutError, OSError) as error:
            load.fault(f"{name} did not come to its end: {type(error).__name__} {error}")
            result = {}
        faults = load.faults + ([f"and {load.faults_more} more"] if load.faults_more else [])
        load.faults, load.faults_more = [], 0
        print(json.dumps({**result, "faults": faults, "board": load.board.hex()}), flush=True)
    load.ending = True


if __name__ == "__main__":
    uvloop.run(obey(Load()))
