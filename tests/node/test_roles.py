"""Hosts and referees over the wire: what each action does, to whom, what the board says, who is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import events, gather_room, play, play_well, start_race, told
from tests.support.web import fetch

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
Map = dict[str, Any]


async def manage(peer: Peer, action: str, player: Peer | None = None, **fields: Any) -> Map:
    if player is not None:
        fields["player"] = player.player
    return await peer.ask("manage", action=action, **fields)


async def managed(peer: Peer, action: str, player: Peer | None = None, **fields: Any) -> None:
    """The same; it must be done."""
    answer = await manage(peer, action, player, **fields)
    assert answer["t"] == "ok", answer


async def refused(peer: Peer, action: str, player: Peer | None = None, **fields: Any) -> str:
    """The same; the code of the error, which changes nothing."""
    answer = await manage(peer, action, player, **fields)
    assert answer["t"] == "error", answer
    return str(answer["code"])


async def statuses(peer: Peer, **wanted: str) -> Map:
    """Wait for a board that says so: its rows by name."""
    board = await peer.next("board", where=lambda m: {r["name"]: r["status"] for r in m["rows"]} == wanted)
    return {row["name"]: row for row in board["rows"]}


def without_board(event: Map) -> Map:
    """An event without the board of a close, whose `at` is the node's."""
    return {name: value for name, value in event.items() if name != "board"}


# Putting people out


@pytest.mark.parametrize("action", ["kick", "ban"])
async def test_before_the_start_who_is_put_out_loses_the_seat(meet, action: str) -> None:
    ann, bob, cid = await meet(), await meet("json"), await meet()
    room = await gather_room(ann, [bob, cid], max_players=3)
    await managed(ann, action, bob)
    assert (await bob.wait_closed())[0] == 4403
    event = await cid.next("event", kind={"kick": "kicked", "ban": "banned"}[action])
    assert (event["player"], event["by"], event["name"]) == (bob.player, ann.player, "B")
    shown = await cid.ask("enter", room=room)
    assert [person["name"] for person in shown["players"]] == ["A", "C"]
    back = await meet(token=bob.token)
    answer = await back.ask("enter", room=room, as_="player", name="B")
    if action == "kick":
        assert answer["you"] == ["player"]
    else:
        assert (answer["t"], answer["code"]) == ("error", "banned")
        assert (await back.ask("enter", room=room, as_="spectator"))["code"] == "banned"


@pytest.mark.parametrize("action", ["kick", "ban"])
async def test_after_the_start_who_is_put_out_counts_as_disqualified(meet, action: str) -> None:
    ann, bob = await meet("json"), await meet()
    room = await start_race(ann, bob, deal=CODE)
    await play_well(bob, MOVES[:8])
    await managed(ann, action, bob)
    assert (await bob.wait_closed())[0] == 4403
    rows = await statuses(ann, A="playing", B="disqualified")
    assert rows["B"]["moves"] == told(CODE, MOVES[:8]).moves
    about_bob = [e["kind"] for e in ann.all("event") if e.get("player") == bob.player]
    assert about_bob == ["joined", {"kick": "kicked", "ban": "banned"}[action]], "one event"
    back = await meet("json", token=bob.token)
    answer = await back.ask("enter", room=room)
    if action == "ban":
        assert answer["code"] == "banned"
        assert await refused(ann, "reinstate", bob) == "not_allowed"
        return
    assert answer["you"] == ["spectator"]
    game = await back.next("game")
    assert (game["n"], game["status"]) == (8, "disqualified")
    (late,) = await play(back, MOVES[8:9], first=9)
    assert late["code"] in ("not_running", "not_player")
    await managed(ann, "kick", back)
    assert (await back.wait_closed())[0] == 4403, "who looks on again can be put out again"


async def test_a_kicked_player_is_reinstated_as_a_player_and_plays_on(meet) -> None:
    ann, bob = await meet(), await meet()
    room = await start_race(ann, bob, deal=CODE)
    await play_well(bob, MOVES[:5])
    await managed(ann, "kick", bob)
    await bob.wait_closed()
    back = await meet(token=bob.token)
    await back.ask("enter", room=room)
    await managed(ann, "reinstate", bob, reason="a mistake")
    event = await back.next("event", kind="reinstated")
    assert (event["player"], event["reason"]) == (bob.player, "a mistake")
    assert (await back.ask("enter", room=room))["you"] == ["player"]
    await play_well(back, MOVES[5:9], first=6)
    await statuses(ann, A="playing", B="playing")


