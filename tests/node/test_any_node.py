"""Any node serves any player of any room: all are shown the same, and what is stored is stored once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from math import inf
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from server.node.hub import Hub
from server.node.live_game import LiveGame
from tests.support.golden import SHORTEST_WIN, Action
from tests.support.nodes import node_on
from tests.support.peer import PATIENCE_S, Peer
from tests.support.races import (
    bare,
    events,
    game_on_entering,
    gather_room,
    play,
    play_well,
    request,
    start_race,
    told,
)  # fmt: skip
from tests.support.recount import board_of
from tests.support.web import fetch

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
Map = dict[str, Any]

# How long before (or, below 0, after) the command on one node the action goes out on the other, in ms. The
# first and the last are one after the other, so that the outcome is known; between, it is anybody's.
LEADS_MS = (inf, 5, 3, 2, 1.5, 1, 0.5, 0, 0, -0.5, -1, -1.5, -2, -3, -5, -inf)


async def at_once(action: Any, command: Any, lead_ms: float) -> tuple[Any, Any]:
    """The answers to both, the action begun so much earlier; `inf`: answered first."""

    async def later(work: Any, delay_ms: float) -> Any:
        await asyncio.sleep(max(0.0, delay_ms) / 1000)
        return await work

    if lead_ms == inf:
        return await action, await command
    if lead_ms == -inf:
        commanded = await command
        return await action, commanded
    answers = await asyncio.gather(later(action, -lead_ms), later(command, lead_ms))
    return answers[0], answers[1]


async def log_of(nodes: Any, room: str) -> list[Map]:
    """The log of a closed race, from each node the same."""
    pages = [await fetch(node.port, f"/api/rooms/{room}/log.jsonl") for node in nodes]
    assert {page.status for page in pages} == {200}
    assert len({page.body for page in pages}) == 1
    lines: list[Map] = pages[0].lines
    return lines


# The same everywhere


async def test_everybody_on_either_node_is_told_the_same_story_and_the_same_end(meet, two_nodes) -> None:
    peers = [await meet(("msgpack", "json")[n % 3 == 2], url=two_nodes[n % 2].url) for n in range(7)]
    host, *players = peers[:6]
    eve = peers[6]
    room = await gather_room(host, players, deal=CODE, late=True)
    await eve.enter(room, "Eve", as_="spectator")
    await host.ask("start")
    for peer in (host, *players):
        await peer.next("game")
    late = await meet("json", url=two_nodes[1].url)
    await asyncio.gather(
        play_well(host, MOVES),
        late.enter(room, "Late"),
        *(play_well(player, MOVES[: 20 * n]) for n, player in enumerate(players, 1)),
    )
    await asyncio.gather(
        players[0].ask("forfeit"),
        players[1].ask("say", text="well"),
        host.ask("manage", action="disqualify", player=players[2].player, reason="shown"),
        play_well(players[3], MOVES[80:], first=81),
    )
    assert (await host.ask("manage", action="close"))["t"] == "ok"
    everybody = [*peers, late]
    ends = [await peer.next("event", kind="closed") for peer in everybody]
    for end in ends:
        end["board"].pop("at")  # when it was drawn up, by each node for itself
    assert len({json.dumps(end) for end in ends}) == 1

    last = ends[0]["v"]
    whole = events(host)
    for peer in everybody:
        story = events(peer)
        assert list(story) == list(range(min(story), last + 1))
        assert story == {v: whole[v] for v in story}
    assert len({(said["text"], said["at"]) for peer in peers for said in peer.all("said")}) == 1

    csvs = [await fetch(node.port, f"/api/rooms/{room}/board.csv") for node in two_nodes]
    assert csvs[0].body == csvs[1].body
    lines = await log_of(two_nodes, room)
    shown = [{name: v for name, v in row.items() if name != "online"} for row in ends[0]["board"]["rows"]]
    assert shown == lines[0]["board"] == board_of(lines)


# One player on two nodes


@pytest.fixture
def unheard() -> set[bytes]:
    """The kinds of hints about a room that `deaf_nodes` do not hear: who has come in elsewhere, at first."""
    return {b"seen"}


@pytest.fixture
async def deaf_nodes(
    unheard: set[bytes], valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[str, str]]:
    """Two nodes to which some hints never come, as may happen to any, and which do not look by themselves so
    soon. So a player can be on both for a while, and a node can judge by what is not so any more."""
    heard = Hub._heard_of_room

    def without(hub: Hub, room: str, message: bytes) -> None:
        if not any(kind in message[:8] for kind in unheard):
            heard(hub, room, message)

    monkeypatch.setattr(Hub, "_heard_of_room", without)
    monkeypatch.setattr("server.node.hub.RECONCILE_MS", 60_000)
    async with node_on(valkey_url) as one, node_on(valkey_url) as other:
        yield one, other


@pytest.fixture
def rejudged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each action that a node found out to be judged on what was not stored any more."""
    found: list[int] = []
    refused = LiveGame._refused_by_store

    def noted(game: LiveGame, attempt: Any, verdict: Any) -> None:
        found.append(attempt.request.n)
        refused(game, attempt, verdict)

    monkeypatch.setattr(LiveGame, "_refused_by_store", noted)
    return found


