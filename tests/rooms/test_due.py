"""What becomes true by itself: each moment in its order, the same whoever looks, and who follows a host."""

from itertools import permutations

import pytest

from server.rooms import commands as cmd
from server.rooms import events as ev
from server.rooms.due import CANDIDATES, CLOSE_GRACE_MS, successor, upcoming
from server.rooms.standings import Progress

DRAW = cmd.Draw(codes={}, sealed_codes={}, nonce="")


def racing(desk, *players, **options):
    room = desk(**{"min_players": 1, "countdown_ms": 0, **options})
    room.join(*players)
    room.start()
    return room


def test_every_state_has_a_row(in_state):
    assert set(CANDIDATES) == {"lobby", "countdown", "running", "closed"}
    assert upcoming(in_state("closed").room, {}) is None


def test_a_start_names_its_moment_whenever_it_is_looked_at(desk):
    for late_by in (0, 1, 3_600_000):
        room = desk(min_players=1, countdown_ms=5000, limit_ms=10_000)
        room.join("ann")
        room.do(cmd.StartCountdown(by="host"))
        start_at = room.now + 5000
        assert room.pass_time(start_at - 1) == []
        assert room.pass_time(start_at + late_by)[0] == start_at
        assert room.room.start_at == start_at
        assert room.room.ends_at == start_at + 10_000


@pytest.mark.parametrize(
    ("limit_ms", "close_in", "ends_in"),
    [(0, None, None), (10_000, None, 10_000), (10_000, 7_000, 7_000), (0, 9, 9)],
)
def test_a_race_ends_at_the_earliest_of_its_limits(desk, limit_ms, close_in, ends_in):
    room = desk(min_players=1, countdown_ms=0, limit_ms=limit_ms)
    room.join("ann")
    close_at = None if close_in is None else room.now + close_in
    room.do(cmd.SetOptions(by="host", options={"close_at": close_at}, draw=DRAW))
    room.start()
    assert room.room.ends_at == (None if ends_in is None else room.now + ends_in)


def test_a_limit_closes_half_a_second_late_and_is_told_for_its_moment(desk):
    room = racing(desk, "ann", limit_ms=10_000)
    ends_at = room.room.ends_at
    assert room.pass_time(ends_at + CLOSE_GRACE_MS - 1) == []
    assert room.pass_time(ends_at + CLOSE_GRACE_MS) == [ends_at]
    assert (room.room.closed_reason, room.room.closed_at, CLOSE_GRACE_MS) == ("limit", ends_at, 500)


def test_a_win_of_somebody_who_is_not_here_yet_waits_until_they_are(desk):
    """The row of a game may be heard of before the event by which its player came in."""
    room = racing(desk, "ann", late=True)
    room.play("bob", status="won", stamp=room.now)
    assert upcoming(room.room, room.progress) is None
    room.join("bob")
    assert upcoming(room.room, room.progress).event.player == "bob"


def test_wins_are_told_in_the_order_of_their_moments_and_the_end_after_them(desk):
    for order in permutations([("ann", 300), ("bob", 100), ("cid", 200)]):
        room = racing(desk, "ann", "bob", "cid", after_win_ms=1000)
        start = room.now
        for player, at in order:
            room.now = start + at
            room.play(player, status="won", n=130, moves=100)
        assert room.pass_time(start + 400) == [
            start + 100,
            start + 200,
            start + 300,
            start + 100,
            start + 300,
        ]
        assert room.kinds[-5:] == ["won", "won", "won", "ending", "closed"]
        assert [room.room.people[p].won_ms for p in ("ann", "bob", "cid")] == [300, 100, 200]
        assert (room.room.first_won_at, room.room.closed_reason) == (start + 100, "finished")


def test_two_who_look_at_the_same_derive_the_same_bytes(desk):
    import msgspec

    looks = []
    for players in (("ann", "bob"), ("bob", "ann")):
        room = racing(desk, "ann", "bob", limit_ms=10_000, after_win_ms=2000)
        for player in players:
            room.progress[player] = Progress(n=9, stamp=room.now + 5, status="won", moves=7)
        room.pass_time(room.now + 60_000)
        looks.append((room.kinds, msgspec.msgpack.encode(room.room)))
    assert looks[0] == looks[1]


def test_a_first_win_moves_the_end_nearer_and_never_further(desk):
    near = racing(desk, "ann", "bob", limit_ms=10_000, after_win_ms=1000)
    far = racing(desk, "ann", "bob", limit_ms=10_000, after_win_ms=60_000)
    for room, ends_in in ((near, 2000), (far, 10_000)):
        start = room.now
        room.now = start + 1000
        room.play("ann", status="won")
        room.pass_time()
        assert room.room.ends_at == start + ends_in
        room.pass_time(start + 20_000)
        assert (room.room.closed_reason, room.room.closed_at) == ("limit", start + ends_in)


@pytest.mark.parametrize(
    ("progress", "undo", "over"),
    [
        ({"status": "won"}, True, True),
        ({"status": "blocked", "undoable": 0}, True, True),
        ({"status": "blocked", "undoable": 1}, True, False),
        ({"status": "blocked", "undoable": 1}, False, True),
        ({"status": "playing"}, False, False),
        ({"status": "playing", "n": 5000}, True, False),  # too long to go on, and not given up
    ],
)
def test_a_race_is_over_once_nobody_can_still_play(desk, progress, undo, over):
    room = racing(desk, "ann", undo=undo)
    room.now += 700
    room.play("ann", **progress)
    room.pass_time()
    assert (room.room.state == "closed") is over
    if over:
        assert room.room.closed_reason == ("finished" if progress["status"] == "won" else "nobody_finished")
        assert room.room.closed_at == room.now


