"""The order of a conversation: what is sent without waiting is served one after the other, in order."""

from __future__ import annotations

import json
from typing import Any

import msgpack
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import bare, play_well, request, start_race, told

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
MSGPACK, JSON = "crescent-race.v1.msgpack", "crescent-race.v1.json"


@pytest.mark.parametrize(
    ("offered", "chosen", "encoding"),
    [
        (None, None, "json"),
        ([JSON], JSON, "json"),
        ([MSGPACK], MSGPACK, "msgpack"),
        ([JSON, MSGPACK], MSGPACK, "msgpack"),
        (["other", JSON], JSON, "json"),
    ],
)
async def test_the_subprotocol_chooses_the_encoding(
    race_server, offered: Any, chosen: str | None, encoding: str
) -> None:
    async with connect(race_server.url, subprotocols=offered, compression=None) as connection:
        assert connection.subprotocol == chosen
        hello: dict[str, Any] = {"t": "hello", "id": 1}
        await connection.send(json.dumps(hello) if encoding == "json" else msgpack.packb(hello))
        frame = await connection.recv()
        welcome = json.loads(frame) if encoding == "json" else msgpack.unpackb(frame)  # type: ignore[arg-type]
        assert isinstance(frame, str if encoding == "json" else bytes)
        assert (welcome["t"], welcome["id"], len(welcome["player"])) == ("welcome", 1, 12)
        assert len(welcome["token"]) == 22


async def test_only_other_subprotocols_are_answered_with_http_400(race_server) -> None:
    with pytest.raises(InvalidStatus) as caught:
        await connect(race_server.url, subprotocols=["crescent-race.v9.json"])  # type: ignore[list-item]
    assert caught.value.response.status_code == 400


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
async def test_a_client_need_not_wait_to_say_hello_come_back_and_play_on(
    meet, race_server, encoding: str
) -> None:
    ann = await meet()
    room = await start_race(ann, deal=CODE)
    await play_well(ann, MOVES[:5])
    back = await Peer.open(race_server.url, encoding)
    async with back:
        requests = [
            {"t": "hello", "token": ann.token},
            {"t": "enter", "room": room},
            *(request(n, action) for n, action in enumerate(MOVES[:30], 1)),
            {"t": "clock", "sent": 1},
        ]
        answers = await back.pipeline(requests)
        assert [a["t"] for a in answers] == ["welcome", "room", *["done"] * 30, "clock"]
        kinds = [m["t"] for m in back.received if m["t"] in ("welcome", "room", "game", "done")]
        assert kinds == ["welcome", "room", "game", *["done"] * 30]
        assert bare(back.all("game")[0]) == told(CODE, MOVES[:5]).game()


async def test_a_second_hello_right_behind_the_first_closes_with_4400_after_the_welcome(
    meet, race_server
) -> None:
    ann = await meet()
    await ann.create()
    twin = await Peer.open(race_server.url)
    await twin.send(t="hello", token=ann.token)
    await twin.send(t="hello", token=ann.token)
    code, reason = await twin.wait_closed()
    assert (code, [m["t"] for m in twin.received]) == (4400, ["welcome"])
    assert "hello" in reason
    await twin.close()


async def test_requests_sent_at_once_are_answered_in_order(meet) -> None:
    ann = await meet("json")
    room = await ann.create(min_players=1, countdown_ms=60_000)
    requests = [
        {"t": "enter", "room": room, "as": "player", "name": "Ann"},
        {"t": "ready", "ready": True},
        {"t": "say", "text": "x"},
        {"t": "start"},
        {"t": "hold"},
        {"t": "ready", "ready": True},
        {"t": "manage", "action": "set", "options": {"countdown_ms": 0}},
        {"t": "leave"},
        {"t": "ready", "ready": True},
    ]
    answers = await ann.pipeline(requests)
    assert [answer["t"] for answer in answers] == ["room", *["ok"] * 7, "error"]
    versions = [answer["v"] for answer in answers if "v" in answer]
    assert versions == sorted(versions)
    assert [m["id"] for m in ann.received if "id" in m][-9:] == [answer["id"] for answer in answers]


async def test_an_ok_is_never_sent_before_its_event_is_stored(meet) -> None:
    """Its `v` holds the change: whoever enters after it sees it."""
    ann, bob = await meet(), await meet("json")
    room = await ann.create()
    await ann.enter(room, "Ann")
    await bob.enter(room, "Bob")
    for ready in (True, False) * 10:
        answer = await ann.ask("ready", ready=ready)
        shown = await bob.ask("enter", room=room)
        assert shown["v"] >= answer["v"]
        assert next(p for p in shown["players"] if p["name"] == "Ann")["ready"] is ready


async def test_a_polite_goodbye_is_answered_with_1000(meet) -> None:
    ann = await meet()
    await ann.connection.close(1000)
    assert await ann.wait_closed() == (1000, "")
