"""Origins of web pages, as an operator writes them down and as browsers send them."""

import re
from collections.abc import Iterator, Sequence

from server.node.errors import SettingsError

ALL = "*"

# RFC 6454, 6.2: nothing stands behind the port, not even a slash. A host of other letters is sent as `xn--…`.
_ORIGIN = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
)
_DEFAULT_PORTS = {"http": "80", "https": "443"}  # browsers leave these out


def listed(texts: Sequence[str]) -> Iterator[str]:
    """What is named in these texts, with spaces or commas between them."""
    for text in texts:
        yield from filter(None, re.split(r"[\s,]+", text))


def parse_origins(texts: Sequence[str]) -> tuple[str, ...]:
    """Origins as browsers send them, of texts that have one or several; `*` stays. Raises `SettingsError`."""
    return tuple(map(_origin, listed(texts)))


def _origin(text: str) -> str:
    if text == ALL:
        return ALL
    found = _ORIGIN.fullmatch(text.lower())
    if found is None:
        raise SettingsError(
            f"`{text}` is no origin; write scheme, host and perhaps a port, nothing behind, as "
            "https://race.example, or * for all"
        )
    port = found["port"]
    behind = f":{port}" if port and port != _DEFAULT_PORTS.get(found["scheme"]) else ""
    return f"{found['scheme']}://{found['host']}{behind}"
