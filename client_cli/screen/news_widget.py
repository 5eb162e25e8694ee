"""What just happened, and what people say to each other: the latest at the bottom."""

from collections import deque

from rich.text import Text
from textual import events
from textual.widgets import RichLog

LINES_MAX = 500


class NewsWidget(RichLog):
    """Lines that wrap at the present width."""

    def __init__(self) -> None:
        super().__init__(id="news", wrap=True, max_lines=LINES_MAX, min_width=1)
        self.can_focus = False
        self._said: deque[Text] = deque(maxlen=LINES_MAX)

    def add(self, text: str, style: str = "") -> None:
        """Add what happened; a text of several lines stays that."""
        for line in text.split("\n"):
            self._said.append(Text(line, style))
            self._write_wrapped(self._said[-1])

    def on_resize(self, event: events.Resize) -> None:
        """Wrap all of it anew."""
        super().on_resize(event)
        self.clear()
        for line in self._said:
            self._write_wrapped(line)

    def _write_wrapped(self, line: Text) -> None:
        width = self.scrollable_content_region.width
        if width:  # before it is laid out nothing is lost: all is written anew at the first size
            self.write(line, width=width)

    @property
    def lines_said(self) -> list[str]:
        """Everything that was added, oldest first."""
        return [line.plain for line in self._said]
