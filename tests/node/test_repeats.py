"""Repeats and the order of actions: none is played twice or out of order, whatever is sent again."""

from __future__ import annotations

import pytest

from tests.support.golden import GAMES, SHORTEST_WIN, Action, Golden
from tests.support.races import bare, game_on_entering, play, play_well, request, start_race, told

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
BACK_AND_FORTH = [MOVES[0], Action("u")]


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
async def test_a_repeat_gets_the_same_done_again(meet, encoding: str) -> None:
    ann = await meet(encoding)
    room = await start_race(ann, deal=CODE)
    first = await play_well(ann, MOVES[:60])
    assert {action.op for action in MOVES[:60]} == {"m", "u", "r"}
    again = await play_well(ann, MOVES[:60])
    assert [bare(done, "id") for done in again] == [bare(done, "id") for done in first]
    assert [done["ms"] for done in again] == [done["ms"] for done in first]
    back = await meet(token=ann.token)
    assert bare(await game_on_entering(back, room)) == told(CODE, MOVES[:60]).game()
    resent = await play_well(back, MOVES[:60])
    assert [done["ms"] for done in resent] == [done["ms"] for done in first]


async def test_a_repeated_redeal_gets_its_done_again_in_an_open_room_with_all_piles(meet) -> None:
    ann = await meet()
    await start_race(ann, deal=CODE, visibility="open")
    actions = [MOVES[0], Action("r")]
    dones = await play_well(ann, actions)
    repeats = await play_well(ann, actions)
    assert bare(repeats[1]) == bare(dones[1])
    assert repeats[1]["piles"] == told(CODE, actions, open=True).piles


