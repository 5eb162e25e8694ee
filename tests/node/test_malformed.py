"""Malformed frames: 4400 and a reason that names the fault, 1007 for another encoding, 1009 for size."""

from __future__ import annotations

import json
from typing import Any

import msgpack
import pytest

from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import bare, game_on_entering, play_well, start_race, told

Map = dict[str, Any]
ENCODINGS = ["msgpack", "json"]

# Of each message one that is well-formed, and for each field what it cannot be (ABSENT: it must be there).
ABSENT = object()
NO_WHOLE = [-1, 2**53, -(2**63), 2**64 - 1, 1.5, "1", True, [1], {}]
NO_TEXT = [1, True, 1.5, ["a"], {"a": 1}]
NO_FLAG = [0, 1, "true", [], 0.0]
NO_MAP = [ABSENT, None, 1, "a", [], True]
OP = {"t": "op", "n": 1, "op": "m", "src": 0, "dst": 1}

FIELDS: list[tuple[Map, str, list[Any]]] = [
    ({"t": "leave"}, "id", NO_WHOLE),
    ({"t": "create", "options": {}}, "options", NO_MAP),
    ({"t": "create", "options": {}}, "key", [*NO_TEXT, "k" * 65]),
    ({"t": "enter", "room": "AAAAAAAA"}, "room", [ABSENT, None, *NO_TEXT, "", "r" * 65]),
    ({"t": "enter", "room": "AAAAAAAA"}, "as", [*NO_TEXT, "host", "Player", ""]),
    ({"t": "enter", "room": "AAAAAAAA"}, "name", [*NO_TEXT, "n" * 257]),
    ({"t": "enter", "room": "AAAAAAAA"}, "password", [*NO_TEXT, "p" * 61]),
    ({"t": "ready", "ready": True}, "ready", [ABSENT, None, *NO_FLAG]),
    (OP, "n", [ABSENT, None, 0, *NO_WHOLE]),
    (OP, "op", [ABSENT, None, *NO_TEXT, "", "M", "x", "move"]),
    (OP, "src", [ABSENT, None, -1, 24, 25, 10**9, *NO_WHOLE]),
    (OP, "dst", [ABSENT, None, -1, 26, 10**9, *NO_WHOLE]),
    ({"t": "op", "n": 1, "op": "r"}, "src", [0, 24]),
    ({"t": "op", "n": 1, "op": "u"}, "dst", [0, 25]),
    ({"t": "op", "n": 1, "op": "u"}, "src", [0, 24]),
    ({"t": "follow", "player": None}, "player", [ABSENT, *NO_TEXT, "", "p" * 65]),
    ({"t": "say", "text": "hi"}, "text", [ABSENT, None, *NO_TEXT, "t" * 301]),
    ({"t": "manage", "action": "close"}, "action", [ABSENT, None, *NO_TEXT, "", "explode"]),
    ({"t": "manage", "action": "close"}, "text", [*NO_TEXT, "t" * 301]),
    ({"t": "manage", "action": "kick", "player": "P"}, "player", [ABSENT, None, *NO_TEXT]),
    ({"t": "manage", "action": "ban", "player": "P"}, "player", [ABSENT, None, *NO_TEXT]),
    ({"t": "manage", "action": "disqualify", "player": "P"}, "player", [ABSENT, None, *NO_TEXT]),
    ({"t": "manage", "action": "disqualify", "player": "P"}, "reason", [*NO_TEXT, "t" * 301]),
    ({"t": "manage", "action": "reinstate", "player": "P"}, "player", [ABSENT, None, *NO_TEXT]),
    ({"t": "manage", "action": "host", "player": "P"}, "player", [ABSENT, None, *NO_TEXT]),
    ({"t": "manage", "action": "referee", "player": "P", "on": True}, "player", [ABSENT, None, *NO_TEXT]),
    ({"t": "manage", "action": "referee", "player": "P", "on": True}, "on", [ABSENT, None, *NO_FLAG]),
    ({"t": "manage", "action": "mute", "player": "P", "on": True}, "player", [ABSENT, None, *NO_TEXT]),
    ({"t": "manage", "action": "mute", "player": "P", "on": True}, "on", [ABSENT, None, *NO_FLAG]),
    ({"t": "manage", "action": "set", "options": {}}, "options", NO_MAP),
    ({"t": "clock", "sent": 1}, "sent", [ABSENT, None, -1, 2**53, 1.5, True, [1], "s" * 65]),
]
HELLO_FIELDS: list[tuple[Map, str, list[Any]]] = [
    ({"t": "hello"}, "token", [*NO_TEXT, "t" * 65]),
    ({"t": "hello"}, "lang", [*NO_TEXT, "fr", "EN", ""]),
    ({"t": "hello"}, "client", [*NO_TEXT, "c" * 65]),
    ({"t": "hello"}, "id", NO_WHOLE),
]


