"""Rooms of own starts: what is not shown of others is not told by the way either, but after the close."""

from __future__ import annotations

from typing import Any

from client_cli.verify import verify
from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import events, gather_room, play_well, told
from tests.support.web import fetch

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
OWN = {"start": "own", "deal": CODE}
FIGURES = ("ms", "moves", "n")

Map = dict[str, Any]


async def started(*peers: Peer) -> None:
    for peer in peers:
        assert (await peer.ask("ready", ready=True))["t"] == "ok"
        await peer.next("game", n=0)


async def boards_told(peer: Peer, since: int) -> list[Map]:
    """The boards that came since, up to now."""
    await peer.ask("clock", sent=1)
    return [message for message in peer.received[since:] if message["t"] == "board"]


def without(event: Map, *names: str) -> Map:
    """An event without these fields, and without what is told of the deal only where it may be known."""
    return {name: value for name, value in event.items() if name not in (*names, "code", "board")}


async def test_neither_the_coming_of_a_board_nor_its_number_tells_that_others_play(meet) -> None:
    host, ann, bob, eve = await meet(), await meet(), await meet("json"), await meet()
    room = await host.create(**OWN)
    await ann.enter(room, "A")
    await bob.enter(room, "B")
    await eve.enter(room, "Eve", as_="spectator")
    await started(ann, bob)
    await play_well(bob, MOVES[:1])
    await bob.next("board", where=lambda board: board["rows"][0]["moves"] == 1)
    since = {peer: len(peer.received) for peer in (bob, eve)}
    for n in range(1, 11):  # one by one, for a board each
        await play_well(ann, MOVES[n - 1 : n], first=n)
        await host.next(
            "board", where=lambda m, n=n: told(CODE, MOVES[:n]).moves in [r["moves"] for r in m["rows"]]
        )
    for peer in (bob, eve):
        assert await boards_told(peer, since[peer]) == []
        assert (await peer.ask("enter", room=room))["board"]["seq"] == 0
    await play_well(bob, MOVES[1:2], first=2)
    board = await bob.next("board", where=lambda board: board["rows"][0]["moves"] == 2)
    assert board["seq"] == 1
    assert [row["player"] for row in board["rows"]] == [bob.player]


async def test_what_is_told_is_never_older_than_what_was_whoever_may_see_what(meet) -> None:
    """By the numbers: a client drops what is not above the last. Through every change of who sees what."""
    host, ann, ref = await meet(), await meet(), await meet("json")
    room = await host.create(deal=CODE)
    await ann.enter(room, "A")
    await ref.enter(room, "Ref", as_="spectator")
    since = len(ref.received), len(ann.received)

    async def manage(action: str, **fields: Any) -> None:
        assert (await host.ask("manage", action=action, **fields))["t"] == "ok"

    async def until(peer: Peer, moves: int, rows: int) -> None:
        await peer.next("board", where=lambda m: [r["moves"] for r in m["rows"]] == [moves] * rows)

    await manage("set", options={"name": "One"})
    await until(ann, 0, 1)
    for start in ("own", "host", "own"):
        seq = max(board["seq"] for board in host.all("board"))
        await manage("set", options={"start": start})
        await host.first("board", where=lambda board, seq=seq: board["seq"] > seq)
    await started(ann)
    await play_well(ann, MOVES[:1])
    await until(ann, 1, 1)
    await manage("referee", player=ref.player, on=True)
    await until(ref, 1, 1)
    await manage("referee", player=ref.player, on=False)
    await until(ref, 0, 0)
    await play_well(ann, MOVES[1:2], first=2)
    await manage("referee", player=ref.player, on=True)
    await until(ref, 2, 1)
    await manage("close")
    for peer, start in zip((ref, ann), since, strict=True):
        closed = await peer.next("event", kind="closed")
        seqs = [board["seq"] for board in await boards_told(peer, start)]
        assert seqs == sorted(set(seqs))
        assert closed["board"]["seq"] > seqs[-1]


async def test_the_log_has_of_a_win_what_its_player_was_told(meet, race_server) -> None:
    ann, bob = await meet(), await meet("json")
    room = await gather_room(ann, [bob], **OWN)
    await started(ann, bob)
    won = (await play_well(ann, MOVES))[-1]
    assert (await bob.ask("forfeit"))["t"] == "ok"
    assert (await ann.ask("manage", action="close"))["t"] == "ok"
    await bob.next("event", kind="closed")
    page = await fetch(race_server.port, f"/api/rooms/{room}/log.jsonl")
    told_since = {event["v"]: event for event in page.lines[0]["events"]}
    for peer in (ann, bob):
        for v, event in events(peer).items():
            own = event.get("player") == peer.player
            hidden = () if own and event["kind"] == "won" else FIGURES
            assert without(told_since[v], *hidden, "n") == without(event, *hidden, "t", "room")
    (win,) = [event for event in told_since.values() if event["kind"] == "won"]
    assert (win["ms"], win["moves"], win["n"]) == (won["ms"], won["moves"], len(MOVES))
    report = verify(page.body.splitlines(keepends=True))
    assert report.agrees, report
