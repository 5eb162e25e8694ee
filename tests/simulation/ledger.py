"""What the store holds, entry by entry as it comes in, read and judged without the code under test.

Payloads are read with `msgpack`, games are played on the tests' own `Table`, rooms are folded by the few
lines below. What was ever stored is kept, also what a store that was set back has lost: `ever` holds every
entry that stood at a place of a log, the log itself the one that stands there now.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import msgpack

from server.store import keys
from server.store.records import Entry
from tests.simulation.world import DRIFT
from tests.support.store_model import StoreModel
from tests.support.table import Table

Map = dict[str, Any]
AFTER_THE_CLOSE = {"joined", "left", "muted", "watching", "rematch", "forgotten"}
GRACE_MS = 500
WAITED_MS_MAX = 15_000  # an action's age, measured by a node's clock, is no greater
STAMP_SLACK_MS = 2 + DRIFT * WAITED_MS_MAX


@dataclass(frozen=True)
class Person:
    """Somebody, as the room's log has them."""

    name: str
    role: str
    game: str | None = None
    out: bool = False
    watching: bool = False
    start_at: int = 0
    ends_at: int | None = None

    @property
    def races(self) -> bool:
        return self.role == "player" or self.game is not None

    @property
    def plays(self) -> bool:
        return self.game in ("playing", "won") and not self.out


@dataclass(frozen=True)
class Fold:
    """A room after some events of its log."""

    v: int = 0
    state: str = "lobby"
    host: str = ""
    options: Map = field(default_factory=dict)
    deal: str = ""
    nonce: str = ""
    people: dict[str, Person] = field(default_factory=dict)
    watched: frozenset[str] = frozenset()
    referees: frozenset[str] = frozenset()
    start_at: int | None = None
    ends_at: int | None = None

    @property
    def own(self) -> bool:
        return self.options.get("start") == "own"

    def with_person(self, player: str, **changes: Any) -> Fold:
        return replace(self, people={**self.people, player: replace(self.people[player], **changes)})

    def without(self, player: str) -> Fold:
        people = {id: person for id, person in self.people.items() if id != player}
        return replace(self, people=people, referees=self.referees - {player})


def fold(room: Fold, event: Map) -> Fold:  # noqa: C901 - one case a kind
    """The room after one event more (`docs/protocol.md`)."""
    room = replace(room, v=room.v + 1)
    player = event.get("player", "")
    match event["kind"]:
        case "created":
            return replace(
                room,
                host=event["by"],
                options=event["options"],
                deal=event["deal"],
                nonce=event.get("nonce", ""),
            )
        case "joined":
            return _joined(room, player, event)
        case "left" if room.people[player].game is None:
            return room.without(player)
        case "options":
            room = replace(room, options={**room.options, **event["options"]})
            if event.get("deal"):
                room = replace(room, deal=event["deal"], nonce=event.get("nonce", ""))
            return room
        case "host":
            return replace(room, host=player)
        case "countdown":
            return replace(room, state="countdown", start_at=event["start_at"])
        case "held":
            return replace(room, state="lobby", start_at=None)
        case "started":
            return _started(room, player, event)
        case "won":
            return room.with_person(player, game="won")
        case "forfeited":
            return room.with_person(player, game="forfeited")
        case "unforfeited":
            return room.with_person(player, game="playing")
        case "kicked" | "banned" if player in room.people:
            if room.people[player].game is None:
                return room.without(player)
            return replace(room.with_person(player, out=True), referees=room.referees - {player})
        case "disqualified":
            return room.with_person(player, out=True)
        case "reinstated":
            return room.with_person(player, out=False, role="player")
        case "referee":
            others = room.referees - {player}
            return replace(room, referees=others | {player} if event["on"] else others)
        case "watching":
            return replace(room.with_person(player, watching=True), watched=room.watched | {player})
        case "ending":
            return replace(room, ends_at=event["ends_at"])
        case "closed":
            return replace(room, state="closed")
    return room


