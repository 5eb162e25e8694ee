"""A race whose store has its clock set back by minutes, as when a server with an earlier one takes over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.golden import SHORTEST_WIN
from tests.support.nodes import node_on
from tests.support.peer import Peer
from tests.support.races import game_on_entering, play, play_well, start_race
from tests.support.recount import COLUMNS, board_of
from tests.support.valkey import ValkeyProcess
from tests.support.web import fetch
from tests.support.wrong_clock import WrongClock, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
BACK_MS = 300_000


@pytest.fixture
def clock(tmp_path: Path) -> WrongClock:
    return WrongClock(tmp_path / "clock")


@pytest.fixture
def valkey(clock: WrongClock) -> Iterator[ValkeyProcess]:
    valkey = ValkeyProcess()
    valkey.environment = clock.environment
    with valkey:
        yield valkey


def online_told(peer: Peer, player: str) -> list[bool]:
    """What a peer was told of somebody's presence. Whoever is on another node may be told to be away till
    their next beat: how old a presence of the future is cannot be known."""
    return [message["online"] for message in peer.all("presence") if message["player"] == player]


async def test_times_stand_still_and_the_race_goes_on_to_its_end(
    valkey: ValkeyProcess, clock: WrongClock
) -> None:
    async with node_on(valkey.url) as one, node_on(valkey.url) as other:
        ann, bob, watcher, late = [await Peer.hello(one) for _ in range(4)]
        leaver = await Peer.hello(other)
        room = await start_race(ann, bob, deal=CODE, spectators="live", visibility="open")
        for spectator, name in ((watcher, "W"), (leaver, "L")):
            await spectator.enter(room, name, as_="spectator")
        assert (await watcher.ask("follow", player=ann.player))["t"] == "view"
        before = await play_well(ann, MOVES[:5])
        start_at = ann.all("game")[0]["start_at"]
        clock.set_ms(-BACK_MS)
        after = await play_well(ann, MOVES[5:10], first=6)
        assert [done["ms"] for done in after] == [before[-1]["ms"]] * 5
        last_at = start_at + after[-1]["ms"]
        assert (await ann.ask("clock", sent=1))["now"] == last_at
        await watcher.next("seen", n=10)  # though its stamp is yet to come, by the clock as it is

        # Who comes and goes is told, and not of a moment that had passed before.
        await late.enter(room, "Late", as_="spectator")
        assert (await ann.next("event", where=lambda event: late.player in str(event)))["at"] == last_at
        await leaver.close()
        await ann.until(lambda: online_told(ann, leaver.player)[-1:] == [False])

        # Bob's line is still there, for all that the nodes know; and he comes over another.
        again = await Peer.hello(other, token=bob.token)
        assert (await game_on_entering(again, room))["n"] == 0
        assert (await bob.wait_closed())[0] == 4409
        shown = again.all("room")[-1]
        assert shown["state"] == "running"
        assert last_at <= shown["now"] <= shown["board"]["at"] < last_at + BACK_MS

        # Both win, and that is told at once.
        done = await play_well(again, MOVES)
        assert {answer["ms"] for answer in done} == {0}
        await play_well(ann, MOVES[10:], first=11)
        closed = [await peer.next("event", kind="closed") for peer in (ann, again, watcher)]
        rows: list[list[dict[str, Any]]] = [event.pop("board")["rows"] for event in closed]
        assert closed[0] == closed[1] == closed[2]
        assert [row["online"] for row in rows[0]] == [True, True]
        won = [event["at"] for event in ann.all("event") if event["kind"] == "won"]
        assert won == [start_at, last_at]
        assert (closed[0]["reason"], closed[0]["at"]) == ("finished", last_at)
        lines = (await fetch(int(one.split(":")[2].split("/")[0]), f"/api/rooms/{room}/log.jsonl")).lines
        assert board_of(lines) == [{column: row[column] for column in COLUMNS} for row in rows[0]]
        for peer in (ann, again, watcher, late, bob):
            await peer.close()


async def test_moments_that_were_not_reached_come_later_by_as_much(
    valkey: ValkeyProcess, clock: WrongClock
) -> None:
    """And when the clock is put right again, at once."""
    async with node_on(valkey.url) as node, await Peer.hello(node) as ann, await Peer.hello(node) as bob:
        limited = await start_race(ann, deal=CODE, limit_ms=60_000)
        await bob.create(min_players=1, countdown_ms=1_500, deal=CODE)
        room = bob.all("room")[-1]["room"]
        await bob.enter(room, "Bob")
        await bob.ask("start")
        start_at = (await bob.next("event", kind="countdown"))["start_at"]
        clock.set_ms(-BACK_MS)
        (first,) = await play_well(ann, MOVES[:1])
        assert (await bob.ask("clock", sent=1))["now"] < start_at
        assert [shown["state"] for shown in bob.all("room")] == ["lobby"] * 2
        clock.set_ms(61_000)
        (refused,) = await play(ann, MOVES[1:2], first=2)  # by which the node hears of it
        assert refused["code"] == "not_running"
        closed = await ann.next("event", kind="closed")
        assert (closed["reason"], closed["board"]["rows"][0]["ms"]) == ("limit", first["ms"])
        started = await bob.next("event", kind="started")
        assert (started["at"], started["start_at"]) == (start_at, start_at)
        assert limited != room