def test_forfeits_end_a_race_sixty_seconds_after_the_last(desk):
    room = racing(desk, "ann", "bob")
    room.do(cmd.Forfeit(by="ann", n=0))
    room.now += 30_000
    forfeited_at = room.now
    room.do(cmd.Forfeit(by="bob", n=0))
    assert room.pass_time(forfeited_at + 59_999) == []
    assert room.pass_time(forfeited_at + 60_000) == [forfeited_at + 60_000]
    assert room.room.closed_reason == "nobody_finished"


@pytest.mark.parametrize(("watched_ms", "final_ms"), [(0, 0), (20_000, 20_000), (59_999, 59_999)])
def test_a_forfeit_is_final_from_the_look_at_anothers_game_on_and_not_before(desk, watched_ms, final_ms):
    room = racing(desk, "ann", "bob")
    room.do(cmd.Forfeit(by="bob", n=0))
    room.do(cmd.Watch(by="bob", player="ann", done=False))
    forfeited_at = room.now
    room.do(cmd.Forfeit(by="ann", n=0))
    assert room.pass_time(forfeited_at + watched_ms) == []
    room.do(cmd.Watch(by="ann", player="bob", done=False))
    assert room.pass_time() == [forfeited_at + final_ms]
    assert room.room.closed_reason == "nobody_finished"


def test_a_forfeit_taken_back_keeps_the_race_on(desk):
    room = racing(desk, "ann")
    room.do(cmd.Forfeit(by="ann", n=0))
    room.now += 59_000
    room.do(cmd.Unforfeit(by="ann"))
    assert room.pass_time(room.now + 3_600_000) == []


def test_a_win_and_a_forfeit_are_finished(desk):
    room = racing(desk, "ann", "bob")
    room.do(cmd.Forfeit(by="ann", n=0))
    room.play("bob", status="won")
    room.pass_time(room.now + 60_000)
    assert room.room.closed_reason == "finished"


def test_who_has_not_begun_keeps_the_race_on(desk):
    room = racing(desk, "ann", "bob")
    room.play("ann", status="won")
    assert room.pass_time(room.now + 3_600_000) == [room.progress["ann"].stamp]
    assert room.room.state == "running"


def test_too_few_at_the_end_of_a_countdown_are_held_at_its_moment(desk):
    room = desk(min_players=2, countdown_ms=5000)
    room.join("ann", "bob")
    room.do(cmd.StartCountdown(by="host"))
    start_at = room.now + 5000
    room.do(cmd.Leave(by="bob"))
    assert room.pass_time(start_at + 9) == [start_at]
    assert (room.room.state, room.room.start_at) == ("lobby", None)


def test_a_moment_that_came_with_too_few_is_missed_until_the_host_sets_options(desk):
    room = desk(min_players=2, start="at", start_at=1_800_000_000_000 + 5000)
    room.join("ann")
    assert room.pass_time(room.now + 6000) == [room.now - 1000]
    room.join("bob")
    assert room.pass_time(room.now + 3_600_000) == []
    later = room.now + 1000
    room.do(cmd.SetOptions(by="host", options={"start_at": later}, draw=DRAW))
    assert room.pass_time(later) == [later]
    assert room.room.state == "running"


def test_a_close_at_before_any_start_cancels(desk):
    room = desk(close_at=1_800_000_000_000 + 5000)
    room.join("ann", "bob")
    assert room.pass_time(room.now + 9000) == [room.now - 4000]
    assert room.room.closed_reason == "cancelled"


@pytest.mark.parametrize("late", [False, True])
def test_a_race_that_nobody_plays_in_has_no_end_of_its_own(desk, late):
    room = racing(desk, "ann", late=late)
    assert room.pass_time(room.now + 3_600_000) == []


def test_a_host_is_followed_by_the_longest_present_player_who_is_online(desk):
    room = desk()
    room.join("eve", role="spectator")
    room.join("ann", "bob", "cid")
    everyone = dict.fromkeys(["eve", "ann", "bob", "cid"], True)
    assert successor(room.room, everyone) == "ann"
    assert successor(room.room, {**everyone, "ann": False}) == "bob"
    assert successor(room.room, {"eve": True}) is None
    assert successor(room.room, {}) is None
    room.do(cmd.Leave(by="ann"))
    room.join("ann")
    assert successor(room.room, everyone) == "bob", "who comes anew stands last"


def test_a_referee_follows_before_a_player(desk):
    from msgspec.structs import replace

    room = desk()
    room.join("ann", "bob")
    people = {**room.room.people, "bob": replace(room.room.people["bob"], referee=True)}
    assert successor(replace(room.room, people=people), {"ann": True, "bob": True}) == "bob"


def test_the_host_is_no_successor_of_their_own(desk):
    room = desk()
    room.join("host", "ann")
    assert successor(room.room, {"host": True, "ann": True}) == "ann"
    assert isinstance(room.room.host, str)


def test_a_new_host_is_known_by_name(desk):
    from server.rooms.room import apply

    room = desk(name="x")
    room.join("ann")
    after = apply(room.room, ev.HostChanged(player="ann"), room.now)
    assert (after.host, after.host_name) == ("ann", "Ann")
