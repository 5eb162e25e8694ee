"""Whose game one looks into: a list of who has one."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from client_cli.screen.bindings import bindings, items
from client_cli.screen.keyed import Keyed
from client_cli.screen.keys import Where
from client_cli.screen.keys_widget import KeysWidget
from client_cli.screen.people import Known, known_line, people_of
from client_cli.screen.seat import Seat
from client_cli.screen.words import word

_STOP = "stop"


def games_to_see(seat: Seat) -> list[Known]:
    """Return who has a game that is not one's own, in the order of the board."""
    room = seat.state.room
    if room is None or room.state not in ("running", "closed"):
        return []
    return [
        known
        for known in people_of(room)
        if known.row is not None and known.row.status != "waiting" and known.id != seat.state.me
    ]


class FollowScreen(Keyed, ModalScreen[None]):
    """Shows the list, and follows who is chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("people"), ("q,v", "do('back')", "")]
    CSS = """
    #follow { max-width: 64; padding: 0 1; }
    #follow > Static { height: auto; }
    #follow-title { text-style: bold; }
    #follow-final { color: $warning; }
    #follow OptionList { height: auto; max-height: 14; border: none; background: $panel; margin: 1 0 0 0; }
    """
    where: Where = "people"

    def __init__(self, seat: Seat) -> None:
        super().__init__(classes="over")
        self._keys = KeysWidget()
        self.lang = seat.lang
        self._seat = seat

    def compose(self) -> ComposeResult:
        """Lay it out."""
        seat, lang = self._seat, self.lang
        games = games_to_see(seat)
        rows = [Option(known_line(known, seat.state, lang), id=known.id) for known in games]
        if seat.state.followed:
            rows.insert(0, Option(word("follow_stop", lang), id=_STOP))
        with Vertical(classes="band"), Vertical(id="follow", classes="window"):
            yield Static(word("follow_title", lang), id="follow-title", markup=False)
            if seat.may_take_back and games:
                yield Static(word("follow_final", lang), id="follow-final", markup=False)
            if rows:
                yield OptionList(*rows, markup=False, compact=True)
            else:
                yield Static(word("follow_none", lang), markup=False)
            yield self._keys

    def on_mount(self) -> None:
        """Say what the keys do; whom one follows is the only thing to choose."""
        shown = items("people", self.lang)
        self._keys.show([item for item in shown if item[0] != "pick_action"])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Follow, or stop."""
        event.stop()
        chosen = event.option_id
        self._seat.lines.put("unfollow" if chosen == _STOP else f"follow {chosen}")
        self.dismiss()

    def do_do_it(self, _: str) -> None:
        """What Enter does in the list."""
        for options in self.query(OptionList):
            options.action_select()

    do_pick_action = do_do_it
    """There is but one thing to do here."""
