"""The screen as a session's display: what it is told before the app runs waits, and after it is printed."""

from typing import Protocol

from client_cli.notices import Notice
from client_cli.output import Output
from client_cli.safe_text import safe_text
from client_cli.texts import say
from protocol.messages import Lang, Message

_FOR_LINES = frozenset(
    (
        "host_start", "get_ready", "get_ready_own", "starts_by_itself", "help_hint", "invite",
        "invite_loopback", "after_close", "after_close_watching", "solo_ready",
    )
)  # fmt: skip
"""Sentences about what to type: on the screen, what can be done is always to be seen."""
_WRONG = frozenset(
    (
        "unknown_command", "needs_argument", "takes_no_argument", "too_long", "home_which", "place_unknown",
        "unknown_name", "unknown_option", "no_value", "start_at_set", "no_flag", "no_number", "out_of_range",
        "bad_moment", "moment_past", "moment_far", "muted", "no_next", "no_game", "forget_sure", "line_lost",
    )
)  # fmt: skip
"""Sentences about what was typed, or done just now, and why nothing came of it."""


class Shown(Protocol):
    """The running app, as far as a session's news go."""

    def took(self, message: Message) -> None:
        """A message came and is folded into the state."""

    def line_changed(self, notice: Notice) -> None:
        """What became of the line."""

    def told(self, text: str, *, wrong: bool = False) -> None:
        """A sentence for people."""


class ScreenDisplay:
    """A `Display` for a textual app."""

    def __init__(self, output: Output, lang: Lang) -> None:
        self._output = output
        self._lang = lang
        self._waiting: list[tuple[str, bool]] = []
        self._shown: Shown | None = None
        self._was_shown = False
        self._end = ""

    def show_on(self, shown: Shown) -> None:
        """The app runs: it gets what was said so far, and everything from now on."""
        self._shown, self._was_shown = shown, True
        for text, wrong in self._waiting:
            shown.told(text, wrong=wrong)
        self._waiting.clear()

    def shown_no_more(self) -> None:
        """The app has ended: what is still said goes to the terminal as lines."""
        self._shown = None

    def say_end(self) -> None:
        """The terminal is itself again: say why the connection is over, where it is."""
        if self._end:
            self._output.line(self._end, "yellow")

    # A session's

    def received(self, message: Message) -> None:
        """Nothing: people are shown what is news."""

    def message(self, message: Message) -> None:
        """A message that is news."""
        if self._shown is not None:
            self._shown.took(message)

    def notice(self, notice: Notice) -> None:
        """What became of the line."""
        if self._shown is not None:
            self._shown.line_changed(notice)

    def tell(self, key: str, **values: object) -> None:
        """A sentence of the catalogue. Why the connection is over is said once more, after the screen."""
        if key == "away" or key.startswith("ended_"):
            self._end = say(key, self._lang, **values)
        if key not in _FOR_LINES:
            self._say(say(key, self._lang, **values), wrong=key in _WRONG)

    def error(self, text: str) -> None:
        """What went wrong."""
        self._say(safe_text(text), wrong=True)

    def table(self) -> None:
        """Nothing: the table is there all the time."""

    def board(self) -> None:
        """Nothing: the standings are there all the time."""

    def tick(self) -> None:
        """Nothing: the screen has a clock of its own."""

    def _say(self, text: str, *, wrong: bool) -> None:
        if self._shown is not None:
            self._shown.told(text, wrong=wrong)
        elif self._was_shown:
            self._output.line(text, "yellow" if wrong else "")
        else:
            self._waiting.append((text, wrong))
