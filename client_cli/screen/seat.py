"""What all screens of a sitting share: client, language and look, what is typed, the game, the line."""

from dataclasses import dataclass, field

from client_cli.client import RaceClient
from client_cli.giving_up import may_take_back
from client_cli.race_state import RaceState
from client_cli.screen.line_state import LineState
from client_cli.screen.look import Look
from client_cli.screen.news import NewsLines
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
    practice: bool = False
    """One plays alone, in rooms that end with the program."""
    news: NewsLines = field(default_factory=NewsLines)
    drafts: dict[str, dict[str, str]] = field(default_factory=dict)
    """What was typed in the form of a room ("" for a new one) that was left, by option."""

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
    def may_take_back(self) -> bool:
        """Whether this person gave up and may still play on."""
        state = self.state
        return state.room is not None and may_take_back(state.room, state.me, state.clock.now_ms())
