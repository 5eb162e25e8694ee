"""What just happened, and what people say to each other: the latest at the bottom."""

from rich.text import Text
from textual import events
from textual.widgets import RichLog

from client_cli.screen.news import LINES_MAX, News, NewsLines


class NewsWidget(RichLog):
    """The lines of one room, wrapped at the present width."""

    def __init__(self, lines: NewsLines) -> None:
        super().__init__(id="news", wrap=True, max_lines=LINES_MAX, min_width=1)
        self.can_focus = False
        self._news = lines
        self._room = ""

    def add(self, text: str, style: str, room: str) -> None:
        """Add what happened in a room; a text of several lines stays that."""
        for line in self._news.add(text, style, room):
            if room in ("", self._room):
                self._write_wrapped(line)

    def show_room(self, room: str) -> None:
        """Show the lines of this room from now on."""
        if room != self._room:
            self._room = room
            self._write_all()

    def on_resize(self, event: events.Resize) -> None:
        """Wrap all of it anew."""
        super().on_resize(event)
        self._write_all()

    def _write_all(self) -> None:
        self.clear()
        for line in self._news.of(self._room):
            self._write_wrapped(line)

    def _write_wrapped(self, line: News) -> None:
        width = self.scrollable_content_region.width
        if width:  # before it is laid out nothing is lost: all is written anew at the first size
            self.write(Text(*line), width=width)

    @property
    def lines_said(self) -> list[str]:
        """Everything that was told in the room, oldest first."""
        return [line.text for line in self._news.of(self._room)]