def _joined(room: Fold, player: str, event: Map) -> Fold:
    old = room.people.get(player) or Person(event["name"], event["role"], watching=player in room.watched)
    person = replace(old, name=event["name"] or old.name, role=event["role"])
    if person.role == "player" and room.state == "running" and not room.own and person.game is None:
        person = replace(person, game="playing", start_at=room.start_at or 0, ends_at=room.ends_at)
    return replace(room, people={**room.people, player: person})


def _started(room: Fold, player: str, event: Map) -> Fold:
    begun = {"game": "playing", "start_at": event["start_at"], "ends_at": event.get("ends_at")}
    if player:
        return replace(room.with_person(player, **begun), state="running", ends_at=room.options["close_at"])
    people = {id: replace(p, **begun) if p.role == "player" else p for id, p in room.people.items()}
    return replace(
        room, state="running", people=people, start_at=event["start_at"], ends_at=event.get("ends_at")
    )


@dataclass
class Event:
    """An entry of the room's log, and the room after it."""

    v: int
    tip: str
    stamp: int
    raw: Map
    after: Fold


@dataclass
class Played:
    """An entry of a game's log, and the game after it."""

    n: int
    tip: str
    stamp: int
    record: tuple[str, int, int, int]  # op, src, dst, asked
    ms: int
    start_at: int
    table: Table
    done: Map
    row: tuple[int, ...]

    @property
    def game(self) -> Map:
        return self.table.game()


