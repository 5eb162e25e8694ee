"""Looks at every message the moment a node sends it, and asks whether it is so: by what is stored by then.

It knows what clients sent and what the ledger has, and nothing of what the nodes think.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import msgpack

from tests.simulation.clients import Identity
from tests.simulation.ledger import Fold, Ledger, Played, RoomBook
from tests.simulation.network import Line
from tests.support.recount import COLUMNS, ranked

Map = dict[str, Any]
CARD = re.compile(rb"[\xa2\"][A23456789TJQK][SHDC]")
CARD_TEXT = re.compile(r'"[A23456789TJQK][SHDC]"')
WITH_CARDS = {"game", "done", "view", "seen"}
REPEATS_KEPT = 64
NOT_TOLD = {"kind", "deal", "nonce", "key", "n"}
CLOCK_SLACK_MS = 60  # of a node's estimate of the race clock, when the store is slow
# What an `ok` says has happened: kinds of events, about the one who asked or whom they asked about.
SAID_BY_OK = {
    "forfeit": ("forfeited",), "unforfeit": ("unforfeited",), "start": ("countdown",), "hold": ("held",),
}  # fmt: skip
SAID_BY_MANAGE = {
    "disqualify": ("disqualified", "kicked"), "reinstate": ("reinstated",), "kick": ("kicked",),
    "close": ("closed",),
}  # fmt: skip


class LineState:
    """What one connection has been told."""

    def __init__(self) -> None:
        self.player = ""
        self.asked: dict[int, Map] = {}  # by id
        self.ops: deque[Map] = deque()  # without an answer, in order
        self.v = -1  # of the last `room` or event; -1: in no room
        self.n = 0  # of the last `game` or `done`
        self.entered_n = 0  # what its player had been answered when it last asked for the room


class Said(NamedTuple):
    """A message of a node's, put into words only when it is found wrong."""

    line: Line
    state: LineState
    message: Map

    def __str__(self) -> str:
        return f"{self.line.name} to {self.state.player}: {self.message}"


