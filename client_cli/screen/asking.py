"""A question over the screen: a line to type, or only yes or no."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from client_cli.screen.words import word
from protocol.messages import Lang

TYPED_CHARACTERS_MAX = 300


class AskScreen(ModalScreen[str | None]):
    """Asks, and returns what was typed, "" for a plain yes, None for no.

    `typed` False: there is nothing to type. `secret`: what is typed is not shown.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", ""), ("enter", "yes", "")]
    CSS = """
    AskScreen { align: center middle; background: $background 60%; }
    #ask { width: 100%; max-width: 72; height: auto; background: $panel; padding: 1 2; }
    #ask Static { width: 1fr; }
    #ask-keys { color: $secondary; }
    #ask Input { background: $surface; margin: 1 0; }
    """

    def __init__(
        self, question: str, lang: Lang, *, value: str = "", typed: bool = True, secret: bool = False
    ) -> None:
        super().__init__()
        self._question, self._lang = question, lang
        self._value, self._typed, self._secret = value, typed, secret

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with Vertical(id="ask"):
            yield Static(self._question, markup=False)
            if self._typed:
                yield Input(
                    self._value,
                    password=self._secret,
                    compact=True,
                    max_length=TYPED_CHARACTERS_MAX,
                    select_on_focus=False,
                )
            yield Static(word("ask_keys", self._lang), id="ask-keys", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return what was typed."""
        event.stop()
        self.dismiss(event.value.strip())

    def action_yes(self) -> None:
        """Return a plain yes."""
        self.dismiss("")
