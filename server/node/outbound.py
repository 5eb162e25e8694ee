"""What is stored, put into the messages of the wire."""

import hashlib
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from protocol import messages as wire
from server.engine.cards import Card
from server.engine.game import Game
from server.engine.places import PILES
from server.rooms import events as ev
from server.rooms.options import shown_changes, shown_options
from server.rooms.room import Room, board_entry, status_of
from server.rooms.sight import hides_results, may_know_code, sees_results_of
from server.rooms.standings import Entry, Progress, ranked
from server.store.records import ActionRecord


def tops(game: Game) -> list[Card | None]:
    """The 16 piles' top cards."""
    return [pile[-1] if pile else None for pile in game.piles]


def done(game: Game, n: int, record: ActionRecord, before: list[Card | None] | None, open: bool) -> wire.Done:
    """The answer to action `n`, just played in `game`; its `ms` comes with the stamp.

    `before`: the piles' tops before a redeal. `open`: every card is shown.
    """
    changed: list[tuple[int, str | None, int]]
    piles = None
    if record.op == "r":
        after = tops(game)
        assert before is not None
        changed = [
            (place, after[place], game.count(place)) for place in PILES if after[place] != before[place]
        ]
        piles = [list(pile) for pile in game.piles] if open else None
    else:
        low, high = record.src, record.dst
        if low > high:
            low, high = high, low
        changed = [(low, game.top(low), game.count(low)), (high, game.top(high), game.count(high))]
    moved = record.op != "r"
    return wire.Done(
        n=n,
        op=record.op,
        src=record.src if moved else None,
        dst=record.dst if moved else None,
        changed=changed,
        piles=piles,
        redeals=game.redeals,
        moves=game.moves,
        undone=game.undone,
        undoable=game.undoable,
        status=game.status,
        ms=0,
    )


def game_fields(room: Room, player: str, game: Game, progress: Progress) -> dict[str, Any]:
    """What `game` and `view` tell of a player's game."""
    person = room.people[player]
    if room.options.visibility == "open":
        piles: list[Any] = [list(pile) for pile in game.piles]
    else:
        piles = [[top, len(pile)] for top, pile in zip(tops(game), game.piles, strict=True)]
    status = (
        status_of(person, progress) if person.disqualified_at or person.game == "forfeited" else game.status
    )
    return {
        "n": progress.n,
        "piles": piles,
        "up": list(game.up),
        "down": list(game.down),
        "redeals": game.redeals,
        "moves": game.moves,
        "undone": game.undone,
        "undoable": game.undoable,
        "status": status,
        "start_at": person.start_at,
        "ms": progress.stamp - person.start_at if progress.stamp else None,
    }


def rows(room: Room, progress: Mapping[str, Progress], online: Mapping[str, bool]) -> list[wire.Row]:
    """The board, in order. Of who has no game yet as far as the room is known here, more may be known than
    can be told: their start was stored before, and was not heard of."""
    begun = {person.id: progress.get(person.id) for person in room.players if person.game is not None}
    entries = [board_entry(person, begun.get(person.id) or unplayed(room)) for person in room.players]
    return [row(rank, entry, online) for rank, entry in ranked(entries, room.options.rank_by)]


def unplayed(room: Room) -> Progress:
    """The progress of a game without an action."""
    return Progress(redeals=4 if room.options.variant == "F" else 3)


def row(rank: int, entry: Entry, online: Mapping[str, bool]) -> wire.Row:
    """One line of the board."""
    return wire.Row(
        rank=rank,
        player=entry.player,
        name=entry.name,
        status=cast(wire.RowStatus, entry.status),
        moves=entry.moves,
        undone=entry.undone,
        redeals=entry.redeals,
        home=entry.home,
        ms=entry.ms,
        online=online.get(entry.player, False),
    )


def code_for(room: Room, viewer: str) -> str | None:
    """The game code, where this viewer may know it."""
    return room.deal if may_know_code(room, viewer) else None


def commit_to_tell(room: Room) -> str | None:
    """The commit of a sealed deal, from the start on."""
    return sealed_commit(room) if room.options.sealed and room.started else None


def sealed_commit(room: Room) -> str:
    """The hex SHA-256 of `<code>:<nonce>`."""
    return hashlib.sha256(f"{room.deal}:{room.nonce}".encode()).hexdigest()


def room_message(
    room: Room,
    viewer: str,
    online: Mapping[str, bool],
    board: wire.BoardData,
    now_ms: int,
) -> wire.Room:
    """The whole room as `viewer` may see it."""
    person = room.people.get(viewer)
    you: list[str] = ["host"] if viewer == room.host else []
    if person is not None:
        you += ["referee"] if person.referee else []
        you.append(person.role)
    own = person if room.own_starts and person is not None and person.game is not None else None
    return wire.Room(
        room=room.id,
        v=room.v,
        options=shown_options(room.options),
        state=cast(wire.RoomState, room.state),
        host=room.host,
        you=you,
        start_at=own.start_at if own else room.start_at,
        ends_at=own.ends_at if own else room.ends_at,
        code=code_for(room, viewer),
        commit=commit_to_tell(room),
        players=[
            wire.Person(
                id=person.id,
                name=person.name,
                role=cast(wire.Role, person.role),
                referee=person.referee,
                ready=person.ready,
                online=online.get(person.id, False),
                muted=person.muted,
            )
            for person in room.people.values()
        ],
        board=board,
        now=now_ms,
    )


HIDDEN_OF_EVENTS = {"kind", "deal", "key", "n"}


def is_told_to_each(room: Room, event: ev.RoomEvent) -> bool:
    """Whether different people are told different things of this event."""
    return hides_results(room) and isinstance(event, ev.Started | ev.Won)


def event_message(
    before: Room, after: Room, event: ev.RoomEvent, at: int, board: wire.BoardData | None, viewer: str = ""
) -> wire.Event:
    """An event of the room's log as `viewer` is told of it; `before` and `after` are the room around it.

    Unless `is_told_to_each`, all are told the same, and `viewer` does not matter.
    """
    fields: dict[str, Any] = {
        name: value
        for name, value in msgspec.structs.asdict(event).items()
        if name not in HIDDEN_OF_EVENTS and value not in ("", None)
    }
    match event:
        case ev.Created():
            fields = {"by": event.by, "options": shown_options(event.options)}
        case ev.Joined() if after.people[event.player].muted:
            fields["muted"] = True  # since before they went out
        case ev.OptionsSet():
            fields = {"by": event.by, "options": shown_changes(event.options)}
        case ev.Started():
            fields |= {"code": code_for(after, viewer), "commit": commit_to_tell(after)}
        case ev.Won() if not sees_results_of(after, viewer, event.player):
            fields = {"player": event.player}
        case ev.Closed():
            fields |= {"code": after.deal, "nonce": after.nonce or None, "board": board}
    player = fields.get("player", "")
    person = after.people.get(player) or before.people.get(player)
    if person is not None:
        fields.setdefault("name", person.name)
    kind = cast(str, type(event).__struct_config__.tag)
    return wire.Event(room=after.id, v=after.v, at=at, kind=kind, **fields)
