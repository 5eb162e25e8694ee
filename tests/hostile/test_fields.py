"""Every field of every message absent, of a wrong type, huge, negative, deep: made from the types."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgpack
import msgspec
import pytest
from msgspec.inspect import (
    BoolType,
    DictType,
    IntType,
    LiteralType,
    NoneType,
    StrType,
    StructType,
    Type,
    UnionType,
    type_info,
)

from protocol.messages import MANAGE_FIELDS, ClientMessage
from tests.hostile.raw import Heard, Map, converse, packed, script

ENCODINGS = ["msgpack", "json"]
KINDS = type_info(ClientMessage).types  # type: ignore[attr-defined]
ABSENT = object()

# Of each message one that is well-formed and does nothing: who says it is in no room.
BASES: dict[str, list[Map]] = {
    "hello": [{}],
    "create": [{"options": {"no such option": 1}}],
    "enter": [{"room": "AAAAAAAA", "as": "player", "name": "Ann", "password": "p"}],
    "ready": [{"ready": True}],
    "op": [{"n": 1, "op": "m", "src": 0, "dst": 16}, {"n": 1, "op": "r"}],
    "follow": [{"player": "P"}],
    "say": [{"text": "hi"}],
    "manage": [
        {"action": action, "player": "P", "on": True, "options": {"name": "x"}}
        for action in ("kick", "referee", "set", "close")
    ],
    "clock": [{"sent": 1}],
}


def deep(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"x": value}
    return value


VALUES: list[Any] = [
    ABSENT, None, True, False, 0, 1, -1, 2**53 - 1, 2**53, 2**63, 2**64 - 1, -(2**63),
    0.5, 1e300, math.nan, math.inf, -math.inf, "", "x", "player", "close", "\x00", "\u202e",
    "x" * 65, "x" * 301, "é" * 1500, [], [[]] * 100, {}, {"t": "hello"},
    deep(40), deep(400),
]  # fmt: skip
MSGPACK_ONLY: list[Any] = [b"", b"x" * 500, msgpack.Timestamp(1), msgpack.ExtType(5, b"x"), {1: 2}, {None: 1}]


def fits(kind: Type, value: Any) -> bool:
    """Whether a field may have this value, by its stated type alone."""
    if isinstance(kind, UnionType):
        return any(fits(each, value) for each in kind.types)
    match kind:
        case NoneType():
            return value is None
        case BoolType():
            return isinstance(value, bool)
        case IntType():
            whole = isinstance(value, int) and not isinstance(value, bool)
            return whole and (kind.ge is None or value >= kind.ge) and (kind.le is None or value <= kind.le)
        case StrType():
            return (
                isinstance(value, str)
                and len(value) >= (kind.min_length or 0)
                and (kind.max_length is None or len(value) <= kind.max_length)
            )
        case LiteralType():
            return isinstance(value, str) and value in kind.values
        case DictType():
            return isinstance(value, dict) and all(isinstance(key, str) for key in value)
    raise AssertionError(f"a type the test does not know: {kind}")


def cases(encoding: str) -> Iterator[tuple[Map, bool]]:
    """Messages with one field changed, and whether each is well-formed."""
    values = VALUES + (MSGPACK_ONLY if encoding == "msgpack" else [])
    for kind in KINDS:
        assert isinstance(kind, StructType)
        tag = str(kind.tag)
        for base in BASES.get(tag, [{}]):
            for field in kind.fields:
                for value in values:
                    message: Map = {"t": tag, **base}
                    message.pop(field.encode_name, None)
                    if value is not ABSENT:
                        message[field.encode_name] = value
                    given = None if value is ABSENT and not field.required else value
                    yield message, fits(field.type, given) and goes_together(message)


def goes_together(message: Map) -> bool:
    """What one field asks of another (`op`, `manage`)."""
    if message["t"] == "op":
        return all((message.get(field) is not None) == (message["op"] == "m") for field in ("src", "dst"))
    if message["t"] == "manage":
        return all(message.get(field) is not None for field in MANAGE_FIELDS[message["action"]])
    return True


def test_every_message_and_every_kind_of_field_is_known_here() -> None:
    tags = {str(kind.tag) for kind in KINDS}
    assert set(BASES) < tags
    for kind in KINDS:
        needed = {field.encode_name for field in kind.fields if field.required}
        assert needed <= set(BASES.get(str(kind.tag), [{}])[0]), kind.tag


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_field_that_is_anything_at_all_is_answered_in_words_or_closed_upon(
    race_server, encoding: str
) -> None:
    scripts: list[bytes] = []
    asked: list[tuple[Map, bool]] = []
    for message, well_formed in cases(encoding):
        first = [] if message["t"] == "hello" else [{"t": "hello"}]
        scripts.append(script(encoding, *first, message, {"t": "clock", "sent": "after"}))
        asked.append((message, well_formed))
    assert len(scripts) > 1000
    wrong = []
    for (message, well_formed), told in zip(
        asked, converse(race_server.port, scripts, encoding), strict=True
    ):
        fault = judge(message, well_formed, told, encoding)
        if fault:
            wrong.append((fault, str(message)[:200], told))
    assert not wrong, wrong[:5]


def judge(message: Map, well_formed: bool, told: Heard, encoding: str) -> str:
    """What is wrong about the answer; "": nothing."""
    answers = [each for each in told.messages if each["t"] != "welcome"]
    if not well_formed:
        if told.code not in (4400, 1007) or answers:
            return "malformed, and not closed upon"
        if told.code == 1007 and is_readable(message, encoding):
            return "readable, and said not to be"
        return "" if told.reason else "closed without words"
    if message["t"] == "forget" or message.get("token") is not None:
        expected = 1000 if message["t"] == "forget" else 4401
        return "" if told.code == expected else "not closed as it should be"
    if told.code != 1000 or not answers or answers[-1].get("sent") != "after":
        return "the connection did not go on"
    if message["t"] == "create" and message["options"] == {}:
        return "" if answers[0]["t"] == "room" else "no options are the usual ones"
    return "" if all(map(changes_nothing, answers[:-1])) else "something was done, or there are no words"


def changes_nothing(answer: Map) -> bool:
    """Whether this is an answer in words, or to a question."""
    return answer["t"] in ("clock", "rooms") or (answer["t"] in ("error", "refused") and answer["text"] != "")


def is_readable(message: Map, encoding: str) -> bool:
    """Whether a standard reader can read it: JSON knows no NaN, and nobody reads what is nested too deep."""
    if encoding == "json":
        try:
            msgspec.json.encode(message)
            return b"NaN" not in packed(message, encoding) and b"Infinity" not in packed(message, encoding)
        except RecursionError:
            return False
    return "[" * 60 not in str(message) and str(message).count("[") < 150


# Sizes at their limits


def edges(kind: Type) -> Iterator[tuple[Any, bool]]:
    """The last values that a type takes, and the first that it does not."""
    match kind:
        case UnionType():
            for each in kind.types:
                yield from edges(each)
        case StrType() if kind.max_length is not None:
            for letter in ("x", "é", "\U0001f0a1"):  # what counts are characters, not bytes
                yield letter * kind.max_length, True
                yield letter * (kind.max_length + 1), False
            if kind.min_length:
                yield "x" * kind.min_length, True
                yield "x" * (kind.min_length - 1), False
        case IntType() if kind.ge is not None and kind.le is not None:
            yield from ((kind.ge, True), (kind.ge - 1, False), (kind.le, True), (kind.le + 1, False))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_limit_itself_passes_and_one_more_does_not(race_server, encoding: str) -> None:
    asked: list[tuple[Map, bool]] = []
    for kind in KINDS:
        for field in kind.fields:
            for value, passes in edges(field.type):
                base = BASES.get(str(kind.tag), [{}])[0]
                asked.append(({"t": str(kind.tag), **base, field.encode_name: value}, passes))
    assert len(asked) > 150
    scripts = [
        script(encoding, *([] if m["t"] == "hello" else [{"t": "hello"}]), m, {"t": "clock", "sent": "after"})
        for m, _ in asked
    ]
    for (message, passes), told in zip(asked, converse(race_server.port, scripts, encoding), strict=True):
        assert not judge(message, passes, told, encoding), (message, told)
