"""The people of a room as lists show them: players in the order of the board, then who looks on. Pure."""

from dataclasses import dataclass

from client_cli.race_state import RaceState
from client_cli.room_view import RoomView
from client_cli.safe_text import safe_text
from client_cli.screen.words import word
from client_cli.texts import say, status_text
from protocol.messages import Lang, Person, Row


@dataclass(frozen=True, slots=True)
class Known:
    """Somebody: `person` None for who has gone, `row` None for who has no line of the board."""

    id: str
    name: str
    person: Person | None
    row: Row | None


def people_of(room: RoomView) -> list[Known]:
    """Return everybody the room knows, those on the board first."""
    found = [Known(row.player, row.name, room.people.get(row.player), row) for row in room.rows]
    on_board = {known.id for known in found}
    others = sorted(
        (person for person in room.people.values() if person.id not in on_board),
        key=lambda person: (person.role != "player", person.name),
    )
    return found + [Known(person.id, person.name, person, None) for person in others]


def known_name(known: Known, lang: Lang) -> str:
    """Return a name for people; spectators may have none."""
    return safe_text(known.name) or say("somebody", lang)


def known_line(known: Known, state: RaceState, lang: Lang) -> str:
    """Return somebody in a line: the name, and what is so of them."""
    room, person, row = state.room, known.person, known.row
    marks = []
    if room is not None and room.host == known.id:
        marks.append(word("waiting_host_mark", lang))
    if person is not None and person.referee:
        marks.append(word("waiting_referee_mark", lang))
    if person is not None and person.muted:
        marks.append(word("muted_mark", lang))
    if row is not None and (room is None or room.state in ("running", "closed")):
        marks += [
            status_text(row.status, lang, closed=room is not None and room.state == "closed"),
            f"{row.home}/104",
        ]
    elif person is not None and person.role == "player":
        marks.append(word("ready" if person.ready else "not_ready", lang))
    elif person is not None:
        marks.append(word("looks_on", lang))
    if person is None or not person.online:
        marks.append(say("mark_offline", lang))
    return f"{known_name(known, lang)}: {', '.join(marks)}"
