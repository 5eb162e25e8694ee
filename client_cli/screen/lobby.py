"""The lobby: the public rooms, live, and the ways into a room."""

from collections.abc import Callable
from typing import ClassVar, Protocol

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from client_cli.safe_text import safe_text
from client_cli.screen.asking import AskScreen, Check
from client_cli.screen.bindings import bindings, items
from client_cli.screen.keyed import Keyed
from client_cli.screen.keys import Where
from client_cli.screen.keys_widget import KeysWidget
from client_cli.screen.seat import Seat
from client_cli.screen.shown_text import ShownText
from client_cli.screen.status_widget import line_text
from client_cli.screen.words import WORDS, word
from client_cli.texts import say
from protocol.messages import Lang, Role, RoomSummary
from server.rooms.names import clean_name

TICK_S = 0.5
_CODE_CELLS, _PLAYERS_CELLS, _STATE_CELLS, _START_CELLS = 10, 10, 10, 11
_FIXED = _CODE_CELLS + _PLAYERS_CELLS + _STATE_CELLS + _START_CELLS + 2


class Door(Protocol):
    """Whoever opens rooms and goes into them."""

    player_name: str

    @property
    def unfinished(self) -> tuple[str, ...]:
        """The rooms in which something of one's own waits, the latest first."""

    def enter(self, room: str, role: Role | None) -> None:
        """Go into a room; `role` None: as what one was in it."""

    async def try_room(self, typed: str, role: Role | None) -> str:
        """Go into a room by its code or a link; "" if one is in it, else why not."""

    def sit(self) -> None:
        """Show the room one has come into."""

    def open_form(self) -> None:
        """Show the form for a new room."""

    def go(self) -> None:
        """Leave the lobby, and the program."""


