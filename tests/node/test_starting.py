"""How a race comes to its start: by the host, by readiness, at a moment; and how it is held."""

from __future__ import annotations

import hashlib
import json

import pytest

from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import events, gather_room, play_well, told
from tests.support.table import Table

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions


async def race_now(peer: Peer) -> int:
    return int((await peer.ask("clock", sent=1))["now"])


async def ready_of(peer: Peer, room: str) -> dict[str, bool]:
    shown = await peer.ask("enter", room=room)
    return {person["name"]: person["ready"] for person in shown["players"]}


async def test_the_host_starts_a_countdown_that_ends_in_the_race(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await gather_room(ann, [bob], deal=CODE, min_players=2, countdown_ms=300)
    asked_at = await race_now(ann)
    assert (await ann.ask("start"))["t"] == "ok"
    countdown = await bob.next("event", kind="countdown")
    assert countdown["by"] == ann.player
    assert asked_at + 300 <= countdown["start_at"] <= await race_now(ann) + 300
    started = await bob.next("event", kind="started")
    assert started["start_at"] == started["at"] == countdown["start_at"]
    assert started["code"] == CODE
    assert "ends_at" not in started
    for peer in (ann, bob):
        assert (await peer.next("game"))["start_at"] == started["start_at"]
        assert await race_now(peer) >= started["start_at"]


async def test_no_game_comes_before_the_start(meet) -> None:
    ann = await meet()
    room = await gather_room(ann, deal=CODE, countdown_ms=400)
    await ann.ask("start")
    shown = await ann.ask("enter", room=room)
    assert shown["state"] == "countdown"
    assert shown["start_at"] > shown["now"]
    started = await ann.next("event", kind="started")
    before = ann.received[: ann.received.index(started)]
    assert not [message for message in before if message["t"] == "game"]
    assert await ann.next("game")


async def test_too_few_players_cannot_be_started(meet) -> None:
    ann, bob = await meet(), await meet()
    room = await gather_room(ann, min_players=2)
    assert (await ann.ask("start"))["code"] == "not_allowed"
    await bob.enter(room, "Bob", as_="spectator")
    assert (await ann.ask("start"))["code"] == "not_allowed"


async def test_the_host_calls_a_countdown_off_and_everyones_readiness_is_cleared(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await gather_room(ann, [bob], countdown_ms=60_000)
    await ann.ask("ready", ready=True)
    await bob.ask("ready", ready=True)
    assert (await ann.next("event", kind="ready", player=bob.player))["ready"] is True
    assert await ready_of(ann, room) == {"A": True, "B": True}
    await ann.ask("start")
    assert (await bob.ask("hold"))["code"] == "not_host"
    assert (await ann.ask("hold"))["t"] == "ok"
    held = await bob.next("event", kind="held")
    assert held["by"] == ann.player
    assert await ready_of(bob, room) == {"A": False, "B": False}
    shown = await ann.ask("enter", room=room)
    assert shown["state"] == "lobby"
    assert "start_at" not in shown


async def test_too_few_players_at_the_end_of_a_countdown_hold_the_race(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await gather_room(ann, [bob], min_players=2, countdown_ms=400)
    await ann.ask("ready", ready=True)
    await ann.ask("start")
    start_at = (await ann.next("event", kind="countdown"))["start_at"]
    await bob.ask("leave")
    held = await ann.next("event", kind="held")
    assert held["at"] == start_at
    assert "by" not in held
    assert await ready_of(ann, room) == {"A": False}
    await bob.enter(room, "Bob")
    assert (await ann.ask("start"))["t"] == "ok"
    await bob.next("game")


async def test_readiness_is_no_event_when_it_is_so_already(meet) -> None:
    ann = await meet()
    room = await gather_room(ann)
    v = (await ann.ask("ready", ready=True))["v"]
    assert (await ann.ask("ready", ready=True))["v"] == v
    assert (await ann.ask("ready", ready=False))["v"] == v + 1
    assert (await ann.ask("enter", room=room))["v"] == v + 1


async def test_a_spectator_and_a_host_without_a_seat_cannot_be_ready(meet) -> None:
    ann, eve = await meet(), await meet("json")
    room = await ann.create()
    await eve.enter(room, "Eve", as_="spectator")
    for peer in (ann, eve):
        assert (await peer.ask("ready", ready=True))["code"] == "not_allowed"


async def test_a_room_of_start_ready_starts_once_all_are_ready_and_enough(meet) -> None:
    ann, bob, cid = await meet(), await meet("json"), await meet()
    room = await gather_room(ann, start="ready", min_players=2, countdown_ms=200)
    assert (await ann.ask("start"))["code"] == "not_allowed"
    await ann.ask("ready", ready=True)
    assert await ready_of(ann, room) == {"A": True}
    await bob.enter(room, "Bob")
    await cid.enter(room, "Cid")
    await bob.ask("ready", ready=True)
    assert (await ann.ask("enter", room=room))["state"] == "lobby"
    await cid.ask("ready", ready=True)
    countdown = await ann.next("event", kind="countdown")
    assert "by" not in countdown
    assert (await ann.next("event", kind="started"))["start_at"] == countdown["start_at"]
    for peer in (ann, bob, cid):
        await peer.next("game")


async def test_who_is_not_ready_leaves_and_the_others_start(meet) -> None:
    ann, bob, cid = await meet(), await meet("json"), await meet()
    await gather_room(ann, [bob, cid], start="ready", min_players=2)
    await ann.ask("ready", ready=True)
    await bob.ask("ready", ready=True)
    await cid.ask("leave")
    await ann.next("event", kind="countdown")
    await bob.next("game")


async def test_taking_readiness_back_in_the_countdown_holds_it(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await gather_room(ann, [bob], start="ready", min_players=2, countdown_ms=60_000)
    await ann.ask("ready", ready=True)
    await bob.ask("ready", ready=True)
    await ann.next("event", kind="countdown")
    await bob.ask("ready", ready=False)
    await ann.next("event", kind="held")
    assert await ready_of(ann, room) == {"A": False, "B": False}


@pytest.mark.parametrize("limit_ms", [0, 10_000])
async def test_a_room_of_start_at_starts_at_its_moment(meet, limit_ms: int) -> None:
    ann, bob = await meet(), await meet("json")
    start_at = await race_now(ann) + 700
    await gather_room(ann, [bob], start="at", start_at=start_at, min_players=2, deal=CODE, limit_ms=limit_ms)
    started = await bob.next("event", kind="started")
    assert (started["at"], started["start_at"], started["code"]) == (start_at, start_at, CODE)
    assert started.get("ends_at") == (start_at + limit_ms if limit_ms else None)
    assert (await ann.next("game"))["start_at"] == start_at


async def test_too_few_players_at_the_moment_hold_the_race_until_the_host_sets_another(meet) -> None:
    ann, bob = await meet(), await meet("json")
    start_at = await race_now(ann) + 400
    room = await gather_room(ann, start="at", start_at=start_at, min_players=2)
    held = await ann.next("event", kind="held")
    assert held["at"] == start_at
    await bob.enter(room, "Bob")
    assert (await ann.ask("enter", room=room))["state"] == "lobby"
    assert (await ann.ask("start"))["code"] == "not_allowed"
    later = await race_now(ann) + 400
    assert (await ann.ask("manage", action="set", options={"start_at": later}))["t"] == "ok"
    assert (await bob.next("event", kind="started"))["start_at"] == later


async def test_the_moment_can_be_moved_before_it_comes(meet) -> None:
    ann = await meet()
    start_at = await race_now(ann) + 60_000
    await gather_room(ann, start="at", start_at=start_at, deal=CODE)
    sooner = await race_now(ann) + 300
    await ann.ask("manage", action="set", options={"start_at": sooner})
    assert (await ann.next("event", kind="started"))["start_at"] == sooner


def said_before_the_start(peer: Peer) -> str:
    """Everything a peer was told before the start, as one text."""
    started = next(m for m in peer.received if m["t"] == "event" and m["kind"] == "started")
    return json.dumps(peer.received[: peer.received.index(started)])


@pytest.mark.parametrize("options", [{}, {"variant": "F"}, {"sealed": True}, {"visibility": "open"}], ids=str)
async def test_the_code_of_a_drawn_deal_is_told_to_nobody_before_the_start(meet, options: dict) -> None:
    ann, bob, eve = await meet(), await meet("json"), await meet("json")
    room = await gather_room(ann, [bob], countdown_ms=100, **options)
    await eve.enter(room, "Eve", as_="spectator")
    await ann.ask("manage", action="set", options={"name": "new name"})
    await ann.ask("enter", room=room)
    await ann.ask("start")
    for peer in (ann, bob, eve):
        await peer.next("event", kind="started")
    await ann.ask("manage", action="close")
    code = (await eve.next("event", kind="closed"))["code"]
    assert code.split("-")[1] == options.get("variant", "N")
    for peer in (ann, bob, eve):
        text = said_before_the_start(peer)
        assert code not in text
        assert code.split("-")[2] not in text
        started = next(event for event in events(peer).values() if event["kind"] == "started")
        assert started.get("code") == (None if "sealed" in options else code)
    game = await bob.next("game")
    table = told(code, [], open=options.get("visibility") == "open")
    assert game["piles"] == table.game()["piles"]


async def test_a_sealed_deal_is_committed_to_at_the_start_and_opened_at_the_close(meet) -> None:
    ann, eve = await meet(), await meet("json")
    room = await gather_room(ann, sealed=True)
    await ann.ask("start")
    started = await ann.next("event", kind="started")
    assert len(started["commit"]) == 64
    running = await eve.enter(room, "Eve", as_="spectator")
    assert running["commit"] == started["commit"]
    assert "code" not in running
    await ann.ask("manage", action="close")
    closed = await eve.next("event", kind="closed")
    prefix, variant, letters = closed["code"].split("-")
    assert (prefix, variant, len(letters), len(closed["nonce"])) == ("CR2", "N", 28, 32)
    opened = hashlib.sha256(f"{closed['code']}:{closed['nonce']}".encode()).hexdigest()
    assert opened == started["commit"]
    assert (await eve.ask("enter", room=room))["code"] == closed["code"]


async def test_a_code_that_the_host_named_is_told_at_once(meet) -> None:
    ann, bob = await meet(), await meet()
    room = await ann.ask("create", options={"deal": CODE})
    assert room["code"] == CODE
    assert (await bob.enter(room["room"], "Bob"))["code"] == CODE


async def test_a_new_deal_is_drawn_for_another_variant_and_a_sealed_room(meet) -> None:
    ann = await meet()
    room = await gather_room(ann)
    for options in ({"variant": "F"}, {"sealed": True}, {"deal": CODE, "sealed": False}, {"deal": "random"}):
        assert (await ann.ask("manage", action="set", options=options))["t"] == "ok"
    shown = await ann.ask("enter", room=room)
    assert (shown["options"]["deal"], shown["options"]["sealed"]) == ("random", False)
    assert "code" not in shown
    await ann.ask("start")
    started = await ann.next("event", kind="started")
    assert started["code"] != CODE
    assert (await ann.next("game"))["piles"] == told(started["code"], []).game()["piles"]


async def test_times_count_from_the_start(meet) -> None:
    ann = await meet()
    await gather_room(ann, deal=CODE, countdown_ms=300)
    await ann.ask("start")
    start_at = (await ann.next("game"))["start_at"]
    asked_at = await race_now(ann)
    (done,) = await play_well(ann, MOVES[:1])
    answered_at = await race_now(ann)
    assert asked_at - start_at - 5 <= done["ms"] <= answered_at - start_at + 5


async def test_a_forfeit_before_the_start_settles_nothing_of_the_game(meet) -> None:
    host = await meet()
    room = await gather_room(host, deal="CR1-N-AAAAAAB")
    assert (await host.ask("forfeit"))["code"] == "wrong_state"
    assert (await host.ask("manage", action="set", options={"deal": "CR1-N-AAAAAAC"}))["t"] == "ok"
    await host.ask("start")
    await host.next("game")
    table = Table("CR1-N-AAAAAAC")
    for n in range(1, 4):
        assert (await host.op(n, "r"))["t"] == "done"
        table.play("r", 0, 0)
    again = await meet(token=host.token)
    await again.ask("enter", room=room)
    game = await again.next("game")
    assert [pile[0] for pile in game["piles"]] == [pile[-1] for pile in table.piles]
