"""Where the server is: the forms in which people type or paste its address."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from protocol.limits import WEBSOCKET_PATH

DEFAULT_SERVER = f"ws://127.0.0.1:8000{WEBSOCKET_PATH}"

_SCHEMES = {"ws": "ws", "http": "ws", "wss": "wss", "https": "wss"}
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


class AddressError(ValueError):
    """A text that is no server's address."""


class NoRoomError(AddressError):
    """A link to a server that names no room of it."""


@dataclass(frozen=True, slots=True)
class Address:
    """A server's WebSocket address, and the room that a join link named with it."""

    url: str
    room: str | None = None

    @property
    def loopback(self) -> bool:
        """Whether this is the machine one sits at, which neither a proxy nor a friend elsewhere reaches."""
        return urlsplit(self.url).hostname in _LOOPBACK


def parse_address(text: str) -> Address:
    """Return the address that `text` is: `ws://…/ws`, `http://host:port`, `host:port`, or a join link.

    AddressError for anything else. A path other than `/` or `/ws` is kept, for servers behind a prefix.
    """
    text = text.strip()
    try:
        parts = urlsplit(text if "://" in text else f"ws://{text}")
        port_is_one = parts.port is None or parts.port > 0
    except ValueError:
        raise AddressError(text) from None
    scheme = _SCHEMES.get(parts.scheme.lower())
    if scheme is None or not parts.hostname or not port_is_one or "@" in parts.netloc:
        raise AddressError(text)
    if any(character.isspace() for character in parts.netloc):
        raise AddressError(text)
    path = parts.path.rstrip("/")
    if not path.endswith(WEBSOCKET_PATH):
        path += WEBSOCKET_PATH
    return Address(f"{scheme}://{parts.netloc.lower()}{path}", parts.fragment.strip("/") or None)


def room_link(url: str, room: str) -> str:
    """Return the link to a room of the server at this WebSocket address, as people paste it."""
    parts = urlsplit(url)
    scheme = "https" if parts.scheme == "wss" else "http"
    return f"{scheme}://{parts.netloc}{parts.path.removesuffix(WEBSOCKET_PATH)}/#{room}"


def split_room(text: str, server: Address) -> tuple[Address, str]:
    """Return server and room of what was typed for a room: its id, or a whole join link with the server."""
    if "#" not in text and "/" not in text:
        return server, text.strip()
    address = parse_address(text)
    if address.room is None:
        raise NoRoomError(text)
    return address, address.room
