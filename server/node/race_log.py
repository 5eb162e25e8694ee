"""The whole log of a closed race, from which its board can be computed again: `log.jsonl`.

It may hold thousands of actions of each of a thousand players, and all of them are played again for it. So it
is made a piece at a time, and whoever else is served by this node has their turn between two pieces.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any, NamedTuple

import msgspec

from server.engine.actions import Action
from server.engine.notation import format_action
from server.engine.refusals import Refusal
from server.node import outbound
from server.node.live_game import play
from server.node.live_room import LiveRoom
from server.node.results import STRANGER, named
from server.node.world import World
from server.rooms import events as ev
from server.rooms.names import NO_NAME
from server.rooms.options import shown_options
from server.rooms.room import Person, Room, apply
from server.store import keys
from server.store.records import Entry, unpack_action, unpack_event
from server.store.store import Store

PIECE_MS = 4.0
ENTRIES_AT_ONCE = 250  # of the store: to read them takes as long as a piece


class Mark(NamedTuple):
    """Which actions of whom: how many, and the stamp of the last."""

    player: str
    n: int
    stamp: int


class Line(NamedTuple):
    """A line; of a player's, the actions in it: `text[begin:end]`, which is JSON by itself."""

    text: bytes
    mark: Mark | None = None
    begin: int = 0
    end: int = 0


class Pieces:
    """After each piece of work, a rest as long as it took: half of the node's time is for others."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._began_ms = world.monotonic_ms()

    def begin(self) -> None:
        """After a wait for something else."""
        self._began_ms = self._world.monotonic_ms()

    async def rest(self) -> None:
        """Between two steps: rest if it is time."""
        took_ms = self._world.monotonic_ms() - self._began_ms
        if took_ms >= PIECE_MS:
            await self._world.sleep_ms(took_ms)
            self.begin()


async def log_lines(
    live: LiveRoom, store: Store, made: Mapping[Mark, bytes] | None = None
) -> AsyncIterator[Line]:
    """The log, line by line: the room with every event, then each player's actions.

    `made`: actions as a line has them, which need not be made again. Raises `StoreUnavailableError`.
    """
    room, pieces = live.room, Pieces(live.world)
    board = [named(row) for row in live.teller.whole_board(STRANGER).rows]
    line: dict[str, Any] = {
        "room": room.id,
        "options": shown_options(room.options),
        "code": room.deal,
        "events": [event async for event in _events(live, room, store, pieces)],
        "board": board,
    }
    if room.options.sealed:
        line |= {"nonce": room.nonce, "commit": outbound.sealed_commit(room)}
    yield Line(msgspec.json.encode(line) + b"\n")
    for person in room.players:
        await pieces.rest()
        progress = live.progress.get(person.id)
        mark = Mark(person.id, progress.n, progress.stamp) if progress is not None else Mark(person.id, 0, 0)
        log = (made or {}).get(mark)
        if log is None:
            mark, log = await _actions(live, person, store, pieces)
        begin = msgspec.json.encode({"player": person.id, "name": person.name})[:-1] + b',"log":'
        yield Line(begin + log + b"}\n", mark, len(begin), len(begin) + len(log))


async def _entries(live: LiveRoom, log: str, store: Store, pieces: Pieces) -> AsyncIterator[Entry]:
    """A log's entries; work on one may be a piece's end."""
    n = 0
    while True:
        entries = await store.load_log(live.id, log, n, ENTRIES_AT_ONCE)
        pieces.begin()
        for entry in entries:
            yield entry
            await pieces.rest()
        if len(entries) < ENTRIES_AT_ONCE:
            return
        n = entries[-1].n


async def _events(live: LiveRoom, final: Room, store: Store, pieces: Pieces) -> AsyncIterator[dict[str, Any]]:
    """Every event up to this state of the room as the wire tells it, without names of who is forgotten."""
    room = Room(id=final.id)
    async for entry in _entries(live, keys.ROOM_LOG, store, pieces):
        if entry.n > final.v:
            return
        event = unpack_event(entry.payload)
        before, room = room, apply(room, event, entry.stamp)
        # The race is over: what was hidden of a win till then is as its player was told it.
        viewer = event.player if isinstance(event, ev.Won) else STRANGER
        told_of = outbound.event_message(before, room, event, entry.stamp, None, viewer)
        message = msgspec.to_builtins(told_of)
        del message["t"], message["room"]
        if isinstance(event, ev.Won | ev.Forfeited):
            message["n"] = event.n
        if message.get("player") in final.forgotten and "name" in message:
            message["name"] = NO_NAME
        if isinstance(event, ev.Created) and event.by in final.forgotten and event.name == event.options.name:
            message["options"]["name"] = NO_NAME
        yield message


async def _actions(live: LiveRoom, person: Person, store: Store, pieces: Pieces) -> tuple[Mark, bytes]:
    """A player's actions as JSON, each with its time since the player's start and as people write it."""
    game = live.dealt()
    mark = Mark(person.id, 0, 0)
    log: list[tuple[int, str]] = []
    async for entry in _entries(live, keys.game_log(person.id), store, pieces):
        record = unpack_action(entry.payload)
        action = Action(record.op, record.src, record.dst) if record.op == "m" else Action(record.op)
        log.append((entry.stamp - person.start_at, format_action(game, action)))
        if isinstance(play(game, record.op, record.src, record.dst), Refusal):
            raise RuntimeError(f"stored action {entry.n} of {person.id} breaks the rules")
        mark = Mark(person.id, entry.n, entry.stamp)
    return mark, msgspec.json.encode(log)
