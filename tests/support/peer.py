"""A client of the tests' own, written from `docs/protocol.md`: it shares no code with the project's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

PATIENCE_S = 15.0
Map = dict[str, Any]


class Peer:
    """One connection: requests get their answers by `id`, everything else is kept in the order of arrival."""

    def __init__(self, connection: ClientConnection, binary: bool) -> None:
        self.connection, self.binary = connection, binary
        self.received: list[Map] = []  # everything, for looking back
        self._seen = 0  # how far `next` has come
        self._answers: dict[int, Map] = {}
        self._arrived = asyncio.Condition()
        self._id = 0
        self.on_message: Callable[[Map], None] = lambda message: None  # told of each as it comes
        self.closed: tuple[int, str] | None = None
        self.token = ""
        self.player = ""
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def open(cls, url: str, encoding: str = "msgpack") -> Peer:
        connection = await connect(url, subprotocols=[f"crescent-race.v1.{encoding}"], compression=None)  # type: ignore[list-item]
        return cls(connection, encoding == "msgpack")

    @classmethod
    async def hello(cls, url: str, encoding: str = "msgpack", **fields: Any) -> Peer:
        peer = await cls.open(url, encoding)
        welcome = await peer.ask("hello", **fields)
        peer.player = welcome["player"]
        peer.token = welcome.get("token") or fields.get("token", "")
        return peer

    async def _read(self) -> None:
        try:
            async for frame in self.connection:
                message = msgpack.unpackb(frame) if self.binary else json.loads(frame)
                self.on_message(message)
                async with self._arrived:
                    self.received.append(message)
                    if "id" in message:
                        self._answers[message["id"]] = message
                    self._arrived.notify_all()
        except ConnectionClosed:
            pass
        async with self._arrived:
            self.closed = (self.connection.close_code or 0, self.connection.close_reason or "")
            self._arrived.notify_all()

    async def send(self, **fields: Any) -> None:
        await self.connection.send(msgpack.packb(fields) if self.binary else json.dumps(fields))

    async def ask(self, t: str, **fields: Any) -> Map:
        """Send a request and wait for its direct answer."""
        self._id += 1
        number = self._id
        await self.send(t=t, id=number, **{"as" if name == "as_" else name: v for name, v in fields.items()})
        async with asyncio.timeout(PATIENCE_S), self._arrived:
            await self._arrived.wait_for(lambda: number in self._answers or self.closed is not None)
        if number not in self._answers:
            raise ConnectionError(f"closed with {self.closed} before {t} was answered")
        return self._answers[number]

    async def next(self, t: str, where: Callable[[Map], bool] = lambda m: True, **match: Any) -> Map:
        """The next message of this kind after the last one that was asked for."""
        index = await self._find(self._seen, t, where, **match)
        self._seen = index + 1
        return self.received[index]

    async def first(self, t: str, where: Callable[[Map], bool] = lambda m: True, **match: Any) -> Map:
        """The first message of this kind of all, come or still to come: `next` is where it was.

        For what has no place in the order of the rest: events, boards and answers do not wait for each other.
        """
        return self.received[await self._find(0, t, where, **match)]

    async def _find(self, since: int, t: str, where: Callable[[Map], bool], **match: Any) -> int:
        def find() -> int | None:
            for index in range(since, len(self.received)):
                message = self.received[index]
                fits = message["t"] == t and all(message.get(k) == v for k, v in match.items())
                if fits and where(message):
                    return index
            return None

        async with asyncio.timeout(PATIENCE_S), self._arrived:
            await self._arrived.wait_for(lambda: find() is not None or self.closed is not None)
        index = find()
        if index is None:
            raise ConnectionError(f"closed with {self.closed} before {t} {match} came")
        return index

    async def wait_closed(self) -> tuple[int, str]:
        async with asyncio.timeout(PATIENCE_S), self._arrived:
            await self._arrived.wait_for(lambda: self.closed is not None)
        assert self.closed is not None
        return self.closed

    def all(self, t: str) -> list[Map]:
        return [message for message in self.received if message["t"] == t]

    async def close(self) -> None:
        await self.connection.close()
        await self._reader

    def abort(self) -> None:
        """Cut the line without a word."""
        self.connection.transport.abort()

    async def __aenter__(self) -> Peer:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # The common ways

    async def create(self, **options: Any) -> str:
        answer = await self.ask("create", options=options)
        assert answer["t"] == "room", answer
        return str(answer["room"])

    async def enter(self, room: str, name: str, as_: str = "player") -> Map:
        answer = await self.ask("enter", room=room, as_=as_, name=name)
        assert answer["t"] == "room", answer
        return answer

    async def op(self, n: int, op: str = "m", src: int | None = None, dst: int | None = None) -> Map:
        fields: Map = {"n": n, "op": op}
        if op == "m":
            fields |= {"src": src, "dst": dst}
        return await self.ask("op", **fields)

    async def pipeline(self, requests: list[Map]) -> list[Map]:
        """Send these requests without waiting in between; their answers, in order."""
        first = self._id + 1
        for request in requests:
            self._id += 1
            await self.send(**request, id=self._id)
        wanted = range(first, self._id + 1)
        for number in reversed(wanted):  # the last one mostly comes last
            await self.until(lambda number=number: number in self._answers or self.closed is not None)  # type: ignore[misc]
            if number not in self._answers:
                raise ConnectionError(f"closed with {self.closed} before request {number} was answered")
        return [self._answers[number] for number in wanted]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something holds of what was received."""
        async with asyncio.timeout(PATIENCE_S), self._arrived:
            await self._arrived.wait_for(condition)
