"""Commands: every state has a row, what is refused changes nothing, and each does what the page says."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.rooms import commands as cmd
from server.rooms import events as ev
from server.rooms.decide import DECIDE, FORFEIT_TAKE_BACK_MS, decide, fold_draft
from server.rooms.problems import RoomProblem
from server.rooms.room import APPLY, Room, apply

STATES = ("lobby", "countdown", "running", "closed")
PEOPLE = ("host", "ann", "bob", "eve", "cid", "stranger")
DRAW = cmd.Draw(
    codes={"N": "CR1-N-AAAAAAC", "F": "CR1-F-AAAAAAC"},
    sealed_codes={"N": "CR2-N-" + "B" * 28, "F": "CR2-F-" + "B" * 28},
    nonce="1" * 32,
)


def commands(by):
    return [
        cmd.Join(by=by, role="player", name=by.title()),
        cmd.Join(by=by, role="spectator"),
        cmd.Join(by=by),
        cmd.Leave(by=by),
        cmd.SetReady(by=by, ready=True),
        cmd.SetReady(by=by, ready=False),
        cmd.StartCountdown(by=by),
        cmd.Hold(by=by),
        cmd.SetOptions(by=by, options={"name": "x"}, draw=DRAW),
        cmd.SetOptions(by=by, options={"variant": "F", "min_players": 2}, draw=DRAW),
        cmd.SetOptions(by=by, options={"no such": 1}, draw=DRAW),
        cmd.Forfeit(by=by, n=3),
        cmd.Unforfeit(by=by),
        cmd.Close(by=by, text="bye"),
    ]


def classes_in(module):
    return {kind for kind in vars(module).values() if isinstance(kind, type)}


def refusal(desk, command):
    with pytest.raises(RoomProblem) as caught:
        decide(desk.room, command, desk.now)
    return caught.value.code


def test_every_state_has_a_row_and_every_command_a_place_in_one():
    assert set(DECIDE) == set(STATES)
    known = {kind for kind in classes_in(cmd) if issubclass(kind, cmd.Command)} - {
        cmd.Command,
        cmd.CreateRoom,
    }
    assert {kind for row in DECIDE.values() for kind in row} == known


def test_every_event_can_be_folded_in():
    assert set(APPLY) == set(ev.AnyEvent.__args__)
    assert {kind for kind in classes_in(ev) if issubclass(kind, ev.RoomEvent)} - {ev.RoomEvent} == set(APPLY)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("by", PEOPLE)
def test_a_refused_command_changes_nothing_and_an_accepted_one_is_told_in_full(in_state, state, by):
    for command in commands(by):
        desk = in_state(state)
        before = msgspec.msgpack.encode(desk.room)
        try:
            events = decide(desk.room, command, desk.now)
        except RoomProblem:
            assert msgspec.msgpack.encode(desk.room) == before
            continue
        assert msgspec.msgpack.encode(desk.room) == before, "deciding folds nothing in"
        after = fold_draft(desk.room, events, desk.now)
        assert msgspec.msgpack.encode(desk.room) == before, "nor does folding a draft"
        assert after.v == desk.room.v + len(events)
        assert decide(desk.room, command, desk.now) == events, "the same again"


@pytest.mark.parametrize("state", STATES)
def test_what_has_no_line_under_a_state_is_wrong_state(in_state, state):
    desk = in_state(state)
    for command in commands("host"):
        if type(command) not in DECIDE[state]:
            assert refusal(desk, command) == "wrong_state"


@given(st.randoms(use_true_random=False))
def test_whatever_is_asked_in_whatever_order_the_log_tells_the_whole_story(rng: random.Random):
    from server.rooms.decide import create
    from server.rooms.due import upcoming

    now = 1_800_000_000_000
    options = {
        "min_players": rng.choice([1, 2]),
        "start": rng.choice(["host", "ready"]),
        "late": rng.random() < 0.5,
        "countdown_ms": rng.choice([0, 3000]),
        "max_players": rng.choice([2, 3]),
    }
    first = create(cmd.CreateRoom(by="host", options=options, draw=DRAW), now)
    room, log = fold_draft(Room(id="R"), first, now), [(event, now) for event in first]
    for _ in range(40):
        now += rng.choice([0, 1, 1000, 61_000])
        while (due := upcoming(room, {})) is not None and due.fires_at <= now:
            room = apply(room, due.event, due.at)
            log.append((due.event, due.at))
        try:
            events = decide(room, rng.choice(commands(rng.choice(PEOPLE))), now)
        except RoomProblem:
            continue
        for event in events:
            room = apply(room, event, now)
            log.append((event, now))
        assert len(room.players) <= room.options.max_players
        assert (room.state == "lobby") <= (room.start_at is None)
    again = Room(id="R")
    for event, at in log:
        again = apply(again, event, at)
    assert again == room
    assert room.v == len(log)


def test_leaving_before_the_start_frees_the_seat_and_after_it_keeps_the_game(in_state):
    lobby, running = in_state("lobby"), in_state("running")
    for desk in (lobby, running):
        desk.do(cmd.Leave(by="ann"))
        assert desk.do(cmd.Leave(by="ann")) == []
    assert "ann" not in lobby.room.people
    assert running.room.people["ann"].present is False
    assert running.room.may_play("ann")


def test_coming_back_to_a_game_after_leaving_is_told_and_keeps_the_game_as_it_is(in_state):
    desk = in_state("running")
    desk.do(cmd.Forfeit(by="ann", n=3))
    before = desk.room.people["ann"]
    desk.do(cmd.Leave(by="ann"))
    assert [type(event) for event in desk.do(cmd.Join(by="ann"))] == [ev.Joined]
    assert desk.room.people["ann"] == before
    assert list(desk.room.people)[-1] == "ann", "who comes anew stands last"
    assert desk.do(cmd.Join(by="ann")) == []
    desk.do(cmd.Leave(by="ann"))
    desk.do(cmd.Close(by="host"))
    desk.do(cmd.Join(by="ann", role="spectator"))
    assert desk.room.people["ann"] == before


def test_coming_back_to_a_seat_is_no_event_in_any_state(in_state):
    for state in STATES:
        desk = in_state(state)
        assert desk.do(cmd.Join(by="ann")) == []
        assert desk.do(cmd.Join(by="ann", role="player", name="Other")) == []


def test_a_racer_stays_a_player_and_a_spectator_enters_late_only_where_allowed(in_state, desk):
    running = in_state("running")
    assert refusal(running, cmd.Join(by="ann", role="spectator")) == "wrong_state"
    assert refusal(running, cmd.Join(by="eve", role="player", name="Eve")) == "wrong_state"
    late = desk(min_players=1, late=True, countdown_ms=0)
    late.join("ann")
    late.start()
    late.join("bob")
    assert late.room.people["bob"].game == "playing"


def test_two_who_come_at_once_under_one_name_get_one_seat(desk):
    room = desk()
    room.join("ann")
    assert refusal(room, cmd.Join(by="bob", role="player", name="ANN ")) == "name_taken"
    assert refusal(room, cmd.Join(by="bob", role="player", name="\u202e")) == "bad_name"


def test_unreadiness_in_the_countdown_of_a_ready_room_holds_it(desk):
    room = desk(start="ready", min_players=2)
    room.join("ann", "bob")
    room.do(cmd.SetReady(by="ann", ready=True))
    room.do(cmd.SetReady(by="bob", ready=True))
    assert room.room.state == "countdown"
    room.do(cmd.SetReady(by="ann", ready=False))
    assert room.room.state == "lobby"
    assert not any(person.ready for person in room.room.people.values())


def test_who_joins_in_the_countdown_of_a_ready_room_does_not_stop_it(desk):
    room = desk(start="ready", min_players=1)
    room.join("ann")
    room.do(cmd.SetReady(by="ann", ready=True))
    room.join("bob")
    assert room.room.state == "countdown"


def test_one_who_never_readies_does_not_hold_up_a_host_room(desk):
    room = desk(min_players=2)
    room.join("ann", "bob", "cid")
    room.do(cmd.SetReady(by="ann", ready=True))
    assert [type(event) for event in room.do(cmd.StartCountdown(by="host"))] == [ev.Countdown]


def test_a_forfeit_can_be_taken_back_for_sixty_seconds(in_state):
    assert FORFEIT_TAKE_BACK_MS == 60_000
    for passed, allowed in ((59_999, True), (60_000, False)):
        desk = in_state("running")
        desk.do(cmd.Forfeit(by="ann", n=3))
        assert desk.room.may_play("ann") is False
        desk.now += passed
        if allowed:
            desk.do(cmd.Unforfeit(by="ann"))
            assert desk.room.may_play("ann")
        else:
            assert refusal(desk, cmd.Unforfeit(by="ann")) == "not_allowed"


def test_changing_the_deal_draws_anew_and_other_options_do_not(in_state):
    desk = in_state("lobby")
    deal = desk.room.deal
    desk.do(cmd.SetOptions(by="host", options={"name": "x", "limit_ms": 10_000}, draw=DRAW))
    assert desk.room.deal == deal
    desk.do(cmd.SetOptions(by="host", options={"variant": "F"}, draw=DRAW))
    assert desk.room.deal == "CR1-F-AAAAAAC"
    desk.do(cmd.SetOptions(by="host", options={"sealed": True}, draw=DRAW))
    assert (desk.room.deal, desk.room.nonce) == (DRAW.sealed_codes["F"], DRAW.nonce)
    desk.do(cmd.SetOptions(by="host", options={"sealed": False, "deal": "CR1-N-AAAAAAA"}, draw=DRAW))
    assert (desk.room.deal, desk.room.nonce) == ("CR1-N-AAAAAAA", "")