async def test_the_banned_are_out_on_every_node_and_one_socket_closes_for_all(meet, two_nodes) -> None:
    ann, bob = await meet(url=two_nodes[0].url), await meet("json", url=two_nodes[1].url)
    room = await start_race(ann, bob, deal=CODE)
    await managed(ann, "ban", bob)
    assert (await bob.wait_closed())[0] == 4403
    for node in two_nodes:
        back = await meet(url=node.url, token=bob.token)
        assert (await back.ask("enter", room=room))["code"] == "banned"


# Games that count no longer, and again


async def test_a_won_game_is_disqualified_and_reinstated(meet) -> None:
    ann, bob, cid = await meet(), await meet("json"), await meet()
    await start_race(ann, bob, cid, deal=CODE)
    won = (await play_well(bob, MOVES))[-1]
    await statuses(cid, A="playing", B="won", C="playing")
    await managed(ann, "disqualify", bob, reason="a bot")
    event = await cid.next("event", kind="disqualified")
    assert (event["player"], event["by"], event["reason"]) == (bob.player, ann.player, "a bot")
    rows = await statuses(cid, A="playing", B="disqualified", C="playing")
    assert (rows["B"]["rank"], rows["B"]["ms"]) == (3, won["ms"])
    assert (await bob.ask("follow", player=ann.player))["t"] == "view"
    await managed(ann, "reinstate", bob)
    rows = await statuses(cid, A="playing", B="won", C="playing")
    assert (rows["B"]["rank"], rows["B"]["ms"]) == (1, won["ms"])
    await managed(ann, "close")
    closed = await bob.next("event", kind="closed")
    first = closed["board"]["rows"][0]
    assert (first["name"], first["status"]) == ("B", "won")


async def test_the_disqualified_play_no_more_until_they_are_reinstated(meet) -> None:
    ann, bob = await meet(), await meet()
    await start_race(ann, bob, deal=CODE)
    await play_well(bob, MOVES[:3])
    await managed(ann, "disqualify", bob)
    (answer,) = await play(bob, MOVES[3:4], first=4)
    assert (answer["code"], answer["stored"]) == ("not_running", 3)
    assert (await bob.ask("forfeit"))["code"] == "wrong_state"
    v = (await manage(ann, "disqualify", bob))["v"]
    await ann.until(lambda: max(events(ann)) >= v)
    assert v == max(events(ann)), "twice is once"
    await managed(ann, "reinstate", bob)
    await play_well(bob, MOVES[3:6], first=4)
    assert await refused(ann, "reinstate", bob) == "not_allowed"