def room_line(summary: RoomSummary, lang: Lang, width: int) -> Text:
    """Return a public room in a line of `width` columns."""
    start = f"choice_start_{summary.start}"
    parts = (
        (safe_text(summary.room), _CODE_CELLS),
        (f"{summary.players}/{summary.max_players}", _PLAYERS_CELLS),
        (word(f"short_{summary.state}", lang), _STATE_CELLS),
        (word(start, lang) if start in WORDS else safe_text(summary.start), _START_CELLS),
    )
    text = Text("".join(f"{set_cell_size(part, cells - 1)} " for part, cells in parts), no_wrap=True)
    host_cells = max(8, (width - _FIXED) // 3)
    name_cells = max(8, width - _FIXED - host_cells)
    lock = f" ({say('needs_password', lang)})" if summary.password else ""
    name = safe_text(summary.name)
    if cell_len(name) > name_cells - cell_len(lock) - 1:
        name = set_cell_size(name, max(0, name_cells - cell_len(lock) - 2)) + "…"
    text.append(set_cell_size(f"{name}{lock}", name_cells))
    text.append(set_cell_size(safe_text(summary.host), host_cells))
    return text


def heading(lang: Lang, width: int) -> Text:
    """Return what stands above those lines."""
    cells = (
        ("column_room", _CODE_CELLS), ("column_players", _PLAYERS_CELLS), ("column_state", _STATE_CELLS),
        ("column_start", _START_CELLS),
    )  # fmt: skip
    text = "".join(f"{set_cell_size(word(key, lang), cells_of - 1)} " for key, cells_of in cells)
    host_cells = max(8, (width - _FIXED) // 3)
    text += set_cell_size(word("column_title", lang), max(8, width - _FIXED - host_cells))
    return Text(text + word("column_host", lang), "bold underline", no_wrap=True)


class LobbyScreen(Keyed, Screen[None]):
    """Lists the rooms; what is chosen or typed is the door's to do."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("lobby")
    CSS = """
    #lobby-title { height: 1; background: $panel; text-style: bold; }
    #lobby-you { height: 2; padding: 0 1; background: $panel; }
    #lobby-heading { height: 1; margin: 1 1 0 1; }
    #rooms { height: 1fr; border: none; background: $background; padding: 0 1; }
    #rooms:focus { border: none; background-tint: transparent; }
    #rooms > .option-list--option { padding: 0; }
    #lobby-none { height: 1fr; padding: 1 2; color: $secondary; }
    #lobby-said { height: auto; max-height: 3; background: $panel; padding: 0 1; }
    #lobby-said { color: $warning; text-style: bold; }
    """
    where: Where = "lobby"

    def __init__(self, seat: Seat, door: Door) -> None:
        super().__init__()
        self.lang = seat.lang
        self._seat, self._door = seat, door
        self._summaries: list[RoomSummary] | None = None
        self.said = ""
        self._keys = KeysWidget()
        self._list = OptionList(id="rooms", markup=False, compact=True)

    def compose(self) -> ComposeResult:
        """Lay it out, from the top down."""
        yield ShownText(id="lobby-title")
        yield ShownText(id="lobby-you")
        yield ShownText(id="lobby-heading")
        yield self._list
        yield ShownText(id="lobby-none")
        yield ShownText(id="lobby-said")
        yield self._keys

    def on_mount(self) -> None:
        """Begin to show how the line is."""
        self.set_interval(TICK_S, self.show)
        self.show()

    def on_resize(self) -> None:
        """Share the width out anew."""
        self._fill()
        self.show()

    def on_screen_resume(self) -> None:
        """Somebody has come back here."""
        self._list.focus()
        self.show()

    def show(self) -> None:
        """Show what is so now."""
        door, lang = self._door, self.lang
        width = self.size.width
        line, style = line_text(self._seat.line.told(), lang)
        title = Text(f" {word('lobby_title', lang, url=self._seat.client.url)}")
        title.truncate(max(0, width - cell_len(line)), overflow="ellipsis", pad=True)
        self.query_one("#lobby-title", ShownText).show(title.append(line, style))
        you = word("lobby_you", lang, name=door.player_name)
        rooms = door.unfinished
        key = "lobby_last" if len(rooms) == 1 else "lobby_lasts"
        more = word(key, lang, room=", ".join(rooms)) if rooms else ""
        self.query_one("#lobby-you", ShownText).show(f"{you}\n{more}")
        none = self.query_one("#lobby-none", ShownText)
        none.show(word("lobby_asking" if self._summaries is None else "lobby_none", lang))
        none.display = not self._summaries
        self._list.display = bool(self._summaries)
        said = self.query_one("#lobby-said", ShownText)
        said.show(self.said)
        said.display = bool(self.said)
        left_out = set() if rooms else {"resume"}
        left_out |= set() if self._summaries else {"enter_room", "watch"}
        self._keys.show([key for key in items("lobby", lang) if key[0] not in left_out])

    def list_rooms(self, summaries: list[RoomSummary]) -> None:
        """Show these rooms; the chosen one stays chosen."""
        if summaries != self._summaries:
            self._summaries = summaries
            self._fill()
            self.show()

    def _fill(self) -> None:
        width = self.size.width - 2
        self.query_one("#lobby-heading", ShownText).show(heading(self.lang, width))
        summaries = self._summaries or []
        chosen = self._chosen()
        self._list.set_options(
            Option(room_line(summary, self.lang, width), id=summary.room) for summary in summaries
        )
        rooms = [summary.room for summary in summaries]
        if rooms:
            self._list.highlighted = rooms.index(chosen) if chosen in rooms else 0

    def _chosen(self) -> str | None:
        at = self._list.highlighted
        return None if at is None else self._list.get_option_at_index(at).id

    def say(self, text: str) -> None:
        """Say something, until the next key."""
        self.said = text
        if self.is_mounted:
            self.show()

    # Keys and mouse

    def action_do(self, name: str, pressed: str = "") -> None:
        """Do what a key of the table means."""
        self.say("")
        super().action_do(name, pressed)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Play in the room that was chosen."""
        event.stop()
        self.say("")
        if event.option_id is not None:
            self._door.enter(event.option_id, "player")

    def do_enter_room(self, _: str) -> None:
        """Play in the chosen room."""
        self._with_chosen("player")

    def do_watch(self, _: str) -> None:
        """Look on in the chosen room."""
        self._with_chosen("spectator")

    def _with_chosen(self, role: Role) -> None:
        room = self._chosen()
        if room is not None:
            self._door.enter(room, role)
        else:
            self._ask_room(role)

    def do_join(self, _: str) -> None:
        """Go into a room that is not listed."""
        self._ask_room("player")

    def _ask_room(self, role: Role) -> None:
        self._ask_for("ask_room", role)

    def _ask_for(self, question: str, role: Role | None, value: str = "") -> None:
        """Ask for a room till one is in it."""

        async def check(text: str) -> str:
            return await self._door.try_room(text, role)

        def came(text: str | None) -> None:
            if text is not None:
                self._door.sit()

        self._ask(question, came, check, value)

    def do_resume(self, _: str) -> None:
        """Go on where something waits; in which of several rooms is asked, and the latest stands there."""
        rooms = self._door.unfinished
        if len(rooms) == 1:
            self._door.enter(rooms[0], None)
        elif rooms:
            self._ask_for("ask_unfinished", None, rooms[0])

    def do_open(self, _: str) -> None:
        """Open a room."""
        self._door.open_form()

    def do_name(self, _: str) -> None:
        """Take another name."""

        async def check(text: str) -> str:
            return "" if clean_name(text) is not None else word("lobby_bad_name", self.lang, text=text)

        def typed(text: str | None) -> None:
            name = clean_name(text or "")
            if name is not None:
                self._door.player_name = name
                self.show()

        self._ask("ask_name", typed, check, self._door.player_name)

    def _ask(self, question: str, then: Callable[[str | None], None], check: Check, value: str = "") -> None:
        text = word(question, self.lang, rooms=", ".join(self._door.unfinished))
        self.app.push_screen(AskScreen(text, self.lang, value=value, check=check), then)

    def do_leave(self, _: str) -> None:
        """Go home."""
        self._door.go()
