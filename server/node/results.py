"""A room and its results, for programs and spreadsheets: JSON, CSV, and the whole log after the close."""

import csv
import io
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from protocol import messages as wire
from server.engine.actions import Action
from server.engine.game import Game
from server.engine.notation import format_action
from server.engine.refusals import Refusal
from server.node import outbound
from server.node.live_game import play
from server.node.live_room import LiveRoom
from server.rooms import events as ev
from server.rooms.options import shown_options
from server.rooms.room import NO_NAME, Person, Room, apply
from server.store import keys
from server.store.records import Entry, unpack_action, unpack_event
from server.store.store import Store

COLUMNS = ("rank", "player", "name", "status", "moves", "undone", "redeals", "home", "ms")
# What a spreadsheet would take for a formula when it begins a cell.
FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")
STRANGER = ""


def room_json(live: LiveRoom) -> bytes:
    """What `room` has for a stranger."""
    return msgspec.json.encode(live.teller.room_message(STRANGER))


def board_csv(live: LiveRoom) -> bytes:
    """The board as a stranger may see it, a player a line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    board: wire.BoardData = live.teller.whole_board(STRANGER)
    for row in board.rows:
        writer.writerow([harmless(getattr(row, column)) for column in COLUMNS])
    return text.getvalue().encode()


def named(row: wire.Row) -> dict[str, Any]:
    """A row without what was only so at the moment."""
    return {column: getattr(row, column) for column in COLUMNS}


def harmless(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_BEGINS) else cell


async def log_jsonl(live: LiveRoom, store: Store) -> AsyncIterator[bytes]:
    """The log of a closed room, a line at a time: the room with every event, then each player's actions.

    From it alone the board can be computed again. Raises `StoreUnavailableError`.
    """
    room = live.room
    entries = await store.load_log(live.id, keys.ROOM_LOG)
    line: dict[str, Any] = {
        "room": room.id,
        "options": shown_options(room.options),
        "code": room.deal,
        "events": events_of(room, entries),
        "board": [named(row) for row in live.teller.whole_board(STRANGER).rows],
    }
    if room.options.sealed:
        line |= {"nonce": room.nonce, "commit": outbound.sealed_commit(room)}
    yield msgspec.json.encode(line) + b"\n"
    for person in room.players:
        actions = await store.load_log(live.id, keys.game_log(person.id))
        log = actions_of(live.dealt(), person, actions)
        yield msgspec.json.encode({"player": person.id, "name": person.name, "log": log}) + b"\n"


def events_of(final: Room, entries: list[Entry]) -> list[dict[str, Any]]:
    """Every event of a room's log as the wire tells it, without the names of who is forgotten."""
    told: list[dict[str, Any]] = []
    room = Room(id=final.id)
    for entry in entries:
        event = unpack_event(entry.payload)
        before, room = room, apply(room, event, entry.stamp)
        message = msgspec.to_builtins(outbound.event_message(before, room, event, entry.stamp, None))
        del message["t"], message["room"]
        if isinstance(event, ev.Won | ev.Forfeited):
            message["n"] = event.n
        if message.get("player") in final.forgotten and "name" in message:
            message["name"] = NO_NAME
        if isinstance(event, ev.Created) and event.by in final.forgotten and event.name == event.options.name:
            message["options"]["name"] = NO_NAME
        told.append(message)
    return told


def actions_of(game: Game, person: Person, entries: list[Entry]) -> list[tuple[int, str]]:
    """A player's actions, each with its time since the player's start and as people write it."""
    log: list[tuple[int, str]] = []
    for entry in entries:
        record = unpack_action(entry.payload)
        action = Action(record.op, record.src, record.dst) if record.op == "m" else Action(record.op)
        log.append((entry.stamp - person.start_at, format_action(game, action)))
        if isinstance(play(game, record.op, record.src, record.dst), Refusal):
            raise RuntimeError(f"stored action {entry.n} of {person.id} breaks the rules")
    return log