async def test_a_repeat_gets_its_done_after_a_win_a_forfeit_and_the_close(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await start_race(ann, bob, deal=CODE)
    won = await play_well(ann, MOVES)
    some = await play_well(bob, MOVES[:3])
    n = len(MOVES)
    assert bare((await play(ann, [MOVES[-1]], first=n))[0]) == bare(won[-1])
    await bob.ask("forfeit")
    assert bare((await play(bob, [MOVES[2]], first=3))[0]) == bare(some[-1])
    await ann.ask("manage", action="close")
    for peer, dones, last in ((ann, won, n), (bob, some, 3)):
        await peer.next("event", kind="closed")
        (again,) = await play(peer, [MOVES[last - 1]], first=last)
        assert bare(again) == bare(dones[-1])
        assert again["ms"] == dones[-1]["ms"]


def with_shorthand(area: int) -> tuple[Golden, int]:
    """A game with a move to 24 or 25 among its first actions, and which it is."""
    return next(
        (game, number)
        for game in GAMES
        for number, action in enumerate(game.actions[:6])
        if action.dst == area
    )


@pytest.mark.parametrize("area", [24, 25])
async def test_a_move_to_24_or_25_is_repeated_as_it_was_asked_or_as_it_was_resolved(meet, area: int) -> None:
    game, number = with_shorthand(area)
    action, n = game.actions[number], number + 1
    ann = await meet("json")
    await start_race(ann, deal=game.code)
    dones = await play_well(ann, game.actions[:n])
    assert dones[-1]["dst"] == action.place
    as_asked, as_resolved = Action("m", action.src, action.dst), Action("m", action.src, action.place)
    for again in (as_asked, as_resolved):
        assert bare((await play(ann, [again], first=n))[0]) == bare(dones[-1])
    (refused,) = await play(ann, [Action("m", action.src, 49 - area)], first=n)
    assert (refused["code"], refused["stored"]) == ("out_of_step", n)


@pytest.mark.parametrize("restored", [False, True], ids=["as played", "as read from the log"])
async def test_the_last_64_are_kept_and_the_65th_is_out_of_step(meet, two_nodes, restored: bool) -> None:
    one, other = two_nodes
    ann = await meet(url=one.url)
    room = await start_race(ann, deal=CODE)
    await play_well(ann, MOVES[:70])
    if restored:
        ann = await meet(token=ann.token, url=other.url)
        await game_on_entering(ann, room)
    (oldest,) = await play(ann, [MOVES[6]], first=7)
    assert oldest["t"] == "done"
    (older,) = await play(ann, [MOVES[5]], first=6)
    assert (older["t"], older["code"], older["stored"]) == ("refused", "out_of_step", 70)
    assert bare(await ann.next("game")) == told(CODE, MOVES[:70]).game()


async def test_what_differs_from_the_stored_action_is_no_repeat(meet) -> None:
    ann = await meet()
    await start_race(ann, deal=CODE)
    await play_well(ann, MOVES[:1])
    src, dst = MOVES[0].src, MOVES[0].place
    for other in (Action("m", dst, src), Action("m", src, (dst + 1) % 16), Action("r"), Action("u")):
        (answer,) = await play(ann, [other], first=1)
        assert (answer["t"], answer["code"]) == ("refused", "out_of_step")


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
async def test_what_is_sent_after_a_refused_action_is_out_of_step(meet, encoding: str) -> None:
    ann = await meet(encoding)
    await start_race(ann, deal=CODE)
    wrong = Action("m", 0, 0)
    answers = await play(ann, [*MOVES[:3], wrong, *MOVES[4:8]])
    assert [answer["t"] for answer in answers] == ["done"] * 3 + ["refused"] * 5
    assert [answer["code"] for answer in answers[3:]] == ["same_place"] + ["out_of_step"] * 4
    assert [answer["n"] for answer in answers] == list(range(1, 9))
    assert {answer["stored"] for answer in answers[3:]} == {3}
    assert bare(await ann.next("game")) == told(CODE, MOVES[:3]).game()
    await play_well(ann, MOVES[3:8], first=4)


async def test_a_gap_is_out_of_step_and_filling_it_goes_on(meet) -> None:
    ann = await meet()
    await start_race(ann, deal=CODE)
    requests = [request(1, MOVES[0]), request(3, MOVES[2]), request(2, MOVES[1]), request(3, MOVES[2])]
    answers = await ann.pipeline(requests)
    assert [answer["t"] for answer in answers] == ["done", "refused", "done", "done"]
    assert answers[1]["code"] == "out_of_step"


async def test_the_same_action_sent_twice_at_once_is_played_once(meet) -> None:
    ann = await meet()
    await start_race(ann, deal=CODE)
    requests = [request(n, action) for n, action in enumerate(MOVES[:30], 1) for _ in range(2)]
    answers = await ann.pipeline(requests)
    assert [answer["t"] for answer in answers] == ["done"] * 60
    assert [bare(answer) for answer in answers[::2]] == [bare(answer) for answer in answers[1::2]]
    assert answers[-1]["n"] == 30
    assert answers[-1]["moves"] == told(CODE, MOVES[:30]).moves


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
async def test_two_thousand_actions_sent_at_once_keep_their_order(meet, encoding: str) -> None:
    ann, bob = await meet(encoding), await meet()
    await start_race(ann, bob, deal=CODE)
    answers = await play_well(ann, BACK_AND_FORTH * 1000)
    assert [answer["n"] for answer in answers] == list(range(1, 2001))
    assert answers[-1]["undone"] == 1000
    stream = [message["n"] for message in ann.received if message["t"] == "done"]
    assert stream == sorted(stream)
    await play_well(bob, MOVES[:2])


async def test_other_requests_between_actions_are_answered_and_disturb_nothing(meet) -> None:
    ann = await meet("json")
    await start_race(ann, deal=CODE)
    requests = []
    for n, action in enumerate(MOVES[:40], 1):
        requests += [request(n, action), {"t": "clock", "sent": n}]
    answers = await ann.pipeline(requests)
    assert [answer["t"] for answer in answers] == ["done", "clock"] * 40
    assert [answer["sent"] for answer in answers[1::2]] == list(range(1, 41))
