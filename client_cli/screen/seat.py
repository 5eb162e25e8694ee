"""What all screens of a sitting share: client, language and look, what is typed, the game, the line."""

from dataclasses import dataclass

from client_cli.client import RaceClient
from client_cli.race_state import RaceState
from client_cli.screen.line_state import LineState
from client_cli.screen.look import Look
from client_cli.screen.playing import Playing
from client_cli.screen.typed import ScreenLines
from protocol.messages import Lang


@dataclass(slots=True)
class Seat:
    """One person at one terminal. `lines` takes the commands of `commands.COMMANDS` as if typed."""

    client: RaceClient
    lang: Lang
    look: Look
    lines: ScreenLines
    playing: Playing
    line: LineState
    password: str | None = None
    """The password of the room one is in, where it was typed."""

    @property
    def state(self) -> RaceState:
        """Room and games, as the client knows them."""
        return self.client.state

    @property
    def room_id(self) -> str:
        """The room one is in; "" in none."""
        room = self.state.room
        return room.id if room is not None else ""

    @property
    def plays(self) -> bool:
        """Whether this person has a game that is on."""
        room, position = self.state.room, self.state.position
        if room is None or position is None or self.playing.forecast is None or room.state != "running":
            return False
        own = room.own_row
        out = own is not None and own.status in ("forfeited", "disqualified")
        return not out and position.status in ("playing", "blocked")

    @property
    def has_given_up(self) -> bool:
        """Whether this person gave up in a race that is still on."""
        room = self.state.room
        own = room.own_row if room is not None else None
        return room is not None and room.state == "running" and own is not None and own.status == "forfeited"
