"""The bottom line: the keys that mean something now; each can be clicked."""

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text

from client_cli.screen.drawn_widget import DrawnWidget


class KeysWidget(DrawnWidget):
    """Shows keys with what they do, and does it when one is clicked."""

    def __init__(self) -> None:
        super().__init__("keys")
        self._items: Sequence[tuple[str, str, str]] = ()

    def show(self, items: Sequence[tuple[str, str, str]]) -> None:
        """Show these from now on: each an action's name, its key and its words."""
        if items != self._items:
            self._items = items
            self.redraw()

    def drawn(self) -> Text:
        """Return as many as fit, in their order."""
        text = Text(no_wrap=True, overflow="crop")
        for name, key, words in self._items:
            item = Text.assemble(" ", (key, "bold reverse"), f" {words} ")
            item.stylize(Style(meta={"@click": f"screen.do('{name}')"}))
            if text.cell_len + item.cell_len <= self.size.width:
                text.append_text(item)
        return text
