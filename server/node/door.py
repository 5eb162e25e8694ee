"""Who may connect, from where and how often: origins of pages, addresses behind proxies, caps by address."""

import re
from collections import Counter
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import urlsplit

from server.node.errors import SettingsError
from server.node.rates import Bucket, Rate, Rates
from server.transport.http import Request, Response, plain

CONNECTIONS_MAX = 100  # from one address
IPV6_HOST_BITS = 64  # one household has as many IPv6 addresses as it likes, all of one such network
SWEPT_AT = 1_000
# What some proxies write: an IPv4 address with a port, an IPv6 one in brackets, with a port or without.
HOST_AND_PORT = re.compile(r"\[([0-9A-Fa-f.]*:[0-9A-Fa-f:.]+)\](?::\d{1,5})?|([0-9.]+):\d{1,5}", re.ASCII)

Network = IPv4Network | IPv6Network


class DoorRules(NamedTuple):
    """Settings. `origins`: pages that may connect besides the server's own; `*` lets all. `trusted_proxies`:
    networks whose `X-Forwarded-For` is believed."""

    origins: tuple[str, ...] = ()
    trusted_proxies: tuple[Network, ...] = ()
    connections_max: int = CONNECTIONS_MAX


def parse_networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """Addresses or networks, as `10.0.0.0/8`. Raises `SettingsError`."""
    try:
        return tuple(ip_network(text.strip(), strict=False) for text in texts)
    except ValueError as error:
        raise SettingsError(f"{error}; write an address or a network, as 10.0.0.0/8") from None


class AddressBuckets:
    """A bucket an address; those that are full again are forgotten now and then."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: dict[str, Bucket] = {}
        self._swept_at = SWEPT_AT

    def take(self, address: str, now_ms: float) -> bool:
        """Whether one more from this address is within the rate."""
        bucket = self._buckets.get(address)
        if bucket is None:
            if len(self._buckets) >= self._swept_at:
                kept = {known: bucket for known, bucket in self._buckets.items() if not bucket.full(now_ms)}
                self._buckets, self._swept_at = kept, max(SWEPT_AT, 2 * len(kept))
            bucket = self._buckets[address] = Bucket(self._rate, now_ms)
        return bucket.take(now_ms)


class Door:
    """One node's door; it remembers addresses in memory, and no longer than it must."""

    def __init__(self, rules: DoorRules, rates: Rates) -> None:
        self._rules, self._rates = rules, rates
        self._connections: Counter[str] = Counter()
        self._hellos = AddressBuckets(rates.address_hello)
        self._creates = AddressBuckets(rates.address_create)
        self._pages = AddressBuckets(rates.address_page)

    def address(self, request: Request) -> str:
        """Whom a connection counts for: the peer, or, behind trusted proxies, the last address that is not
        one of theirs; of an IPv6 address, its network."""
        told = request.headers.get("X-Forwarded-For", "").split(",")
        hops = [_without_port(hop.strip()) for hop in told if hop.strip()]
        address = request.peer
        while hops and self._trusts(address):
            address = hops.pop()
        parsed = _parsed(address)
        if parsed is None:
            return address[:64]
        if isinstance(parsed, IPv6Address):
            return str(ip_network((parsed, IPV6_HOST_BITS), strict=False))
        return str(parsed)

    def _trusts(self, address: str) -> bool:
        parsed = _parsed(address)
        return parsed is not None and any(parsed in network for network in self._rules.trusted_proxies)

    def refusal(self, request: Request) -> Response | None:
        """Why a WebSocket may not be opened, as the answer to its handshake; None: it may."""
        if not self._may_connect_from(request):
            return plain(403, "This page may not connect here; the operator can allow it with --origin.")
        if self._connections[self.address(request)] >= self._rules.connections_max:
            return plain(429, "Too many connections from this address; close some first.")
        return None

    def _may_connect_from(self, request: Request) -> bool:
        """Browsers name the page's origin; other programs need not. A page of this server's own may."""
        origin = request.headers.get("Origin")
        if origin is None or "*" in self._rules.origins or origin in self._rules.origins:
            return True
        try:
            return urlsplit(origin).netloc.lower() == request.headers.get("Host", "").lower()
        except ValueError:  # an address in brackets that is none
            return False

    def entered(self, address: str) -> None:
        """A connection from this address is open."""
        self._connections[address] += 1

    def left(self, address: str) -> None:
        """It is no longer."""
        self._connections[address] -= 1
        if self._connections[address] <= 0:
            del self._connections[address]

    def may_say_hello(self, address: str, now_ms: float) -> bool:
        """Whether one more `hello` from this address is within its rate."""
        return self._hellos.take(address, now_ms)

    def may_create(self, address: str, now_ms: float) -> bool:
        """Whether one more room from this address is within its rate."""
        return self._creates.take(address, now_ms)

    def may_ask(self, address: str, now_ms: float) -> bool:
        """Whether one more page of a room from this address is within its rate."""
        return self._pages.take(address, now_ms)


def _without_port(hop: str) -> str:
    """An address as a proxy tells it, without the port that it may have put there. What is none stays."""
    found = HOST_AND_PORT.fullmatch(hop)
    host = (found[1] or found[2]) if found is not None else hop
    return host if _parsed(host) is not None else hop


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    """An address, an IPv4 one in IPv6's clothes as what it is; None: it is none."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return None
    return (parsed.ipv4_mapped or parsed) if isinstance(parsed, IPv6Address) else parsed