async def test_a_race_of_which_all_others_are_disqualified_ends(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await start_race(ann, bob, deal=CODE)
    await play_well(ann, MOVES)
    await managed(ann, "disqualify", bob)
    closed = await bob.next("event", kind="closed")
    assert closed["reason"] == "finished"
    assert [row["status"] for row in closed["board"]["rows"]] == ["won", "disqualified"]


async def test_a_disqualification_and_a_winning_move_in_flight_agree_for_everyone(meet, two_nodes) -> None:
    """On two nodes at once: the move is stored or it is not, and everybody is told the same."""
    outcomes = set()
    for early in (True, False, None):
        ann, bob = await meet(url=two_nodes[0].url), await meet("json", url=two_nodes[1].url)
        room = await start_race(ann, bob, deal=CODE)
        await play_well(bob, MOVES[:-1])
        if early is True:
            await managed(ann, "disqualify", bob)
            ((answer,), ruled) = await play(bob, MOVES[-1:], first=len(MOVES)), {"t": "ok"}
        elif early is False:
            (answer,) = await play(bob, MOVES[-1:], first=len(MOVES))
            ruled = await manage(ann, "disqualify", bob)
        else:
            (answer,), ruled = await asyncio.gather(
                play(bob, MOVES[-1:], first=len(MOVES)), manage(ann, "disqualify", bob)
            )
        assert ruled["t"] == "ok"
        stored = answer["t"] == "done"
        outcomes.add(stored)
        assert stored or (answer["code"], answer["stored"]) == ("not_running", len(MOVES) - 1)
        await managed(ann, "close")
        closes = [await peer.next("event", kind="closed") for peer in (ann, bob)]
        assert closes[0]["board"]["rows"] == closes[1]["board"]["rows"]
        row = next(row for row in closes[0]["board"]["rows"] if row["name"] == "B")
        assert (row["status"], row["home"]) == ("disqualified", 104 if stored else 103)
        stories = [{v: without_board(event) for v, event in events(peer).items()} for peer in (ann, bob)]
        assert {v: event for v, event in stories[0].items() if v in stories[1]} == stories[1]
        page = await fetch(two_nodes[1].port, f"/api/rooms/{room}/log.jsonl")
        assert len(page.lines[2]["log"]) == (len(MOVES) if stored else len(MOVES) - 1)
    assert outcomes == {True, False}


# Referees, hosts, options, chat, the close


async def test_a_referee_manages_until_they_are_none_and_does_what_hosts_alone_do_never(meet) -> None:
    ann, bob, ref = await meet(), await meet("json"), await meet()
    room = await gather_room(ann, [bob])
    await ref.enter(room, "Ref", as_="spectator")
    assert await refused(ref, "kick", bob) == "not_host"
    await managed(ann, "referee", ref, on=True)
    event = await bob.next("event", kind="referee")
    assert (event["player"], event["on"], event["by"]) == (ref.player, True, ann.player)
    shown = await ref.ask("enter", room=room)
    assert shown["you"] == ["referee", "spectator"]
    assert {p["name"]: p["referee"] for p in shown["players"]} == {"A": False, "B": False, "Ref": True}
    await managed(ref, "set", options={"name": "Final"})
    await managed(ref, "mute", bob, on=True)
    assert (await ref.ask("start"))["code"] == "not_host"
    assert (await ref.ask("hold"))["code"] == "wrong_state"
    assert await refused(ref, "host", bob) == "not_host"
    for action in ("kick", "ban"):
        assert await refused(ref, action, ann) == "not_allowed"
        assert await refused(ref, action, ref) == "not_allowed"
    assert await refused(ref, "mute", ann, on=True) == "not_allowed"
    await managed(ann, "referee", ref, on=False)
    assert await refused(ref, "close") == "not_host"


async def test_the_host_hands_over_and_is_one_no_more(meet) -> None:
    ann, bob, cid = await meet(), await meet("json"), await meet()
    room = await gather_room(ann, [bob, cid])
    assert await refused(bob, "host", bob) == "not_host"
    assert (await ann.ask("manage", action="host", player="0" * 12))["code"] == "unknown_player"
    await managed(ann, "host", bob)
    event = await cid.next("event", kind="host")
    assert (event["player"], event["by"], event["name"]) == (bob.player, ann.player, "B")
    assert (await ann.ask("start"))["code"] == "not_host"
    shown = await bob.ask("enter", room=room)
    assert (shown["host"], shown["you"]) == (bob.player, ["host", "player"])
    await managed(bob, "kick", ann)
    assert (await ann.wait_closed())[0] == 4403
    assert (await bob.ask("start"))["t"] == "ok"


async def test_the_host_goes_to_somebody_who_is_present(meet) -> None:
    ann, bob = await meet(), await meet()
    await start_race(ann, bob, deal=CODE)
    assert (await bob.ask("leave"))["t"] == "ok"
    assert await refused(ann, "host", bob) == "not_allowed"


LOBBY = {
    "variant": "F", "visibility": "open", "sealed": True, "rank_by": "moves", "start": "ready",
    "min_players": 1, "max_players": 9, "countdown_ms": 7, "limit_ms": 10_000, "after_win_ms": 1000,
    "late": True, "undo": True, "spectators": "live", "delay_ms": 1000, "deal": CODE,
}  # fmt: skip
ANY_TIME = {"name": "New", "chat": False, "listed": True, "password": "x"}


async def test_options_of_the_lobby_are_set_in_the_lobby_and_the_others_at_any_time(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await gather_room(ann, [bob], min_players=2)
    for option, value in LOBBY.items():
        more = {"sealed": False} if option == "deal" else {}
        await managed(ann, "set", options={option: value, **more})
        event = await bob.next("event", kind="options")
        assert event["options"][option] == value
        assert "deal" not in event
    await managed(ann, "set", options={"start": "host", "countdown_ms": 60_000})
    assert (await ann.ask("start"))["t"] == "ok"
    for state in ("countdown", "running", "closed"):
        for option, value in LOBBY.items():
            assert await refused(ann, "set", options={option: value}) == "wrong_state", (state, option)
        if state != "closed":
            await managed(ann, "set", options={name: ANY_TIME[name] for name in ("name", "chat", "listed")})
            await bob.next("event", kind="options")
            await managed(ann, "set", options={"name": "Old", "chat": True, "listed": False})
            await bob.next("event", kind="options")
        if state == "countdown":
            assert (await ann.ask("hold"))["t"] == "ok"
            await managed(ann, "set", options={"countdown_ms": 0})
            assert (await ann.ask("start"))["t"] == "ok"
            await ann.next("game")
        elif state == "running":
            await managed(ann, "close")
    assert await refused(ann, "set", options={"name": "x"}) == "wrong_state"


async def test_the_muted_say_nothing_until_they_may_again(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await gather_room(ann, [bob])
    await managed(ann, "mute", bob, on=True)
    event = await bob.next("event", kind="muted")
    assert (event["player"], event["on"]) == (bob.player, True)
    assert (await bob.ask("say", text="x"))["code"] == "muted"
    assert (await bob.ask("leave"))["t"] == "ok"
    shown = await bob.enter(room, "B")
    assert [person.get("muted") for person in shown["players"]] == [None, True]
    told = await ann.next("event", kind="joined", where=lambda m: m.get("muted"))
    assert told["player"] == bob.player
    assert (await bob.ask("say", text="x"))["code"] == "muted", "also after going out and coming in"
    await managed(ann, "mute", bob, on=False)
    eve = await meet()
    shown = await eve.enter(room, "Eve")
    assert not any("muted" in person for person in shown["players"])
    assert "muted" not in await ann.next("event", kind="joined", player=eve.player)
    assert (await bob.ask("say", text="x"))["t"] == "ok"
    assert (await ann.next("said"))["text"] == "x"
    assert len(ann.all("said")) == 1


@pytest.mark.parametrize("running", [False, True])
async def test_a_close_is_told_with_its_text_and_ends_everything(meet, running: bool) -> None:
    ann, bob = await meet(), await meet("json")
    room = await (start_race if running else gather_room)(ann, *([bob] if running else [[bob]]), deal=CODE)
    assert await refused(bob, "close") == "not_host"
    await managed(ann, "close", text="Rain stopped play")
    closed = await bob.next("event", kind="closed")
    assert (closed["reason"], closed["text"], closed["by"]) == (
        "host" if running else "cancelled",
        "Rain stopped play",
        ann.player,
    )
    assert await refused(ann, "close") == "wrong_state"
    for action in ("kick", "ban", "disqualify", "reinstate", "host"):
        assert await refused(ann, action, bob) == "wrong_state", action
    assert (await bob.ask("enter", room=room))["state"] == "closed"


async def test_only_games_are_disqualified_and_only_people_are_managed(meet) -> None:
    ann, bob, eve = await meet(), await meet("json"), await meet()
    room = await gather_room(ann, [bob], deal=CODE)
    await eve.enter(room, "Eve", as_="spectator")
    for action in ("disqualify", "reinstate"):
        assert await refused(ann, action, bob) == "not_allowed"
    assert (await ann.ask("start"))["t"] == "ok"
    await ann.next("game")
    assert await refused(ann, "disqualify", eve) == "not_allowed"
    before = await eve.ask("enter", room=room)
    for action in ("kick", "ban", "disqualify", "reinstate", "host", "referee", "mute"):
        answer = await ann.ask("manage", action=action, player="0" * 12, on=True)
        assert answer["code"] == "unknown_player", action
        assert await refused(bob, action, eve, on=True) == "not_host", action
    out = await meet()
    assert await refused(out, "kick", bob) == "not_in_room"
    assert (await eve.ask("enter", room=room))["v"] == before["v"], "refusals change nothing"


# Forfeits


async def test_a_forfeit_is_taken_back_and_not_after_following_another(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await start_race(ann, bob, deal=CODE)
    await play_well(bob, MOVES[:4])
    assert (await bob.ask("unforfeit"))["code"] == "not_allowed"
    assert (await bob.ask("forfeit"))["t"] == "ok"
    await statuses(ann, A="playing", B="forfeited")
    (answer,) = await play(bob, MOVES[4:5], first=5)
    assert answer["code"] == "not_running"
    assert (await bob.ask("forfeit"))["code"] == "wrong_state"
    assert (await bob.ask("unforfeit"))["t"] == "ok"
    await ann.next("event", kind="unforfeited", player=bob.player)
    await play_well(bob, MOVES[4:6], first=5)
    assert (await bob.ask("forfeit"))["t"] == "ok"
    assert (await bob.ask("follow", player=ann.player))["t"] == "view"
    assert (await ann.next("event", kind="watching"))["player"] == bob.player
    assert (await bob.ask("unforfeit"))["code"] == "not_allowed"


async def test_a_forfeit_made_final_by_following_ends_a_race_at_once(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await start_race(ann, bob, deal=CODE)
    await play_well(ann, MOVES)
    assert (await bob.ask("forfeit"))["t"] == "ok"
    assert (await bob.ask("follow", player=ann.player))["t"] == "view"
    closed = await ann.next("event", kind="closed")
    assert (closed["reason"], [r["status"] for r in closed["board"]["rows"]]) == (
        "finished",
        ["won", "forfeited"],
    )
