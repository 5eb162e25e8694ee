"""What of the server's messages is news to people, in a line; and the lines there were, room by room."""

from collections import deque
from typing import NamedTuple

from client_cli.event_lines import IMPORTANT, event_line
from client_cli.race_state import RaceState
from client_cli.room_view import RoomView
from client_cli.safe_text import safe_text
from client_cli.screen.words import word
from client_cli.texts import say
from protocol.messages import Event, Lang, Message, Presence, Said, View


class News(NamedTuple):
    """A line and its style."""

    text: str
    style: str = ""


LINES_MAX = 500


class NewsLines:
    """The latest lines of a sitting. Each belongs to the room in which it was told; "" to all of them."""

    def __init__(self) -> None:
        self._lines: deque[tuple[str, News]] = deque(maxlen=LINES_MAX)

    def add(self, text: str, style: str, room: str) -> list[News]:
        """Add what happened, and return its lines."""
        added = [News(line, style) for line in text.split("\n")]
        self._lines.extend((room, line) for line in added)
        return added

    def of(self, room: str) -> list[News]:
        """Return the lines of a room, oldest first."""
        return [line for where, line in self._lines if where in ("", room)]


def rematch_line(room: RoomView | None, lang: Lang) -> str:
    """Return that there is a rematch and how to go there; "" without one, and for who opened it."""
    if room is None or room.next is None or room.next_by == room.me:
        return ""
    return word("rematch_open", lang, who=room.name_of(room.next_by) or say("somebody", lang))


def news_of(message: Message, state: RaceState, lang: Lang) -> News | None:
    """Return the line for a message that `state` took in; None where the rest of the screen tells it."""
    match message:
        case Event(kind="rematch"):
            rematch = rematch_line(state.room, lang)
            return News(rematch, "bold") if rematch else None
        case Event():
            line = event_line(message, state, lang)
            return None if line is None else News(line, "bold" if message.kind in IMPORTANT else "")
        case Said():
            who = safe_text(message.name) or say("somebody", lang)  # spectators may have no name
            return News(f"<{who}> {safe_text(message.text)}", "italic")
        case Presence():
            return _presence(message, state, lang)
        case View():
            who = state.room.name_of(message.player) if state.room is not None else ""
            return News(say("following", lang, who=who))
    return None


def _presence(message: Presence, state: RaceState, lang: Lang) -> News | None:
    room = state.room
    who = room.name_of(message.player) if room is not None else ""
    if room is None or room.state == "closed" or not who or message.player == state.me:
        return None  # whoever goes home after the race is no news
    return News(say("online" if message.online else "offline", lang, who=who), "dim")
