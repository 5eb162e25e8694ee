"""Two nodes that are asked for one thing at the same moment: one of them gives it, and both know."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.golden import SHORTEST_WIN, Action
from tests.support.peer import Peer
from tests.support.races import bare, events, game_on_entering, gather_room, play, play_well, start_race, told

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions


@pytest.mark.parametrize("same", ["name", "last seat"])
async def test_one_name_and_the_last_seat_are_given_once(meet, two_nodes, same: str) -> None:
    for _ in range(3):
        host = await meet(url=two_nodes[0].url)
        room = await host.create(max_players=3 if same == "last seat" else 8, min_players=1)
        await host.enter(room, "Host")
        peers = [await meet(("msgpack", "json")[n % 2], url=two_nodes[n % 2].url) for n in range(6)]
        names = [f"P{n}" if same == "last seat" else "Same" for n in range(6)]
        answers = await asyncio.gather(
            *(
                peer.ask("enter", room=room, as_="player", name=n)
                for peer, n in zip(peers, names, strict=True)
            )
        )
        got = [answer for answer in answers if answer["t"] == "room"]
        refused = {answer["code"] for answer in answers if answer["t"] == "error"}
        assert len(got) == (2 if same == "last seat" else 1)
        assert refused == {"room_full" if same == "last seat" else "name_taken"}
        shown = await host.ask("enter", room=room)
        assert len(shown["players"]) == 1 + len(got)


async def test_joins_amid_a_start_all_have_a_game_or_a_refusal(meet, two_nodes) -> None:
    host = await meet(url=two_nodes[0].url)
    room = await gather_room(host, deal=CODE, max_players=20)
    peers = [await meet(url=two_nodes[n % 2].url) for n in range(8)]
    joins = [peer.ask("enter", room=room, as_="player", name=f"P{n}") for n, peer in enumerate(peers)]
    answers = await asyncio.gather(*joins[:4], host.ask("start"), *joins[4:])
    assert answers.pop(4)["t"] == "ok"
    await host.next("game")
    for peer, answer in zip(peers, answers, strict=True):
        if answer["t"] == "room":
            assert bare(await peer.next("game")) == told(CODE, []).game()
            await play_well(peer, MOVES[:3])
        else:
            assert answer["code"] == "wrong_state"


async def test_commands_on_both_nodes_at_once_make_one_story(meet, two_nodes) -> None:
    ann, bob = await meet(url=two_nodes[0].url), await meet("json", url=two_nodes[1].url)
    room = await gather_room(ann, [bob])
    flips = [{"t": "ready", "ready": n % 2 == 0} for n in range(20)]
    answers = await asyncio.gather(ann.pipeline(flips), bob.pipeline(flips))
    assert all(answer["t"] == "ok" for part in answers for answer in part)
    last = max(answer["v"] for part in answers for answer in part)
    for peer in (ann, bob):
        await peer.until(lambda peer=peer: max(events(peer)) == last)  # type: ignore[misc]
    one, other = events(ann), events(bob)
    shared = sorted(one.keys() & other.keys())
    assert shared == list(range(shared[0], last + 1))
    assert all(one[v] == other[v] for v in shared)
    assert len([v for v in shared if one[v]["kind"] == "ready"]) == 40
    shown = [await peer.ask("enter", room=room) for peer in (ann, bob)]
    assert [{p["name"]: p["ready"] for p in s["players"]} for s in shown] == [{"A": False, "B": False}] * 2


async def test_a_close_on_one_node_and_actions_on_the_other_agree_on_what_counts(meet, two_nodes) -> None:
    for part in (1, 7, 30):
        ann, bob = await meet(url=two_nodes[0].url), await meet(url=two_nodes[1].url)
        room = await start_race(ann, bob, deal=CODE)
        answers, closed = await asyncio.gather(play_until_refused(bob, part), close_after(ann, bob, 20))
        assert closed["t"] == "ok"
        done = [answer for answer in answers if answer["t"] == "done"]
        assert [answer["n"] for answer in done] == list(range(1, len(done) + 1))
        assert {answer["code"] for answer in answers[len(done) :]} == {"not_running"}
        ends = [await peer.next("event", kind="closed") for peer in (ann, bob)]
        for end in ends:
            rows = {row["name"]: row for row in end["board"]["rows"]}
            assert rows["B"]["undone"] == len(done) // 2
            assert rows["B"]["ms"] == done[-1]["ms"]
        game = await game_on_entering(bob, room)
        assert bare(game) == told(CODE, back_and_forth(len(done))).game()


def back_and_forth(count: int) -> list[Action]:
    return ([MOVES[0], Action("u")] * count)[:count]


async def play_until_refused(peer: Peer, part: int) -> list[dict[str, Any]]:
    """Play in parts until the race is over; all answers."""
    answers: list[dict[str, Any]] = []
    while not answers or answers[-1]["t"] == "done":
        n = len(answers)
        answers += await play(peer, back_and_forth(n + part)[n:], first=n + 1)
    return answers


async def close_after(host: Peer, player: Peer, actions: int) -> dict[str, Any]:
    await player.next("done", where=lambda done: done["n"] >= actions)
    return await host.ask("manage", action="close")


async def test_a_forfeit_through_another_node_falls_between_two_actions(meet, two_nodes) -> None:
    ann, bob = await meet(url=two_nodes[0].url), await meet(url=two_nodes[0].url)
    room = await start_race(ann, bob, deal=CODE)
    await play_well(bob, MOVES[:10])
    twin = await meet("json", token=bob.token, url=two_nodes[1].url)
    assert bare(await game_on_entering(twin, room)) == told(CODE, MOVES[:10]).game()
    assert (await twin.ask("forfeit"))["t"] == "ok"
    (answer,) = await play(twin, [MOVES[10]], first=11)
    assert (answer["code"], answer["stored"]) == ("not_running", 10)
    assert (await ann.next("event", kind="forfeited"))["player"] == bob.player


async def test_boards_on_both_nodes_come_to_the_same(meet, two_nodes) -> None:
    ann, bob = await meet(url=two_nodes[0].url), await meet("json", url=two_nodes[1].url)
    await start_race(ann, bob, deal=CODE)
    await asyncio.gather(play_well(ann, MOVES[:90]), play_well(bob, MOVES[:50]))
    wanted = {"A": told(CODE, MOVES[:90]).moves, "B": told(CODE, MOVES[:50]).moves}
    boards = [
        await peer.next("board", where=lambda m: {r["name"]: r["moves"] for r in m["rows"]} == wanted)
        for peer in (ann, bob)
    ]
    assert boards[0]["rows"] == boards[1]["rows"]


async def test_a_win_just_before_the_host_closes_on_another_node_is_told_before_the_close(
    meet, two_nodes
) -> None:
    for _ in range(3):
        ann, bob = await meet(url=two_nodes[0].url), await meet(url=two_nodes[1].url)
        await start_race(ann, bob, deal=CODE)
        won = (await play_well(bob, MOVES))[-1]
        await ann.ask("manage", action="close")
        for peer in (ann, bob):
            closed = await peer.next("event", kind="closed")
            kinds = [(event["kind"], event.get("ms")) for event in peer.all("event")]
            assert kinds[-2:] == [("won", won["ms"]), ("closed", None)]
            assert closed["board"]["rows"][0]["status"] == "won"
