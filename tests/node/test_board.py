"""The live board: order and shared ranks, times, presence, and how often it comes."""

from __future__ import annotations

import asyncio
import json
import re
from itertools import pairwise

import pytest

from tests.support.golden import SHORTEST_WIN, Action
from tests.support.peer import Peer
from tests.support.races import bare, gather_room, play_well, start_race, told

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
CARD = re.compile(r'"[A23456789TJQK][SHDC]"')


async def test_rows_say_what_the_games_say_in_order_of_cards_home(meet) -> None:
    ann, bob, cid = await meet(), await meet("json"), await meet()
    await start_race(ann, bob, cid, deal=CODE)
    dones = {"C": await play_well(cid, MOVES[:80]), "A": await play_well(ann, MOVES[:40])}
    last = {name: answers[-1] for name, answers in dones.items()}
    board = await bob.next(
        "board",
        where=lambda m: {row["name"]: row["moves"] for row in m["rows"]}.get("A") == last["A"]["moves"],
    )
    rows = board["rows"]
    assert [(row["rank"], row["name"]) for row in rows] == [(1, "C"), (2, "A"), (3, "B")]
    for row, moves in zip(rows, (MOVES[:80], MOVES[:40], []), strict=True):
        assert {**row, **told(CODE, moves).row()} == row
        assert row["ms"] == (last[row["name"]]["ms"] if row["name"] in last else 0)
        assert row["online"] is True


async def test_equals_share_a_rank_and_are_shown_by_name(meet) -> None:
    ann, bob, cid = await meet(), await meet("json"), await meet()
    room = await ann.create(min_players=1, countdown_ms=0, deal=CODE)
    await ann.enter(room, "Zoe")
    await bob.enter(room, "Bob")
    shown = await cid.enter(room, "Ada")
    assert [(r["rank"], r["name"]) for r in shown["board"]["rows"]] == [(1, "Ada"), (1, "Bob"), (1, "Zoe")]
    await ann.ask("start")
    await ann.next("game")
    await play_well(ann, MOVES[:60])
    board = await cid.next("board", where=lambda m: m["rows"][0]["moves"] == told(CODE, MOVES[:60]).moves)
    assert [(r["rank"], r["name"]) for r in board["rows"]] == [(1, "Zoe"), (2, "Ada"), (2, "Bob")]


