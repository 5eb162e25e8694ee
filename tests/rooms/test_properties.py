"""Whatever is asked of a room, in whatever order: what always holds of it, by random stories."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.rooms import commands as cmd
from server.rooms import events as ev
from server.rooms.decide import DECIDE, create, decide, fold_draft
from server.rooms.due import CLOSE_GRACE_MS, upcoming
from server.rooms.problems import RoomProblem
from server.rooms.room import Room, apply
from server.rooms.standings import Progress

NOW = 1_800_000_000_000
DUE_MAX = 40  # more events by themselves at one moment than any room has
PEOPLE = ("host", "ann", "bob", "eve", "cid", "stranger")
DRAW = cmd.Draw(
    codes={"N": "CR1-N-AAAAAAB", "F": "CR1-F-AAAAAAB"},
    sealed_codes={"N": "CR2-N-" + "A" * 28, "F": "CR2-F-" + "A" * 28},
    nonce="0" * 32,
)
PROBLEMS = {
    *("unknown_player", "room_full", "name_taken", "bad_name", "not_host", "banned"),
    *("wrong_state", "not_allowed", "bad_options"),
}


def every_command(by: str, other: str, rng: random.Random) -> list[cmd.Command]:
    on = rng.random() < 0.5
    options = rng.choice([{"name": "x"}, {"max_players": rng.randrange(1, 5)}, {"spectators": "live"}, {}])
    return [
        cmd.Join(by=by, role="player", name=by.title()),
        cmd.Join(by=by, role="player", name=other.title()),
        cmd.Join(by=by, role="spectator"),
        cmd.Join(by=by),
        cmd.Leave(by=by),
        cmd.SetReady(by=by, ready=on),
        cmd.StartCountdown(by=by),
        cmd.Hold(by=by),
        cmd.SetOptions(by=by, options=options, draw=DRAW),
        cmd.Forfeit(by=by, n=0),
        cmd.Unforfeit(by=by),
        cmd.Close(by=by, text="bye"),
        cmd.Kick(by=by, player=other),
        cmd.Ban(by=by, player=other),
        cmd.Disqualify(by=by, player=other),
        cmd.Reinstate(by=by, player=other),
        cmd.SetReferee(by=by, player=other, on=on),
        cmd.SetHost(by=by, player=other),
        cmd.Mute(by=by, player=other, on=on),
        cmd.Watch(by=by, player=other, done=on),
        cmd.TellRematch(by=by, next="NEXTROOM"),
        cmd.Forget(by=by),
    ]


def test_the_commands_tried_here_are_all_there_are() -> None:
    tried = {type(command) for command in every_command("host", "ann", random.Random(0))}
    assert tried == {kind for row in DECIDE.values() for kind in row}


def outcome(room: Room, command: cmd.Command, now: int) -> list[ev.RoomEvent] | str:
    """The events, or the code of the refusal."""
    try:
        events = decide(room, command, now)
    except RoomProblem as problem:
        has_row = type(command) in DECIDE[room.state]
        code, why = problem.code, problem.why
    else:
        assert type(command) in DECIDE[room.state]
        return events
    assert has_row or code == "wrong_state"
    assert (why is not None) is (code == "not_allowed") or code == "bad_options"
    return code


class Story:
    """A room of random options, and what has happened to it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.now = rng, NOW
        start = rng.choice(["host", "ready", "own", "at"])
        options = {
            "min_players": rng.choice([1, 2]),
            "max_players": rng.choice([2, 3, 8]),
            "start": start,
            "start_at": NOW + 70_000 if start == "at" else None,
            "close_at": rng.choice([None, NOW + 200_000]),
            "limit_ms": rng.choice([0, 30_000]),
            "after_win_ms": rng.choice([0, 5000]),
            "countdown_ms": rng.choice([0, 3000]),
            "late": rng.random() < 0.5,
            "undo": rng.random() < 0.5,
            "spectators": rng.choice(["none", "board", "live"]),
        }
        self.progress: dict[str, Progress] = {}
        self.room = Room(id="R")
        self.log: list[tuple[ev.RoomEvent, int]] = []
        for event in create(cmd.CreateRoom(by="host", options=options, draw=DRAW), self.now):
            self.take(event, self.now)

    def take(self, event: ev.RoomEvent, at: int) -> None:
        before, self.room = self.room, apply(self.room, event, at)
        self.log.append((event, at))
        self.check(before, event)

    def check(self, before: Room, event: ev.RoomEvent) -> None:
        """What holds after every event."""
        room = self.room
        assert room.v == before.v + 1
        assert len(room.players) <= room.options.max_players
        if before.state == "closed":
            assert room.state == "closed"
            assert (room.closed_at, room.closed_reason) == (before.closed_at, before.closed_reason)
            games = {id: person.game for id, person in before.people.items()}
            assert {id: person.game for id, person in room.people.items() if person.game} == {
                id: game for id, game in games.items() if game
            }
        if before.state == "running":
            assert room.state in ("running", "closed")
        games_before = {person.id for person in before.people.values() if person.game}
        assert games_before <= {person.id for person in room.people.values() if person.game}
        shown = [person.name for person in room.people.values() if person.name and person.name != "—"]
        assert len(set(shown)) == len(shown)
        for person in room.people.values():
            assert not (person.id in room.banned and (person.present or room.may_play(person.id)))
            on = self.progress.get(person.id, Progress()).status == "playing"
            plays_on = room.may_play(person.id) and person.game == "playing" and on
            assert not (person.watching and plays_on), "who has seen another's game plays on"
        if before.v and before.host != room.host:
            assert room.people[room.host].present

    def play(self) -> None:
        """Somebody whose game is on has played, won or been blocked."""
        able = [p.id for p in self.room.people.values() if self.room.may_play(p.id) and p.game == "playing"]
        if not able:
            return
        player = self.rng.choice(able)
        known = self.progress.get(player, Progress())
        person = self.room.people[player]
        ends = person.ends_at if self.room.own_starts else self.room.ends_at
        if known.status == "playing" and (ends is None or self.now < ends):
            status = self.rng.choice(["playing", "playing", "won", "blocked"])
            undoable = 0 if status == "blocked" else 1
            self.progress[player] = Progress(
                n=known.n + 1, stamp=self.now, status=status, moves=known.moves + 1, undoable=undoable
            )

    def pass_time(self) -> None:
        self.now += self.rng.choice([0, 1, 1000, CLOSE_GRACE_MS, 61_000])
        for _ in range(DUE_MAX):
            due = upcoming(self.room, self.progress)
            assert due == upcoming(self.room, dict(reversed(list(self.progress.items()))))
            if due is None or due.fires_at > self.now:
                return
            self.take(due.event, due.at)
        raise AssertionError(f"what happens by itself has no end: {self.log[-3:]}")

    def ask(self) -> None:
        by, other = self.rng.choice(PEOPLE), self.rng.choice(PEOPLE)
        command = self.rng.choice(every_command(by, other, self.rng))
        if isinstance(command, cmd.Watch):
            # Blocked is what only the log of a game says: the caller knows.
            done = self.progress.get(by, Progress()).status == "blocked"
            command = cmd.Watch(by=by, player=other, done=done)
        before = msgspec.msgpack.encode(self.room)
        events = outcome(self.room, command, self.now)
        if isinstance(events, str):
            assert events in PROBLEMS
            assert msgspec.msgpack.encode(self.room) == before
            return
        assert decide(self.room, command, self.now) == events
        assert msgspec.msgpack.encode(self.room) == before, "deciding folds nothing in"
        fold_draft(self.room, events, self.now)
        assert msgspec.msgpack.encode(self.room) == before, "nor does folding a draft"
        for event in events:
            self.take(event, self.now)


