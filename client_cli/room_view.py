"""The room as this client knows it: folded from `room`, `event`, `presence` and `board`."""

from enum import Enum
from typing import Any

from protocol.messages import Board, BoardData, Event, Person, Presence, Role, Room, RoomState, Row


class Verdict(Enum):
    """What became of a message."""

    NEW = "new"
    OLD = "old"
    """Known already, or of another room: to be dropped."""
    GAP = "gap"
    """Something before it is missing: `enter` again."""


class RoomView:
    """A room's state. `v` and `seq` decide what is new; a later `room` message starts both anew."""

    def __init__(self, message: Room, me: str) -> None:
        self.me = me
        self.id = message.room
        self.v = message.v
        self.options: dict[str, Any] = dict(message.options)
        self.state: RoomState = message.state
        self.host = message.host
        self.people: dict[str, Person] = {person.id: person for person in message.players}
        self.start_at = message.start_at
        self.ends_at = message.ends_at
        self.code = message.code
        self.commit = message.commit
        self.next: str | None = None
        self.next_by = ""
        """Who opened the rematch."""
        self.gave_up_at: dict[str, int] = {}
        """When players gave up, as far as it was told; moments of the race clock."""
        self.watching: set[str] = set()
        """Who has looked into another's game, as far as it was told."""
        self.reason: str | None = None
        self.roles = set(message.you)
        self.seq = message.board.seq
        self.rows: list[Row] = []
        self._set_rows(message.board)

    # What is asked of it

    def remember(self, before: "RoomView") -> None:
        """Take over what only events tell, from the view of this room before it was told anew."""
        self.next, self.next_by, self.reason = before.next, before.next_by, before.reason
        self.gave_up_at, self.watching = before.gave_up_at, before.watching

    def name_of(self, player: str) -> str:
        """Return the name of `player`, from the people present or else the board; "" for an unknown one."""
        person = self.people.get(player)
        if person is not None and person.name:
            return person.name
        return next((row.name for row in self.rows if row.player == player), "")

    def player_named(self, text: str) -> str | None:
        """Return the id of who has this name or id, the name in any case; None if nobody does."""
        folded = text.casefold()
        names = {person.id: person.name for person in self.people.values()}
        for row in self.rows:
            names.setdefault(row.player, row.name)
        if text in names:
            return text
        return next((player for player, name in names.items() if name.casefold() == folded), None)

    @property
    def own_row(self) -> Row | None:
        """This player's own line of the board, as of the latest board: they come ten times a second at most,
        so that it may lag behind an answer a little.
        """
        return next((row for row in self.rows if row.player == self.me), None)

    @property
    def is_for_one(self) -> bool:
        """Whether nobody else can play here."""
        return self.options.get("max_players") == 1

    @property
    def is_muted(self) -> bool:
        """Whether this player may say nothing here."""
        person = self.people.get(self.me)
        return person is not None and person.muted

    # What comes in

    def take_event(self, event: Event) -> Verdict:
        """Fold an event into the state, if it is the next one."""
        if event.room != self.id or event.v <= self.v:
            return Verdict.OLD
        if event.v > self.v + 1:
            return Verdict.GAP
        self.v = event.v
        fold = getattr(self, f"_on_{event.kind}", None)
        if fold is not None:  # a kind this version does not know changes nothing it shows
            fold(event)
        return Verdict.NEW

    def take_board(self, board: Board) -> Verdict:
        """Take a board, if it is newer than the one known."""
        if board.room != self.id or board.seq <= self.seq:
            return Verdict.OLD
        self._set_rows(board)
        return Verdict.NEW

    def take_presence(self, presence: Presence) -> Verdict:
        """Note that somebody's line came or went."""
        person = self.people.get(presence.player)
        if presence.room != self.id or (person is not None and person.online is presence.online):
            return Verdict.OLD
        if person is not None:
            person.online = presence.online
        for row in self.rows:
            if row.player == presence.player:
                row.online = presence.online
        return Verdict.NEW

    def _set_rows(self, board: Board | BoardData) -> None:
        self.seq = board.seq
        self.rows = list(board.rows)
        if board.own is not None and all(row.player != board.own.player for row in self.rows):
            self.rows.append(board.own)

    # One method an event's kind

    def _on_joined(self, event: Event) -> None:
        if event.player is None:
            return
        role: Role = event.role or "player"
        known = self.people.get(event.player)
        self.people[event.player] = Person(
            id=event.player,
            name=event.name or (known.name if known else ""),
            role=role,
            referee=known.referee if known else False,
            ready=False,
            online=True,
            muted=bool(event.muted) or (known is not None and known.muted),
        )
        if event.player == self.me:
            self.roles = (self.roles - {"player", "spectator"}) | {role}

    def _on_left(self, event: Event) -> None:
        self.people.pop(event.player or "", None)

    _on_kicked = _on_left
    _on_banned = _on_left

    def _on_ready(self, event: Event) -> None:
        person = self.people.get(event.player or "")
        if person is not None:
            person.ready = bool(event.ready)

    def _on_options(self, event: Event) -> None:
        self.options.update(event.options or {})

    def _on_host(self, event: Event) -> None:
        if event.player is not None:
            self.host = event.player
            self.roles = self.roles | {"host"} if event.player == self.me else self.roles - {"host"}

    def _on_referee(self, event: Event) -> None:
        person = self.people.get(event.player or "")
        if person is not None:
            person.referee = bool(event.on)
        if event.player == self.me:
            self.roles = self.roles | {"referee"} if event.on else self.roles - {"referee"}

    def _on_muted(self, event: Event) -> None:
        person = self.people.get(event.player or "")
        if person is not None:
            person.muted = bool(event.on)

    def _on_countdown(self, event: Event) -> None:
        self.state, self.start_at = "countdown", event.start_at

    def _on_held(self, event: Event) -> None:
        self.state, self.start_at = "lobby", None
        for person in self.people.values():
            person.ready = False

    def _on_started(self, event: Event) -> None:
        self.state = "running"
        if event.player is None or event.player == self.me:  # with own starts a start is one player's
            self.start_at, self.ends_at = event.start_at, event.ends_at
        self.code = event.code or self.code
        self.commit = event.commit or self.commit

    def _on_ending(self, event: Event) -> None:
        self.ends_at = event.ends_at

    def _on_closed(self, event: Event) -> None:
        self.state, self.reason = "closed", event.reason
        self.code = event.code or self.code
        if event.board is not None:
            self._set_rows(event.board)

    def _on_rematch(self, event: Event) -> None:
        self.next, self.next_by = event.next, event.by or ""

    def _on_forfeited(self, event: Event) -> None:
        self.gave_up_at[event.player or ""] = event.at

    def _on_unforfeited(self, event: Event) -> None:
        self.gave_up_at.pop(event.player or "", None)

    def _on_watching(self, event: Event) -> None:
        self.watching.add(event.player or "")