async def test_a_room_ranked_by_moves_has_no_undo_and_ranks_fewer_moves_first(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await start_race(ann, bob, deal=CODE, rank_by="moves")
    fewer: list[Action] = []
    for action in MOVES:
        if action.op == "u":
            fewer.pop()
        else:
            fewer.append(action)
    there_and_back = next(more for more in detours(fewer) if told(CODE, more).status == "won")
    await play_well(bob, there_and_back)  # sooner, with two moves more
    (refused,) = await ann.pipeline([{"t": "op", "n": 1, "op": "u"}])
    assert refused["code"] == "no_undo"
    await play_well(ann, fewer)
    rows = (await ann.next("event", kind="closed"))["board"]["rows"]
    assert [(row["rank"], row["name"], row["moves"]) for row in rows] == [
        (1, "A", told(CODE, fewer).moves),
        (2, "B", told(CODE, fewer).moves + 2),
    ]
    assert rows[0]["ms"] > rows[1]["ms"]


def detours(actions: list[Action]):  # type: ignore[no-untyped-def]
    """The same game with a move there and back put in somewhere."""
    for at, action in enumerate(actions):
        table = told(CODE, actions[:at])
        if action.op != "m" or action.src > 15 or action.place > 15 or len(table.piles[action.src]) < 2:
            continue
        card, under = table.piles[action.src][-1], table.piles[action.src][-2]
        back = Action("m", action.place, action.src, action.src)
        if under[1] == card[1] and table.accepts(action.place, card):
            table.play("m", action.src, action.place)
            if table.accepts(action.src, card):
                yield [*actions[:at], action, back, *actions[at:]]


async def test_a_board_comes_at_most_ten_times_a_second_and_only_when_something_changed(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await start_race(ann, bob, deal=CODE)
    loop = asyncio.get_running_loop()
    arrived: list[float] = []
    first = len(bob.all("board"))

    async def watch() -> None:
        while len(arrived) < 12:
            await bob.next("board")
            arrived.append(loop.time())

    async def act() -> None:
        n = 0
        while len(arrived) < 12:
            await play_well(ann, [MOVES[0], Action("u")] * 5, first=n + 1)
            n += 10

    await asyncio.gather(watch(), act())
    boards = bob.all("board")[first:]
    assert len({json.dumps(board["rows"]) for board in boards}) == len(boards)
    moments = [board["at"] for board in boards]
    assert all(later - sooner >= 95 for sooner, later in pairwise(moments)), moments
    # The last change is told though no other follows it; and then there is silence.
    total = len(ann.all("done"))
    await bob.next("board", where=lambda m: m["rows"][0]["undone"] + m["rows"][1]["undone"] == total // 2)
    settled = len(bob.all("board"))
    for _ in range(30):
        await bob.ask("clock", sent=1)
        await asyncio.sleep(0.01)
    assert len(bob.all("board")) == settled


async def test_presence_is_told_when_a_line_goes_and_comes_back(meet) -> None:
    ann, bob, eve = await meet(), await meet("json"), await meet()
    room = await start_race(ann, bob, deal=CODE)
    await eve.enter(room, "Eve", as_="spectator")
    bob.abort()
    gone = await ann.next("presence", player=bob.player, online=False)
    assert gone["room"] == room
    assert "v" not in gone
    board = await eve.next("board", where=lambda m: not all(r["online"] for r in m["rows"]))
    assert [row["online"] for row in board["rows"] if row["player"] == bob.player] == [False]
    shown = await ann.ask("enter", room=room)
    assert {p["name"]: p["online"] for p in shown["players"]} == {"A": True, "B": False, "Eve": True}
    bob = await meet(token=bob.token)
    await bob.ask("enter", room=room)
    await ann.next("presence", player=bob.player, online=True)
    await eve.close()
    assert (await bob.next("presence", player=eve.player))["online"] is False


async def test_presence_is_told_through_another_node(meet, two_nodes) -> None:
    one, other = two_nodes
    ann, bob = await meet(url=one.url), await meet("json", url=other.url)
    room = await gather_room(ann, [bob])
    await ann.next("event", kind="joined", player=bob.player)
    await ann.next("presence", player=bob.player, online=True)
    bob.abort()
    await ann.next("presence", player=bob.player, online=False)
    shown = await ann.ask("enter", room=room)
    assert {p["name"]: p["online"] for p in shown["players"]} == {"A": True, "B": False}


async def test_nobody_is_sent_anothers_cards(meet) -> None:
    ann, bob, eve = await meet(), await meet("json"), await meet("json")
    room = await start_race(ann, bob, deal=CODE)
    await eve.enter(room, "Eve", as_="spectator")
    own = len(bob.received)
    await play_well(ann, MOVES)
    await eve.next("event", kind="won")
    await bob.ask("clock", sent=1)
    for told_to in (bob.received[own:], eve.received):
        assert not CARD.search(json.dumps(told_to))
        assert {m["t"] for m in told_to} <= {"event", "board", "presence", "room", "clock", "welcome"}


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
async def test_a_room_of_tops_shows_top_cards_only(meet, encoding: str) -> None:
    ann = await meet(encoding)
    await start_race(ann, deal=CODE)
    dones = await play_well(ann, MOVES[:100])
    table = told(CODE, [])
    assert bare(ann.all("game")[0])["piles"] == [[pile[-1], len(pile)] for pile in table.piles]
    for done, action in zip(dones, MOVES, strict=False):
        table.play(action.op, action.src, action.place)
        assert "piles" not in done
        assert all((top, count) == (table.top(p), table.count(p)) for p, top, count in done["changed"])


async def test_an_open_room_shows_every_card(meet) -> None:
    ann = await meet("json")
    room = await start_race(ann, deal=CODE, visibility="open")
    dones = await play_well(ann, MOVES[:100])
    assert ann.all("game")[0]["piles"] == told(CODE, []).piles
    redeal = next(number for number, action in enumerate(MOVES) if action.op == "r")
    assert dones[redeal]["piles"] == told(CODE, MOVES[: redeal + 1]).piles
    await ann.ask("enter", room=room)
    assert (await ann.next("game"))["piles"] == told(CODE, MOVES[:100]).piles


async def test_a_later_room_message_has_the_board_that_boards_then_follow(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await start_race(ann, bob, deal=CODE)
    for part in range(5):
        await play_well(ann, MOVES[part * 8 : part * 8 + 8], first=part * 8 + 1)
        shown = await bob.ask("enter", room=room)
        rows = {row["name"]: row for row in shown["board"]["rows"]}
        assert rows["A"]["moves"] == told(CODE, MOVES[: part * 8 + 8]).moves
        later = [m for m in bob.received[bob.received.index(shown) :] if m["t"] == "board"]
        assert all(board["rows"][0]["moves"] >= rows["A"]["moves"] for board in later)


async def test_beyond_a_hundred_rows_a_player_is_sent_their_own(meet, race_server) -> None:
    ann, eve = await meet(), await meet("json")
    room = await gather_room(ann, deal=CODE, max_players=200)
    for number in range(101):  # they have seats; their lines are closed
        async with await Peer.hello(race_server.url) as peer:
            await peer.enter(room, f"P{number:03}")
    zoe = await meet("json")
    shown = await zoe.enter(room, "Zoe")
    assert (len(shown["players"]), len(shown["board"]["rows"])) == (103, 100)
    assert (shown["board"]["own"]["name"], shown["board"]["own"]["rank"]) == ("Zoe", 1)
    assert "own" not in (await eve.enter(room, "Eve", as_="spectator"))["board"]
    await ann.ask("start")
    await zoe.next("game")
    await play_well(ann, MOVES[:9])
    for peer in (ann, eve, zoe):
        board = await peer.next("board", where=lambda m: any(row["moves"] for row in m["rows"][:1]))
        assert board["rows"][0]["name"] == "A"
        assert len(board["rows"]) == 100
        assert board.get("own", {}).get("name") == ("Zoe" if peer is zoe else None)
    assert board["own"]["rank"] == 2
    await ann.ask("manage", action="close")
    for peer in (ann, eve, zoe):
        final = (await peer.next("event", kind="closed"))["board"]
        assert len(final["rows"]) == 100
        assert final.get("own", {}).get("name") == ("Zoe" if peer is zoe else None)
