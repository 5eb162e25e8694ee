"""Items for the store, and a room of their making: payloads that mean nothing, tips that hold together."""

from __future__ import annotations

import itertools
import os
from typing import Any

from server.rooms.standings import Progress
from server.store import keys
from server.store.items import Answer, Append, Extra, Item, Seen, Verdict
from server.store.records import next_tip, pack_row
from server.store.store import Store

DAY_MS = 24 * 3600 * 1000
NO_FENCES: tuple[list[str], list[str]] = ([], [])

_numbers = itertools.count()


def fresh_room() -> str:
    """A room id that no other test has."""
    return f"R{os.getpid()}x{next(_numbers)}"


class Answers:
    """Takes an item's answer; `of(item)` is all it got."""

    def __init__(self) -> None:
        self.all: list[tuple[Item, Answer]] = []

    def __call__(self, item: Any, answer: Answer) -> None:
        self.all.append((item, answer))

    def of(self, item: Item) -> list[Answer]:
        return [answer for whose, answer in self.all if whose is item]


class Log:
    """A log as a writer knows it. `next` makes the item that follows, and takes it for stored."""

    def __init__(self, room: str, name: str = keys.ROOM_LOG, fences: dict[str, str] | None = None) -> None:
        self.room, self.name = room, name
        self.n, self.tip = 0, ""
        self.fences = fences or {}
        self.answers = Answers()
        self.is_game = name.startswith("game:")

    async def stored(self, store: Store) -> list[bytes]:
        """The payloads that are stored."""
        return [entry.payload for entry in await store.load_log(self.room, self.name)]

    @property
    def key(self) -> str:
        return keys.log(self.room, self.name)

    @property
    def tip_field(self) -> str:
        return keys.tip_field(self.name)

    def next(self, payload: bytes = b"\x01p", **fields: Any) -> Append:
        item = self.item(payload, **fields)
        self.n, self.tip = item.n, item.tip
        return item

    def item(self, payload: bytes = b"\x01p", **fields: Any) -> Append:
        """The item that would follow."""
        before = fields.pop("before", self.tip)
        if self.is_game:
            fields.setdefault("row_field", keys.row_field(self.name.removeprefix("game:")))
            fields.setdefault("row", pack_row(Progress(moves=self.n + 1)))
        return Append(
            self.room,
            self.name,
            fields.pop("n", self.n + 1),
            before,
            next_tip(before, payload),
            payload,
            fields.pop("received_ms", 0.0),
            (list(self.fences), list(self.fences.values())),
            fields.pop("answered", self.answers),
            **fields,
        )


class Room:
    """A room's logs: its own, and a game for each player asked for."""

    def __init__(self) -> None:
        self.id = fresh_room()
        self.head_key = keys.head(self.id)
        self.log = Log(self.id)
        self.started: str = ""

    def create(self, expire_at: int, **extra: Any) -> Append:
        return self.log.next(b"\x01created" + self.id.encode(), extra=Extra(expire_at=expire_at, **extra))

    def event(self, payload: bytes = b"\x01event", **extra: Any) -> Append:
        return self.log.next(payload, extra=Extra(**extra))

    def start(self, **extra: Any) -> Append:
        item = self.event(b"\x01started", fences=(keys.ROOM_FENCE,), **extra)
        self.started = item.tip
        return item

    def game(self, player: str) -> Log:
        """A player's game, judged under the fences as they stand after `start`."""
        fences = {keys.ROOM_FENCE: self.started, keys.fence_field(player): ""}
        return Log(self.id, keys.game_log(player), fences)


async def running_room(store: Store, age_ms: float = 0.0, **extra: Any) -> Room:
    """A room that is created and started, so long ago."""
    room = Room()
    now_ms = await store.now_ms()
    items = [room.create(now_ms + DAY_MS), room.start(**extra)]
    _, answers = await store.write(items, age_ms)
    assert [answer.verdict for answer in answers] == [Verdict.STORED] * 2
    return room


async def write(store: Store, *items: Item, at_ms: float = 0.0) -> list[Verdict]:
    """Write them, at this moment of the node's clock: the verdicts."""
    return [answer.verdict for answer in await answers(store, *items, at_ms=at_ms)]


async def answers(store: Store, *items: Item, at_ms: float = 0.0) -> list[Answer]:
    """The same, whole answers."""
    _, found = await store.write(items, at_ms)
    return found


def beat(room: str, player: str, connection: str, mode: Any = "here") -> Seen:
    return Seen(room, player, connection, mode, Answers())