class RoomBook:
    """One room."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.events: list[Event] = []
        self.games: dict[str, list[Played]] = {}
        self.ever_events: dict[int, list[Event]] = {}
        self.ever_played: dict[str, dict[int, list[Played]]] = {}
        self.by_row: dict[str, dict[tuple[int, ...], list[Played]]] = {}

    @property
    def now(self) -> Fold:
        return self.events[-1].after if self.events else Fold()

    def dealt(self) -> Table:
        return Table(self.now.deal, open=self.now.options["visibility"] == "open")


class Ledger:
    """Every room's book; `asked` tells when a player first asked for an action (race clock), None: never."""

    def __init__(
        self, clock_ms: Callable[[], int], asked: Callable[[str, tuple[Any, ...]], int | None],
        violation: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._clock_ms, self._asked, self._violation = clock_ms, asked, violation
        self.rooms: dict[str, RoomBook] = {}

    def stored(self, room_id: str, log: str, entry: Entry) -> None:
        """The store has taken this entry: judge it."""
        book = self.rooms.get(room_id) or self.rooms.setdefault(room_id, RoomBook(room_id))
        if log == keys.ROOM_LOG:
            self._event(book, entry)
        else:
            player = log.removeprefix("game:")
            book.games.setdefault(player, [])
            self._action(book, player, entry)

    def set_back(self, model: StoreModel) -> None:
        """The store is as it was some time ago."""
        for room_id, book in self.rooms.items():
            room = model._rooms.get(room_id)
            logs = room.logs if room is not None else {}
            del book.events[len(logs.get(keys.ROOM_LOG, [])) :]
            for player, games in book.games.items():
                del games[len(logs.get(keys.game_log(player), [])) :]

    def _judge(self, holds: bool, text: str) -> None:
        if not holds:
            self._violation(f"stored: {text}")

    def _event(self, book: RoomBook, entry: Entry) -> None:
        raw = msgpack.unpackb(entry.payload[1:])
        before, kind, player = book.now, raw["kind"], raw.get("player", "")
        what = f"event {entry.n} {raw} at {entry.stamp}"
        self._judge(entry.n == len(book.events) + 1, f"{what} is no. {len(book.events) + 1}")
        self._judge_tip(book.events, entry, what)
        now_ms = self._clock_ms()
        self._judge(before.state != "closed" or kind in AFTER_THE_CLOSE, f"{what}, after the close")
        self._judge(entry.stamp <= now_ms, f"{what}, in the future: it is {now_ms}")
        if kind == "started" and not player:
            self._judge(now_ms >= raw["start_at"], f"{what}, too early: it is {now_ms}")
        if kind == "closed" and raw["reason"] == "limit":
            ends_at = before.ends_at
            self._judge(
                ends_at is not None and now_ms >= ends_at + GRACE_MS, f"{what}, but the end is {ends_at}"
            )
        games = book.games.get(player, [])
        if kind == "forfeited":
            self._judge(raw.get("n", 0) == len(games), f"{what}, but there are {len(games)} actions")
        if kind == "won":
            n = raw["n"]
            well = len(games) >= n and games[n - 1].table.status == "won" and games[n - 1].ms == raw["ms"]
            self._judge(
                well and games[n - 1].table.moves == raw["moves"], f"{what}, but the game is not won so"
            )
        event = Event(entry.n, entry.tip, entry.stamp, raw, fold(before, raw))
        book.events.append(event)
        book.ever_events.setdefault(entry.n, []).append(event)

    def _judge_tip(self, before: list[Any], entry: Entry, what: str) -> None:
        digest = hashlib.blake2b((before[-1].tip if before else "").encode() + entry.payload, digest_size=8)
        self._judge(digest.hexdigest() == entry.tip, f"{what} has the tip of another history")

    def _action(self, book: RoomBook, player: str, entry: Entry) -> None:
        games, room = book.games[player], book.now
        op, src, dst, asked = msgpack.unpackb(entry.payload[1:])
        what = f"action {entry.n} {(op, src, dst, asked)} of {player} at {entry.stamp}"
        self._judge(entry.n == len(games) + 1, f"{what} is no. {len(games) + 1}")
        self._judge_tip(games, entry, what)
        person = room.people.get(player)
        if person is None or room.state != "running" or not person.plays:
            self._violation(f"stored: {what}, who may not play: {room.state} {person}")
        assert person is not None
        ends_at = person.ends_at if room.own else room.ends_at
        self._judge(ends_at is None or entry.stamp < ends_at, f"{what}, past the end at {ends_at}")
        self._judge_stamp(
            games, player, entry, (entry.n, op, src, asked) if op == "m" else (entry.n, op), what
        )
        table = twin(games[-1].table if games else book.dealt())
        self._judge_rules(table, op, src, dst, what)
        ms = entry.stamp - person.start_at
        done = table.play(op, src, dst) | {"ms": ms}
        row = (table.moves, table.undone, table.redeals, sum(table.heights), ms)
        played = Played(
            entry.n, entry.tip, entry.stamp, (op, src, dst, asked), ms, person.start_at, table, done, row
        )
        games.append(played)
        book.ever_played.setdefault(player, {}).setdefault(entry.n, []).append(played)
        book.by_row.setdefault(player, {}).setdefault(row, []).append(played)

    def _judge_stamp(
        self, games: list[Played], player: str, entry: Entry, key: tuple[Any, ...], what: str
    ) -> None:
        now_ms, asked_ms = self._clock_ms(), self._asked(player, key)
        if asked_ms is None:
            self._violation(f"stored: {what}, which nobody asked for")
        else:
            earliest = asked_ms - STAMP_SLACK_MS
            self._judge(entry.stamp >= earliest, f"{what}, before it was asked for at {asked_ms}")
        self._judge(entry.stamp <= now_ms, f"{what}, in the future: it is {now_ms}")
        self._judge(not games or entry.stamp >= games[-1].stamp, f"{what}, before the one before it")

    def _judge_rules(self, table: Table, op: str, src: int, dst: int, what: str) -> None:
        if table.status == "won":
            self._violation(f"stored: {what}, in a won game")
        elif op == "m":
            card = table.top(src)
            well = card is not None and src != dst and table.accepts(dst, card)
            well = well and (src < 16 or (dst >= 16 and table.heights[src - 16] > 1))
            self._judge(well, f"{what}, against the rules")
        else:
            self._judge(bool(table.redeals if op == "r" else table.past), f"{what}, against the rules")


def twin(table: Table) -> Table:
    """The same game, to go on with."""
    other = Table.__new__(Table)
    other.__dict__.update(table.__dict__)
    other.piles = [list(pile) for pile in table.piles]
    other.heights, other.past = list(table.heights), list(table.past)
    return other
