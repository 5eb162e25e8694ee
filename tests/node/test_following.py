"""Following another's game: who may, what comes, what it costs them, and the past in delayed rooms."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import bare, gather_room, play, play_well, start_race, told
from tests.support.table import Table

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
Map = dict[str, Any]


async def race_of_two(meet, spectators: str, **options: Any) -> tuple[str, Peer, Peer, Peer]:  # type: ignore[no-untyped-def]
    """A race of Ann, who hosts, and Bob, before Eve."""
    ann, bob, eve = await meet(), await meet("json"), await meet("json")
    room = await gather_room(ann, [bob], deal=CODE, spectators=spectators, **options)
    if spectators != "none":
        await eve.enter(room, "Eve", as_="spectator")
    assert (await ann.ask("start"))["t"] == "ok"
    for peer in (ann, bob):
        await peer.next("game")
    return room, ann, bob, eve


async def follow(peer: Peer, player: Peer) -> Map:
    answer = await peer.ask("follow", player=player.player)
    assert answer["t"] == "view", answer
    return answer


async def refusal(peer: Peer, player: Peer) -> str:
    answer = await peer.ask("follow", player=player.player)
    assert answer["t"] == "error", answer
    return str(answer["code"])


async def see(peer: Peer, n: int) -> list[Map]:
    """Wait for the `seen` of action `n`; all that came."""
    await peer.until(lambda: any(seen["n"] == n for seen in peer.all("seen")))
    return peer.all("seen")


async def test_a_spectator_of_a_live_room_is_sent_the_game_and_each_action_as_the_player_is(meet) -> None:
    _room, ann, bob, eve = await race_of_two(meet, "live")
    dones = await play_well(bob, MOVES[:20])
    view = await follow(eve, bob)
    assert bare(view, "player", "t") == bare(told(CODE, MOVES[:20]).game(), "t")
    assert (view["player"], view["ms"]) == (bob.player, dones[-1]["ms"])
    dones = await play_well(bob, MOVES[20:], first=21)
    seen = await see(eve, len(MOVES))
    assert [bare(m, "player", "t") | {"ms": m["ms"]} for m in seen] == [
        bare(done, "t") | {"ms": done["ms"]} for done in dones
    ]
    assert {m["player"] for m in seen} == {bob.player}
    assert not ann.all("seen")


async def test_in_an_open_room_every_card_is_seen(meet) -> None:
    _room, _ann, bob, eve = await race_of_two(meet, "live", visibility="open")
    assert (await follow(eve, bob))["piles"] == Table(CODE).piles
    redeal = next(number for number, action in enumerate(MOVES, 1) if action.op == "r")
    await play_well(bob, MOVES[:redeal])
    seen = await see(eve, redeal)
    assert seen[-1]["piles"] == told(CODE, MOVES[:redeal]).piles


@pytest.mark.parametrize("spectators", ["none", "board"])
async def test_spectators_follow_nobody_where_the_room_does_not_say_so(meet, spectators: str) -> None:
    room, _ann, bob, eve = await race_of_two(meet, spectators)
    if spectators == "none":
        answer = await eve.ask("enter", room=room, as_="spectator", name="Eve")
        assert answer["code"] == "not_allowed"
        assert await refusal(eve, bob) == "not_in_room"
    else:
        assert await refusal(eve, bob) == "not_allowed"
    await play_well(bob, MOVES[:3])
    await eve.ask("clock", sent=1)
    assert not eve.all("seen")
    assert not eve.all("view")


async def test_players_follow_once_they_are_done_and_can_then_play_no_more(meet) -> None:
    _room, ann, bob, eve = await race_of_two(meet, "board")
    assert await refusal(ann, bob) == "not_allowed"
    assert await refusal(ann, ann) == "not_allowed"
    await play_well(ann, MOVES)
    view = await follow(ann, bob)
    assert view["n"] == 0
    event = await eve.next("event", kind="watching")
    assert (event["player"], event["name"]) == (ann.player, "A")
    await play_well(bob, MOVES[:2])
    await see(ann, 2)
    await follow(ann, bob)
    assert len([e for e in ann.all("event") if e["kind"] == "watching"]) == 1, "told once"
    assert await refusal(bob, ann) == "not_allowed"
    assert not bob.all("view")


async def test_referees_who_do_not_play_follow_and_those_who_play_do_not(meet) -> None:
    _room, ann, bob, eve = await race_of_two(meet, "board")
    await ann.ask("manage", action="referee", player=eve.player, on=True)
    await ann.ask("manage", action="referee", player=bob.player, on=True)
    await follow(eve, bob)
    assert await refusal(bob, ann) == "not_allowed"
    await play_well(bob, MOVES[:3])
    await see(eve, 3)
    await ann.ask("manage", action="referee", player=eve.player, on=False)
    await eve.next("event", kind="referee", on=False)
    await play_well(bob, MOVES[3:9], first=4)
    await ann.ask("say", text="end")
    await eve.next("said")
    assert len(eve.all("seen")) == 3, "a referee no more, they are sent no more"
    assert await refusal(eve, bob) == "not_allowed"


async def test_one_who_enters_again_on_the_same_line_is_sent_each_action_once_and_can_stop(meet) -> None:
    room, _ann, bob, eve = await race_of_two(meet, "live")
    await follow(eve, bob)
    await eve.ask("enter", room=room)
    await follow(eve, bob)
    await play_well(bob, MOVES[:3])
    await see(eve, 3)
    await eve.ask("follow", player=None)
    await play_well(bob, MOVES[3:6], first=4)
    await eve.ask("clock", sent=1)
    assert [seen["n"] for seen in eve.all("seen")] == [1, 2, 3]


async def test_a_referee_no_more_is_not_left_with_the_present_of_a_delayed_room(meet) -> None:
    _room, ann, bob, eve = await race_of_two(meet, "delayed", delay_ms=60_000)
    await ann.ask("manage", action="referee", player=eve.player, on=True)
    await follow(eve, bob)
    await play_well(bob, MOVES[:2])
    await see(eve, 2)
    await ann.ask("manage", action="referee", player=eve.player, on=False)
    await eve.next("event", kind="referee", on=False)
    await play_well(bob, MOVES[2:5], first=3)
    await eve.ask("clock", sent=1)
    assert len(eve.all("seen")) == 2
    assert (await follow(eve, bob))["n"] == 0, "as a spectator, what was a minute ago"


async def test_who_is_watching_takes_no_seat_not_even_by_going_out_and_coming_in(meet) -> None:
    room, _ann, bob, eve = await race_of_two(meet, "live", late=True)
    other = await meet()
    await other.enter(room, "Other", as_="spectator")
    await follow(eve, bob)
    for way in ("at once", "again"):
        answer = await eve.ask("enter", room=room, as_="player", name="Eve")
        assert answer.get("code") == "not_allowed", way
        await eve.ask("leave")
        await eve.enter(room, "Eve", as_="spectator")
    assert (await other.enter(room, "Other"))["you"] == ["player"], "who has not watched may"


async def test_the_host_as_host_sees_no_games(meet) -> None:
    host, ann = await meet(), await meet()
    room = await host.create(deal=CODE, min_players=1, countdown_ms=0, spectators="live")
    await ann.enter(room, "A")
    await host.ask("start")
    await ann.next("game")
    assert await refusal(host, ann) == "not_allowed"


async def test_a_refused_follow_changes_nothing_and_null_stops(meet) -> None:
    _room, ann, bob, eve = await race_of_two(meet, "live")
    await follow(eve, bob)
    assert (await eve.ask("follow", player="0" * 12))["code"] == "unknown_player"
    assert (await eve.ask("follow", player=eve.player))["code"] in ("unknown_player", "not_allowed")
    await play_well(bob, MOVES[:2])
    await see(eve, 2)
    await follow(eve, bob)  # the same again
    await play_well(bob, MOVES[2:4], first=3)
    assert [m["n"] for m in await see(eve, 4)] == [1, 2, 3, 4]
    await follow(eve, ann)
    await play_well(bob, MOVES[4:6], first=5)
    await play_well(ann, MOVES[:1])
    await eve.next("seen", player=ann.player)
    assert (await eve.ask("follow", player=None))["t"] == "ok"
    await play_well(ann, MOVES[1:3], first=2)
    await ann.ask("say", text="end")
    await eve.next("said")
    assert [(m["player"] == bob.player, m["n"]) for m in eve.all("seen")] == [
        (True, 1), (True, 2), (True, 3), (True, 4), (False, 1),
    ]  # fmt: skip


async def test_nobody_follows_before_the_start_and_everyone_after_the_close(meet) -> None:
    ann, bob, eve = await meet(), await meet("json"), await meet()
    room = await gather_room(ann, [bob], deal=CODE, spectators="live")
    await eve.enter(room, "Eve", as_="spectator")
    assert await refusal(eve, bob) == "wrong_state"
    await ann.ask("start")
    await bob.next("game")
    await play_well(bob, MOVES[:7])
    await ann.ask("manage", action="close")
    late = await meet()
    await late.enter(room, "Late", as_="spectator")
    for peer in (ann, eve, late):
        assert bare(await follow(peer, bob), "player", "t") == bare(told(CODE, MOVES[:7]).game(), "t")
    assert not [e for e in ann.all("event") if e["kind"] == "watching"], "nothing can be played any more"


async def test_a_new_socket_does_not_follow_until_it_asks(meet) -> None:
    room, ann, bob, eve = await race_of_two(meet, "live")
    await follow(eve, bob)
    back = await meet(token=eve.token)
    await back.ask("enter", room=room)
    assert (await eve.wait_closed())[0] == 4409
    await play_well(bob, MOVES[:3])
    await ann.ask("say", text="end")
    await back.next("said")
    assert not back.all("seen")
    assert (await follow(back, bob))["n"] == 3


async def test_a_player_on_another_node_is_followed_as_well(meet, two_nodes) -> None:
    ann, bob = await meet(url=two_nodes[0].url), await meet("json", url=two_nodes[1].url)
    eve = await meet(url=two_nodes[0].url)
    room = await gather_room(ann, [bob], deal=CODE, spectators="live")
    await eve.enter(room, "Eve", as_="spectator")
    await ann.ask("start")
    await bob.next("game")
    await eve.next("event", kind="started")
    await play_well(bob, MOVES[:9])
    first = (await follow(eve, bob))["n"]
    assert first == 9
    dones = await play_well(bob, MOVES[9:60], first=10)
    seen = await see(eve, 60)
    assert [bare(m, "player", "t") for m in seen] == [bare(done, "t") for done in dones]


async def test_a_delayed_room_shows_spectators_the_past_and_everyone_else_the_present(meet) -> None:
    room, ann, bob, eve = await race_of_two(meet, "delayed", delay_ms=1000)
    ref = await meet()
    await ref.enter(room, "Ref", as_="spectator")
    await ann.ask("manage", action="referee", player=ref.player, on=True)
    await follow(ref, bob)
    start_at = bob.all("game")[0]["start_at"]
    await play_well(bob, MOVES[:10])
    view = await follow(eve, bob)
    assert view["n"] == 0, "a second ago nothing was played"
    assert bare(view, "player", "t") == bare(Table(CODE).game(), "t")
    shown: list[tuple[int, float]] = []

    async def watch() -> None:
        while not shown or shown[-1][0] < 12:
            seen = await eve.next("seen")
            now = (await eve.ask("clock", sent=1))["now"]
            shown.append((seen["n"], now - (start_at + seen["ms"])))

    async def go_on() -> None:
        await asyncio.sleep(0.3)
        await play_well(bob, MOVES[10:12], first=11)

    await asyncio.gather(watch(), go_on())
    assert [n for n, _ in shown] == list(range(1, 13))
    assert min(late_by for _, late_by in shown) >= 1000
    assert [m["n"] for m in ref.all("seen")] == list(range(1, 13))
    late = await meet()
    await late.enter(room, "Late", as_="spectator")
    await play(bob, MOVES[12:13], first=13)
    view = await follow(late, bob)
    assert view["n"] == 12, "the one that plays at this delay already is the one that is shown"


async def test_own_starts_are_followed_by_referees_only_before_the_close(meet) -> None:
    host, ann, ref, eve = [await meet() for _ in range(4)]
    room = await host.create(deal=CODE, start="own", spectators="live")
    await ann.enter(room, "A")
    for peer, name in ((ref, "Ref"), (eve, "Eve")):
        await peer.enter(room, name, as_="spectator")
    await host.ask("manage", action="referee", player=ref.player, on=True)
    await ann.ask("ready", ready=True)
    await ann.next("game")
    assert await refusal(eve, ann) == "not_allowed"
    assert await refusal(host, ann) == "not_allowed"
    await follow(ref, ann)
    await play_well(ann, MOVES[:5])
    await see(ref, 5)
    await host.ask("manage", action="close")
    assert (await follow(eve, ann))["n"] == 5


async def test_the_unstarted_and_the_unknown_are_unknown_players(meet) -> None:
    room, _ann, _bob, eve = await race_of_two(meet, "live")
    cid = await meet()
    await cid.enter(room, "Cid", as_="spectator")
    assert await refusal(eve, cid) == "unknown_player"
    elsewhere = await meet()
    await start_race(elsewhere, deal=CODE)
    assert await refusal(eve, elsewhere) == "unknown_player"
    assert eve.all("event")[-1]["kind"] != "watching"
