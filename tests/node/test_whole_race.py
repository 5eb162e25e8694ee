"""Whole races over real sockets: each golden game that is won, by two players, before a spectator."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.golden import WON, Golden
from tests.support.peer import Peer
from tests.support.races import bare, events, gather_room, play, request, told
from tests.support.table import Table

Map = dict[str, Any]


async def play_one_by_one(peer: Peer, golden: Golden) -> list[Map]:
    """Each action only after the answer to the one before."""
    return [(await peer.pipeline([request(n, action)]))[0] for n, action in enumerate(golden.actions, 1)]


def check_dones(dones: list[Map], golden: Golden, *, open: bool) -> None:
    """Every answer is what the rules' fold says, and the end is the case's own."""
    table = Table(golden.code, open=open)
    last_ms = 0
    for done, action in zip(dones, golden.actions, strict=True):
        assert bare(done) == table.play(action.op, action.src, action.place)
        assert done["ms"] >= last_ms
        last_ms = done["ms"]
    assert table.state() == golden.final


def expected_row(peer: Peer, name: str, rank: int, golden: Golden, ms: int) -> Map:
    row = told(golden.code, golden.actions).row()
    return row | {"rank": rank, "player": peer.player, "name": name, "ms": ms, "online": True}


def test_there_are_won_games_to_play() -> None:
    assert len(WON) >= 6


@pytest.mark.parametrize(
    ("golden", "visibility"),
    [(golden, ("top", "open")[number % 2]) for number, golden in enumerate(WON)],
    ids=lambda value: value if isinstance(value, str) else value.code,
)
async def test_everyone_is_told_the_same_of_a_race_that_two_win(
    meet, golden: Golden, visibility: str
) -> None:
    ann, bob, eve = await meet("msgpack"), await meet("json"), await meet("json")
    room = await gather_room(ann, [bob], deal=golden.code, visibility=visibility, min_players=2)
    await eve.enter(room, "Eve", as_="spectator")
    assert (await ann.ask("start"))["t"] == "ok"
    started = await eve.next("event", kind="started")
    assert started["code"] == golden.code
    for peer in (ann, bob):
        game = await peer.next("game")
        assert bare(game) == Table(golden.code, open=visibility == "open").game()
        assert game["start_at"] == started["start_at"]
        assert "ms" not in game
        kinds = [message["t"] for message in peer.received]
        assert kinds.index("game") > kinds.index("event", 1)

    dones = {ann: await play(ann, golden.actions), bob: await play_one_by_one(bob, golden)}
    closed = {peer: await peer.next("event", kind="closed") for peer in (ann, bob, eve)}
    for answers in dones.values():
        check_dones(answers, golden, open=visibility == "open")

    for peer, name in ((ann, "A"), (bob, "B")):
        last = dones[peer][-1]
        won = await eve.first("event", kind="won", player=peer.player)
        assert (won["name"], won["ms"], won["moves"]) == (name, last["ms"], golden.final["moves"])
        assert won["at"] == started["start_at"] + last["ms"]

    ann_ms, bob_ms = dones[ann][-1]["ms"], dones[bob][-1]["ms"]
    assert ann_ms < bob_ms
    end = closed[eve]
    assert (end["reason"], end["code"], end["at"]) == ("finished", golden.code, started["start_at"] + bob_ms)
    assert end["board"]["rows"] == [
        expected_row(ann, "A", 1, golden, ann_ms),
        expected_row(bob, "B", 2, golden, bob_ms),
    ]
    check_alike(ann, bob, eve)


def check_alike(*peers: Peer) -> None:
    """All were told the same events, without a gap, and the same boards."""
    shared = max(min(events(peer)) for peer in peers)
    stories = [{v: event for v, event in events(peer).items() if v >= shared} for peer in peers]
    assert stories[0] == stories[1] == stories[2]
    assert list(stories[0]) == list(range(shared, max(stories[0]) + 1))
    by_seq: dict[int, Map] = {}
    for peer in peers:
        seqs = [board["seq"] for board in peer.all("board")]
        assert seqs == sorted(set(seqs))
        for board in peer.all("board"):
            assert by_seq.setdefault(board["seq"], board) == board
    common = set.intersection(*({board["seq"] for board in peer.all("board")} for peer in peers))
    assert len(common) >= 3


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
async def test_optional_fields_are_left_out(meet, encoding: str) -> None:
    golden = WON[0]
    ann = await meet(encoding)
    await gather_room(ann, deal=golden.code)
    await ann.ask("start")
    await ann.next("game")
    await play(ann, golden.actions[:5])
    await ann.ask("clock", sent="now")
    assert ann.received
    assert all(value is not None for message in ann.received for value in message.values())
