"""A widget that is one text, and is drawn again only when that text is another."""

from rich.text import Text
from textual.widget import Widget


class DrawnWidget(Widget):
    """Subclasses say in `drawn` what they show at their present size; `redraw` looks whether it changed."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._text = Text()

    def drawn(self) -> Text:
        """Return what is to be seen now."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Draw it again if it is another text."""
        text = self.drawn()
        if text != self._text:
            self._text = text
            self.refresh()

    def on_resize(self) -> None:
        """Draw it for the new size."""
        self.redraw()

    def render(self) -> Text:
        """Return what was drawn."""
        return self._text
