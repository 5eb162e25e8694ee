"""A line that is cut anywhere: who comes back has the game as if nothing had happened."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import bare, game_on_entering, gather_room, play_well, request, start_race, told
from tests.support.races import events as events_of

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
CUTS = 24


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
@pytest.mark.parametrize("lost", ["nothing", "answer", "request"])
async def test_a_line_cut_after_any_action_is_resumed_with_the_token_alone(
    meet, encoding: str, lost: str
) -> None:
    ann = await meet(encoding)
    room = await start_race(ann, deal=CODE)
    token = ann.token
    n = 0
    for cut in range(CUTS):
        if lost == "answer":  # sent, and the line gone before the answer can be read
            await ann.send(**request(n + 1, MOVES[n]))
        elif lost == "nothing":
            await play_well(ann, [MOVES[n]], first=n + 1)
        ann.abort()
        ann = await meet(encoding if cut % 2 else "msgpack", token=token)
        game = await game_on_entering(ann, room)
        # What was sent is played once or not at all; nothing else is possible.
        assert game["n"] in ({n, n + 1} if lost == "answer" else {n + 1} if lost == "nothing" else {n})
        assert bare(game) == told(CODE, MOVES[: game["n"]]).game()
        await play_well(ann, [MOVES[n]], first=n + 1)  # where it was stored, it is a repeat
        n += 1
    assert n == CUTS
    final = await play_well(ann, MOVES[CUTS:], first=CUTS + 1)
    assert final[-1]["status"] == "won"


async def test_whoever_resumes_amid_a_stream_of_actions_sees_no_game_older_than_an_answer(meet) -> None:
    ann = await meet()
    room = await start_race(ann, deal=CODE)
    first = await meet(token=ann.token)
    for n, action in enumerate(MOVES[:60], 1):
        await ann.send(**request(n, action))
    game = await game_on_entering(first, room)
    assert (await ann.wait_closed())[0] == 4409
    answered = max((done["n"] for done in ann.all("done")), default=0)
    assert game["n"] >= answered
    assert bare(game) == told(CODE, MOVES[: game["n"]]).game()
    await play_well(first, MOVES[game["n"] :], first=game["n"] + 1)


async def test_a_second_line_in_the_same_room_closes_the_older_with_4409(meet) -> None:
    ann = await meet()
    room = await gather_room(ann)
    newer = await meet("json", token=ann.token)
    answer = await newer.ask("enter", room=room)
    assert sorted(answer["you"]) == ["host", "player"]
    code, reason = await ann.wait_closed()
    assert code == 4409
    assert reason


async def test_a_second_line_through_another_node_closes_the_older_with_4409(meet, two_nodes) -> None:
    one, other = two_nodes
    ann = await meet(url=one.url)
    room = await start_race(ann, deal=CODE)
    await play_well(ann, MOVES[:10])
    newer = await meet("json", token=ann.token, url=other.url)
    assert bare(await game_on_entering(newer, room)) == told(CODE, MOVES[:10]).game()
    assert (await ann.wait_closed())[0] == 4409
    await play_well(newer, MOVES[10:20], first=11)
    back = await meet(token=ann.token, url=one.url)
    assert bare(await game_on_entering(back, room)) == told(CODE, MOVES[:20]).game()
    assert (await newer.wait_closed())[0] == 4409
    await play_well(back, MOVES[20:], first=21)


async def test_two_lines_of_one_player_on_two_nodes_never_play_an_action_twice(meet, two_nodes) -> None:
    one, other = two_nodes
    ann = await meet(url=one.url)
    room = await start_race(ann, deal=CODE)
    elsewhere = await gather_room(await meet(url=other.url))
    newer = await meet(token=ann.token, url=other.url)
    await newer.ask("enter", room=elsewhere, as_="spectator", name="x")
    for n, action in enumerate(MOVES[:40], 1):
        await ann.send(**request(n, action))
    game = await game_on_entering(newer, room)
    (await ann.wait_closed())
    resent = [request(n, action) for n, action in enumerate(MOVES[:50], 1)]
    answers = await newer.pipeline(resent[max(0, game["n"] - 5) :])
    assert all(answer["t"] == "done" for answer in answers), answers
    dones = {done["n"]: bare(done) for done in ann.all("done")}
    for done in answers:
        assert dones.setdefault(done["n"], bare(done)) == bare(done)
    assert bare(await game_on_entering(newer, room)) == told(CODE, MOVES[:50]).game()


async def test_two_players_on_two_nodes_are_told_the_same(meet, two_nodes) -> None:
    one, other = two_nodes
    ann, bob = await meet(url=one.url), await meet("json", url=other.url)
    await start_race(ann, bob, deal=CODE)
    await asyncio.gather(play_well(ann, MOVES), play_well(bob, MOVES))
    ends = [await peer.next("event", kind="closed") for peer in (ann, bob)]
    assert ends[0]["reason"] == "finished"
    for end in ends:
        del end["board"]["seq"], end["board"]["at"]
    assert ends[0] == ends[1]
    stories = [events_of(peer) for peer in (ann, bob)]
    shared = stories[0].keys() & stories[1].keys()
    assert max(shared) - min(shared) + 1 == len(shared) >= 4
    for v in shared:
        assert stories[0][v] == stories[1][v]


async def test_an_unknown_token_closes_with_4401(race_server) -> None:
    for token in ("", "x", "A" * 22, "A" * 64):
        peer = await Peer.open(race_server.url)
        await peer.send(t="hello", token=token)
        code, reason = await peer.wait_closed()
        assert code == 4401
        assert "token" in reason
        await peer.close()


async def test_an_identity_that_never_came_into_a_room_is_not_stored(meet, race_server) -> None:
    ann = await meet()
    peer = await Peer.open(race_server.url)
    await peer.send(t="hello", token=ann.token)
    assert (await peer.wait_closed())[0] == 4401
    await peer.close()


async def test_a_token_is_told_once_and_the_player_is_the_same(meet) -> None:
    ann = await meet()
    await ann.create()
    again = await meet("json", token=ann.token)
    assert again.player == ann.player
    assert "token" not in again.received[0]


async def test_leaving_before_the_start_frees_the_seat_and_the_name(meet) -> None:
    ann, bob, eve = await meet(), await meet(), await meet("json")
    room = await gather_room(ann, [bob], max_players=2)
    assert (await eve.ask("enter", room=room, as_="player", name="Eve"))["code"] == "room_full"
    assert (await bob.ask("leave"))["t"] == "ok"
    left = await ann.next("event", kind="left")
    assert (left["player"], left["name"]) == (bob.player, "B")
    entered = await eve.enter(room, "B")
    assert [person["name"] for person in entered["players"]] == ["A", "B"]
    assert (await bob.ask("ready", ready=True))["code"] == "not_in_room"


async def test_leaving_after_the_start_keeps_the_game_and_it_is_resumed(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await start_race(ann, bob, deal=CODE)
    await play_well(bob, MOVES[:7])
    assert (await bob.ask("leave"))["t"] == "ok"
    await ann.next("event", kind="left", player=bob.player)
    (refused,) = await bob.pipeline([request(8, MOVES[7])])
    assert (refused["code"], refused["stored"]) == ("not_player", 0)
    board = await ann.next(
        "board", where=lambda m: any(r["name"] == "B" and not r["online"] for r in m["rows"])
    )
    row = next(row for row in board["rows"] if row["name"] == "B")
    assert (row["status"], row["moves"]) == ("playing", told(CODE, MOVES[:7]).moves)
    assert bare(await game_on_entering(bob, room)) == told(CODE, MOVES[:7]).game()
    await play_well(bob, MOVES[7:9], first=8)
    assert (await ann.next("event", kind="joined", player=bob.player))["role"] == "player"


async def test_one_player_has_lines_into_two_rooms_and_races_in_both(meet) -> None:
    ann = await meet()
    first = await start_race(ann, deal=CODE)
    twin = await meet("json", token=ann.token)
    second = await start_race(twin, deal=CODE)
    assert first != second
    await play_well(ann, MOVES[:9])
    await play_well(twin, MOVES[:20])
    await play_well(ann, MOVES[9:], first=10)
    assert (await ann.next("event", kind="won"))["room"] == first
    assert ann.closed is twin.closed is None
    assert (await game_on_entering(twin, second))["n"] == 20


async def test_the_games_of_a_closed_room_are_told_on_entering(meet) -> None:
    ann, bob, eve = await meet(), await meet("json"), await meet("json")
    room = await start_race(ann, bob, deal=CODE)
    await play_well(ann, MOVES)
    await play_well(bob, MOVES[:5])
    await ann.ask("manage", action="close")
    await bob.next("event", kind="closed")
    for peer, actions in ((ann, MOVES), (bob, MOVES[:5])):
        again = await meet(token=peer.token)
        assert bare(await game_on_entering(again, room)) == told(CODE, actions).game()
        looking_on = await game_on_entering(again, room, as_="spectator", name="Other")
        assert bare(looking_on) == told(CODE, actions).game()
    seen = await eve.ask("enter", room=room, as_="spectator", name="Eve")
    assert (seen["t"], seen["state"], seen["code"]) == ("room", "closed", CODE)
    assert (await eve.ask("enter", room=room, as_="player"))["code"] == "wrong_state"


async def test_who_comes_in_elsewhere_keeps_the_seat_and_hears_no_more_of_the_first_room(meet) -> None:
    ann, bob = await meet(), await meet("json")
    first = await start_race(ann, bob, deal=CODE)
    second = await bob.create()
    await ann.next("presence", player=bob.player, online=False)
    heard = len(bob.received)
    await play_well(ann, MOVES[:3])
    await ann.next("board")
    await bob.ask("clock", sent=1)
    assert [m for m in bob.received[heard:] if m.get("room") == first] == []
    assert second != first
    assert bare(await game_on_entering(bob, first)) == told(CODE, []).game()
