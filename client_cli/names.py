"""Under which name one plays, when none was typed."""

import getpass

from client_cli.client import RaceClient
from client_cli.failures import Denied
from client_cli.refusal_hints import at_the_door
from client_cli.safe_text import safe_text
from protocol.limits import PLAYER_NAME_CHARACTERS_MAX
from protocol.messages import Room

_NUMBERS = range(2, 10)


def default_name() -> str:
    """Return the name of the system's user, cut to what a player's name may be."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = ""
    return safe_text(name).strip()[:PLAYER_NAME_CHARACTERS_MAX].strip() or "Player"


async def enter_as_player(
    client: RaceClient, room: str, name: str, *, chosen: bool, password: str | None = None
) -> Room:
    """Enter as a player. A name nobody chose gives way where it is taken: `ada`, `ada 2`, `ada 3` …

    What a `Denied` says is what one can do about it.
    """
    try:
        return await _enter(client, room, name, chosen, password)
    except Denied as denied:
        denied.text = at_the_door(denied, "player", room, client.url, password, client.lang)
        raise


async def _enter(client: RaceClient, room: str, name: str, chosen: bool, password: str | None) -> Room:
    try:
        return await client.enter(room, "player", name, password)
    except Denied as denied:
        if chosen or denied.code != "name_taken":
            raise
        last = denied
    for number in _NUMBERS:
        numbered = f"{name[: PLAYER_NAME_CHARACTERS_MAX - 2].rstrip()} {number}"
        try:
            return await client.enter(room, "player", numbered, password)
        except Denied as denied:
            if denied.code != "name_taken":
                raise
            last = denied
    raise last