class OnTwoNodes:
    """One player with a connection in the room on each of two nodes."""

    def __init__(self, meet: Any, urls: tuple[str, str], token: str, room: str) -> None:
        self._meet, self._urls, self._token, self._room = meet, urls, token, room
        self._peers: list[Peer | None] = [None, None]

    async def both(self) -> list[Peer]:
        """Both connections; one that was closed for the newer one is opened again."""
        for number, peer in enumerate(self._peers):
            if peer is None or peer.closed is not None:
                self._peers[number] = again = await self._meet(url=self._urls[number], token=self._token)
                await game_on_entering(again, self._room)
        return [peer for peer in self._peers if peer is not None]

    async def give(self, n: int, first: Action, second: Action, turn: int) -> list[Map | None]:
        """Give each node an action `n` at once; the answers, None of a connection that was closed before."""
        peers = await self.both()
        work = [ask(peers[0], n, first), ask(peers[1], n, second)]
        answers = await asyncio.gather(*(work if turn % 2 else reversed(work)))
        return list(answers if turn % 2 else reversed(answers))


async def ask(peer: Peer, n: int, action: Action, closed: int = 4409) -> Map | None:
    """The answer, or None of a connection that was closed with this code before it came."""
    try:
        return (await peer.pipeline([request(n, action)]))[0]
    except (ConnectionError, ConnectionClosed):
        assert (await peer.wait_closed())[0] == closed
        return None


async def test_the_same_action_given_to_two_nodes_at_once_is_stored_once_and_answered_alike(
    meet, deaf_nodes, rejudged: list[int]
) -> None:
    ann = await meet(url=deaf_nodes[0])
    room = await start_race(ann, deal=CODE)
    player = OnTwoNodes(meet, deaf_nodes, ann.token, room)
    twice, actions = 0, MOVES[:40]
    for n, action in enumerate(actions, 1):
        given = [answer for answer in await player.give(n, action, action, n) if answer is not None]
        assert given, "the newer connection is not closed"
        assert {answer["t"] for answer in given} == {"done"}
        assert all(bare(answer) == bare(given[0]) for answer in given)
        assert len({answer["ms"] for answer in given}) == 1
        twice += len(given) == 2
    assert twice > len(actions) // 2
    newest = await meet(url=deaf_nodes[1], token=ann.token)
    assert bare(await game_on_entering(newest, room)) == told(CODE, actions).game()
    assert rejudged == [], "the same action is the same item, and stored before is stored"


async def test_of_two_different_actions_given_to_two_nodes_at_once_one_is_stored_and_the_other_folds_it_in(
    meet, deaf_nodes, rejudged: list[int]
) -> None:
    ann, host = await meet(url=deaf_nodes[0]), await meet(url=deaf_nodes[1])
    room = await gather_room(host, [ann], deal=CODE)
    await host.ask("start")
    await ann.next("game")
    (first,) = await play_well(ann, MOVES[:1])
    player = OnTwoNodes(meet, deaf_nodes, ann.token, room)
    stored = [(first["ms"], MOVES[0])]
    won_by = [0, 0]
    for turn in range(20):
        # After the first move: back, or on. Then back to where that was.
        n, choices = len(stored) + 1, (Action("u"), MOVES[1])
        peers = await player.both()
        answers = await player.give(n, *choices, turn)
        done = [number for number, answer in enumerate(answers) if answer and answer["t"] == "done"]
        assert len(done) == 1, answers
        winner = done[0]
        stored.append((answers[winner]["ms"], choices[winner]))  # type: ignore[index]
        won_by[winner] += 1
        other = answers[1 - winner]
        if other is not None:
            assert (other["code"], other["stored"]) == ("out_of_step", n)
            game = await peers[1 - winner].next("game", n=n)
            assert bare(game) == told(CODE, [action for _, action in stored]).game()
            assert game["ms"] == stored[-1][0]
        undo = choices[winner].op == "m"
        back = Action("u") if undo else MOVES[0]
        given = [a for a in await player.give(n + 1, back, back, turn) if a is not None]
        assert {(a["t"], a["ms"]) for a in given} == {("done", given[0]["ms"])}
        stored.append((given[0]["ms"], back))
    assert all(won_by), won_by
    assert rejudged, "the two never met in the store"

    assert (await host.ask("manage", action="close"))["t"] == "ok"
    port = int(deaf_nodes[0].split(":")[2].split("/")[0])
    lines = (await fetch(port, f"/api/rooms/{room}/log.jsonl")).lines
    log = next(line["log"] for line in lines[1:] if line["player"] == ann.player)
    assert [ms for ms, _ in log] == [ms for ms, _ in stored]
    assert ["U" if text == "U" else "m" for _, text in log] == [
        "U" if action.op == "u" else "m" for _, action in stored
    ]


