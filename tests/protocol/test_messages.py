"""The typed messages are those of `docs/protocol.md`: read from the page itself."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from protocol import messages as wire
from server.rooms.events import AnyEvent

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def tables(title: str) -> dict[str, str]:
    """Each `t` of a section's table with the rest of its row."""
    rows: dict[str, str] = {}
    for line in section(title).splitlines():
        found = re.match(r"\| (`[^|]*`) \|(.*)", line)
        if found and found[1] != "`t`":
            for name in re.findall(r"`(\w+)`", found[1]):
                rows[name] = found[2]
    return rows


def structs(union: object) -> dict[str, type[msgspec.Struct]]:
    return {str(kind.__struct_config__.tag): kind for kind in union.__args__}  # type: ignore[attr-defined]


def fields_of(kind: type[msgspec.Struct]) -> dict[str, bool]:
    """A struct's fields on the wire, and whether each may be left out."""
    return {field.encode_name: not field.required for field in msgspec.structs.fields(kind)}


CLIENT = structs(wire.ClientMessage)
SERVER = structs(wire.ServerMessage)


def test_every_client_message_of_the_page_is_typed_and_no_other():
    assert set(tables("Client to server")) == set(CLIENT)


def test_every_server_message_of_the_page_is_typed_and_no_other():
    told = set(tables("Server to client"))
    # `rooms` is told of with its request.
    assert told | {"rooms"} == set(SERVER)


# Said in words on the page to be left out at times.
OPTIONAL_IN_WORDS = {("enter", "as"), ("board", "own")}

REQUEST_FIELDS = [
    (name, field)
    for name, rest in tables("Client to server").items()
    for field in re.findall(r"`(\w+\??)`", rest.split("|")[0].split(";")[0])
    if name in ("hello", "create", "enter", "ready", "follow", "say", "clock")
    and field not in ("en", "da", "de", "player", "spectator")
]


@pytest.mark.parametrize(("name", "field"), REQUEST_FIELDS)
def test_a_request_has_the_fields_of_the_page(name, field):
    optional = field.endswith("?") or (name, field) in OPTIONAL_IN_WORDS
    assert fields_of(CLIENT[name])[field.rstrip("?")] is optional


def test_follow_names_a_player_or_null():
    assert fields_of(CLIENT["follow"])["player"] is False


@pytest.mark.parametrize("name", [name for name in SERVER if name not in ("error", "rooms", "view", "seen")])
def test_a_server_message_has_the_fields_of_the_page(name):
    cell = tables("Server to client")[name].split("|")[0]
    known = fields_of(SERVER[name])
    cell = cell.split("Kinds:")[0].split("Drop events")[0]
    cell = re.sub(r"\((?!\w+: )[^()]*\)", "", cell)  # values and explanations stand in brackets
    mentioned = {"id"}  # any message's; in `room` a person's
    for field in re.findall(r"`(\w+\??)`", cell):
        plain = field.rstrip("?")
        if plain in known and plain not in mentioned:  # the first mention is the definition
            assert known[plain] is (field.endswith("?") or (name, plain) in OPTIONAL_IN_WORDS), field
        mentioned.add(plain)
    required = {field for field, optional in known.items() if not optional}
    assert required <= set(re.findall(r"`(\w+)`", tables("Server to client")[name])), name


def test_every_kind_of_event_of_the_page_can_be_told():
    kinds = section("Server to client").split("Kinds: ")[1].split("|")[0]
    without_fields = re.sub(r"\([^()]*\)", "", kinds)
    told = set(re.findall(r"`(\w+)`", without_fields))
    logged = set(structs(AnyEvent))
    assert told <= logged
    assert logged - told == {"created", "forgotten"}


@pytest.mark.parametrize("kind", list(CLIENT.values()) + list(SERVER.values()))
def test_every_message_may_carry_an_id(kind):
    assert fields_of(kind)["id"] is True
