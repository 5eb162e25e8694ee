"""The board computed again, from nothing but the logs that the server left on disk."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from protocol.messages import Row
from server.engine.codes import parse_code
from server.engine.game import Game
from server.engine.refusals import Refusal
from server.rooms.room import Room, apply
from server.rooms.standings import Entry, ranked
from server.store import keys
from server.store.embedded import EmbeddedValkey
from server.store.records import Entry as LogEntry
from server.store.records import next_tip, unpack_action, unpack_event
from server.store.store import Store, connect


class BrokenLog(Exception):
    """A log that cannot have been written by a server that keeps its promises: one sentence."""


class Audit(NamedTuple):
    """What came of it: logs replayed, actions in them, and each difference in a sentence."""

    logs: int
    actions: int
    differences: list[str]


async def audit(data: Path, room_id: str, code: str, rows: list[Row]) -> Audit:
    """Open the store in `data`, replay every player's log of a room, and compare with the board told."""
    valkey = await EmbeddedValkey.start(data)
    store = Store(connect(valkey.url))
    try:
        _, events = await store.load_room(room_id)
        room = fold_room(room_id, events)
        logs = {person.id: await store.load_log(room_id, keys.game_log(person.id)) for person in room.players}
        replayed = [replay(room, code, player, log) for player, log in logs.items()]
    except BrokenLog as error:
        return Audit(0, 0, [str(error)])
    finally:
        await store.close()
        await valkey.stop()
    told = {row.player: row for row in rows}
    board = {entry.player: (rank, entry) for rank, entry in ranked(replayed, room.options.rank_by)}
    differences = [] if told.keys() == board.keys() else ["The board has other players than the logs."]
    for player in told.keys() & board.keys():
        differences += compare(told[player], *board[player])
    return Audit(len(logs), sum(map(len, logs.values())), differences)


def fold_room(room_id: str, events: list[LogEntry]) -> Room:
    """The room after its log, each entry of which must continue the one before."""
    room, tip = Room(id=room_id), ""
    for entry in events:
        tip = _checked_tip(tip, entry)
        room = apply(room, unpack_event(entry.payload), entry.stamp)
    return room


def replay(room: Room, code: str, player: str, log: list[LogEntry]) -> Entry:
    """A player's line of the board, from the deal's code and the log of their game."""
    person = room.people[player]
    game, tip, stamp = Game.deal(parse_code(code)), "", 0
    for entry in log:
        tip = _checked_tip(tip, entry)
        action = unpack_action(entry.payload)
        match action.op:
            case "m":
                answer: object = game.move(action.src, action.dst)
            case "r":
                answer = game.redeal()
            case _:
                answer = game.undo()
        if isinstance(answer, Refusal):
            raise BrokenLog(f"Action {entry.n} of {person.name} breaks the rules: {answer}")
        stamp = entry.stamp
    given_up = person.game in ("forfeited", "disqualified")
    return Entry(
        player=player,
        name=person.name,
        status=str(person.game) if given_up else game.status,
        moves=game.moves,
        undone=game.undone,
        redeals=game.redeals,
        home=game.home,
        ms=stamp - (room.start_at or 0) if log else 0,
    )


def _checked_tip(before: str, entry: LogEntry) -> str:
    tip = next_tip(before, entry.payload)
    if tip != entry.tip:
        raise BrokenLog(f"Entry {entry.n} of a log does not continue the one before it")
    return tip


def compare(told: Row, rank: int, entry: Entry) -> list[str]:
    """Each figure in which the board that was told differs from the one computed."""
    computed = {"rank": rank, **msgspec.structs.asdict(entry)}
    return [
        f"{told.name}: the board says {field} {getattr(told, field)}, the log {value}"
        for field, value in computed.items()
        if getattr(told, field) != value
    ]
