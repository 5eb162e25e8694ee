"""A server that is stopped or killed and started again on its data: rooms, games and moments go on."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time

import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.golden import SHORTEST_WIN, Action
from tests.support.peer import Peer
from tests.support.races import bare, game_on_entering, gather_room, play_well, request, start_race, told
from tests.support.server import ServerProcess

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions


def again(server: ServerProcess, number: int) -> None:
    """End the server by this signal, and start it again."""
    if number == signal.SIGKILL:
        server.kill()
    else:
        assert server.end(number) == 0, server.errors
    server.start()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda n: n.name)
async def test_rooms_games_moves_and_the_clock_are_there_after_a_restart(
    meet, own_server: ServerProcess, number: int
) -> None:
    ann, bob = await meet(url=own_server.url), await meet("json", url=own_server.url)
    room = await start_race(ann, bob, deal=CODE)
    before = await play_well(ann, MOVES[:50])
    await play_well(bob, MOVES[:3])
    start_at = ann.all("game")[0]["start_at"]
    await asyncio.to_thread(again, own_server, number)
    code, _ = await ann.wait_closed()
    assert code in ((0, 1006) if number == signal.SIGKILL else (1001, 1012))

    ann = await meet("json", token=ann.token, url=own_server.url)
    shown = await ann.ask("enter", room=room)
    assert (shown["state"], shown["start_at"], shown["code"]) == ("running", start_at, CODE)
    if number != signal.SIGKILL:  # else B's presence is a lease that has not run out yet
        assert {p["name"]: p["online"] for p in shown["players"]} == {"A": True, "B": False}
    rows = {row["name"]: row for row in shown["board"]["rows"]}
    assert rows["A"]["ms"] == before[-1]["ms"]
    assert rows["B"]["moves"] == told(CODE, MOVES[:3]).moves
    game = await ann.next("game")
    assert bare(game) == told(CODE, MOVES[:50]).game()
    assert (game["start_at"], game["ms"]) == (start_at, before[-1]["ms"])
    repeated = await play_well(ann, MOVES[40:50], first=41)
    assert [done["ms"] for done in repeated] == [done["ms"] for done in before[40:]]
    rest = await play_well(ann, MOVES[50:], first=51)
    assert rest[-1]["status"] == "won"
    assert rest[-1]["ms"] > before[-1]["ms"]
    won = await ann.next("event", kind="won")
    assert won["at"] == start_at + rest[-1]["ms"]
    bob = await meet(token=bob.token, url=own_server.url)
    assert bare(await game_on_entering(bob, room)) == told(CODE, MOVES[:3]).game()


async def test_no_acknowledged_action_is_lost_when_the_server_is_killed_amid_a_stream(
    meet, own_server: ServerProcess
) -> None:
    ann = await meet(url=own_server.url)
    room = await start_race(ann, deal=CODE)
    stream = [MOVES[0], Action("u")] * 2400
    stored = 0
    for kill in range(2):
        sending = asyncio.create_task(send_all(ann, stream, stored))
        await ann.next("done", where=lambda done, least=stored + 40 * kill + 1: done["n"] >= least)
        await asyncio.to_thread(own_server.kill)
        await ann.wait_closed()
        await sending
        await asyncio.to_thread(own_server.start)
        acknowledged = ann.all("done")[-1]["n"]
        ann = await meet(token=ann.token, url=own_server.url)
        game = await game_on_entering(ann, room)
        assert acknowledged <= game["n"] < len(stream)
        assert bare(game) == told(CODE, stream[: game["n"]]).game()
        stored = game["n"]


async def send_all(peer: Peer, stream: list[Action], stored: int) -> None:
    """Send the rest of a stream, at most a hundred ahead of its answers, until the line breaks."""

    def answered() -> int:
        return next((m["n"] for m in reversed(peer.received) if m["t"] == "done"), stored)

    with contextlib.suppress(ConnectionClosed):
        for n, action in enumerate(stream[stored:], stored + 1):
            await peer.send(**request(n, action))
            if n % 25 == 0:
                await peer.until(lambda n=n: answered() > n - 100 or peer.closed is not None)  # type: ignore[misc]


async def test_moments_that_passed_while_no_server_ran_are_made_good_as_they_were(
    meet, own_server: ServerProcess
) -> None:
    ann, bob = await meet(url=own_server.url), await meet("json", url=own_server.url)
    close_at = await race_now(ann) + 1500
    racing = await start_race(ann, deal=CODE, close_at=close_at)
    await play_well(ann, MOVES[:3])
    lobby = await gather_room(bob, deal=CODE, countdown_ms=1000)
    await bob.ask("start")
    start_at = (await bob.next("event", kind="countdown"))["start_at"]
    assert await asyncio.to_thread(own_server.stop) == 0
    await asyncio.to_thread(until_local, max(close_at, start_at) + 600)
    await asyncio.to_thread(own_server.start)

    ann = await meet(token=ann.token, url=own_server.url)
    shown = await ann.ask("enter", room=racing)
    if shown["state"] == "running":
        closed = await ann.next("event", kind="closed")
        assert (closed["at"], closed["reason"]) == (close_at, "limit")
        shown = await ann.ask("enter", room=racing)
    assert (shown["state"], shown["ends_at"], shown["code"]) == ("closed", close_at, CODE)
    assert shown["board"]["rows"][0]["moves"] == 3
    (answer,) = await ann.pipeline([request(4, MOVES[3])])
    assert answer["code"] == "not_running"

    bob = await meet(token=bob.token, url=own_server.url)
    shown = await bob.ask("enter", room=lobby)
    game = await bob.next("game")
    assert bare(game) == told(CODE, []).game()
    assert game["start_at"] == start_at
    for started in bob.all("event"):
        assert (started["kind"], started["at"], started["start_at"]) == ("started", start_at, start_at)
    (done,) = await play_well(bob, MOVES[:1])
    assert done["ms"] >= 600


async def test_moments_that_are_not_over_are_kept_after_a_restart(meet, own_server: ServerProcess) -> None:
    ann, bob = await meet(url=own_server.url), await meet("json", url=own_server.url)
    close_at = await race_now(ann) + 7000
    racing = await start_race(ann, deal=CODE, close_at=close_at)
    lobby = await gather_room(bob, deal=CODE, countdown_ms=6000)
    await bob.ask("start")
    start_at = (await bob.next("event", kind="countdown"))["start_at"]
    await asyncio.to_thread(again, own_server, signal.SIGKILL)

    bob = await meet(token=bob.token, url=own_server.url)
    shown = await bob.ask("enter", room=lobby)
    assert (shown["state"], shown["start_at"]) == ("countdown", start_at)
    ann = await meet(token=ann.token, url=own_server.url)
    shown = await ann.ask("enter", room=racing)
    assert (shown["state"], shown["ends_at"]) == ("running", close_at)
    await play_well(ann, MOVES[:3])
    started = await bob.next("event", kind="started")
    assert (started["at"], started["start_at"]) == (start_at, start_at)
    assert (await bob.next("game"))["start_at"] == start_at
    closed = await ann.next("event", kind="closed")
    assert (closed["reason"], closed["at"]) == ("limit", close_at)


async def test_a_win_whose_event_was_not_stored_is_told_and_the_race_closed(
    meet, own_server: ServerProcess
) -> None:
    """Whenever the kill falls between the winning action and what follows from it, it is made good."""
    ann = await meet(url=own_server.url)
    room = await start_race(ann, deal=CODE)
    for n, action in enumerate(MOVES, 1):
        await ann.send(**request(n, action))
    await ann.next("done", where=lambda done: done["n"] == len(MOVES))
    await asyncio.to_thread(again, own_server, signal.SIGKILL)
    ms = next(done["ms"] for done in ann.all("done") if done["status"] == "won")
    ann = await meet(token=ann.token, url=own_server.url)
    shown = await ann.ask("enter", room=room)
    if shown["state"] != "closed":
        closed = await ann.next("event", kind="closed")
        assert closed["reason"] == "finished"
        shown = await ann.ask("enter", room=room)
    row = shown["board"]["rows"][0]
    assert (row["status"], row["ms"]) == ("won", ms)


async def race_now(peer: Peer) -> int:
    return int((await peer.ask("clock", sent=1))["now"])


def until_local(moment_ms: int) -> None:
    """Wait for a moment of the race clock, which is this machine's where the store is embedded."""
    while time.time() * 1000 < moment_ms:
        time.sleep(0.02)
