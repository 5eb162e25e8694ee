"""Why the race says no, where the client knows it more exactly than the server's general sentence."""

import re
from collections.abc import Callable

from client_cli.durations import clock_text
from client_cli.failures import Denied
from client_cli.move_words import MoveWords
from client_cli.race_state import RaceState
from client_cli.room_options import typed_name
from client_cli.room_view import RoomView
from client_cli.texts import say
from protocol.messages import Lang, Refused, Role
from server.engine.codes import GameCode
from server.engine.refusals import Refusal
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


def of_the_action(refused: Refused, state: RaceState, words: MoveWords) -> str:
    """Return why an action was refused, with its card and its place where it is known which they were."""
    asked, position = state.refused, state.position
    if position is None or asked is None or (asked.n, refused.stored) != (refused.n, position.n):
        return refused.text
    if refused.code == Refusal.NOTHING_TO_UNDO:
        return words.nothing_to_undo(position.moves, has_redealt(state.room, position.redeals))
    if asked.src is None or asked.dst is None or refused.code not in set(Refusal):
        return refused.text
    return words.refused(Refusal(refused.code), position, asked.src, asked.dst)


def has_redealt(room: RoomView | None, redeals: int) -> bool:
    """Return whether a game with so many redeals left has had one (R17)."""
    variant = room.options.get("variant") if room is not None else None
    return redeals < GameCode(1, "F" if variant == "F" else "N", 0).redeals


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


def why_no_follow(room: RoomView, plays: bool, lang: Lang) -> str:
    """Return why others' games cannot be followed now, "" if they can: "What one may see" of the protocol.

    `plays`: one's own game can go on.
    """
    if room.state != "running" or ("referee" in room.roles and "player" not in room.roles):
        return ""
    looks = room.options.get("spectators") in ("live", "delayed")
    may = not plays if "player" in room.roles else looks
    return "" if may and room.options.get("start") != "own" else say(_follow(room), lang)


_BY_OPTIONS: dict[str, Callable[[RoomView], str | None]] = {"start": _start, "follow": _follow}
"""Commands whose `not_allowed` depends on the room's options."""


def as_typed(text: str) -> str:
    """Return a server's sentence about options with names, moments and "none" as people type them."""
    for name in sorted(RULES, key=len, reverse=True):
        if "_" in name:
            text = text.replace(name, typed_name(name))
    text = re.sub(r"\bnull\b", "none", text)
    return re.sub(r"\b1\d{12}\b", lambda found: clock_text(int(found[0]), 0), text)
