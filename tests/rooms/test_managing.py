"""What hosts and referees do to people, and what of it stays with those who go out and come back."""

from __future__ import annotations

import pytest

from server.rooms import commands as cmd
from server.rooms import events as ev
from server.rooms.decide import decide, may_rematch
from server.rooms.problems import RoomProblem

DRAW = cmd.Draw(codes={"N": "CR1-N-AAAAAAB"}, sealed_codes={}, nonce="")
MANAGED = [
    cmd.Kick(by="bob", player="ann"),
    cmd.Ban(by="bob", player="ann"),
    cmd.Disqualify(by="bob", player="ann"),
    cmd.Reinstate(by="bob", player="ann"),
    cmd.SetReferee(by="bob", player="bob", on=True),
    cmd.SetHost(by="bob", player="bob"),
    cmd.Mute(by="bob", player="ann", on=True),
    cmd.SetOptions(by="bob", options={"name": "mine"}, draw=DRAW),
    cmd.Close(by="bob"),
]


def refusal(desk, command):
    with pytest.raises(RoomProblem) as caught:
        decide(desk.room, command, desk.now)
    return caught.value.code


@pytest.mark.parametrize("command", MANAGED, ids=lambda command: type(command).__name__)
def test_who_is_neither_host_nor_referee_manages_nothing(in_state, command):
    assert refusal(in_state("running"), command) == "not_host"


@pytest.mark.parametrize("kind", [cmd.Kick, cmd.Ban])
@pytest.mark.parametrize("seated", [False, True])
def test_nobody_puts_the_host_out_nor_themselves(in_state, kind, seated):
    desk = in_state("lobby")
    desk.do(cmd.SetReferee(by="host", player="ann", on=True))
    if seated:
        desk.join("host")
    assert refusal(desk, kind(by="ann", player="host")) == "not_allowed"
    assert refusal(desk, cmd.Mute(by="ann", player="host", on=True)) == "not_allowed"
    assert refusal(desk, kind(by="ann", player="ann")) == "not_allowed"
    assert refusal(desk, kind(by="ann", player="nobody")) == "unknown_player"


def test_the_kicked_who_came_back_to_look_on_can_be_put_out_again(in_state):
    desk = in_state("running")
    desk.do(cmd.Kick(by="host", player="ann"))
    first_out_at = desk.now
    assert desk.do(cmd.Kick(by="host", player="ann")) == []
    desk.now += 5000
    assert [type(event) for event in desk.do(cmd.Join(by="ann"))] == [ev.Joined]
    assert desk.do(cmd.Join(by="ann")) == [], "coming again is no event"
    assert desk.room.people["ann"].role == "spectator"
    assert [type(event) for event in desk.do(cmd.Kick(by="host", player="ann"))] == [ev.Kicked]
    assert desk.room.people["ann"].present is False
    assert desk.room.people["ann"].disqualified_at == first_out_at, "their game was over then"


def test_the_kicked_take_no_seat_again_until_they_are_reinstated(in_state):
    desk = in_state("running")
    desk.do(cmd.Kick(by="host", player="ann"))
    assert refusal(desk, cmd.Join(by="ann", role="player", name="Ann")) == "not_allowed"
    desk.do(cmd.Join(by="ann", role="spectator"))
    desk.do(cmd.Reinstate(by="host", player="ann"))
    ann = desk.room.people["ann"]
    assert (ann.role, ann.kicked, desk.room.may_play("ann")) == ("player", False, True)


def test_the_banned_stay_out_and_are_not_reinstated(in_state):
    desk = in_state("running")
    desk.do(cmd.Ban(by="host", player="ann"))
    for role in (None, "player", "spectator"):
        assert refusal(desk, cmd.Join(by="ann", role=role, name="Ann")) == "banned"
    assert refusal(desk, cmd.Reinstate(by="host", player="ann")) == "not_allowed"
    assert desk.room.people["ann"].disqualified_at, "their line stays, disqualified"


def test_who_has_seen_anothers_game_gets_no_seat_by_going_out_and_coming_in(desk):
    room = desk(min_players=1, countdown_ms=0, late=True, spectators="live")
    room.join("ann")
    room.join("eve", role="spectator")
    room.start()
    room.do(cmd.Watch(by="eve", player="ann", done=False))
    assert refusal(room, cmd.Join(by="eve", role="player", name="Eve")) == "not_allowed"
    room.do(cmd.Leave(by="eve"))
    assert "eve" not in room.room.people
    room.do(cmd.Join(by="eve", role="spectator"))
    assert refusal(room, cmd.Join(by="eve", role="player", name="Eve")) == "not_allowed"
    room.do(cmd.Leave(by="eve"))
    room.do(cmd.Join(by="cid", role="player", name="Cid"))
    assert room.room.may_play("cid"), "others come late"


