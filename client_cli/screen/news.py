"""What of the server's messages is news to people, in a line."""

from typing import NamedTuple

from client_cli.event_lines import IMPORTANT, event_line
from client_cli.race_state import RaceState
from client_cli.safe_text import safe_text
from client_cli.screen.words import word
from client_cli.texts import say
from protocol.messages import Event, Lang, Message, Presence, Said, View


class News(NamedTuple):
    """A line and its style."""

    text: str
    style: str = ""


def news_of(message: Message, state: RaceState, lang: Lang) -> News | None:
    """Return the line for a message that `state` took in; None where the rest of the screen tells it."""
    match message:
        case Event(kind="rematch"):
            # Whoever opened it is on the way there.
            return None if message.by == state.me else News(word("rematch_open", lang), "bold")
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
