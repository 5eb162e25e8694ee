"""Passwords of rooms: who is asked, how often they may try, and that nobody ever reads one."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from typing import Any

import pytest
from redis.asyncio import Redis

from server.node import passwords
from server.rooms.problems import RoomProblem
from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import gather_room, start_race
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess
from tests.support.web import Page, fetch

SECRET = "Æblegrød & fløde, 29 °C"
PAGES = ("", "/board.csv", "/log.jsonl")


async def enter(peer: Peer, room: str, name: str, **fields: Any) -> dict[str, Any]:
    return await peer.ask("enter", room=room, as_="player", name=name, **fields)


async def test_strangers_are_asked_and_the_known_are_not_asked_again(meet) -> None:
    ann, bob, eve = await meet(), await meet("json"), await meet()
    room = await gather_room(ann, password=SECRET)
    for fields in ({}, {"password": None}, {"password": ""}, {"password": SECRET[:-1]}, {"password": "x"}):
        answer = await enter(bob, room, "B", **fields)
        assert (answer["t"], answer["code"]) == ("error", "wrong_password")
    assert len((await ann.ask("enter", room=room))["players"]) == 1
    assert (await enter(bob, room, "B", password=SECRET))["t"] == "room"
    assert (await enter(bob, room, "B", password="wrong"))["t"] == "room", "they are known"
    back = await meet("json", token=bob.token)
    assert (await back.ask("enter", room=room))["t"] == "room"
    host = await meet(token=ann.token)
    assert (await host.ask("enter", room=room))["t"] == "room"
    answer = await eve.ask("enter", room=room, as_="spectator", name="Eve", password="wrong")
    assert answer["code"] == "wrong_password", "spectators are asked as well"
    assert (await eve.ask("enter", room=room, as_="spectator", password=SECRET))["t"] == "room"


async def test_a_host_who_takes_no_seat_is_not_asked(meet) -> None:
    ann = await meet()
    room = await ann.create(password=SECRET)
    back = await meet(token=ann.token)
    assert (await back.ask("enter", room=room))["you"] == ["host"]


async def test_the_banned_and_those_who_left_the_lobby_are_strangers_again(meet) -> None:
    ann, bob = await meet(), await meet()
    room = await gather_room(ann, password=SECRET)
    await enter(bob, room, "B", password=SECRET)
    await bob.ask("leave")
    assert (await enter(bob, room, "B"))["code"] == "wrong_password"


async def test_a_password_is_set_changed_and_taken_away_at_any_time(meet) -> None:
    ann, bob, cid, dan = [await meet() for _ in range(4)]
    room = await start_race(ann, late=True)
    for password, peer, name in (("first", bob, "B"), ("second", cid, "C")):
        assert (await ann.ask("manage", action="set", options={"password": password}))["t"] == "ok"
        event = await ann.next("event", kind="options")
        assert event["options"] == {"password": True}
        wrong = "first" if password == "second" else "second"
        assert (await enter(peer, room, name, password=wrong))["code"] == "wrong_password"
        assert (await enter(peer, room, name, password=password))["options"]["password"] is True
    assert (await ann.ask("manage", action="set", options={"password": None}))["t"] == "ok"
    assert (await ann.next("event", kind="options"))["options"] == {"password": None}
    assert "password" not in (await enter(dan, room, "D"))["options"]


@pytest.mark.parametrize("value", ["", "x" * 61, 5, True, ["x"]])
async def test_what_can_be_no_password_is_refused_with_its_range(meet, value: Any) -> None:
    ann = await meet("json")
    answer = await ann.ask("create", options={"password": value})
    assert (answer["code"], "password" in answer["text"], "60" in answer["text"]) == (
        "bad_options",
        True,
        True,
    )


async def test_five_wrong_tries_a_minute_are_counted_in_the_store_for_room_and_address(
    meet, two_nodes
) -> None:
    ann = await meet(url=two_nodes[0].url)
    room, other = await gather_room(ann, password=SECRET), await ann.create(password=SECRET)
    tries = []
    for number in range(7):
        peer = await meet(url=two_nodes[number % 2].url)  # another identity each time, on the other node
        tries.append((await enter(peer, room, "B", password=f"guess {number}"))["code"])
    assert tries == ["wrong_password"] * 5 + ["too_many"] * 2
    for node in two_nodes:
        late = await meet(url=node.url)
        assert (await enter(late, room, "B", password=SECRET))["code"] == "too_many", "even the right one"
        page = await fetch(node.port, f"/api/rooms/{room}", Authorization="Bearer guess")
        assert (page.status, page.json["code"]) == (429, "too_many")
        assert (await enter(late, other, f"B{node.port}", password=SECRET))["t"] == "room", (
            "another room is another count"
        )
    assert (await ann.ask("enter", room=room))["t"] == "room"


async def test_a_whole_class_of_one_address_comes_in_with_the_right_password(meet, two_nodes) -> None:
    ann = await meet(url=two_nodes[0].url)
    room = await gather_room(ann, password=SECRET, max_players=20)
    for number in range(12):
        peer = await meet(url=two_nodes[number % 2].url)
        assert (await enter(peer, room, f"P{number}"))["code"] == "wrong_password", "none given is no try"
        assert (await enter(peer, room, f"P{number}", password=SECRET))["t"] == "room"
    for number in range(8):  # a program that asks again and again
        page = await fetch(two_nodes[number % 2].port, f"/api/rooms/{room}/board.csv", **bearer(SECRET))
        assert page.status == 200


def bearer(password: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {password}"}


async def test_pages_want_the_password_as_a_bearer(meet, race_server) -> None:
    ann = await meet()
    room = await start_race(ann, password=SECRET)
    await ann.ask("manage", action="close")
    await ann.next("event", kind="closed")
    port = race_server.port
    for page in PAGES:
        path = f"/api/rooms/{room}{page}"
        without: list[Page] = [
            await fetch(port, path),
            await fetch(port, path, **bearer("")),
            await fetch(port, path, Authorization="Basic " + b64encode(f":{SECRET}".encode()).decode()),
        ]
        for answer in without:
            assert (answer.status, answer.json["code"]) == (401, "wrong_password")
            assert answer.headers["www-authenticate"] == "Bearer"
        answer = await fetch(port, path, Authorization=f"bearer   {SECRET}")
        assert answer.status == 200
        assert SECRET.encode() not in answer.body
        assert b"argon2" not in answer.body
        assert (await fetch(port, path, method="HEAD", **bearer(SECRET))).status == 200
    assert (await fetch(port, f"/api/rooms/{room}", **bearer("wrong"))).status == 401
    open_room = await gather_room(ann)
    assert (await fetch(port, f"/api/rooms/{open_room}", **bearer("whatever"))).status == 200


async def everything_stored(url: str) -> bytes:
    """All keys and all values of a store, one after the other."""
    redis = Redis.from_url(url)
    parts: list[Any] = []
    try:
        async for key in redis.scan_iter(count=1000):
            kind = (await redis.type(key)).decode()
            read = {
                "string": lambda key=key: redis.get(key),
                "hash": lambda key=key: redis.hgetall(key),
                "set": lambda key=key: redis.smembers(key),
                "zset": lambda key=key: redis.zrange(key, 0, -1, withscores=True),
                "stream": lambda key=key: redis.xrange(key),
            }[kind]
            parts += [key, await read()]
    finally:
        await redis.aclose()
    return b"\n".join(raw(part) for part in parts)


def raw(value: Any) -> bytes:
    """The bytes in a value, whatever it is made of."""
    if isinstance(value, dict):
        return b"\n".join(raw(part) for item in value.items() for part in item)
    if isinstance(value, list | tuple | set):
        return b"\n".join(raw(part) for part in value)
    return value if isinstance(value, bytes) else str(value).encode()


async def test_a_password_or_a_token_is_in_no_frame_no_log_no_page_and_nowhere_in_the_store(meet) -> None:
    password = "correct horse battery staple"
    with ValkeyProcess() as valkey:
        server = ServerProcess("--redis", valkey.url).start()
        ann, bob, eve = [await meet(encoding, url=server.url) for encoding in ("msgpack", "json", "json")]
        room = await gather_room(ann, password=password, deal=SHORTEST_WIN.code, listed=True)
        await enter(bob, room, "B", password="a wrong horse")
        await enter(bob, room, "B", password=password)
        await eve.ask("rooms")
        pages = [await fetch(server.port, f"/api/rooms/{room}", **bearer("a wrong horse"))]
        await ann.ask("manage", action="set", options={"password": password + "!"})
        await ann.ask("start")
        await bob.next("game")
        await ann.ask("manage", action="close")
        await bob.next("event", kind="closed")
        new = (await bob.ask("rematch"))["room"]
        await enter(eve, new, "E", password=password + "!")
        pages += [
            await fetch(server.port, f"/api/rooms/{room}{page}", **bearer(password + "!")) for page in PAGES
        ]
        assert [page.status for page in pages] == [401, 200, 200, 200]
        pages.append(await fetch(server.port, "/metrics"))
        told = [json.dumps(message) for peer in (ann, bob, eve) for message in peer.received]
        stored = await everything_stored(valkey.url)
        for peer in (ann, bob, eve):
            await peer.close()
        assert await asyncio.to_thread(server.stop) == 0, server.errors
        append_only = b"".join(
            path.read_bytes()
            for path in valkey.directory.rglob("*")
            if path.is_file() and path.suffix != ".sock"
        )
    assert room.encode() in stored
    assert room.encode() in append_only
    everywhere = [*told, *(page.body.decode() for page in pages), server.errors]
    for secret in (password, "a wrong horse"):
        assert not any(secret in text for text in everywhere)
        assert secret.encode() not in stored
        assert secret.encode() not in append_only
    assert not any("argon2" in text for text in everywhere)
    for peer in (ann, bob, eve):
        assert peer.token.encode() not in stored
        assert sum(peer.token in text for text in everywhere) == 1, "in their own `welcome`"
    shown = [json.loads(text).get("options", {}).get("password") for text in told if '"password"' in text]
    assert set(shown) <= {True, None}
    assert True in shown


async def test_who_comes_when_too_many_wait_for_a_password_is_told_so() -> None:
    answers = await asyncio.gather(
        *(passwords.hashed("sesame") for _ in range(passwords.WAITING_MAX + 3)), return_exceptions=True
    )
    refused = [answer for answer in answers if isinstance(answer, RoomProblem)]
    assert [problem.code for problem in refused] == ["too_many"] * 3
    assert await passwords.fits(str(answers[0]), "sesame")
