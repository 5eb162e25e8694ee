"""A question over the screen: a line to type, or only yes or no."""

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from client_cli.screen.shown_text import ShownText
from client_cli.screen.words import word
from protocol.messages import Lang

TYPED_CHARACTERS_MAX = 300

Check = Callable[[str], Awaitable[str]]
"""Takes what was typed, or does what it is for; returns "", or why it will not do."""


class AskScreen(ModalScreen[str | None]):
    """Asks, and returns what was typed, "" for a plain yes, None for no.

    `value` stands there at first, and what is typed replaces it. `typed` False: there is nothing to type.
    `secret`: what is typed is not shown. `check`: as long as it has a complaint, the question stays.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "no", ""), ("enter", "yes", "")]
    CSS = """
    #ask { max-width: 72; padding: 0 1; }
    #ask Static { width: 1fr; }
    #ask Input { background: $surface; margin: 1 0; }
    #ask-wrong { color: $warning; text-style: bold; }
    """

    def __init__(
        self,
        question: str,
        lang: Lang,
        *,
        value: str = "",
        typed: bool = True,
        secret: bool = False,
        check: Check | None = None,
    ) -> None:
        super().__init__(classes="over")
        self._question, self._lang = question, lang
        self._value, self._typed, self._secret = value, typed, secret
        self._check = check
        self._checking = False

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with Vertical(classes="band"), Vertical(id="ask", classes="window"):
            yield Static(self._question, markup=False)
            if self._typed:
                yield Input(self._value, password=self._secret, compact=True, max_length=TYPED_CHARACTERS_MAX)
            wrong = ShownText(id="ask-wrong")
            wrong.display = False
            yield wrong
            yield Static(word("ask_keys", self._lang), classes="keys", markup=False)

    @property
    def complaint(self) -> str:
        """Why what was typed will not do; "" where nothing is wrong."""
        return self._wrong.shown

    @property
    def _wrong(self) -> ShownText:
        return self.query_one("#ask-wrong", ShownText)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return what was typed, once it will do."""
        event.stop()
        text = event.value.strip()
        if self._check is None:
            self.dismiss(text)
        elif not self._checking:
            self._checking = True
            self.run_worker(self._judge(self._check, text, event.input), exit_on_error=True)

    async def _judge(self, check: Check, text: str, typed: Input) -> None:
        self._complain("")
        wrong = await check(text)
        self._checking = False
        if not wrong:
            self.dismiss(text)
        else:
            self._complain(wrong)
            typed.select_all()

    def _complain(self, text: str) -> None:
        self._wrong.show(text)
        self._wrong.display = bool(text)

    def action_yes(self) -> None:
        """Return a plain yes."""
        self.dismiss("")

    def action_no(self) -> None:
        """Return no; while it is being done there is nothing to take back."""
        if not self._checking:
            self.dismiss(None)