async def test_a_player_who_changes_the_node_at_every_move_loses_and_repeats_nothing(meet, two_nodes) -> None:
    ann, host = await meet(url=two_nodes[0].url), await meet(url=two_nodes[0].url)
    room = await start_race(host, ann, deal=CODE)
    times, cut = [], 0
    for n, action in enumerate(MOVES, 1):
        if n % 3 == 0:  # sent, and the line is cut before there is an answer: it may be stored or not
            await ann.send(**request(n, action))
            ann.abort()
        ann = await meet(("msgpack", "json")[n % 2], url=two_nodes[n % 2].url, token=ann.token)
        game = await game_on_entering(ann, room)
        assert game["n"] in ((n - 1, n) if n % 3 == 0 else (n - 1,))
        assert bare(game) == told(CODE, MOVES[: game["n"]]).game()
        cut += game["n"] == n
        (done,) = await play_well(ann, [action], first=n)
        times.append(done["ms"])
    assert cut, "no action was stored whose answer was lost"
    assert times == sorted(times)
    assert (await host.ask("manage", action="close"))["t"] == "ok"
    for peer in (ann, host):
        rows = (await peer.next("event", kind="closed"))["board"]["rows"]
        row = next(row for row in rows if row["player"] == ann.player)
        assert {name: row[name] for name in SHORTEST_WIN.final if name in row} == {
            name: value for name, value in SHORTEST_WIN.final.items() if name in row
        }
        assert row["ms"] == times[-1]
    lines = await log_of(two_nodes, room)
    log = next(line["log"] for line in lines[1:] if line["player"] == ann.player)
    assert [ms for ms, _ in log] == times
    assert lines[0]["board"] == board_of(lines)


# A command on one node, an action on the other


async def test_a_close_against_an_action_on_another_node(meet, two_nodes) -> None:
    host, bob = await meet(url=two_nodes[0].url), await meet("json", url=two_nodes[1].url)
    outcomes = []
    for lead_ms in LEADS_MS:
        room = await start_race(host, bob, deal=CODE)
        (answer,), closed = await at_once(play(bob, MOVES[:1]), host.ask("manage", action="close"), lead_ms)
        assert closed["t"] == "ok"
        stored = answer["t"] == "done"
        assert stored or answer["code"] == "not_running"
        ends = [await peer.next("event", kind="closed") for peer in (host, bob)]
        assert ends[0]["board"]["rows"] == ends[1]["board"]["rows"]
        row = next(row for row in ends[0]["board"]["rows"] if row["player"] == bob.player)
        assert (row["moves"], row["ms"]) == ((1, answer["ms"]) if stored else (0, 0))
        lines = await log_of(two_nodes, room)
        log = next((line["log"] for line in lines[1:] if line["player"] == bob.player), [])
        assert len(log) == stored
        assert lines[0]["board"] == board_of(lines)
        outcomes.append(stored)
    assert (outcomes[0], outcomes[-1]) == (True, False)


async def test_a_disqualification_against_an_action_on_another_node(meet, two_nodes) -> None:
    host, bob = await meet("json", url=two_nodes[0].url), await meet(url=two_nodes[1].url)
    room = await start_race(host, bob, deal=CODE)
    actions: list[Action] = []
    outcomes = []
    for lead_ms in LEADS_MS:
        action = Action("u") if len(actions) % 2 else MOVES[0]
        (answer,), told_ok = await at_once(
            play(bob, [action], first=len(actions) + 1),
            host.ask("manage", action="disqualify", player=bob.player, reason=""),
            lead_ms,
        )
        assert told_ok["t"] == "ok"
        outcomes.append(answer["t"] == "done")
        if outcomes[-1]:
            actions.append(action)
        else:
            assert (answer["code"], answer["stored"]) == ("not_running", len(actions))
        for peer in (host, bob):
            await peer.next("event", kind="disqualified")
        wanted = told(CODE, actions).row() | {"status": "disqualified"}
        for peer in (host, bob):
            await until_shown(peer, room, bob.player, wanted)
        assert (await host.ask("manage", action="reinstate", player=bob.player))["t"] == "ok"
        await bob.next("event", kind="reinstated")
        assert bare(await game_on_entering(bob, room)) == told(CODE, actions).game()
    assert (outcomes[0], outcomes[-1]) == (True, False)


