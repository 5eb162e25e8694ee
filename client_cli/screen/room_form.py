"""A form with every option of a room: to open one, or to change it before it starts."""

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.events import DescendantFocus
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from client_cli.failures import Denied, Ended, LineLost
from client_cli.refusal_hints import as_typed
from client_cli.screen.bindings import bindings, items
from client_cli.screen.choice_widget import ChoiceWidget
from client_cli.screen.form_fields import FIELDS, NO, YES, Field, option_named, read_form, shown_fields
from client_cli.screen.form_hints import HINTS
from client_cli.screen.help import HelpScreen
from client_cli.screen.keyed import Keyed
from client_cli.screen.keys import Where
from client_cli.screen.keys_widget import KeysWidget
from client_cli.screen.seat import Seat
from client_cli.screen.shown_text import ShownText
from client_cli.screen.words import word
from client_cli.texts import say
from server.rooms.options import Options

PLAYING = "playing"
_TYPED_CHARACTERS_MAX = 80

Submit = Callable[[dict[str, Any], bool], Awaitable[None]]
"""Does what the form is for, with the changed options, and whether its host plays. Denied says why not."""


class Fields(VerticalScroll, can_focus=False, inherit_bindings=False):
    """The fields' lines. The arrows go from field to field, and it scrolls with them."""


