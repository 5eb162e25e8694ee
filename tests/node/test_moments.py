"""`v` is the order of what happened, `at` when it came to be so; and a log that tells both can be checked."""

from __future__ import annotations

from client_cli.verify import verify
from tests.support.peer import Peer
from tests.support.races import events, start_race
from tests.support.web import fetch


async def later_than(peer: Peer, moment: int) -> None:
    """Wait until the race clock has gone past a moment."""
    while (await peer.ask("clock", sent=1))["now"] <= moment:
        pass


async def test_a_forfeit_that_a_look_makes_final_closes_the_race_then_and_not_before(
    meet, race_server
) -> None:
    ann, bob = await meet(), await meet("json")
    room = await start_race(ann, bob)
    for peer, other in ((bob, ann), (ann, bob)):
        assert (await peer.ask("forfeit"))["t"] == "ok"
        await later_than(peer, (await ann.next("event", kind="forfeited"))["at"])
        assert (await peer.ask("follow", player=other.player))["t"] == "view"
    closed = await ann.next("event", kind="closed")
    story = events(ann)
    assert story[closed["v"] - 1]["kind"] == "watching"
    assert closed["at"] == story[closed["v"] - 1]["at"]
    begun = next(v for v in story if story[v]["kind"] == "started")
    moments = [story[v]["at"] for v in range(begun, closed["v"] + 1)]
    assert moments == sorted(moments)
    log = (await fetch(race_server.port, f"/api/rooms/{room}/log.jsonl")).body
    report = verify(log.splitlines(keepends=True))
    assert report.agrees, report
