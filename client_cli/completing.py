"""What a shell completes of this client's own: from what is kept on this machine, without asking a server."""

import contextlib
import json
from collections.abc import Iterator

from client_cli.identity import config_directory


def known_rooms(incomplete: str) -> list[str]:
    """Return the rooms this machine's identities were in the last time, those that begin like this."""
    return _beginning({room for _, room in _kept() if room}, incomplete)


def known_identities(incomplete: str) -> list[str]:
    """Return the names of this machine's identities that begin like this."""
    return _beginning({slot for slot, _ in _kept()}, incomplete)


def _kept() -> Iterator[tuple[str, str]]:
    """Yield each identity's name and room; what cannot be read is no help, and no harm."""
    for path in config_directory().glob("identities/*/*.json"):
        with contextlib.suppress(OSError, ValueError):
            stored = json.loads(path.read_text(encoding="utf-8"))
            room = stored.get("room") if isinstance(stored, dict) else None
            yield path.stem, room if isinstance(room, str) else ""


def _beginning(words: set[str], incomplete: str) -> list[str]:
    return sorted(word for word in words if word.casefold().startswith(incomplete.casefold()))