def changed(message: Map, field: str, value: Any) -> Map:
    if value is ABSENT:
        return {name: kept for name, kept in message.items() if name != field}
    return {**message, field: value}


def name_of(case: tuple[Map, str, list[Any]]) -> str:
    message, field, _ = case
    return "-".join(str(message[key]) for key in ("t", "op", "action") if key in message) + "." + field


async def fault(url: str, encoding: str, message: Any, *, hello: bool = True) -> tuple[int, str]:
    """How the server closes upon this message."""
    peer = await (Peer.hello if hello else Peer.open)(url, encoding)
    await peer.connection.send(message if isinstance(message, str | bytes) else packed(message, encoding))
    closed = await peer.wait_closed()
    await peer.close()
    return closed


def packed(message: Any, encoding: str) -> str | bytes:
    if encoding == "json":
        return json.dumps(message, ensure_ascii=False)
    data: bytes = msgpack.packb(message)
    return data


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("case", FIELDS, ids=name_of)
async def test_a_field_that_is_not_as_stated_closes_with_4400_and_is_named(
    race_server, encoding: str, case: tuple[Map, str, list[Any]]
) -> None:
    message, field, values = case
    for value in values:
        code, reason = await fault(race_server.url, encoding, changed(message, field, value))
        assert code == 4400, (value, reason)
        assert field in reason, (value, reason)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("case", HELLO_FIELDS, ids=name_of)
async def test_a_hello_that_is_not_as_stated_closes_with_4400(
    race_server, encoding: str, case: tuple[Map, str, list[Any]]
) -> None:
    message, field, values = case
    for value in values:
        sent = changed(message, field, value)
        code, reason = await fault(race_server.url, encoding, sent, hello=False)
        assert code == 4400, (value, reason)
        assert field in reason, (value, reason)


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_the_same_messages_as_stated_are_answered(meet, encoding: str) -> None:
    peer = await meet(encoding)
    for message, _, _ in FIELDS:
        (answer,) = await peer.pipeline([message])
        assert answer["t"] in ("error", "refused", "room", "clock", "ok"), (message, answer)
    assert peer.closed is None


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("message", "named"),
    [
        ({}, "t"),
        ({"n": 1}, "t"),
        ({"t": None}, "t"),
        ({"t": 5}, "t"),
        ({"t": "nothing"}, "nothing"),
        ({"t": "Hello"}, "Hello"),
        ({"t": "welcome", "player": "P", "now": 1, "server": "1"}, "welcome"),
        ({"t": "x" * 3000}, "x"),
        ({"t": "æøå" * 600}, "æ"),
        ([], "array"),
        ([{"t": "leave"}], "array"),
        ({"t": ["leave"]}, "t"),
        (1, "int"),
        (None, "object"),
        (True, "bool"),
    ],
    ids=lambda value: json.dumps(value)[:24],
)
async def test_what_is_no_known_message_closes_with_4400(
    race_server, encoding: str, message: Any, named: str
) -> None:
    code, reason = await fault(race_server.url, encoding, message)
    assert code == 4400
    assert named in reason
    assert len(reason.encode()) <= 123


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_a_request_before_hello_and_a_second_hello_close_with_4400(race_server, encoding: str) -> None:
    for message in ({"t": "clock", "sent": 1}, {"t": "rooms"}, OP, {"t": "create", "options": {}}):
        code, reason = await fault(race_server.url, encoding, message, hello=False)
        assert code == 4400
        assert "hello" in reason
    code, reason = await fault(race_server.url, encoding, {"t": "hello"})
    assert code == 4400
    assert "hello" in reason


