"""A race looked at again: a real one, against a recount of its own, at every moment."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from bisect import bisect_right
from typing import Any

import pytest

from client_cli.replay_bars import bar, bar_lines
from client_cli.replay_model import CHECKPOINT_ACTIONS, Replay
from client_cli.report import NotALogError
from server.engine.actions import Action
from server.engine.game import Game
from server.engine.notation import parse_action
from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import play_well, start_race

MOVES = SHORTEST_WIN.actions


async def _race(url: str) -> str:
    """A wins; B plays, gives up, plays on and gives up again; C is disqualified; D plays nothing."""
    peers = [await Peer.hello(url) for _ in range(4)]
    ann, bob, cid, dan = peers
    try:
        room = await start_race(*peers, deal=SHORTEST_WIN.code)
        await play_well(bob, MOVES[:10])
        await bob.ask("forfeit")
        await bob.ask("unforfeit")
        await play_well(bob, MOVES[10:30], first=11)
        await play_well(cid, MOVES[:5])
        await ann.ask("manage", action="disqualify", player=cid.player, reason="a test")
        await bob.ask("forfeit")
        await play_well(ann, MOVES)
        await dan.ask("forfeit")
        await ann.ask("manage", action="close")
        await ann.next("event", kind="closed")
    finally:
        for peer in peers:
            await peer.close()
    return room


@pytest.fixture(scope="module")
def log(race_server: Any) -> bytes:
    room = asyncio.run(_race(race_server.url))
    with urllib.request.urlopen(f"{race_server.http}/api/rooms/{room}/log.jsonl") as page:
        return bytes(page.read())


@pytest.fixture
def replay(log: bytes) -> Replay:
    return Replay.read(log.splitlines())


def players(log: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.splitlines()[1:]]


def play(game: Game, action: Action) -> None:
    refused = {"m": lambda: game.move(action.src, action.dst), "r": game.redeal, "u": game.undo}[action.op]()
    assert not isinstance(refused, str)


def test_at_the_end_it_is_the_board(log: bytes, replay: Replay) -> None:
    board = json.loads(log.splitlines()[0])["board"]
    told = [
        {name: getattr(standing, name) for name in board[0] if name != "rank"}
        for standing in replay.at(replay.end_ms)
    ]
    assert told == [{name: value for name, value in row.items() if name != "rank"} for row in board]
    assert {row["status"] for row in board} == {"won", "forfeited", "disqualified"}


def test_every_moment_is_the_log_so_far(log: bytes, replay: Replay) -> None:
    moments = sorted({0, *(ms for line in players(log) for ms, _ in line["log"]), replay.end_ms + 1})
    for line in players(log):
        times = [ms for ms, _ in line["log"]]
        game, n = Game.deal(replay.code), 0
        for ms in moments:
            while n < bisect_right(times, ms):
                play(game, parse_action(game, line["log"][n][1]))
                n += 1
            standing = replay.player(line["player"]).at(ms)
            seen = (standing.n, standing.home, standing.moves, standing.redeals)
            assert seen == (n, game.home, game.moves, game.redeals)
            assert standing.action == (line["log"][n - 1][1] if n else "")
            position = replay.position(line["player"], ms, full=True)
            assert position.piles == game.piles
            assert (position.up, position.down) == (game.up, game.down)


def test_to_jump_is_to_walk(replay: Replay) -> None:
    ann = replay.players[0]
    assert len(ann.actions) > CHECKPOINT_ACTIONS
    walked = Game.deal(replay.code)
    for n, action in enumerate(ann.plays):
        before = ann.times_ms[n] - 1
        if ann.count(before) == n:  # else several came in one millisecond
            assert ann.game(before).piles == walked.piles
        play(walked, action)
    assert ann.game(replay.end_ms).won


def test_steps_go_forth_and_back(log: bytes, replay: Replay) -> None:
    every = sorted({ms for line in players(log) for ms, _ in line["log"]})
    forth, ms = [], -1
    while (ms := replay.next_ms(ms)) not in forth:
        forth.append(ms)
    assert [ms for ms in forth if ms in every] == every
    back, ms = [], replay.end_ms + 1
    while (ms := replay.previous_ms(ms)) not in back:
        back.append(ms)
    assert [ms for ms in back if ms in every] == every[::-1]
    assert len(replay.steps(-1, replay.end_ms)) == sum(len(line["log"]) for line in players(log))
    # There may be few: what came at once shares a millisecond.
    first, last = len(every) // 4, 3 * len(every) // 4
    assert 0 <= first < last
    assert {step.ms for step in replay.steps(every[first], every[last])} == set(every[first + 1 : last + 1])
    assert (replay.within(-5), replay.within(replay.end_ms + 5)) == (0, replay.end_ms)


def test_who_gave_up_is_out_until_they_play_on(log: bytes, replay: Replay) -> None:
    header = json.loads(log.splitlines()[0])
    bob = replay.named("b")
    assert bob is not None
    start = next(event["start_at"] for event in header["events"] if event["kind"] == "started")
    spans = [
        (event["kind"], event["at"] - start)
        for event in header["events"]
        if event.get("player") == bob.player and event["kind"] in ("forfeited", "unforfeited")
    ]
    assert [kind for kind, _ in spans] == ["forfeited", "unforfeited", "forfeited"]
    (_, out_ms), (_, back_ms), (_, gone_ms) = spans
    assert bob.at(out_ms - 1).status == "playing"
    if back_ms > out_ms:
        assert bob.at(out_ms).status == "forfeited"
    assert bob.at(back_ms).status == ("playing" if gone_ms > back_ms else "forfeited")
    assert bob.at(gone_ms).status == bob.at(replay.end_ms).status == "forfeited"


def test_of_a_log_whose_events_do_not_agree_the_games_are_shown(log: bytes) -> None:
    header, *lines = log.splitlines()
    told = json.loads(header)
    told["events"] = told["events"][2:]
    replay = Replay.read([json.dumps(told).encode(), *lines])
    assert replay.at(replay.end_ms)[0].status == "won"


def test_an_action_that_cannot_be_is_where_a_game_stops(log: bytes) -> None:
    header, *lines = log.splitlines()
    line = json.loads(lines[0])
    line["log"][3][1] = "1>1"
    replay = Replay.read([header, json.dumps(line).encode(), *lines[1:]])
    assert replay.player(line["player"]).at(replay.end_ms).n == 3


def test_what_is_no_log_is_none() -> None:
    with pytest.raises(NotALogError):
        Replay.read([b"{}"])


def test_bars_side_by_side(replay: Replay) -> None:
    lines = bar_lines(replay.at(replay.end_ms), "en", 80)
    assert lines[0] == f"A {'█' * 52} 104/104 won"
    assert all(len(line) <= 80 for line in lines)
    narrow = bar_lines(replay.at(replay.end_ms), "da", 40, ascii_only=True)
    assert narrow[0].isascii()
    assert all(len(line) <= 40 for line in narrow)
    assert [bar(home, 13) for home in (8, 103, 104)] == ["█" + "░" * 12, "█" * 12 + "░", "█" * 13]