@settings(max_examples=150)
@given(st.randoms(use_true_random=False))
def test_a_room_keeps_its_word_whatever_is_asked_of_it_in_whatever_order(rng: random.Random) -> None:
    story = Story(rng)
    for name in ("host", "ann", "bob", "eve"):
        command = cmd.Join(by=name, role=rng.choice(["player", "spectator"]), name=name.title())
        try:
            events = decide(story.room, command, story.now)
        except RoomProblem:
            continue
        for event in events:
            story.take(event, story.now)
    for _ in range(60):
        rng.choice([story.ask, story.ask, story.ask, story.ask, story.play, story.pass_time])()
    again = Room(id="R")
    for event, at in story.log:
        again = apply(again, event, at)
    assert again == story.room


@pytest.mark.parametrize("state", ["lobby", "countdown", "running", "closed"])
@pytest.mark.parametrize("by", PEOPLE)
def test_in_every_state_every_command_has_a_row_or_is_wrong_state(in_state, state: str, by: str) -> None:
    for other in PEOPLE:
        for command in every_command(by, other, random.Random(1)):
            desk = in_state(state)
            before = msgspec.msgpack.encode(desk.room)
            events = outcome(desk.room, command, desk.now)
            if isinstance(events, str):
                assert msgspec.msgpack.encode(desk.room) == before
            else:
                assert fold_draft(desk.room, events, desk.now).v == desk.room.v + len(events)