async def until_shown(peer: Peer, room: str, player: str, wanted: Map) -> None:
    """Wait until this node's board has such a row: another node's actions come to it after a moment."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            shown = await peer.ask("enter", room=room)
            row = next(row for row in shown["board"]["rows"] if row["player"] == player)
            if {name: row[name] for name in wanted} == wanted:
                return
            await asyncio.sleep(0.01)


async def test_the_log_is_to_be_had_on_a_node_that_has_not_heard_of_the_close(
    meet, deaf_nodes, unheard: set[bytes]
) -> None:
    ann, eve = await meet(url=deaf_nodes[0]), await meet(url=deaf_nodes[1])
    room = await start_race(ann, deal=CODE)
    await eve.enter(room, "Eve", as_="spectator")
    unheard.add(b"event")
    await play_well(ann, MOVES[:5])
    assert (await ann.ask("manage", action="close"))["t"] == "ok"
    ports = [int(url.split(":")[2].split("/")[0]) for url in reversed(deaf_nodes)]
    pages = [await fetch(port, f"/api/rooms/{room}/log.jsonl") for port in ports]
    assert [page.status for page in pages] == [200, 200]
    assert pages[0].lines == pages[1].lines
    assert pages[0].lines[0]["board"] == board_of(pages[0].lines)


async def test_a_hold_against_the_first_action_on_another_node(meet, two_nodes) -> None:
    """The countdown's end is on every node at once: the start, or the hold, whichever is stored first."""
    host, bob = await meet(url=two_nodes[0].url), await meet("json", url=two_nodes[1].url)
    outcomes = []
    for late_ms in (-4000, -1, -0.5, 0, 0.5, 1, 2, 3, 40):  # the first and the last leave no doubt
        room = await gather_room(host, [bob], deal=CODE, countdown_ms=max(50, -late_ms))
        await host.ask("start")
        counting = await bob.next("event", kind="countdown")
        clock = await bob.ask("clock", sent=1)
        wait_ms = counting["start_at"] - clock["now"]
        answers, held = await at_once(first_action(bob), host.ask("hold"), wait_ms + late_ms)
        if held["t"] == "ok":
            assert {answer["code"] for answer in answers} == {"not_running"}
            for peer in (host, bob):
                kinds = [event["kind"] for event in peer.all("event") if event["room"] == room]
                assert "started" not in kinds
                assert "held" in kinds
            assert (await bob.ask("enter", room=room))["state"] == "lobby"
        else:
            assert held["code"] == "wrong_state"
            assert answers[-1]["t"] == "done"
            await bob.next("game", n=0)
            assert bare(await game_on_entering(bob, room)) == told(CODE, MOVES[:1]).game()
        outcomes.append(held["t"])
    assert (outcomes[0], outcomes[-1]) == ("ok", "error")


async def first_action(peer: Peer) -> list[Map]:
    """Ask for the first action again and again, until it is done or the countdown was called off."""
    answers: list[Map] = []
    room = peer.all("room")[-1]["room"]
    async with asyncio.timeout(PATIENCE_S):
        while not answers or answers[-1]["t"] != "done":
            answers += await play(peer, MOVES[:1])
            if any(event["kind"] == "held" and event["room"] == room for event in peer.all("event")):
                break
    return answers


async def test_an_action_on_a_node_that_has_not_heard_of_the_command_is_refused_by_the_store(
    meet, deaf_nodes, unheard: set[bytes], rejudged: list[int]
) -> None:
    """Here the command is stored first, and the action is judged before its node knows."""
    for n, command in enumerate(("close", "disqualify", "kick", "ban"), 1):
        unheard.discard(b"event")
        host, bob = await meet(url=deaf_nodes[0]), await meet("json", url=deaf_nodes[1])
        await start_race(host, bob, deal=CODE)
        done = await play_well(bob, MOVES[:n])
        unheard.add(b"event")
        whom = {} if command == "close" else {"player": bob.player}
        assert (await host.ask("manage", action=command, **whom))["t"] == "ok"
        answer = await ask(bob, n + 1, MOVES[n], closed=4403)
        assert rejudged.pop() == n + 1, "the node knew"
        assert answer is None or (answer["code"], answer["stored"]) == ("not_running", n)
        assert (answer is None) <= (command in ("kick", "ban"))
        if command != "close":
            assert (await host.ask("manage", action="close"))["t"] == "ok"
        rows = (await host.next("event", kind="closed"))["board"]["rows"]
        row = next(row for row in rows if row["player"] == bob.player)
        assert (row["moves"], row["ms"]) == (told(CODE, MOVES[:n]).moves, done[-1]["ms"])
        assert row["status"] == ("playing" if command == "close" else "disqualified")
