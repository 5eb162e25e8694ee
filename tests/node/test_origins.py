"""Origins as operators write them: taken as browsers send them, or refused in words."""

from __future__ import annotations

import pytest

from server.node.door import Door, DoorRules
from server.node.errors import SettingsError
from server.node.origins import listed, parse_origins
from server.node.rates import Rates
from server.transport.http import Headers, Request


def lets_in(texts: list[str], origin: str) -> bool:
    door = Door(DoorRules(origins=parse_origins(texts)), Rates())
    headers = Headers([("Origin", origin), ("Host", "play.example")])
    request = Request("GET", "/ws", headers=headers, peer="192.0.2.1")
    return door.refusal(request) is None


@pytest.mark.parametrize(
    "text", ["https://a.example,https://b.example", "https://a.example  https://b.example"]
)
def test_several_in_one_are_each_let_in(text: str) -> None:
    assert lets_in([text], "https://a.example")
    assert lets_in([text], "https://b.example")
    assert not lets_in([text], "https://c.example")


def test_they_are_compared_as_browsers_send_them() -> None:
    assert lets_in(["HTTPS://A.example:443"], "https://a.example")
    assert lets_in(["http://a.example:8080"], "http://a.example:8080")
    assert not lets_in(["https://a.example:8443"], "https://a.example")
    assert lets_in(["*"], "https://anybody.example")
    assert lets_in(["http://[2001:db8::1]:81"], "http://[2001:db8::1]:81")


@pytest.mark.parametrize(
    "text",
    ["foo", "https://a.example/", "a.example", "https://a.example/play", "https://", "null", "https://a.b:x"],
)
def test_what_is_no_origin(text: str) -> None:
    with pytest.raises(SettingsError, match="is no origin"):
        parse_origins([text])


def test_what_is_listed() -> None:
    assert list(listed(["a,b", " c , d ", "", ","])) == ["a", "b", "c", "d"]
