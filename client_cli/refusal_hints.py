"""Why the race says no, where the client can say it better than the server: it knows its own commands.

What is told by the word `why` of an answer is told by that alone; without a text of its own for one, or for a
word of a newer server's, the server's sentence stands, in the language it was asked for.
"""

import re

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
from server.rooms.whys import Why


def at_the_door(denied: Denied, role: Role, room: str, url: str, password: str | None, lang: Lang) -> str:
    """Return why one is not let in, and what else one may do."""
    more = " --password …" if password else ""
    key = _AT_THE_DOOR.get(denied.why or "")
    if denied.code == "wrong_state" and denied.why is None:
        key = "door_begun" if role == "player" else "door_you_play"
    if denied.code == "wrong_password" and password is None:
        key = "password_needed"
    return denied.text if key is None else say(key, lang, room=room, url=url, more=more)


def in_the_room(denied: Denied, command: str, room: RoomView | None, url: str, lang: Lang) -> str:
    """Return why what was typed cannot be done, and what can."""
    if denied.code == "bad_options":
        return as_typed(denied.text)
    if room is None:
        return denied.text
    here = sum(person.role == "player" for person in room.people.values())
    key = _IN_THE_ROOM.get(denied.why or "")
    if denied.why == Why.TOO_FEW_PLAYERS and here == 1:
        key = "too_few_alone"
    if denied.code == "wrong_state" and denied.why is None:
        key = _KEYS.get((command, room.state)) or _KEYS.get((command, ""))
    if key is None:
        return denied.text
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
    ("start", "countdown"): "start_is_near",
    ("start", "running"): "race_is_on",
    ("start", "closed"): "race_is_over",
    ("ready", "running"): "race_is_on",
    ("ready", "closed"): "race_is_over",
    ("unready", "running"): "race_is_on",
    ("unready", "closed"): "race_is_over",
    ("hold", ""): "no_countdown",
    ("rematch", ""): "rematch_later",
    ("follow", ""): "follow_no_game",
    ("forfeit", ""): "no_game_on",
    ("unforfeit", ""): "no_game_on",
    ("set", ""): "set_late",
    ("close", "closed"): "race_is_over",
}
"""What `wrong_state` means, by the command and the room's state; "" for any."""

_AT_THE_DOOR: dict[str, str] = {
    Why.HAS_WATCHED: "door_has_watched",
    Why.WAS_PUT_OUT: "door_put_out",
    Why.NO_SPECTATORS: "door_no_spectators",
}
_IN_THE_ROOM: dict[str, str] = {
    Why.NO_SEAT: "only_players",
    Why.TOO_FEW_PLAYERS: "too_few",
    Why.STARTS_WHEN_READY: "start_is_ready",
    Why.STARTS_AT_A_MOMENT: "start_is_at",
    Why.STARTS_EACH: "start_is_own",
    Why.STILL_RACING: "follow_later",
    Why.AFTER_THE_CLOSE: "follow_after_close",
    Why.BOARD_ONLY: "follow_board_only",
    Why.PLAYERS_REMATCH: "rematch_by_players",
}


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


def as_typed(text: str) -> str:
    """Return a server's sentence about options with names, moments and "none" as people type them."""
    for name in sorted(RULES, key=len, reverse=True):
        if "_" in name:
            text = text.replace(name, typed_name(name))
    text = re.sub(r"\bnull\b", "none", text)
    return re.sub(r"\b1\d{12}\b", lambda found: clock_text(int(found[0]), 0), text)
