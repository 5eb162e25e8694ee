"""How a race ends: everyone is done, a limit, the host; and what a forfeit and its taking back do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.node.hub import Hub
from server.store.store import Store, StoreUnavailableError
from tests.support.golden import BLOCKED, SHORTEST_WIN, Action, Golden
from tests.support.nodes import node_on
from tests.support.peer import Peer
from tests.support.races import bare, game_on_entering, gather_room, play_well, request, start_race, told
from tests.support.table import Table

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions


async def race_now(peer: Peer) -> int:
    return int((await peer.ask("clock", sent=1))["now"])


def without_undos(golden: Golden) -> list[Action]:
    """The same game without the moves that were taken back."""
    kept: list[Action] = []
    for action in golden.actions:
        if action.op == "u":
            kept.pop()
        else:
            kept.append(action)
    return kept


async def test_a_race_that_all_have_won_is_finished(meet) -> None:
    ann = await meet()
    room = await start_race(ann, deal=CODE)
    dones = await play_well(ann, MOVES)
    closed = await ann.next("event", kind="closed")
    assert (closed["reason"], closed["code"]) == ("finished", CODE)
    assert closed["at"] == ann.all("game")[0]["start_at"] + dones[-1]["ms"]
    assert "by" not in closed
    assert (await ann.ask("enter", room=room))["state"] == "closed"


async def test_a_race_that_nobody_can_win_any_more_ends_with_nobody_finished(meet) -> None:
    golden = min(BLOCKED, key=lambda game: len(game.actions))
    moves = without_undos(golden)
    assert told(golden.code, moves).status == "blocked"
    ann = await meet("json")
    await start_race(ann, deal=golden.code, undo=False)
    dones = await play_well(ann, moves)
    assert dones[-1]["status"] == "blocked"
    closed = await ann.next("event", kind="closed")
    assert closed["reason"] == "nobody_finished"
    assert closed["board"]["rows"][0]["status"] == "blocked"


async def test_a_blocked_game_with_something_to_undo_keeps_the_race_on(meet) -> None:
    golden = min(BLOCKED, key=lambda game: len(game.actions))
    moves = without_undos(golden)
    ann = await meet()
    room = await start_race(ann, deal=golden.code)
    await play_well(ann, moves)
    board = await ann.next("board", where=lambda m: m["rows"][0]["status"] == "blocked")
    assert board
    await play_well(ann, [Action("u")], first=len(moves) + 1)
    assert (await ann.ask("enter", room=room))["state"] == "running"


async def test_a_blocked_and_a_won_game_end_a_race_as_finished(meet) -> None:
    """The blocked one plays another game of the same deal: all redeals at once, then whatever goes."""
    moves = until_blocked(CODE)
    ann, bob = await meet(), await meet("json")
    await start_race(ann, bob, deal=CODE, undo=False)
    await play_well(bob, moves)
    await play_well(ann, without_undos(SHORTEST_WIN))
    closed = await ann.next("event", kind="closed")
    assert closed["reason"] == "finished"
    assert [row["status"] for row in closed["board"]["rows"]] == ["won", "blocked"]


def until_blocked(code: str) -> list[Action]:
    table = Table(code)
    actions = []
    for _ in range(table.redeals):
        actions.append(Action("r"))
        table.play("r", 0, 0)
    while table.status == "playing":
        src, dst = next(
            (src, dst)
            for src in range(24)
            for dst in (range(24) if src < 16 else range(16, 24))
            if table.top(src) is not None
            and src != dst
            and (dst >= 16 or len(table.piles[src]) <= len(table.piles[dst]))
            and (src < 16 or table.count(src) > 1)
            and table.accepts(dst, table.top(src) or "")
            and not (src >= 16 and dst >= 16)
        )
        actions.append(Action("m", src, dst, dst))
        table.play("m", src, dst)
    assert table.status == "blocked"
    return actions


@pytest.mark.parametrize("winner", [False, True])
async def test_a_limit_closes_the_race_with_or_without_a_winner(meet, winner: bool) -> None:
    ann, bob = await meet(), await meet("json")
    close_at = await race_now(ann) + 1200
    await start_race(ann, bob, deal=CODE, close_at=close_at)
    assert (await ann.first("event", kind="started"))["ends_at"] == close_at
    await play_well(bob, MOVES[:4])
    if winner:
        await play_well(ann, MOVES)
    closed = await bob.next("event", kind="closed")
    assert (closed["reason"], closed["at"]) == ("limit", close_at)
    assert await race_now(bob) >= close_at + 500  # what came in time counts
    expected = ["won", "playing"] if winner else ["playing", "playing"]
    assert [row["status"] for row in closed["board"]["rows"]] == expected


async def test_what_comes_at_or_after_the_limit_is_not_running(meet) -> None:
    ann = await meet()
    close_at = await race_now(ann) + 700
    room = await start_race(ann, deal=CODE, close_at=close_at)
    n = 0
    answers = []
    while True:  # as fast as it goes, past the limit
        (answer,) = await ann.pipeline([request(n + 1, MOVES[0] if n % 2 == 0 else Action("u"))])
        answers.append(answer)
        if answer["t"] != "done":
            break
        n += 1
    start_at = ann.all("game")[0]["start_at"]
    assert (answer["t"], answer["code"], answer["stored"]) == ("refused", "not_running", n)
    assert answer["why"] in ("time_is_up", "race_is_closed")
    assert all(start_at + done["ms"] < close_at for done in answers[:-1])
    assert not [e for e in ann.all("event") if e["kind"] == "closed"], "refused before the close is told"
    closed = await ann.next("event", kind="closed")
    assert closed["board"]["rows"][0]["undone"] == n // 2
    game = await game_on_entering(ann, room)
    assert game["n"] == n


async def test_a_first_win_sets_the_moment_of_the_close(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await start_race(ann, bob, deal=CODE, after_win_ms=1000)
    await play_well(bob, MOVES[:4])
    await play_well(ann, MOVES)
    won = await bob.next("event", kind="won")
    ending = await bob.next("event", kind="ending")
    assert (ending["at"], ending["ends_at"]) == (won["at"], won["at"] + 1000)
    assert (await ann.ask("enter", room=room))["ends_at"] == ending["ends_at"]
    closed = await bob.next("event", kind="closed")
    assert (closed["reason"], closed["at"]) == ("limit", ending["ends_at"])


async def test_a_host_closes_the_race_with_a_word(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await start_race(ann, bob, deal=CODE)
    await play_well(bob, MOVES[:2])
    assert (await ann.ask("manage", action="close", text="time for tea"))["t"] == "ok"
    closed = await bob.next("event", kind="closed")
    assert (closed["reason"], closed["by"], closed["text"]) == ("host", ann.player, "time for tea")
    assert closed["board"]["rows"][1]["status"] == "playing"


async def test_a_final_board_waits_for_a_store_that_does_not_answer_at_once(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another node has stored an action in the moment before the close, and its hint is lost."""
    async with (
        node_on(valkey_url) as one,
        node_on(valkey_url) as other,
        await Peer.hello(one) as ann,
        await Peer.hello(other) as bob,
    ):
        await start_race(ann, bob, deal=CODE)
        load_room = Store.load_room
        asked: list[Store] = []

        async def cut_off(store: Store, room: str, after_v: int = 0) -> Any:
            asked.append(store)
            if len(asked) == 1:  # what the host's node knows when it closes the race
                found = await load_room(store, room, after_v)
                await play_well(bob, MOVES[:1])
                return found
            if store is asked[0] and asked.count(store) < 5:
                raise StoreUnavailableError("cut off")
            return await load_room(store, room, after_v)

        monkeypatch.setattr(Hub, "tell_progress", lambda *_: None)
        monkeypatch.setattr(Store, "load_room", cut_off)
        assert (await ann.ask("manage", action="close"))["t"] == "ok"
        boards = [(await peer.next("event", kind="closed"))["board"]["rows"] for peer in (ann, bob)]
    assert boards[0] == boards[1]
    assert {row["player"]: row["moves"] for row in boards[0]} == {ann.player: 0, bob.player: 1}


