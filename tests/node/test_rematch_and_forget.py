"""The next race, a room made once whatever is repeated, and an identity that is forgotten."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import gather_room, play_well, start_race
from tests.support.server import ServerProcess
from tests.support.web import fetch

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
Map = dict[str, Any]


async def closed_race(host: Peer, *others: Peer, **options: Any) -> str:
    room = await start_race(host, *others, **options)
    assert (await host.ask("manage", action="close"))["t"] == "ok"
    for peer in (host, *others):
        await peer.next("event", kind="closed")
    return room


# The next race


async def test_two_who_ask_at_once_on_two_nodes_get_one_new_room(meet, two_nodes) -> None:
    for _ in range(3):
        ann, bob = await meet(url=two_nodes[0].url), await meet("json", url=two_nodes[1].url)
        options = {
            "limit_ms": 600_000,
            "rank_by": "moves",
            "max_players": 3,
            "name": "Friday",
            "variant": "F",
        }
        room = await closed_race(ann, bob, **options)
        answers = await asyncio.gather(ann.ask("rematch"), bob.ask("rematch"), ann.ask("rematch"))
        assert {answer["t"] for answer in answers} == {"ok"}
        (new,) = {answer["room"] for answer in answers}
        assert new != room
        for peer in (ann, bob):
            event = await peer.next("event", kind="rematch")
            assert event["next"] == new
            assert event["by"] in (ann.player, bob.player)
            assert len([e for e in peer.all("event") if e["kind"] == "rematch"]) == 1
        shown = await bob.enter(new, "B")
        old = await (await meet(url=two_nodes[0].url)).ask("enter", room=room, as_="spectator")
        assert shown["options"] == old["options"]
        assert (shown["state"], shown["host"], shown["you"]) == ("lobby", ann.player, ["player"])
        assert (await ann.enter(new, "A"))["you"] == ["host", "player"]
        assert (await ann.ask("rematch"))["code"] == "wrong_state", "they are in the new room, which is open"


async def test_a_drawn_deal_is_drawn_anew_and_a_named_one_is_played_again(meet) -> None:
    for deal in ("random", CODE):
        ann = await meet()
        codes = []
        room = await closed_race(ann, deal=deal)
        codes.append(ann.all("event")[-1]["code"])
        room = (await ann.ask("rematch"))["room"]
        await ann.enter(room, "A")
        await ann.ask("start")
        codes.append((await ann.next("event", kind="started"))["code"])
        assert (codes[0] == codes[1]) is (deal == CODE)


async def test_moments_are_left_out_and_the_host_begins_what_began_by_itself(meet) -> None:
    ann, bob = await meet(), await meet("json")
    now = (await ann.ask("clock", sent=1))["now"]
    room = await gather_room(ann, [bob], start="at", start_at=now + 800, close_at=now + 1000)
    await bob.next("event", kind="closed")
    new = (await bob.ask("rematch"))["room"]
    options = (await bob.enter(new, "B"))["options"]
    assert (options["start"], options.keys() & {"start_at", "close_at"}) == ("host", set())
    assert room != new


async def test_only_who_played_or_hosts_asks_and_only_after_the_close(meet) -> None:
    host, ann, eve, ref = [await meet() for _ in range(4)]
    room = await host.create(min_players=1, countdown_ms=0)
    await ann.enter(room, "A")
    for peer, name in ((eve, "Eve"), (ref, "Ref")):
        await peer.enter(room, name, as_="spectator")
    await host.ask("manage", action="referee", player=ref.player, on=True)
    assert (await host.ask("rematch"))["code"] == "wrong_state"
    await host.ask("start")
    await ann.next("game")
    assert (await ann.ask("rematch"))["code"] == "wrong_state"
    await host.ask("manage", action="close")
    for peer in (eve, ref):
        assert (await peer.ask("rematch"))["code"] == "not_allowed"
    first = await host.ask("rematch")
    assert (await ann.ask("rematch"))["room"] == first["room"]
    assert (await (await meet()).ask("rematch"))["code"] == "not_in_room"


async def test_a_password_is_asked_for_in_the_new_room_too(meet) -> None:
    ann, bob = await meet(), await meet()
    await closed_race(ann, password="open sesame")
    new = (await ann.ask("rematch"))["room"]
    assert (await bob.ask("enter", room=new, as_="player", name="B"))["code"] == "wrong_password"
    answer = await bob.ask("enter", room=new, as_="player", name="B", password="open sesame")
    assert answer["options"]["password"] is True


# A room that is asked for again


async def test_a_create_whose_answer_was_lost_gives_the_same_room_on_any_node(meet, two_nodes) -> None:
    for number in range(3):
        ann = await meet(url=two_nodes[0].url)
        await ann.ask("create", options={})  # the identity is stored
        await ann.send(t="create", options={"name": "Mine"}, key="once", id=99)
        if number:
            await ann.next("room", id=99)
        ann.abort()
        back = await meet("json", url=two_nodes[1].url, token=ann.token)
        answers = [await back.ask("create", options={"name": "Mine"}, key="once") for _ in range(2)]
        again = await meet(url=two_nodes[0].url, token=ann.token)
        answers.append(await again.ask("create", options={"name": "Mine"}, key="once"))
        rooms = {answer["room"] for answer in answers}
        rooms |= {m["room"] for m in ann.all("room") if m.get("id") == 99}
        assert len(rooms) == 1
        assert answers[0]["you"] == ["host"]
        assert answers[0]["options"]["name"] == "Mine"


async def test_another_key_or_another_identity_is_another_room(meet) -> None:
    ann, bob = await meet(), await meet()
    rooms = [
        (await peer.ask("create", options={}, **fields))["room"]
        for peer, fields in (
            (ann, {"key": "a"}),
            (ann, {"key": "b"}),
            (bob, {"key": "a"}),
            (ann, {}),
            (ann, {}),
        )
    ]
    assert len(set(rooms)) == 5
    assert (await ann.ask("create", options={}, key="a"))["room"] == rooms[0]


async def test_the_same_key_is_the_same_room_after_its_moment_has_passed(meet) -> None:
    ann = await meet()
    now = (await ann.ask("clock", sent=1))["now"]
    options = {"start": "at", "start_at": now + 300}
    room = (await ann.ask("create", options=options, key="k"))["room"]
    await asyncio.sleep(0.4)
    assert (await ann.ask("create", options=options, key="k"))["room"] == room
    assert (await ann.ask("create", options=options, key="other"))["code"] == "bad_options"


# Forgotten


async def test_a_forgotten_token_is_unknown_and_the_name_is_gone_from_closed_rooms(
    meet, race_server: ServerProcess
) -> None:
    ann, bob = await meet(), await meet("json")
    room = await closed_race(ann, bob, deal=CODE)
    twin = await meet(token=bob.token)
    await twin.ask("create", options={})
    await ann.ask("clock", sent=1)
    assert (await bob.ask("forget"))["t"] == "ok"
    assert (await bob.wait_closed())[0] == 1000
    event = await ann.next("event", kind="forgotten")
    assert event["player"] == bob.player
    again = await Peer.open(race_server.url)
    async with again:
        await again.send(t="hello", token=bob.token)
        assert (await again.wait_closed())[0] == 4401
    await twin.enter(await twin.create(), "C")  # what it does here does not bring the identity back
    async with await Peer.open(race_server.url) as again:
        await again.send(t="hello", token=bob.token)
        assert (await again.wait_closed())[0] == 4401
    shown = await ann.ask("enter", room=room)
    assert [row["name"] for row in shown["board"]["rows"]] == ["A", "—"]
    assert [person["name"] for person in shown["players"]] == ["A", "—"]
    for page in ("", "/board.csv", "/log.jsonl"):
        body = (await fetch(race_server.port, f"/api/rooms/{room}{page}")).body.decode()
        assert "—" in body or "\\u2014" in body
        assert '"B"' not in body
        assert ",B," not in body


@pytest.mark.parametrize("way", ["left", "kicked", "spectator", "host"])
async def test_every_name_one_had_in_a_closed_room_is_gone(meet, race_server, way: str) -> None:
    name = "Zebedee of Arcady"
    ann, zeb = await meet(), await meet("json")
    await gather_room(zeb)
    await zeb.enter(await zeb.create(), name)  # the identity is known by this name from here on
    zeb = await meet("json", token=zeb.token)
    if way == "host":
        room = await zeb.create(min_players=1)
        await ann.enter(room, "A")
        await zeb.ask("manage", action="close")
    else:
        room = await gather_room(ann)
        await zeb.enter(room, name, as_="spectator" if way == "spectator" else "player")
        if way == "left":
            await zeb.ask("leave")
        elif way == "kicked":
            await ann.ask("manage", action="kick", player=zeb.player)
            await zeb.wait_closed()
            zeb = await meet(token=zeb.token)
        await ann.ask("manage", action="close")
    before = (await fetch(race_server.port, f"/api/rooms/{room}/log.jsonl")).body.decode()
    assert name in before
    assert (await zeb.ask("forget"))["t"] == "ok"
    await ann.next("event", kind="forgotten")
    for page in ("", "/board.csv", "/log.jsonl"):
        assert name not in (await fetch(race_server.port, f"/api/rooms/{room}{page}")).body.decode(), page
    assert name not in json.dumps(await ann.ask("enter", room=room), ensure_ascii=False)


async def test_rooms_that_are_still_open_keep_the_name_they_were_played_under(meet, race_server) -> None:
    ann, bob = await meet(), await meet()
    room = await start_race(ann, bob, deal=CODE)
    await play_well(bob, MOVES[:5])
    assert (await bob.ask("forget"))["t"] == "ok"
    assert [p["name"] for p in (await ann.ask("enter", room=room))["players"]] == ["A", "B"]
    await ann.ask("manage", action="close")
    rows = (await ann.next("event", kind="closed"))["board"]["rows"]
    assert sorted(row["name"] for row in rows) == ["A", "B"]


async def test_forgetting_reaches_closed_rooms_through_another_node(meet, two_nodes) -> None:
    ann, bob = await meet(url=two_nodes[0].url), await meet(url=two_nodes[0].url)
    room = await closed_race(ann, bob)
    await bob.close()
    back = await meet("json", url=two_nodes[1].url, token=bob.token)
    assert (await back.ask("forget"))["t"] == "ok"
    assert (await ann.next("event", kind="forgotten"))["player"] == bob.player
    page = await fetch(two_nodes[1].port, f"/api/rooms/{room}")
    assert [row["name"] for row in page.json["board"]["rows"]] == ["A", "—"]
