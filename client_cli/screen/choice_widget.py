"""One of a few words, in a line: the arrows go through them, a click takes one."""

from rich.style import Style
from rich.text import Text
from textual.binding import Binding
from textual.message import Message
from textual.widget import Widget


class ChoiceWidget(Widget, can_focus=True):
    """Shows all words, the chosen one marked. `values` are what they stand for."""

    BINDINGS = [  # noqa: RUF012 - textual's own way
        Binding("left", "step(-1)", show=False),
        Binding("right,space", "step(1)", show=False),
    ]

    class Chosen(Message):
        """Another one was chosen."""

        def __init__(self, widget: "ChoiceWidget") -> None:
            super().__init__()
            self.widget = widget

    def __init__(self, values: tuple[str, ...], words: tuple[str, ...], chosen: str, id: str) -> None:
        super().__init__(id=id)
        self._values, self._words = values, words
        self.value = chosen

    def choose(self, value: str) -> None:
        """Choose this one."""
        if value != self.value:
            self.value = value
            self.refresh()
            self.post_message(self.Chosen(self))

    def action_step(self, by: int) -> None:
        """Choose the next, or the one before; after the last comes the first."""
        self.choose(self._values[(self._values.index(self.value) + by) % len(self._values)])

    def action_take(self, value: str) -> None:
        """Choose the one that was clicked."""
        self.focus()
        self.choose(value)

    def render(self) -> Text:
        """Return the words; the chosen one is marked without colours as well."""
        text = Text(no_wrap=True, overflow="crop")
        for value, word in zip(self._values, self._words, strict=True):
            chosen = value == self.value
            part = Text(f"●{word}" if chosen else f" {word}", "bold" if chosen else "dim")
            part.stylize(Style(meta={"@click": f"take('{value}')"}))
            text.append_text(part).append(" ")
        return text