class Watch:
    """See the module. `set_back`: whether the store has ever lost what it had, so that less can be asked."""

    def __init__(self, ledger: Ledger, clock_ms: Callable[[], int], violation: Callable[[str], None]) -> None:
        self._ledger, self._clock_ms, self._violation = ledger, clock_ms, violation
        self.set_back = False
        self._lines: dict[Line, LineState] = {}
        self._identities: dict[str, Identity] = {}
        self._answered: dict[str, int] = {}  # by player: the greatest n of a `done` that was received
        self._boards_seen: set[str] = set()  # one board goes to many
        self.room_id = ""
        self.messages = 0
        self.finals: list[tuple[str, list[Map]]] = []  # every final board that was received, and by whom

    def fault(self, text: str) -> None:
        self._violation(text)

    # What clients say and hear

    def known(self, identity: Identity) -> None:
        self._identities[identity.player] = identity

    def asked_at(self, player: str, key: tuple[Any, ...]) -> int | None:
        """When this player first asked for this action."""
        identity = self._identities.get(player)
        return None if identity is None else identity.first_asked_ms.get(key)

    def asked(self, line: Line, message: Map) -> None:
        """A client sends this."""
        state = self._lines.setdefault(line, LineState())
        if message["t"] == "op":
            state.ops.append(message)
            identity = self._identities.get(state.player)
            if identity is not None:
                identity.first_asked_ms.setdefault(key_of(message), self._clock_ms())
        elif "id" in message:
            state.asked[message["id"]] = message
        if message["t"] == "enter":
            state.entered_n = self._answered.get(state.player, 0)

    def answered(self, player: str, n: int) -> None:
        """A client has received a `done`."""
        self._answered[player] = max(n, self._answered.get(player, 0))

    # What nodes send

    def sent(self, line: Line, payload: bytes) -> None:
        """A node sends this."""
        self.messages += 1
        message = msgpack.unpackb(payload) if line.binary else json.loads(payload)
        state = self._lines.setdefault(line, LineState())
        t = message["t"]
        book = self._ledger.rooms.get(self.room_id or message.get("room", ""))
        if book is not None:
            self._look_for_secrets(state, message, payload, book)
        if t == "welcome":
            state.player = message["player"]
        look = LOOKS.get(t)
        if look is not None and book is not None and message.get("room", book.id) == book.id:
            look(self, state, message, book, Said(line, state, message))

    def _look_for_secrets(self, state: LineState, message: Map, payload: bytes, book: RoomBook) -> None:
        room, viewer = book.now, state.player
        if message["t"] not in WITH_CARDS and CARD.search(payload) and CARD_TEXT.search(json.dumps(message)):
            self._violation(f"a card is shown to {viewer}: {message}")
        if not room.deal or self.set_back:
            return
        if room.state != "closed":
            if room.nonce and room.nonce.encode() in payload:
                self._violation(f"the nonce is told to {viewer}: {message}")
            if room.options["deal"] == "random" and room.deal.encode() in payload:
                person = room.people.get(viewer)
                started = room.state == "running" and not room.options["sealed"]
                may = started and (not room.own or (person is not None and person.game is not None))
                if not may:
                    self._violation(f"the code is told to {viewer}: {message}")

    # Actions

    def _next_op(self, state: LineState, n: int, what: Said) -> Map | None:
        if not state.ops:
            self._violation(f"an answer to nothing: {what}")
            return None
        asked = state.ops.popleft()
        if asked["n"] != n:
            self._violation(f"answers are out of order: {what} when {asked} was next")
        return asked

    def look_at_done(self, state: LineState, m: Map, book: RoomBook, what: Said) -> None:
        asked = self._next_op(state, m["n"], what)
        if asked is None:
            return
        found = self._played(book, state.player, m["n"])
        told = {field: value for field, value in m.items() if field != "id"}
        fits = [played for played in found if played.done == told]
        if not fits:
            self._violation(f"acknowledged, and not stored: {what}; stored is {[p.done for p in found]}")
        same = asked["op"] == m["op"]
        if same and m["op"] == "m":
            asked_for = {played.record[3] for played in fits}
            same = asked["src"] == m["src"] and asked["dst"] in {m["dst"], *asked_for}
        if not same:
            self._violation(f"{what} is not what was asked: {asked}")
        state.n = max(state.n, m["n"])

    def look_at_refused(self, state: LineState, m: Map, book: RoomBook, what: Said) -> None:
        asked = self._next_op(state, m["n"], what)
        games = book.games.get(state.player, [])
        if asked is None or self.set_back:
            return
        if m["stored"] > len(games):
            self._violation(f"{what}, but {len(games)} are stored")
        n = m["n"]
        if m["code"] != "not_player" and m["stored"] - REPEATS_KEPT < n <= m["stored"]:
            op, src, dst, wanted = games[n - 1].record
            same = asked["op"] == op and (
                op != "m" or (asked["src"] == src and asked["dst"] in (dst, wanted))
            )
            if same:
                self._violation(f"a repeat is refused: {what}")

    def look_at_error(self, state: LineState, m: Map, book: RoomBook, what: Said) -> None:
        if "n" in m:
            self._next_op(state, m["n"], what)

    def _played(self, book: RoomBook, player: str, n: int) -> list[Played]:
        """What stood at this place of the log at some time; without a set-back, one."""
        if self.set_back:
            return book.ever_played.get(player, {}).get(n, [])
        return book.games.get(player, [])[n - 1 : n]

    def look_at_game(self, state: LineState, m: Map, book: RoomBook, what: Said) -> None:
        self._fits_game(state, m, state.player, book, what)
        if not self.set_back:
            least = max(state.n, state.entered_n)
            if m["n"] < least:
                self._violation(f"an old game: {what}, when {least} was answered")
        state.n = m["n"]

    def _fits_game(self, state: LineState, m: Map, player: str, book: RoomBook, what: Said) -> None:
        told = {field: value for field, value in m.items() if field not in ("player", "id")} | {"t": "game"}
        start_at, ms, status = told.pop("start_at"), told.pop("ms", None), told.pop("status")
        folds = [room for room in self._rooms(state, book) if player in room.people]
        if m["n"]:
            games = [(p.game, p.start_at, p.ms) for p in self._played(book, player, m["n"])]
        else:
            games = [(book.dealt().game(), room.people[player].start_at, None) for room in folds]
        for game, began_at, took_ms in games:
            own = game.pop("status")
            statuses = {status_of(room.people[player], own) for room in folds}
            if m["t"] == "view" and any(room.options["spectators"] == "delayed" for room in folds):
                statuses.add(own)  # as it was then: that they have won since is told by the room
            if (game, began_at, took_ms) == (told, start_at, ms) and status in statuses - {"waiting"}:
                return
        self._violation(f"a game that is not so: {what}; stored is {games}")

    def look_at_view(self, state: LineState, m: Map, book: RoomBook, what: Said) -> None:
        self._may_watch(state, book, what)
        self._fits_game(state, m, m["player"], book, what)
        self._is_past(state, m, book, what)

    def look_at_seen(self, state: LineState, m: Map, book: RoomBook, what: Said) -> None:
        self._may_watch(state, book, what)
        told = {field: value for field, value in m.items() if field != "player"} | {"t": "done"}
        found = self._played(book, m["player"], m["n"])
        if all(played.done != told for played in found):
            self._violation(f"seen, and not stored: {what}")
        self._is_past(state, m, book, what)

    def _may_watch(self, state: LineState, book: RoomBook, what: Said) -> None:
        well = self.set_back or book.now.state == "closed" or state.player in book.now.watched
        if not well:
            self._violation(f"shown to one who is not known to watch: {what}")

    def _is_past(self, state: LineState, m: Map, book: RoomBook, what: Said) -> None:
        room = book.now
        person = room.people.get(state.player)
        if (
            self.set_back
            or room.state == "closed"
            or room.options["spectators"] != "delayed"
            or person is None
        ):
            return
        if not person.races and state.player not in room.referees and m["n"]:
            till = self._clock_ms() - room.options["delay_ms"] + CLOCK_SLACK_MS
            stamp = book.games[m["player"]][m["n"] - 1].stamp
            # Who was a referee a moment ago may have followed as one.
            was = any(e.raw["kind"] == "referee" and e.raw["player"] == state.player for e in book.events)
            if stamp > till and not was:
                self._violation(f"shown too soon: {what}")

    # The room

    def _rooms(self, state: LineState, book: RoomBook) -> list[Fold]:
        """What the room may be to a node: not older than what it has told, nor newer than what is stored."""
        if self.set_back:
            return [event.after for events in book.ever_events.values() for event in events]
        return [event.after for event in book.events[max(state.v, 1) - 1 :]]

    def look_at_room(self, state: LineState, m: Map, book: RoomBook, what: Said) -> None:
        events = book.ever_events.get(m["v"], []) if self.set_back else book.events[m["v"] - 1 : m["v"]]
        told = (m["state"], m["host"], {p["id"]: (p["role"], p["name"]) for p in m["players"]})
        fitting = [event.after for event in events if told == shape_of(event.after)]
        if not fitting:
            self._violation(f"a room that is not so: {what}; stored is {[shape_of(e.after) for e in events]}")
        state.v = m["v"]
        if fitting:
            self._fits_board(state, m["board"]["rows"], fitting, book, what)

    def look_at_event(self, state: LineState, m: Map, book: RoomBook, what: Said) -> None:
        v = m["v"]
        if state.v < 0:
            self._violation(f"an event outside a room: {what}")
        if not self.set_back and v > state.v + 1:
            self._violation(f"events are missing: {what} after {state.v}")
        events = book.ever_events.get(v, []) if self.set_back else book.events[v - 1 : v]
        told = {field: value for field, value in m.items() if field in FIELDS}
        fits = any(told == told_of(event.raw, event.stamp, m, event.after, state.player) for event in events)
        if not fits:
            self._violation(f"an event that is not so: {what}; stored is {[event.raw for event in events]}")
        state.v = max(state.v, v)
        if m["kind"] == "closed" and m.get("board"):
            self._fits_board(state, m["board"]["rows"], [e.after for e in events], book, what)
            if not self.set_back:
                last = {p: games[-1].row for p, games in book.games.items() if games}
                for row in m["board"]["rows"]:
                    if last.get(row["player"], key_of_row(row)) != key_of_row(row):
                        self._violation(f"not final: {what}")

    def look_at_board(self, state: LineState, m: Map, book: RoomBook, what: Said) -> None:
        self._fits_board(state, m["rows"], self._rooms(state, book), book, what)

    def _fits_board(
        self, state: LineState, rows: list[Map], rooms: list[Fold], book: RoomBook, what: Said
    ) -> None:
        hidden = rooms[0].own and rooms[0].state != "closed" if rooms else False
        known = repr((hidden and state.player, rows, [room.v for room in rooms]))
        if known in self._boards_seen and not self.set_back:
            return
        self._boards_seen.add(known)
        if not any(self._board_fits(state, rows, room, book) for room in rooms):
            self._violation(f"a board that is not so: {what}; stored is {self._told_board(book)}")
        if not hidden and rooms:
            rank_by = rooms[-1].options["rank_by"]
            bare = [{column: row[column] for column in COLUMNS} for row in rows]
            if ranked([dict(row) for row in bare], rank_by) != bare:
                self._violation(f"ranks are wrong: {what}")

    def _board_fits(self, state: LineState, rows: list[Map], room: Fold, book: RoomBook) -> bool:
        players = {id for id, person in room.people.items() if person.races}
        if room.own and room.state != "closed":
            manages = state.player == room.host or state.player in room.referees
            person = room.people.get(state.player)
            if not (manages and (person is None or not person.races)):
                players &= {state.player}
        if players != {row["player"] for row in rows}:
            return False
        return all(self._row_fits(row, room, book) for row in rows)

    def _row_fits(self, row: Map, room: Fold, book: RoomBook) -> bool:
        player, person = row["player"], room.people[row["player"]]
        key = key_of_row(row)
        statuses = {played.table.status for played in book.by_row.get(player, {}).get(key, [])}
        if key == (0, 0, 4 if room.options["variant"] == "F" else 3, 8, 0):
            statuses.add("playing")
        return row["name"] == person.name and row["status"] in {status_of(person, s) for s in statuses}

    def _told_board(self, book: RoomBook) -> Any:
        rows = {player: games[-1].row for player, games in book.games.items() if games}
        return book.now.state, book.now.people, rows

    def look_at_ok(self, state: LineState, m: Map, book: RoomBook, what: Said) -> None:
        asked = state.asked.get(m.get("id", -1))
        if asked is None or "v" not in m or self.set_back:
            return
        if m["v"] > len(book.events):
            self._violation(f"{what}, but {len(book.events)} events are stored")
        kinds, about = SAID_BY_OK.get(asked["t"], ()), state.player
        if asked["t"] == "manage":
            kinds, about = SAID_BY_MANAGE.get(asked["action"], ()), asked.get("player", "")
        if kinds:
            told = any(
                event.raw["kind"] in kinds and event.raw.get("player", about) == about
                for event in book.events[: m["v"]]
            )
            if not told:
                self._violation(f"{what} to {asked}, and no such event is stored")

    def final_board(self, name: str, rows: list[Map]) -> None:
        """A client was told the final board."""
        bare = [{column: row[column] for column in COLUMNS} for row in rows]
        self.finals.append((name, bare))