class RoomForm(Keyed, Screen[None]):
    """The form. `room` None: it opens one, from the defaults; else it changes that one, from `base`.

    `only`: the options that can be changed, None for all. `present`: how many players there are.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("form"), ("ctrl+c", "do('back')", "")]
    CSS = """
    #form-title { height: 1; background: $panel; text-style: bold; padding: 0 1; }
    #fields { height: 1fr; scrollbar-size: 1 1; padding: 0 1; }
    .field { height: auto; }
    .field > .label { width: 18; }
    .field > ChoiceWidget, .field > Input { width: 34; height: 1; }
    .field > Input { background: $panel; border: none; padding: 0 1; }
    .field > .note { width: 1fr; padding-left: 1; color: $secondary; }
    .field.-wrong > .note { color: $warning; text-style: bold; }
    .field:focus-within { background: $surface; }
    .field:focus-within > .label { text-style: bold reverse; }
    #form-help { height: 3; background: $panel; padding: 0 1; }
    #form-help.-wrong { color: $warning; text-style: bold; }
    """
    where: Where = "form"

    def __init__(
        self,
        seat: Seat,
        submit: Submit,
        *,
        room: str | None = None,
        base: Options | None = None,
        only: frozenset[str] | None = None,
        present: int = 0,
    ) -> None:
        super().__init__()
        self.lang = seat.lang
        self._clock, self._submit, self._room, self._present = seat.state.clock, submit, room, present
        self._base = base or Options()
        self._shown = shown_fields(self._base, self._clock.now_ms())
        self._drafts = seat.drafts
        self._fields = [field for field in FIELDS if only is None or field.option in only]
        self._keys = KeysWidget()
        self._busy = False

    def compose(self) -> ComposeResult:
        """Lay it out: a line a field."""
        key = "form_title" if self._room is None else "form_title_set"
        yield ShownText(word(key, self.lang, room=self._room or ""), id="form-title")
        with Fields(id="fields"):
            if self._room is None:
                words = (word("form_yes", self.lang), word("form_no", self.lang))
                plays = self._draft.get(PLAYING, YES)
                widget = ChoiceWidget((YES, NO), words, plays, id=PLAYING)
                yield _row(PLAYING, word("label_playing", self.lang), widget, "")
            for field in self._fields:
                note = field.range(self.lang, changing=self._room is not None)
                yield _row(field.option, field.label(self.lang), self._widget(field), note)
        yield ShownText("", id="form-help")
        yield self._keys

    def _widget(self, field: Field) -> Widget:
        shown = self._draft.get(field.option, self._shown[field.option])
        if field.values:
            return ChoiceWidget(field.values, field.words(self.lang), shown, id=field.option)
        return Input(
            shown,
            id=field.option,
            compact=True,
            password=field.kind == "password",
            max_length=_TYPED_CHARACTERS_MAX,
        )

    def on_mount(self) -> None:
        """Begin at the first field."""
        self._keys.show(items("form", self.lang))

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Say what the field means."""
        field = next((field for field in FIELDS if field.option == event.widget.id), None)
        self._tell(field.hint(self.lang) if field is not None else HINTS[PLAYING].text(self.lang))

    def on_choice_widget_chosen(self, message: ChoiceWidget.Chosen) -> None:
        """Where moves rank, an undo would be a free look: it is off unless somebody wants it."""
        if message.widget.id == "rank_by":
            self.query_one("#undo", ChoiceWidget).choose(NO if message.widget.value == "moves" else YES)

    @property
    def _draft(self) -> dict[str, str]:
        """What was typed the last time one was here, and left."""
        return self._drafts.get(self._room or "", {})

    def _keep(self) -> None:
        """Keep what was typed till one comes back in this sitting."""
        shown = {PLAYING: YES, **self._shown} if self._room is None else self._shown
        options = [PLAYING] * (self._room is None) + [field.option for field in self._fields]
        typed = {option: self._typed(option) for option in options}
        self._drafts[self._room or ""] = {
            option: text for option, text in typed.items() if text != shown[option]
        }

    # Keys

    def do_back(self, _: str) -> None:
        """Leave it as it is."""
        if self.is_mounted:
            self._keep()
        self.dismiss()

    def do_field_help(self, _: str) -> None:
        """Show the keys, and what every field does."""
        words = [(field.label(self.lang), field.hint(self.lang)) for field in self._fields]
        if self._room is None:
            words.insert(0, (word("label_playing", self.lang), HINTS[PLAYING].text(self.lang)))
        self.app.push_screen(HelpScreen(self.lang, self.where, fields=words))

    def do_field(self, pressed: str) -> None:
        """Go to the next field, or the one before."""
        if pressed == "up":
            self.focus_previous()
        else:
            self.focus_next()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in a field is Enter in the form."""
        event.stop()
        self.do_submit("")

    def do_submit(self, _: str) -> None:
        """Judge the form, and do what it is for."""
        if self._busy or not self.is_mounted:  # keys can be faster than the screen
            return
        typed = self._shown | {field.option: self._typed(field.option) for field in self._fields}
        now_ms = self._clock.now_ms()
        options, wrong = read_form(typed, self._shown, self._base, now_ms, self.lang, self._present)
        self._mark(wrong)
        if wrong:
            return
        if self._room is not None and not options:
            self.dismiss()
            return
        self._busy = True
        self.run_worker(self._do(options), exit_on_error=True)

    async def _do(self, options: dict[str, Any]) -> None:
        try:
            await self._submit(options, self._room is not None or self._typed(PLAYING) == YES)
        except Denied as error:
            option = option_named(error.text) if error.code == "bad_options" else None
            text = as_typed(error.text)
            if self._room is not None and error.code == "wrong_state":
                text = say("set_late", self.lang)
            self._mark({option: text} if option is not None else {})
            self._tell(text, wrong=True)
        except LineLost:
            self._tell(say("line_lost", self.lang), wrong=True)
        except Ended:
            return  # the app tells it
        else:
            self._drafts.pop(self._room or "", None)
            if self.is_current:
                self.dismiss()
        finally:
            self._busy = False

    def _typed(self, option: str) -> str:
        widget = self.query_one(f"#{option}")
        assert isinstance(widget, ChoiceWidget | Input)
        return widget.value

    def _mark(self, wrong: dict[str, str]) -> None:
        """Show at each field what is wrong with it, and go to the first."""
        for field in self._fields:
            row = self.query_one(f"#row-{field.option}")
            row.set_class(field.option in wrong, "-wrong")
            note = wrong.get(field.option) or field.range(self.lang, changing=self._room is not None)
            row.query_one(".note", Static).update(note)
        first = next((field.option for field in self._fields if field.option in wrong), None)
        if first is not None:
            self.query_one(f"#{first}").focus()

    def _tell(self, text: str, *, wrong: bool = False) -> None:
        line = self.query_one("#form-help", ShownText)
        line.set_class(wrong, "-wrong")
        line.show(text)


def _row(option: str, label: str, widget: Widget, note: str) -> Horizontal:
    return Horizontal(
        Static(label, classes="label", markup=False),
        widget,
        Static(note, classes="note", markup=False),
        id=f"row-{option}",
        classes="field",
    )
