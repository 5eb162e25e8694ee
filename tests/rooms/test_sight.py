"""Who may see what of a room: each sentence of "What one may see" and "Own starts", by table."""

from __future__ import annotations

import pytest

from server.rooms import commands as cmd
from server.rooms.sight import (
    hides_results,
    may_know_code,
    may_watch,
    sees_all,
    sees_results_of,
    watching_delay_ms,
)

CODE = "CR1-N-ABCDEFG"
EVERYONE = ("host", "ann", "bob", "eve", "ref", "")


def room_of(desk, **options):
    room = desk(**{"min_players": 1, "countdown_ms": 0, **options})
    room.join("ann", "bob")
    room.join("eve", "ref", role="spectator")
    room.do(cmd.SetReferee(by="host", player="ref", on=True))
    return room


def knowers(room):
    return {who for who in EVERYONE if may_know_code(room.room, who)}


def test_the_code_is_told_from_the_start_on(desk):
    room = room_of(desk)
    assert knowers(room) == set()
    room.start()
    assert knowers(room) == set(EVERYONE)


def test_a_code_that_the_host_named_is_told_at_once(desk):
    assert knowers(room_of(desk, deal=CODE)) == set(EVERYONE)


def test_a_sealed_code_is_told_at_the_close(desk):
    room = room_of(desk, sealed=True)
    room.start()
    assert knowers(room) == set()
    room.do(cmd.Close(by="host"))
    assert knowers(room) == set(EVERYONE)


def test_in_a_room_of_own_starts_the_code_is_told_at_ones_own_start(desk):
    room = room_of(desk, start="own")
    assert knowers(room) == set()
    room.do(cmd.SetReady(by="ann", ready=True))
    assert knowers(room) == {"ann"}
    room.do(cmd.Forfeit(by="ann", n=0))
    assert knowers(room) == {"ann"}
    room.do(cmd.Close(by="host"))
    assert knowers(room) == set(EVERYONE)


def test_results_are_hidden_till_the_close_from_all_but_hosts_and_referees_who_do_not_play(desk):
    room = room_of(desk, start="own")
    room.do(cmd.SetReady(by="ann", ready=True))
    assert hides_results(room.room)
    assert {who for who in EVERYONE if sees_all(room.room, who)} == {"host", "ref"}
    assert {who for who in EVERYONE if sees_results_of(room.room, who, "ann")} == {"host", "ref", "ann"}
    room.do(cmd.SetReferee(by="host", player="bob", on=True))
    assert not sees_results_of(room.room, "bob", "ann"), "a referee who plays sees their own only"
    room.do(cmd.Join(by="host", role="player", name="Host"))
    assert not sees_results_of(room.room, "host", "ann"), "so does a host who plays"
    room.do(cmd.Close(by="host"))
    assert all(sees_results_of(room.room, who, "ann") for who in EVERYONE)


def watchers(room, done=()):
    return {
        person.id for person in room.room.people.values() if may_watch(room.room, person, person.id in done)
    }


@pytest.mark.parametrize(
    ("spectators", "watching"), [("board", {"ref"}), ("delayed", {"ref", "eve"}), ("live", {"ref", "eve"})]
)
def test_spectators_watch_as_the_room_says_and_referees_who_do_not_play_always(desk, spectators, watching):
    room = room_of(desk, spectators=spectators)
    room.start()
    assert watchers(room) == watching
    assert watchers(room, done={"ann"}) == watching | {"ann"}


def test_players_watch_once_they_are_finally_done(desk):
    room = room_of(desk)
    room.start()
    room.do(cmd.Forfeit(by="ann", n=0))
    room.do(cmd.Disqualify(by="host", player="bob"))
    assert watchers(room) == {"ref", "ann", "bob"}


def test_nobody_but_referees_watches_own_starts_before_the_close(desk):
    room = room_of(desk, start="own", spectators="live")
    room.do(cmd.SetReady(by="ann", ready=True))
    room.do(cmd.Forfeit(by="ann", n=0))
    assert watchers(room, done=set(EVERYONE)) == {"ref"}
    room.do(cmd.Close(by="host"))
    assert watchers(room) == {"ann", "bob", "eve", "ref"}


def test_a_delayed_room_shows_the_past_to_spectators_and_the_present_to_others(desk):
    room = room_of(desk, spectators="delayed", delay_ms=5000)
    room.start()
    assert {who: watching_delay_ms(room.room, who) for who in EVERYONE if who} == {
        **dict.fromkeys(("host", "ann", "bob", "ref"), 0),
        "eve": 5000,
    }
    room.do(cmd.Close(by="host"))
    assert watching_delay_ms(room.room, "eve") == 0
