"""Who may connect, from where and how often: over sockets where that can be, else at the door itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from server.node.door import Door, DoorRules, parse_networks
from server.node.errors import SettingsError
from server.node.rates import Rate, Rates
from server.transport.http import Headers, Request
from tests.support.peer import Peer
from tests.support.server import FAST, ServerProcess
from tests.support.web import Page, fetch

FEW = (
    FAST.replace("address_hello=100000:100000", "address_hello=0.01:4")
    .replace("address_create=100000:100000", "address_create=0.01:3")
    .replace("address_page=100000:100000", "address_page=0.01:3")
)


@pytest.fixture(scope="module")
def strict_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Three connections, four hellos and three rooms an address; every proxy of this machine is trusted."""
    arguments = ["--origin", "https://friend.example", "--trusted-proxy", "127.0.0.0/8"]
    arguments += ["--connections-per-address", "3", "--data", str(tmp_path_factory.mktemp("door") / "data")]
    server = ServerProcess(*arguments, rates=FEW).start()
    yield server
    assert server.stop() == 0, server.errors


async def status_of(url: str, **headers: str) -> int:
    """The status of the answer to a handshake with these headers; 101 if it is opened."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        async with connect(url, additional_headers=fields, compression=None):
            return 101
    except InvalidStatus as error:
        return error.response.status_code


async def opened(url: str, address: str) -> Peer:
    """A connection of somebody at this address, as a proxy tells it."""
    fields = {"X-Forwarded-For": address}
    connection = await connect(
        url,
        additional_headers=fields,
        subprotocols=["crescent-race.v1.json"],
        compression=None,  # type: ignore[list-item]
    )
    return Peer(connection, binary=False)


# Origins


async def test_a_page_from_elsewhere_may_not_connect_the_servers_own_and_listed_ones_may(
    strict_server,
) -> None:
    url, own = strict_server.url, strict_server.http
    assert await status_of(url, X_Forwarded_For="192.0.2.1") == 101, "programs name no origin"
    for origin, status in (
        (own, 101),
        ("https://friend.example", 101),
        ("https://evil.example", 403),
        ("http://friend.example", 403),
        ("https://friend.example.evil.example", 403),
        (own + "0", 403),
        ("http://[", 403),
        ("http://[x]", 403),
        ("null", 403),
        ("", 403),
    ):
        assert await status_of(url, Origin=origin, X_Forwarded_For="192.0.2.1") == status, origin


def test_a_star_lets_every_page_in() -> None:
    for origin in ("https://evil.example", "null"):
        request = Request("GET", "/ws", headers=Headers([("Origin", origin), ("Host", "race.example")]))
        assert Door(DoorRules(origins=("*",)), Rates()).refusal(request) is None
        refusal = Door(DoorRules(), Rates()).refusal(request)
        assert refusal is not None
        assert refusal.status == 403


# Caps by address


async def test_connections_are_capped_by_address_and_a_closed_one_makes_room(strict_server) -> None:
    url = strict_server.url
    peers = [await opened(url, "192.0.2.7") for _ in range(3)]
    assert await status_of(url, X_Forwarded_For="192.0.2.7") == 429
    assert await status_of(url, X_Forwarded_For="192.0.2.8") == 101, "another address"
    await peers[0].close()
    peers[1].abort()
    peers[:2] = [await opened_soon(url, "192.0.2.7") for _ in range(2)]
    assert await status_of(url, X_Forwarded_For="192.0.2.7") == 429
    for peer in peers:
        await peer.close()


async def opened_soon(url: str, address: str) -> Peer:
    """The same, once a place that is being given up is free."""
    async with asyncio.timeout(10):
        while True:
            try:
                return await opened(url, address)
            except InvalidStatus:
                await asyncio.sleep(0.01)


async def test_hellos_are_capped_by_address_and_may_be_said_again(strict_server) -> None:
    answers = []
    for _ in range(6):
        peer = await opened(strict_server.url, "192.0.2.20")
        answers.append(await peer.ask("hello", lang="en"))
        if answers[-1]["t"] == "error":
            assert answers[-1]["code"] == "too_many"
            assert (await peer.ask("hello"))["code"] == "too_many"
            assert peer.closed is None, "nothing was said yet"
        await peer.close()
    assert [answer["t"] for answer in answers] == ["welcome"] * 4 + ["error"] * 2
    other = await opened(strict_server.url, "192.0.2.21")
    assert (await other.ask("hello"))["t"] == "welcome"
    await other.close()


async def test_rooms_are_capped_by_address_whoever_makes_them(strict_server) -> None:
    answers = []
    for _ in range(2):
        peer = await opened(strict_server.url, "192.0.2.30")
        await peer.ask("hello")
        answers += [await peer.ask("create", options={}) for _ in range(2)]
        await peer.close()
    assert [answer.get("code", "made") for answer in answers] == ["made"] * 3 + ["too_many"]


async def test_pages_of_rooms_are_capped_by_address_and_others_are_not(strict_server) -> None:
    async def asked(path: str, address: str) -> Page:
        return await fetch(strict_server.port, path, X_Forwarded_For=address)

    pages = [await asked(f"/api/rooms/GUESS{number:03}", "192.0.2.40") for number in range(5)]
    assert [page.status for page in pages] == [404] * 3 + [429] * 2
    assert (pages[-1].json["code"], int(pages[-1].headers["retry-after"]) > 0) == ("too_many", True)
    assert (await asked("/api/rooms/GUESS000", "192.0.2.41")).status == 404, "another address"
    assert (await asked("/healthz", "192.0.2.40")).status == 200


async def test_a_proxy_that_is_not_trusted_is_itself_the_address(tmp_path: Path) -> None:
    server = ServerProcess("--connections-per-address", "2", "--data", str(tmp_path / "d"), rates=FEW).start()
    try:
        peers = [await opened(server.url, f"192.0.2.{number}") for number in range(2)]
        assert await status_of(server.url, X_Forwarded_For="192.0.2.99") == 429
        for peer in peers:
            await peer.close()
    finally:
        assert await asyncio.to_thread(server.stop) == 0, server.errors


# At the door itself

TRUSTED = parse_networks(["10.0.0.0/8", "127.0.0.1", "2001:db8:ffff::/48"])


def door(**rates: Rate) -> Door:
    return Door(DoorRules(trusted_proxies=TRUSTED), Rates(**rates))


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "203.0.113.9", "192.0.2.1"),
        ("10.1.2.3", "203.0.113.9", "203.0.113.9"),
        ("10.1.2.3", "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        ("10.1.2.3", "203.0.113.9, 10.9.9.9 ,127.0.0.1", "203.0.113.9"),
        ("10.1.2.3", "10.9.9.9", "10.9.9.9"),
        ("10.1.2.3", "", "10.1.2.3"),
        ("10.1.2.3", " , ,", "10.1.2.3"),
        ("10.1.2.3", "unknown", "unknown"),
        ("10.1.2.3", "x" * 900, "x" * 64),
        ("10.1.2.3", "203.0.113.9:5678", "203.0.113.9"),
        ("10.1.2.3", "203.0.113.9:5678, 10.9.9.9:443", "203.0.113.9"),
        ("10.1.2.3", "[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"),
        ("10.1.2.3", "[2001:db8:1:2::9], [2001:db8:ffff::1]:80", "2001:db8:1:2::/64"),
        ("10.1.2.3", "[::ffff:203.0.113.9]:443", "203.0.113.9"),
        ("10.1.2.3", "2001:db8:1:2::9:443", "2001:db8:1:2::/64"),
        ("10.1.2.3", "203.0.113.9:", "203.0.113.9:"),
        ("10.1.2.3", "203.0.113.9:http", "203.0.113.9:http"),
        ("10.1.2.3", "203.0.113:80", "203.0.113:80"),
        ("10.1.2.3", "[203.0.113.9]:80", "[203.0.113.9]:80"),
        ("10.1.2.3", "[::1", "[::1"),
        ("2001:db8:1:2:3::4", "", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "", "2001:db8:1:3::/64"),
        ("2001:db8:ffff::1", "2001:DB8:1:2::9", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "", "192.0.2.1"),
        ("::ffff:10.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("fe80::1%eth0", "", "fe80::/64"),
        ("", "", ""),
    ],
)
def test_whom_a_connection_counts_for(peer: str, forwarded: str, address: str) -> None:
    headers = Headers([("X-Forwarded-For", forwarded)] if forwarded else [])
    assert door().address(Request("GET", "/ws", headers=headers, peer=peer)) == address


def test_an_address_is_forgotten_once_its_connections_are_gone_and_its_buckets_full() -> None:
    gate = door(address_hello=Rate(1, 2))
    gate.entered("a")
    gate.entered("a")
    gate.left("a")
    gate.left("a")
    assert not gate._connections
    for number in range(3000):
        assert gate.may_say_hello(f"address {number}", now_ms=number * 10.0)
    assert len(gate._hellos._buckets) <= 1001, "what is as good as new need not be remembered"


def test_a_bucket_of_an_address_fills_with_time() -> None:
    gate = door(address_create=Rate(1, 2))
    assert [gate.may_create("a", now_ms=0.0) for _ in range(3)] == [True, True, False]
    assert [gate.may_create("a", now_ms=1000.0) for _ in range(2)] == [True, False]
    assert gate.may_create("b", now_ms=1000.0)


@pytest.mark.parametrize("text", ["10.0.0.0/33", "proxy.example", "", "10.0.0"])
def test_what_is_no_network_is_refused_in_words(text: str) -> None:
    with pytest.raises(SettingsError, match="write an address or a network"):
        parse_networks([text])
