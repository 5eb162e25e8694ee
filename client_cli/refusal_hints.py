"""Why the race says no, where the client knows it more exactly than the server's general sentence."""

import re
from collections.abc import Callable

from client_cli.durations import clock_text
from client_cli.failures import Denied
from client_cli.room_options import typed_name
from client_cli.room_view import RoomView
from client_cli.texts import say
from protocol.messages import Lang, Role
from server.rooms.options import RULES


def at_the_door(denied: Denied, role: Role, room: str, url: str, password: str | None, lang: Lang) -> str:
    """Return why one is not let in, and what else one may do."""
    more = " --password …" if password else ""
    key = {
        ("player", "wrong_state"): "door_begun",
        ("player", "not_allowed"): "door_not_again",
        ("spectator", "wrong_state"): "door_you_play",
        ("spectator", "not_allowed"): "door_no_spectators",
    }.get((role, denied.code))
    if denied.code == "wrong_password" and password is None:
        key = "password_needed"
    return denied.text if key is None else say(key, lang, room=room, url=url, more=more)


def in_the_room(denied: Denied, command: str, room: RoomView | None, url: str, lang: Lang) -> str:
    """Return why what was typed cannot be done, and what can."""
    if denied.code == "bad_options":
        return as_typed(denied.text)
    if room is None or denied.code not in ("not_allowed", "wrong_state"):
        return denied.text
    key = _KEYS.get((command, denied.code, room.state)) or _KEYS.get((command, denied.code, ""))
    if denied.code == "not_allowed" and command in _BY_OPTIONS:
        key = _BY_OPTIONS[command](room)
    if key is None:
        return denied.text
    here = sum(person.role == "player" for person in room.people.values())
    need = room.options.get("min_players", 2)
    return say(key, lang, need=need, here=here, room=room.id, url=url)


_KEYS = {
    ("start", "wrong_state", "countdown"): "start_is_near",
    ("start", "wrong_state", "running"): "race_is_on",
    ("start", "wrong_state", "closed"): "race_is_over",
    ("ready", "wrong_state", "running"): "race_is_on",
    ("ready", "wrong_state", "closed"): "race_is_over",
    ("ready", "not_allowed", ""): "only_players",
    ("unready", "wrong_state", "running"): "race_is_on",
    ("unready", "wrong_state", "closed"): "race_is_over",
    ("hold", "wrong_state", ""): "no_countdown",
    ("rematch", "wrong_state", ""): "rematch_later",
    ("rematch", "not_allowed", ""): "rematch_by_players",
    ("follow", "wrong_state", ""): "follow_no_game",
    ("forfeit", "wrong_state", ""): "no_game_on",
    ("forfeit", "not_allowed", ""): "only_players",
    ("unforfeit", "wrong_state", ""): "no_game_on",
    ("unforfeit", "not_allowed", ""): "unforfeit_late",
    ("set", "wrong_state", ""): "set_late",
    ("close", "wrong_state", "closed"): "race_is_over",
}
"""By the command, the error's code and the room's state; "" for any."""


def _start(room: RoomView) -> str | None:
    start = room.options.get("start", "host")
    if start != "host":
        return f"start_is_{start}" if start in ("ready", "own", "at") else None
    here = sum(person.role == "player" for person in room.people.values())
    return "too_few_alone" if here == 1 else "too_few"


def _follow(room: RoomView) -> str:
    if room.options.get("start") == "own":
        return "follow_after_close"
    return "follow_later" if "player" in room.roles else "follow_board_only"


_BY_OPTIONS: dict[str, Callable[[RoomView], str | None]] = {"start": _start, "follow": _follow}
"""Commands whose `not_allowed` depends on the room's options."""


def as_typed(text: str) -> str:
    """Return a server's sentence about options with their names and moments as people type them."""
    for name in sorted(RULES, key=len, reverse=True):
        if "_" in name:
            text = text.replace(name, typed_name(name))
    return re.sub(r"\b1\d{12}\b", lambda found: clock_text(int(found[0]), 0), text)