NOT_JSON = [
    "",
    " ",
    "{",
    '{"t":"leave"',
    "{'t':'leave'}",
    '{"t":"leave"}}',
    '{"t":"leave"} {}',
    '{"t":"clock","sent":NaN}',
    '{"t":"clock","sent":01}',
    '{"t":"leave","x":' + "[" * 4000,
    '{"x":' * 600,
    '{"t":"say","text":"\\ud800"}',
    '{"t":"say","text":"\\x"}',
    '{"t":"say","text":"a\x01b"}',
    "\ufeff" + '{"t":"leave"}',
]
NOT_MSGPACK = [
    b"",
    b"\xc1",
    msgpack.packb({"t": "leave"})[:-1],
    msgpack.packb({"t": "leave"}) + b"\xc0",
    b"\xdb\xff\xff\xff\xff",
    b"\xdf\xff\xff\xff\xff",
    b"\x81\xa1x" + b"\x91" * 4000,
    b"\x81\xa1x" * 1000,
    b"\x81\xa1t\xa1\xff",
]


@pytest.mark.parametrize("hello", [True, False])
async def test_what_is_not_of_the_encoding_closes_with_1007(race_server, hello: bool) -> None:
    for text in NOT_JSON:
        assert (await fault(race_server.url, "json", text, hello=hello))[0] == 1007, text
    for data in NOT_MSGPACK:
        assert (await fault(race_server.url, "msgpack", data, hello=hello))[0] == 1007, data


async def test_a_frame_of_the_other_kind_is_not_of_the_encoding(race_server) -> None:
    assert (await fault(race_server.url, "json", msgpack.packb({"t": "leave"})))[0] == 1007
    assert (await fault(race_server.url, "msgpack", json.dumps({"t": "leave"})))[0] == 1007


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_a_frame_over_four_kib_closes_with_1009_and_one_of_four_kib_does_not(
    meet, race_server, encoding: str
) -> None:
    def padded(size: int) -> str | bytes:
        message = {"t": "clock", "sent": 1, "padding": ""}
        message["padding"] = "x" * (size - len(packed(message, encoding)))
        rest = size - len(packed(message, encoding))  # MessagePack's longer head of a longer text
        message["padding"] = "x" * (len(str(message["padding"])) + rest)
        data = packed(message, encoding)
        assert len(data) == size
        return data

    peer = await meet(encoding)
    await peer.connection.send(padded(4096))
    assert (await peer.next("clock"))["sent"] == 1
    assert (await fault(race_server.url, encoding, padded(4097)))[0] == 1009
    await peer.connection.send([padded(4096)[:2000], padded(4096)[2000:]])
    await peer.next("clock")
    await peer.connection.send([padded(4097)[:2000], padded(4097)[2000:]])
    assert (await peer.wait_closed())[0] == 1009


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_fields_that_are_not_known_are_passed_over(meet, encoding: str) -> None:
    peer = await meet(encoding, future={"a": [1, None, {}]})
    answer = await peer.ask("clock", sent=7, later=[1, 2], deeper={"x": {"y": "z"}})
    assert answer["sent"] == 7


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_optional_fields_may_be_null(meet, encoding: str) -> None:
    peer = await meet(encoding, token=None, lang=None, client=None)
    assert (await peer.ask("create", options={}, key=None))["t"] == "room"
    assert (await peer.ask("manage", action="close", player=None, on=None, text=None))["t"] == "ok"


async def test_what_one_peer_breaks_breaks_nothing_for_the_room(meet) -> None:
    ann, bob = await meet(), await meet("json")
    moves = SHORTEST_WIN.actions
    room = await start_race(ann, bob, deal=SHORTEST_WIN.code)
    await play_well(bob, moves[:2])
    await play_well(ann, moves[:2])
    await bob.send(t="op", n=3, op="m", src=0)
    assert (await bob.wait_closed())[0] == 4400
    await ann.next("presence", player=bob.player, online=False)
    await play_well(ann, moves[2:6], first=3)
    bob = await meet(token=bob.token)
    assert bare(await game_on_entering(bob, room)) == told(SHORTEST_WIN.code, moves[:2]).game()
    await play_well(bob, moves[2:4], first=3)


async def test_what_came_before_the_malformed_frame_is_done(meet) -> None:
    ann = await meet("json")
    moves = SHORTEST_WIN.actions
    room = await start_race(ann, deal=SHORTEST_WIN.code)
    for n, action in enumerate(moves[:5], start=1):
        await ann.send(t="op", n=n, op=action.op, src=action.src, dst=action.dst)
    await ann.send(t="op", n="six")
    assert (await ann.wait_closed())[0] == 4400
    again = await meet(token=ann.token)
    assert bare(await game_on_entering(again, room)) == told(SHORTEST_WIN.code, moves[:5]).game()