@pytest.mark.parametrize("counting", [False, True])
async def test_a_close_before_the_start_is_a_cancellation(meet, counting: bool) -> None:
    ann, bob = await meet(), await meet("json")
    room = await gather_room(ann, [bob], countdown_ms=60_000)
    if counting:
        await ann.ask("start")
    await ann.ask("manage", action="close")
    closed = await bob.next("event", kind="closed")
    assert closed["reason"] == "cancelled"
    shown = await bob.ask("enter", room=room)
    assert shown["state"] == "closed"
    assert "start_at" not in shown
    assert {row["status"] for row in shown["board"]["rows"]} == {"waiting"}


async def test_close_at_before_a_start_cancels(meet) -> None:
    ann = await meet()
    close_at = await race_now(ann) + 300
    await gather_room(ann, close_at=close_at)
    closed = await ann.next("event", kind="closed")
    assert (closed["reason"], closed["at"]) == ("cancelled", close_at)


async def test_a_forfeit_is_told_and_can_be_taken_back(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await start_race(ann, bob, deal=CODE)
    await play_well(bob, MOVES[:6])
    assert (await bob.ask("forfeit"))["t"] == "ok"
    assert (await ann.next("event", kind="forfeited"))["player"] == bob.player
    board = await ann.next("board", where=lambda m: m["rows"][1]["status"] == "forfeited")
    assert board["rows"][1]["home"] == told(CODE, MOVES[:6]).row()["home"]
    assert (await bob.ask("forfeit"))["code"] == "wrong_state"
    assert bare(await game_on_entering(bob, room))["status"] == "forfeited"
    assert (await bob.ask("unforfeit"))["t"] == "ok"
    assert (await ann.next("event", kind="unforfeited"))["player"] == bob.player
    assert bare(await game_on_entering(bob, room)) == told(CODE, MOVES[:6]).game()
    await play_well(bob, MOVES[6:8], first=7)
    assert (await bob.ask("unforfeit"))["code"] == "not_allowed"


async def test_a_forfeit_ranks_behind_everyone_who_plays(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await start_race(ann, bob, deal=CODE)
    await play_well(ann, MOVES[:60])
    await ann.ask("forfeit")
    board = await bob.next("board", where=lambda m: m["rows"][1]["status"] == "forfeited")
    assert [row["player"] for row in board["rows"]] == [bob.player, ann.player]
    assert [row["rank"] for row in board["rows"]] == [1, 2]


async def test_a_forfeit_right_behind_actions_comes_after_them(meet) -> None:
    ann, bob = await meet(), await meet()
    await start_race(ann, bob, deal=CODE)
    requests = [request(n, action) for n, action in enumerate(MOVES[:30], 1)]
    answers = await bob.pipeline([*requests, {"t": "forfeit"}, request(31, MOVES[30])])
    assert [answer["t"] for answer in answers] == ["done"] * 30 + ["ok", "refused"]
    assert (answers[-1]["code"], answers[-1]["stored"]) == ("not_running", 30)


async def test_a_forfeit_in_the_moment_of_the_start_is_answered(meet) -> None:
    ann, bob = await meet(), await meet()
    for _ in range(20):
        await gather_room(ann, [bob], deal=CODE)
        start, forfeit = await asyncio.gather(ann.ask("start"), bob.ask("forfeit"))
        assert start["t"] == "ok"
        assert (forfeit["t"], forfeit.get("code")) in [("ok", None), ("error", "wrong_state")]
        await ann.ask("leave")


async def test_a_won_game_cannot_be_forfeited(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await start_race(ann, bob, deal=CODE)
    requests = [request(n, action) for n, action in enumerate(MOVES, 1)]
    answers = await ann.pipeline([*requests, {"t": "forfeit"}])
    assert (answers[-1]["t"], answers[-1]["code"]) == ("error", "wrong_state")
    board = await bob.next("board", where=lambda m: m["rows"][0]["status"] == "won")
    assert board["rows"][0]["player"] == ann.player
    assert not [e for e in bob.all("event") if e["kind"] == "forfeited"]


async def test_spectators_and_hosts_without_a_seat_have_nothing_to_forfeit(meet) -> None:
    ann, bob, eve = await meet(), await meet(), await meet("json")
    room = await ann.create(min_players=1, countdown_ms=0)
    await bob.enter(room, "Bob")
    await eve.enter(room, "Eve", as_="spectator")
    await ann.ask("start")
    await bob.next("game")
    for peer in (ann, eve):
        assert (await peer.ask("forfeit"))["code"] == "not_allowed"
