"""Rooms in which each starts by themselves: results are hidden, the code shows every card, limits are own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import bare, gather_room, play, play_well, request, told
from tests.support.table import Table
from tests.support.web import fetch

MOVES = SHORTEST_WIN.actions
NAMED = {"start": "own", "deal": SHORTEST_WIN.code}
Map = dict[str, Any]


async def race_now(peer: Peer) -> int:
    return int((await peer.ask("clock", sent=1))["now"])


async def start_own(peer: Peer) -> Map:
    """Start one's own game: the game."""
    assert (await peer.ask("ready", ready=True))["t"] == "ok"
    return await peer.next("game", n=0)


async def after_all(*peers: Peer) -> None:
    """Wait until what was sent to these peers has come: a later answer comes behind it."""
    for peer in peers:
        await peer.ask("clock", sent=1)


def rows_told(peer: Peer, since: int = 0) -> list[Map]:
    """Every row of every board that came, in whatever message."""
    boards = [m if m["t"] == "board" else m.get("board") for m in peer.received[since:]]
    return [row for board in boards if board for row in [*board["rows"], *filter(None, [board.get("own")])]]


async def test_a_room_runs_from_the_first_ready_and_each_starts_once(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await gather_room(ann, [bob], start="own", min_players=2, countdown_ms=60_000)
    assert (await bob.ask("ready", ready=False))["code"] == "not_allowed"
    before = await race_now(bob)
    game = await start_own(bob)
    assert before <= game["start_at"] <= await race_now(bob), "there is no countdown"
    shown = await ann.ask("enter", room=room)
    assert (shown["state"], shown.get("start_at")) == ("running", None)
    v = (await bob.ask("ready", ready=True))["v"]
    assert v == shown["v"], "once"
    assert (await bob.ask("ready", ready=False))["code"] == "not_allowed"
    assert (await ann.ask("start"))["code"] == "wrong_state"
    assert not ann.all("game")
    later = await start_own(ann)
    assert later["start_at"] >= game["start_at"]
    assert [e["player"] for e in ann.all("event") if e["kind"] == "started"] == [bob.player, ann.player]


async def test_actions_before_ones_own_start_are_not_running(meet) -> None:
    ann, bob = await meet(), await meet()
    await gather_room(ann, [bob], **NAMED)
    await start_own(ann)
    (refused,) = await play(bob, MOVES[:1])
    assert (refused["t"], refused["code"], refused["stored"]) == ("refused", "not_running", 0)


@pytest.mark.parametrize("sealed", [False, True])
async def test_the_code_is_told_only_to_who_has_started_and_sealed_to_nobody(meet, sealed: bool) -> None:
    ann, bob, eve, host = await meet(), await meet("json"), await meet("json"), await meet()
    room = await host.create(start="own", sealed=sealed)
    await ann.enter(room, "Ann")
    await bob.enter(room, "Bob")
    await eve.enter(room, "Eve", as_="spectator")
    game = await start_own(ann)
    await play(ann, MOVES[:3])  # of another deal: refused or not does not matter
    assert (await ann.ask("enter", room=room)).get("code", "").startswith("" if sealed else "CR1-N-")
    told_to_ann = [e.get("code") for e in ann.all("event") if e["kind"] == "started"]
    for peer in (bob, eve, host):
        started = await peer.first("event", kind="started")
        assert (started["player"], started["start_at"]) == (ann.player, game["start_at"])
        assert ("commit" in started) is sealed
    await host.ask("manage", action="close")
    ends = [await peer.next("event", kind="closed") for peer in (bob, eve, host)]
    code = ends[0]["code"]
    assert told_to_ann == [None if sealed else code]
    for peer, closed in zip((bob, eve, host), ends, strict=True):
        early = peer.received[: peer.received.index(closed)]
        assert code not in str(early)
    assert bare(game)["piles"] == Table(code).game()["piles"]


async def test_till_the_close_players_see_only_their_own_row_and_spectators_none(meet, race_server) -> None:
    ann, bob, eve = await meet(), await meet("json"), await meet()
    room = await gather_room(ann, [bob], **NAMED)  # the host plays: they see no more than others
    await eve.enter(room, "Eve", as_="spectator")
    since = [len(peer.received) for peer in (ann, bob, eve)]
    await start_own(ann)
    await start_own(bob)
    await asyncio.gather(play_well(ann, MOVES[:60]), play_well(bob, MOVES[:20]))
    for peer, moves in ((ann, MOVES[:60]), (bob, MOVES[:20])):
        wanted = told(SHORTEST_WIN.code, moves).moves
        await peer.next("board", where=lambda m, wanted=wanted: m["rows"][0]["moves"] == wanted)
        assert [r["player"] for r in (await peer.ask("enter", room=room))["board"]["rows"]] == [peer.player]
    assert (await eve.ask("enter", room=room))["board"]["rows"] == []
    assert {row["player"] for row in rows_told(ann, since[0])} == {ann.player}
    assert {row["player"] for row in rows_told(bob, since[1])} == {bob.player}
    assert rows_told(eve, since[2]) == []
    assert {row["rank"] for peer in (ann, bob) for row in rows_told(peer)} == {1}, "ranks tell of others"
    page = await fetch(race_server.port, f"/api/rooms/{room}")
    assert (page.status, page.json["board"]["rows"]) == (200, [])
    csv = await fetch(race_server.port, f"/api/rooms/{room}/board.csv")
    assert csv.body.count(b"\r\n") == 1


async def test_hosts_and_referees_who_do_not_play_see_all(meet) -> None:
    host, ann, bob, ref, eve = [await meet() for _ in range(5)]
    room = await host.create(**NAMED)
    for peer, name in ((ann, "A"), (bob, "B")):
        await peer.enter(room, name)
    for peer, name in ((ref, "Ref"), (eve, "Eve")):
        await peer.enter(room, name, as_="spectator")
    await host.ask("manage", action="referee", player=ref.player, on=True)
    await start_own(ann)
    await start_own(bob)
    won = (await play_well(ann, MOVES))[-1]
    wanted = {"A": told(SHORTEST_WIN.code, MOVES).moves, "B": 0}
    for peer in (host, ref):
        board = await peer.next("board", where=lambda m: {r["name"]: r["moves"] for r in m["rows"]} == wanted)
        assert [(r["rank"], r["name"]) for r in board["rows"]] == [(1, "A"), (2, "B")]
        event = await peer.first("event", kind="won")
        assert (event["player"], event["ms"], event["moves"]) == (ann.player, won["ms"], won["moves"])
    await after_all(bob, eve)
    for peer in (bob, eve):
        event = await peer.next("event", kind="won")
        assert event.keys() & {"ms", "moves", "n"} == set()
        assert ann.player not in {row["player"] for row in rows_told(peer) if row["moves"]}
    assert (await ann.first("event", kind="won"))["ms"] == won["ms"], "one's own has figures"
    assert (await bob.ask("forfeit"))["t"] == "ok"
    forfeited = await ann.next("event", kind="forfeited")
    assert forfeited.keys() == {"t", "room", "v", "at", "kind", "player", "name"}


async def test_a_referee_unmade_sees_no_more_than_others(meet) -> None:
    host, ann, ref = [await meet() for _ in range(3)]
    room = await host.create(**NAMED)
    await ann.enter(room, "A")
    await ref.enter(room, "Ref", as_="spectator")
    await host.ask("manage", action="referee", player=ref.player, on=True)
    await start_own(ann)
    await play_well(ann, MOVES[:5])
    await ref.next("board", where=lambda m: m["rows"] and m["rows"][0]["moves"])
    await host.ask("manage", action="referee", player=ref.player, on=False)
    await ref.next("event", kind="referee", on=False)
    since = len(ref.received)
    await play_well(ann, MOVES[5:9], first=6)
    assert (await ref.ask("enter", room=room))["board"]["rows"] == []
    assert rows_told(ref, since) == []


async def test_a_limit_counts_from_each_own_start_and_what_it_ends_is_not_running(meet) -> None:
    """The limit is ten seconds at least: only its moments are looked at, and `close_at` is the nearer end."""
    ann, bob = await meet(), await meet()
    close_at = await race_now(ann) + 10_900
    room = await gather_room(ann, [bob], **NAMED, limit_ms=10_000, close_at=close_at)
    first = await start_own(ann)
    await asyncio.sleep((close_at - 10_000 - await race_now(ann)) / 1000 + 0.01)
    second = await start_own(bob)
    ends_at = {
        peer: (await ann.first("event", kind="started", player=peer.player))["ends_at"] for peer in (ann, bob)
    }
    assert ends_at == {ann: first["start_at"] + 10_000, bob: close_at}
    assert close_at < second["start_at"] + 10_000
    for peer, game in ((ann, first), (bob, second)):
        shown = await peer.ask("enter", room=room)
        assert (shown["start_at"], shown["ends_at"]) == (game["start_at"], ends_at[peer]), (
            "`room` says one's own"
        )


async def test_close_at_ends_it_for_all_with_the_final_board_and_entry_is_open_till_then(meet) -> None:
    ann, bob, eve = await meet(), await meet("json"), await meet()
    close_at = await race_now(ann) + 2500
    room = await gather_room(ann, [bob], **NAMED, close_at=close_at, after_win_ms=1000)
    await eve.enter(room, "Eve", as_="spectator")
    await start_own(ann)
    won = (await play_well(ann, MOVES))[-1]
    late = await meet("json")
    shown = await late.enter(room, "Late")
    assert (shown["state"], shown["ends_at"]) == ("running", close_at), "and all who have a seat are done"
    assert "code" not in shown or shown["options"]["deal"] != "random"
    await start_own(late)
    await play_well(late, MOVES[:30])
    closes = [await peer.next("event", kind="closed") for peer in (ann, bob, eve, late)]
    assert closes[0] == closes[1] == closes[2] == closes[3]
    assert (closes[0]["reason"], closes[0]["at"]) == ("limit", close_at)
    rows = {row["name"]: row for row in closes[0]["board"]["rows"]}
    assert {name: (row["rank"], row["status"]) for name, row in rows.items()} == {
        "A": (1, "won"),
        "Late": (2, "playing"),
        "B": (3, "waiting"),
    }
    assert (rows["A"]["ms"], rows["Late"]["moves"]) == (won["ms"], told(SHORTEST_WIN.code, MOVES[:30]).moves)
    assert not [e for e in ann.all("event") if e["kind"] == "ending"], "`after_win_ms` does not apply"
    assert (await bob.ask("enter", room=room))["board"]["rows"] == closes[0]["board"]["rows"]
    (refused,) = await play(late, MOVES[30:31], first=31)
    assert refused["code"] == "not_running"


async def test_without_close_at_it_closes_once_everyone_with_a_seat_is_done(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await gather_room(ann, [bob], **NAMED)
    first = await start_own(ann)
    await play_well(ann, MOVES)
    await start_own(bob)
    assert ann.all("event")[-1]["kind"] != "closed", "Bob has a seat and is not done"
    done = (await play_well(bob, MOVES))[-1]
    closed = await ann.next("event", kind="closed")
    second = await ann.first("event", kind="started", player=bob.player)
    assert (closed["reason"], closed["at"]) == ("finished", second["start_at"] + done["ms"])
    assert await race_now(ann) >= closed["at"] + 500, "half a second more"
    by_time = sorted(closed["board"]["rows"], key=lambda row: row["ms"])
    assert [row["rank"] for row in by_time] == [1, 1 if by_time[0]["ms"] == by_time[1]["ms"] else 2]
    assert first["start_at"] < second["start_at"]


async def test_own_starts_are_served_by_every_node(meet, two_nodes) -> None:
    ann, bob = await meet(url=two_nodes[0].url), await meet("json", url=two_nodes[1].url)
    room = await gather_room(ann, [bob], **NAMED)
    await asyncio.gather(start_own(ann), start_own(bob))
    await play_well(bob, MOVES[:9])
    twin = await meet(url=two_nodes[0].url, token=bob.token)
    shown = await twin.ask("enter", room=room)
    assert [(row["name"], row["rank"]) for row in shown["board"]["rows"]] == [("B", 1)]
    assert bare(await twin.next("game")) == told(SHORTEST_WIN.code, MOVES[:9]).game()
    moves = told(SHORTEST_WIN.code, MOVES[:9]).moves
    await twin.until(lambda: any(row["moves"] == moves for row in rows_told(twin)))
    answers = await twin.pipeline([request(10, MOVES[9])])
    assert answers[0]["t"] == "done"
    await ann.ask("manage", action="close")
    for peer in (ann, twin):
        closed = await peer.next("event", kind="closed")
        assert {row["name"]: row["ms"] for row in closed["board"]["rows"]} == {"A": 0, "B": answers[0]["ms"]}
