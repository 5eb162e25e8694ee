"""A room's pages: itself, its board for a spreadsheet, and the log from which the board is counted again."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from client_cli.verify import verify
from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import gather_room, play_well, start_race
from tests.support.recount import COLUMNS, board_of
from tests.support.shown import Shown
from tests.support.web import Page, fetch

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
Map = dict[str, Any]


async def eventful_race(meet, **options: Any) -> tuple[str, Map]:  # type: ignore[no-untyped-def]
    """A race in which everything happens; the room and its `closed`."""
    ann, bob, cid, dan, eve = [await meet(("msgpack", "json")[n % 2]) for n in range(5)]
    options = {"deal": CODE, "late": True, "max_players": 9, **options}
    room = await gather_room(ann, [bob, cid, dan], **options)
    gone = await meet()
    await gone.enter(room, "Gone")
    await gone.ask("leave")
    assert (await ann.ask("start"))["t"] == "ok"
    for peer in (ann, bob, cid, dan):
        await peer.next("game")
    await play_well(ann, MOVES)
    await play_well(bob, MOVES[:40])
    await bob.ask("forfeit")
    await bob.ask("unforfeit")
    await play_well(bob, MOVES[40:50], first=41)
    await play_well(cid, MOVES[:30])
    await cid.ask("forfeit")
    await play_well(dan, MOVES[:60])
    await ann.ask("manage", action="kick", player=dan.player)
    await eve.enter(room, "Eve")
    await eve.next("game")
    await ann.ask("manage", action="disqualify", player=eve.player, reason="late")
    await ann.ask("manage", action="reinstate", player=eve.player)
    await ann.ask("manage", action="mute", player=eve.player, on=True)
    await ann.ask("manage", action="set", options={"name": "Grand final"})
    assert (await ann.ask("manage", action="close", text="done"))["t"] == "ok"
    return room, await eve.next("event", kind="closed")


async def page(server, room: str, name: str = "", method: str = "GET") -> Page:  # type: ignore[no-untyped-def]
    return await fetch(server.port, f"/api/rooms/{room}{name}", method)


async def test_a_room_is_what_a_stranger_sees_of_it_its_id_in_any_case(meet, race_server) -> None:
    ann, eve = await meet(), await meet()
    room = await start_race(ann, deal=CODE)
    shown = (await page(race_server, room)).json
    assert shown.pop("you") == []
    told = await eve.enter(room, "Eve", as_="spectator")
    told["players"] = [person for person in told["players"] if person["name"] != "Eve"]
    differ = {"id", "you", "now", "board", "v"}
    assert {k: v for k, v in shown.items() if k not in differ} == {
        k: v for k, v in told.items() if k not in differ
    }
    assert shown["board"]["rows"] == told["board"]["rows"]
    typed = room.lower().replace("0", "o").replace("1", "l")
    answer = await page(race_server, typed)
    assert (answer.status, answer.json["room"]) == (200, room)
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("name", ["", "/board.csv", "/log.jsonl"])
async def test_head_is_the_same_without_the_body(meet, race_server, name: str) -> None:
    ann = await meet()
    room = await start_race(ann, deal=CODE)
    await ann.ask("manage", action="close")
    full, head = await page(race_server, room, name), await page(race_server, room, name, "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert int(head.headers["content-length"]) == len(full.body)


async def test_what_is_not_there_is_404_and_the_log_before_the_close_409(meet, race_server) -> None:
    ann = await meet()
    room = await start_race(ann, deal=CODE)
    for typed in ("ZZZZZZZZ", "x", "", "x" * 500, "%00", "../metrics"):
        for name in ("", "/board.csv", "/log.jsonl"):
            answer = await page(race_server, typed, name)
            assert answer.status == 404, typed
            if typed == "ZZZZZZZZ":
                assert answer.json["code"] == "unknown_room"
    assert (await page(race_server, room, "/nothing")).status == 404
    assert (await page(race_server, room, "/log.jsonl")).status == 409
    assert (await page(race_server, room, "/board.csv")).status == 200
    await ann.ask("manage", action="close")
    assert (await page(race_server, room, "/log.jsonl")).status == 200


async def test_the_board_is_a_table_that_no_spreadsheet_takes_for_formulas(meet, race_server) -> None:
    names = ["=1+1", "+45", "-2", "@SUM(A1)", 'Say "hi", you', "Ærlig", " =3", "a;b"]
    peers = [await meet() for _ in names]
    room = await peers[0].create(min_players=1, countdown_ms=0, deal=CODE, max_players=20)
    for peer, name in zip(peers, names, strict=True):
        await peer.enter(room, name)
    await peers[0].ask("start")
    await peers[0].next("game")
    last = (await play_well(peers[0], MOVES[:30]))[-1]
    await peers[0].next("board", where=lambda m: m["rows"][0]["moves"] == last["moves"])
    answer = await page(race_server, room, "/board.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    table = list(csv.reader(io.StringIO(answer.body.decode())))
    assert tuple(table[0]) == COLUMNS
    rows = [dict(zip(COLUMNS, line, strict=True)) for line in table[1:]]
    assert rows[0] == {
        "rank": "1",
        "player": peers[0].player,
        "name": "'=1+1",
        "status": "playing",
        **{column: str(last[column]) for column in ("moves", "undone", "redeals", "ms")},
        "home": rows[0]["home"],
    }
    # A name is trimmed before it is kept, so the blank before a formula is gone.
    assert sorted(row["name"] for row in rows) == sorted(
        ["'=1+1", "'+45", "'-2", "'@SUM(A1)", 'Say "hi", you', "Ærlig", "'=3", "a;b"]
    )
    assert all(cell[:1] not in "=+-@\t" for line in table for cell in line if cell)


@pytest.mark.parametrize("rank_by", ["time", "moves"])
async def test_from_the_log_alone_the_board_is_counted_again(meet, race_server, rank_by: str) -> None:
    room, closed = await eventful_race(meet, rank_by=rank_by, undo=True)
    answer = await page(race_server, room, "/log.jsonl")
    assert answer.headers["content-type"] == "application/jsonl"
    head, *games = answer.lines
    told = [{column: row[column] for column in COLUMNS} for row in closed["board"]["rows"]]
    assert board_of(answer.lines) == told
    assert head["board"] == told
    assert {row["status"] for row in told} == {"won", "playing", "forfeited", "disqualified"}
    assert (head["room"], head["code"], head["options"]["name"]) == (room, CODE, "Grand final")
    assert [event["v"] for event in head["events"]] == list(range(1, len(head["events"]) + 1))
    kinds = [event["kind"] for event in head["events"]]
    assert (kinds[0], kinds[-1]) == ("created", "closed")
    assert set(kinds) >= {
        *("joined", "left", "countdown", "started", "won", "forfeited", "unforfeited", "kicked"),
        *("disqualified", "reinstated", "muted", "options"),
    }
    assert {event["n"] for event in head["events"] if event["kind"] in ("won", "forfeited")} == {
        len(MOVES), 40, 30,
    }  # fmt: skip
    lengths = {game["name"]: len(game["log"]) for game in games}
    assert lengths == {"A": len(MOVES), "B": 50, "C": 30, "D": 60, "Eve": 0}
    times = [ms for ms, _ in games[0]["log"]]
    assert times == sorted(times)
    report = verify(answer.body.splitlines())
    assert report.agrees, report.differs


async def test_the_events_of_the_log_are_those_that_were_told(meet, race_server) -> None:
    ann, eve = await meet(), await meet("json")
    room = await ann.create(deal=CODE, min_players=1, countdown_ms=0)
    await eve.enter(room, "Eve", as_="spectator")
    await ann.enter(room, "A")
    await ann.ask("start")
    await ann.next("game")
    await play_well(ann, MOVES)
    await eve.next("event", kind="closed")
    logged = {event["v"]: event for event in (await page(race_server, room, "/log.jsonl")).lines[0]["events"]}
    for event in eve.all("event"):
        told = {name: value for name, value in event.items() if name not in ("t", "room", "board")}
        kept = {name: value for name, value in logged[event["v"]].items() if name != "n"}
        assert kept == told
    assert len(eve.all("event")) >= 5


async def test_a_race_of_own_starts_is_counted_again_from_its_log(meet, race_server) -> None:
    ann, bob, cid = await meet(), await meet("json"), await meet()
    room = await gather_room(ann, [bob, cid], deal=CODE, start="own")
    for peer, moves in ((bob, MOVES), (ann, MOVES[:33])):
        await peer.ask("ready", ready=True)
        await peer.next("game")
        await play_well(peer, moves)
    await ann.ask("manage", action="close")
    rows = (await cid.next("event", kind="closed"))["board"]["rows"]
    answer = await page(race_server, room, "/log.jsonl")
    assert board_of(answer.lines) == [{column: row[column] for column in COLUMNS} for row in rows]
    assert {row["status"] for row in rows} == {"won", "playing", "waiting"}
    assert verify(answer.body.splitlines()).agrees


async def sealed_log(meet, race_server) -> tuple[Page, str]:  # type: ignore[no-untyped-def]
    """The log of a sealed race with some moves in it, and the commit told at its start."""
    ann: Peer = await meet()
    room = await gather_room(ann, sealed=True)
    await ann.ask("start")
    shown = Shown(await ann.next("game"))
    for n in range(1, 13):
        action = shown.next(n)
        fields = {"src": action.src, "dst": action.dst} if action.op == "m" else {}
        done = await ann.op(n, action.op, **fields)
        assert done["t"] == "done", done
        shown.take(done)
    commit = (await ann.first("event", kind="started"))["commit"]
    await ann.ask("manage", action="close")
    return await page(race_server, room, "/log.jsonl"), commit


async def test_a_sealed_deal_is_opened_by_the_log(meet, race_server) -> None:
    answer, commit = await sealed_log(meet, race_server)
    head = answer.lines[0]
    assert head["commit"] == commit
    assert hashlib.sha256(f"{head['code']}:{head['nonce']}".encode()).hexdigest() == commit
    report = verify(answer.body.splitlines())
    assert report.agrees, report.differs
    assert board_of(answer.lines) == head["board"]
    for change in ({"nonce": "0" * 32}, {"code": head["code"][:-1] + "A"}, {"commit": "0" * 64}):
        lines = [json.dumps({**head, **change}).encode(), *answer.body.splitlines()[1:]]
        assert change.items() <= head.items() or not verify(lines).agrees


def _faster(lines: list[Map]) -> None:
    lines[1]["log"][-1][0] -= 1


def _one_less(lines: list[Map]) -> None:
    lines[2]["log"].pop()


def _another_move(lines: list[Map]) -> None:
    lines[1]["log"][0][1] = "1>2" if lines[1]["log"][0][1] != "1>2" else "2>1"


def _better_row(lines: list[Map]) -> None:
    lines[0]["board"][1]["home"] += 1


def _swapped_ranks(lines: list[Map]) -> None:
    rows = lines[0]["board"]
    rows[0], rows[1] = rows[1], rows[0]


def _other_deal(lines: list[Map]) -> None:
    lines[0]["code"] = CODE[:-1] + ("A" if CODE[-1] != "A" else "B")


def _no_kick(lines: list[Map]) -> None:
    lines[0]["events"] = [event for event in lines[0]["events"] if event["kind"] != "kicked"]


def _no_player(lines: list[Map]) -> None:
    lines.pop(2)


def _earlier_win(lines: list[Map]) -> None:
    next(event for event in lines[0]["events"] if event["kind"] == "won")["ms"] -= 5


def _no_row(lines: list[Map]) -> None:
    lines[0]["board"].pop()


TAMPERINGS: list[Callable[[list[Map]], None]] = [
    _faster, _one_less, _another_move, _better_row, _swapped_ranks, _other_deal, _no_kick, _no_player,
    _earlier_win, _no_row,
]  # fmt: skip


async def test_a_log_that_somebody_has_changed_differs_whatever_they_changed(meet, race_server) -> None:
    room, _ = await eventful_race(meet)
    lines = (await page(race_server, room, "/log.jsonl")).lines
    assert verify([json.dumps(line).encode() for line in lines]).agrees
    for tamper in TAMPERINGS:
        changed = json.loads(json.dumps(lines))
        tamper(changed)
        report = verify([json.dumps(line).encode() for line in changed])
        assert report.differs, tamper.__name__


async def test_a_cancelled_room_has_a_log_as_well(meet, race_server) -> None:
    ann = await meet()
    room = await gather_room(ann, sealed=True)
    await ann.ask("manage", action="close", text="no")
    answer = await page(race_server, room, "/log.jsonl")
    assert [event["kind"] for event in answer.lines[0]["events"]] == ["created", "joined", "closed"]
    assert answer.lines[0]["board"] == [
        {"rank": 1, "player": ann.player, "name": "A", "status": "waiting", "moves": 0, "undone": 0,
         "redeals": 3, "home": 8, "ms": 0}
    ]  # fmt: skip
    assert verify(answer.body.splitlines()).agrees