@pytest.mark.parametrize("way_out", [cmd.Leave(by="eve"), cmd.Kick(by="host", player="eve")])
def test_the_muted_stay_muted_when_they_go_out_and_come_in(in_state, way_out):
    desk = in_state("lobby")
    desk.do(cmd.Mute(by="host", player="eve", on=True))
    desk.do(way_out)
    desk.join("eve", role="spectator")
    assert desk.room.people["eve"].muted
    desk.do(cmd.Mute(by="host", player="eve", on=False))
    desk.do(way_out)
    desk.join("eve", role="spectator")
    assert not desk.room.people["eve"].muted


@pytest.mark.parametrize(("game", "allowed"), [("won", True), ("forfeited", True), ("playing", False)])
def test_who_followed_another_is_reinstated_only_where_they_can_play_no_more(in_state, game, allowed):
    desk = in_state("running")
    if game == "won":
        desk.play("ann", status="won")
        desk.pass_time()
    elif game == "forfeited":
        desk.do(cmd.Forfeit(by="ann", n=0))
    desk.do(cmd.Disqualify(by="host", player="ann"))
    desk.do(cmd.Watch(by="ann", player="bob", done=True))
    reinstate = cmd.Reinstate(by="host", player="ann")
    if allowed:
        desk.do(reinstate)
        assert desk.room.people["ann"].game == game
        if game == "forfeited":
            assert refusal(desk, cmd.Unforfeit(by="ann")) == "not_allowed"
    else:
        assert refusal(desk, reinstate) == "not_allowed"


def test_a_win_from_before_a_disqualification_is_told_once_it_counts_again(in_state):
    desk = in_state("running")
    desk.now += 700
    desk.play("ann", status="won", moves=7)
    won_at = desk.now
    desk.do(cmd.Disqualify(by="host", player="ann"))
    assert desk.pass_time() == []
    desk.now += 5000
    desk.do(cmd.Reinstate(by="host", player="ann"))
    assert desk.pass_time() == [won_at]
    ann = desk.room.people["ann"]
    assert (ann.game, ann.won_ms) == ("won", won_at - ann.start_at)


def test_a_disqualified_winner_alone_is_nobody_finished(in_state):
    desk = in_state("running")
    desk.play("ann", status="won")
    desk.pass_time()
    desk.do(cmd.Disqualify(by="host", player="ann"))
    desk.do(cmd.Disqualify(by="host", player="bob"))
    desk.pass_time()
    assert desk.room.closed_reason == "nobody_finished"


def test_a_ready_room_begins_once_the_last_who_was_not_ready_is_put_out(desk):
    room = desk(start="ready", min_players=1)
    room.join("ann", "bob")
    room.do(cmd.SetReady(by="ann", ready=True))
    assert room.room.state == "lobby"
    room.do(cmd.Kick(by="host", player="bob"))
    assert room.room.state == "countdown"


def test_only_who_played_or_hosts_asks_for_a_rematch(in_state):
    desk = in_state("running")
    desk.do(cmd.SetReferee(by="host", player="eve", on=True))
    desk.do(cmd.Leave(by="bob"))
    desk.do(cmd.Close(by="host"))
    asked = {person: may_rematch(desk.room, person) for person in ("host", "ann", "bob", "eve", "stranger")}
    assert asked == {"host": True, "ann": True, "bob": True, "eve": False, "stranger": False}
    desk.do(cmd.TellRematch(by="ann", next="NEXT"))
    assert desk.do(cmd.TellRematch(by="bob", next="OTHER")) == []
    assert desk.room.next_room == "NEXT"


def test_the_forgotten_are_nameless_whoever_they_were_in_the_room(desk):
    room = desk(name="Host")
    room.do(cmd.Join(by="host", role="player", name="Host"))
    room.join("ann", "cid")
    room.join("eve", role="spectator")
    room.do(cmd.Leave(by="cid"))
    room.do(cmd.Close(by="host"))
    assert refusal(desk(), cmd.Forget(by="ann")) == "wrong_state"
    for person in ("host", "ann", "eve", "cid"):
        assert [type(event) for event in room.do(cmd.Forget(by=person))] == [ev.Forgotten]
        assert room.do(cmd.Forget(by=person)) == []
    assert {person.name for person in room.room.people.values()} == {"—"}
    assert (room.room.host_name, room.room.options.name) == ("—", "—")


def test_forgetting_somebody_leaves_what_others_are_called_alone(desk):
    room = desk(name="Evening race")
    room.join("ann", "bob")
    room.do(cmd.Close(by="host"))
    room.do(cmd.Forget(by="ann"))
    room.do(cmd.Forget(by="host"))
    assert [person.name for person in room.room.people.values()] == ["—", "Bob"]
    assert room.room.options.name == "Evening race"


def test_nobody_starts_by_themselves_in_the_half_second_before_the_close(desk):
    room = desk(start="own", close_at=1_800_000_000_000 + 5000)
    room.join("ann", "bob")
    room.do(cmd.SetReady(by="ann", ready=True))
    room.now += 5000
    assert refusal(room, cmd.SetReady(by="bob", ready=True)) == "wrong_state"
    assert room.do(cmd.SetReady(by="ann", ready=True)) == []
