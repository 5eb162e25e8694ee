"""Rooms in every state, made by the same commands that people give."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from server.rooms import commands as cmd
from server.rooms.decide import create, decide, fold_draft
from server.rooms.due import upcoming
from server.rooms.room import Room
from server.rooms.standings import Progress

NOW = 1_800_000_000_000
DRAW = cmd.Draw(
    codes={"N": "CR1-N-AAAAAAB", "F": "CR1-F-AAAAAAB"},
    sealed_codes={"N": "CR2-N-" + "A" * 28, "F": "CR2-F-" + "A" * 28},
    nonce="0" * 32,
)


class Desk:
    """A room that is given commands and moments, and is after each what the events make of it."""

    def __init__(self, **options: object) -> None:
        self.now = NOW
        self.progress: dict[str, Progress] = {}
        self.kinds: list[str] = []
        self.room = Room(id="R")
        self._take(create(cmd.CreateRoom(by="host", options=options, draw=DRAW), self.now))

    def _take(self, events: list, at: int | None = None) -> None:
        self.room = fold_draft(self.room, events, self.now if at is None else at)
        self.kinds += [type(event).__struct_config__.tag for event in events]

    def do(self, command: cmd.Command) -> list:
        events = decide(self.room, command, self.now)
        self._take(events)
        return events

    def join(self, *players: str, role: str = "player") -> None:
        for player in players:
            self.do(cmd.Join(by=player, role=role, name=player.title()))

    def pass_time(self, until: int | None = None) -> list[int]:
        """Let everything due by then happen, in its order; the moments at which it did."""
        if until is not None:
            self.now = until
        moments = []
        while (due := upcoming(self.room, self.progress)) is not None and due.fires_at <= self.now:
            self._take([due.event], due.at)
            moments.append(due.at)
        return moments

    def start(self) -> None:
        self.do(cmd.StartCountdown(by="host"))
        self.pass_time(self.now + self.room.options.countdown_ms)
        assert self.room.state == "running"

    def play(self, player: str, **progress: object) -> None:
        self.progress[player] = Progress(**{"n": 1, "stamp": self.now, **progress})  # type: ignore[arg-type]


@pytest.fixture
def desk() -> Callable[..., Desk]:
    return Desk


@pytest.fixture
def in_state() -> Callable[[str], Desk]:
    """A room in this state, with two players and a spectator."""

    def make(state: str) -> Desk:
        desk = Desk(min_players=1, countdown_ms=1000)
        desk.join("ann", "bob")
        desk.join("eve", role="spectator")
        if state == "countdown":
            desk.do(cmd.StartCountdown(by="host"))
        elif state == "running":
            desk.start()
        elif state == "closed":
            desk.start()
            desk.do(cmd.Close(by="host"))
        assert desk.room.state == state
        return desk

    return make
