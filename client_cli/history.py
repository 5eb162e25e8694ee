"""What happened in a race, line by line with its times, from the log of a closed one. Pure."""

from typing import Any, NamedTuple

import msgspec

from client_cli.event_lines import IMPORTANT, event_line
from client_cli.log_file import Header
from client_cli.race_clock import RaceClock
from client_cli.race_state import RaceState
from client_cli.room_view import RoomView
from client_cli.standings import time_text
from protocol.messages import BoardData, Event, Lang, Room, Row

_NOT_TOLD = frozenset(("rematch",))  # what it says is what to type, and that was then


class Happening(NamedTuple):
    """When, as people read it, and what. `important`: it changed who races."""

    time: str
    text: str
    important: bool


def history(header: Header, lang: Lang) -> list[Happening]:
    """Return what happened, by its times: what comes by itself may be told later than it was.

    Times are since the start, and `-` before those before it.

    In a room of own starts they are since the first of them; in one that never started, since its opening.
    What a log says that is no event of this version is left out.
    """
    events = [event for told in header.events if (event := _event(told, header.room)) is not None]
    start_ms = next((event.start_at for event in events if event.kind == "started" and event.start_at), None)
    origin_ms = start_ms if start_ms is not None else next((event.at for event in events), 0)
    state = _before(header)
    happenings = []
    for event in events:
        state.clock.sample(event.at, 0.0)
        assert state.room is not None
        state.room.take_event(event)
        line = None if event.kind in _NOT_TOLD else event_line(event, state, lang)
        if line is not None:
            told = Happening(_time(event.at - origin_ms), line, event.kind in IMPORTANT)
            happenings.append((event.at, told))
    return [told for _, told in sorted(happenings, key=lambda timed: timed[0])]


def _time(ms: int) -> str:
    return time_text(ms) if ms >= 0 else f"-{time_text(-ms)}"


def _event(told: dict[str, Any], room: str) -> Event | None:
    try:
        return msgspec.convert({**told, "t": "event", "room": room}, Event)
    except msgspec.ValidationError:
        return None


def _before(header: Header) -> RaceState:
    """Return a state before the first event, whose clock stands at the latest one."""
    state = RaceState(RaceClock(lambda: 0.0))
    rows = [Row(**msgspec.structs.asdict(row), online=True) for row in header.board]
    board = BoardData(seq=0, at=0, rows=rows)
    state.room = RoomView(
        Room(
            room=header.room,
            v=0,
            options=header.options,
            state="lobby",
            host="",
            you=[],
            players=[],
            board=board,
            now=0,
        ),
        "",
    )
    return state
