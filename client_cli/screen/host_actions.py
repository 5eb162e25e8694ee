"""What hosts and referees do: a list of the people, and what can be done about the chosen one."""

from dataclasses import dataclass
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from client_cli.room_view import RoomView
from client_cli.screen.asking import AskScreen
from client_cli.screen.bindings import bindings, items
from client_cli.screen.form_fields import known_options
from client_cli.screen.keyed import Keyed
from client_cli.screen.keys import Where
from client_cli.screen.keys_widget import KeysWidget
from client_cli.screen.people import Known, known_line, known_name, people_of
from client_cli.screen.room_form import RoomForm
from client_cli.screen.seat import Seat
from client_cli.screen.shown_text import ShownText
from client_cli.screen.words import word
from protocol.messages import Manage
from server.rooms.options import SET_ANY_TIME

TICK_S = 0.5
ROOM = "room"
"""The line of the list that is nobody, but the room itself."""


@dataclass(frozen=True, slots=True)
class ManageAction:
    """One thing to do: the command's name; whether it is asked for again, and with a reason."""

    name: str
    sure: bool = False
    reason: bool = False


def room_actions(room: RoomView) -> list[ManageAction]:
    """Return what can be done about the room."""
    if room.state == "closed":
        return []
    return [ManageAction("options"), ManageAction("close", sure=True, reason=True)]


def actions_on(known: Known, room: RoomView, me: str) -> list[ManageAction]:
    """Return what can be done about somebody, as `docs/protocol.md` has it under `manage`."""
    person, row, actions = known.person, known.row, []
    is_host, is_me = known.id == room.host, known.id == me
    runs = room.state == "running"
    if runs and row is not None and row.status == "disqualified":
        actions.append(ManageAction("reinstate", sure=True, reason=True))
    elif runs and row is not None and row.status != "waiting" and not is_me:
        actions.append(ManageAction("disqualify", sure=True, reason=True))
    if person is not None and not is_host and not is_me:
        actions.append(ManageAction("unmute") if person.muted else ManageAction("mute", sure=True))
    if person is not None and room.state != "closed":
        actions.append(ManageAction("unreferee" if person.referee else "referee"))
        if "host" in room.roles and not is_host and person.online:
            actions.append(ManageAction("host", sure=True))
        if not is_host and not is_me:
            actions += [ManageAction("kick", sure=True), ManageAction("ban", sure=True)]
    return actions