FIELDS = {
    "v", "at", "kind", "by", "player", "role", "ready", "on", "start_at", "ends_at", "reason", "text", "next",
    "ms", "moves",
}  # fmt: skip


def told_of(raw: Map, stamp: int, m: Map, after: Fold, viewer: str) -> Map:
    """The fields of `FIELDS` that an event must be told with."""
    told = {field: value for field, value in raw.items() if field in FIELDS and value not in ("", None)}
    if raw["kind"] == "created":
        told = {"by": raw["by"]}
    if (
        raw["kind"] == "won"
        and after.own
        and after.state != "closed"
        and viewer != raw["player"]
        and "ms" not in m
    ):
        told = {"player": raw["player"]}
    return told | {"v": m["v"], "at": stamp, "kind": raw["kind"]}


def key_of(request: Map) -> tuple[Any, ...]:
    """An action as asked."""
    if request["op"] == "m":
        return request["n"], "m", request["src"], request["dst"]
    return request["n"], request["op"]


def key_of_row(row: Map) -> tuple[int, ...]:
    """What a row says of a game."""
    return row["moves"], row["undone"], row["redeals"], row["home"], row["ms"]


def status_of(person: Any, status: str) -> str:
    """What is told of a game with this status of its own."""
    if person.out:
        return "disqualified"
    if person.game is None:
        return "waiting"
    return status if person.game == "playing" else str(person.game)


def shape_of(room: Fold) -> tuple[str, str, dict[str, tuple[str, str]]]:
    """What `room` says of the state, the host and the people."""
    return room.state, room.host, {id: (person.role, person.name) for id, person in room.people.items()}


LOOKS = {
    name: getattr(Watch, f"look_at_{name}")
    for name in ("done", "refused", "error", "game", "view", "seen", "room", "event", "board", "ok")
}