class ManageScreen(Keyed, ModalScreen[None]):
    """Two lists: the room or whom, and what."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("people"), ("q,m", "do('back')", "")]
    CSS = """
    #manage { max-width: 88; }
    #manage-title { padding: 0 1; text-style: bold; height: 1; background: $surface; }
    #manage Horizontal { height: auto; max-height: 16; }
    #manage OptionList { height: auto; max-height: 14; border: none; background: $panel; padding: 0 1; }
    #manage .column { height: auto; }
    #whom-column { width: 3fr; }
    #what-column { width: 2fr; border-left: solid $primary; }
    #manage .heading { height: 1; padding: 0 1; color: $secondary; }
    #manage-said { height: auto; padding: 0 1; color: $warning; text-style: bold; }
    """
    where: Where = "people"

    def __init__(self, seat: Seat) -> None:
        super().__init__(classes="over")
        self.lang = seat.lang
        self._seat = seat
        self._room_id = seat.room_id
        self._whom = OptionList(id="whom", markup=False, compact=True)
        self._what = OptionList(id="what", markup=False, compact=True)
        self._shown: list[tuple[str, str]] = []
        self._keys = KeysWidget()

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with Vertical(classes="band"), Vertical(id="manage", classes="window"):
            yield Static(word("manage_title", self.lang), id="manage-title", markup=False)
            with Horizontal():
                with Vertical(id="whom-column", classes="column"):
                    yield Static(word("manage_whom", self.lang), classes="heading", markup=False)
                    yield self._whom
                with Vertical(id="what-column", classes="column"):
                    yield ShownText(id="manage-what")
                    yield self._what
            yield ShownText(id="manage-said")
            yield self._keys

    def on_mount(self) -> None:
        """Show who is here, now and while it changes."""
        self._keys.show(items("people", self.lang))
        self.query_one("#manage-what").add_class("heading")
        self._say("")
        self.set_interval(TICK_S, self._look)
        self._look()
        self._whom.focus()

    def _look(self) -> None:
        room = self._seat.state.room
        if room is None or room.id != self._room_id:
            self.dismiss_once()
            return
        # The room is first: keys pressed too fast then do nothing to anybody.
        shown = [(ROOM, word("manage_room", self.lang))]
        shown += [(known.id, known_line(known, self._seat.state, self.lang)) for known in people_of(room)]
        if shown == self._shown:
            return
        chosen, self._shown = self._chosen(self._whom), shown
        self._whom.set_options(Option(line, id=who) for who, line in shown)
        ids = [who for who, _ in shown]
        self._whom.highlighted = ids.index(chosen) if chosen in ids else 0
        self._offer()

    @staticmethod
    def _chosen(options: OptionList) -> str | None:
        at = options.highlighted
        return None if at is None else options.get_option_at_index(at).id

    def _known(self) -> Known | None:
        room, who = self._seat.state.room, self._chosen(self._whom)
        people = people_of(room) if room is not None else []
        return next((known for known in people if known.id == who), None)

    def _actions(self) -> list[ManageAction]:
        room = self._seat.state.room
        if room is None:
            return []
        known = self._known()
        return room_actions(room) if known is None else actions_on(known, room, self._seat.state.me)

    def _offer(self) -> None:
        rows = [
            Option(word(f"manage_{action.name}", self.lang), id=action.name) for action in self._actions()
        ]
        self._what.set_options(rows or [Option(word("manage_nothing", self.lang), disabled=True)])
        if rows:
            self._what.highlighted = 0
        known = self._known()
        who = known_name(known, self.lang) if known is not None else word("manage_room", self.lang)
        self.query_one("#manage-what", ShownText).show(f"{who}:")
        self._say("")

    def _say(self, text: str) -> None:
        said = self.query_one("#manage-said", ShownText)
        said.show(text)
        said.display = bool(text)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Another was chosen: other things can be done."""
        event.stop()
        if event.option_list is self._whom:
            self._offer()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Somebody is chosen, or what is to be done about them."""
        event.stop()
        if event.option_list is self._whom:
            self._go_to_what()
            return
        action = next((action for action in self._actions() if action.name == event.option_id), None)
        if action is not None:
            self._begin(action)

    def do_pick_action(self, pressed: str) -> None:
        """Go to what can be done, and with Tab back again."""
        if pressed == "tab" and self._what.has_focus:
            self._whom.focus()
        else:
            self._go_to_what()

    def _go_to_what(self) -> None:
        """Go to what can be done, or say that nothing can."""
        known = self._known()
        if self._actions():
            self._what.focus()
        elif known is not None:
            me = known.id == self._seat.state.me
            key = "manage_nothing_self" if me else "manage_nothing_with"
            self._say(word(key, self.lang, who=known_name(known, self.lang)))
        else:
            self._say(word("manage_nothing", self.lang))

    def do_do_it(self, _: str) -> None:
        """What Enter does in the list one is in."""
        (self._what if self._what.has_focus else self._whom).action_select()

    def do_back(self, _: str) -> None:
        """From what can be done back to the people, and from there to the race."""
        if self._what.has_focus:
            self._whom.focus()
        else:
            self.dismiss()

    def _begin(self, action: ManageAction) -> None:
        """Do it, or ask first."""
        if action.name == "options":
            self._open_options()
            return
        known = self._known()
        who = known.id if known is not None else ""
        if not action.sure:
            self._do(action, who, "")
            return
        name = known_name(known, self.lang) if known is not None else ""
        question = word(f"sure_{action.name}", self.lang, who=name)

        def answered(reason: str | None) -> None:
            if reason is not None:
                self._do(action, who, reason)

        self.app.push_screen(AskScreen(question, self.lang, typed=action.reason), answered)

    def _do(self, action: ManageAction, who: str, reason: str) -> None:
        self._seat.lines.put(" ".join(filter(None, (action.name, who, reason))))
        self.dismiss()

    def _open_options(self) -> None:
        seat, room = self._seat, self._seat.state.room
        assert room is not None

        async def submit(options: dict[str, Any], _: bool) -> None:
            await seat.client.request(Manage(action="set", options=options))

        form = RoomForm(
            seat,
            submit,
            room=room.id,
            base=known_options(room.options),
            only=None if room.state == "lobby" else SET_ANY_TIME,
            present=sum(person.role == "player" for person in room.people.values()),
        )
        self.app.switch_screen(form)
