"""Text on a screen that looks several times a second whether it is still so, and mostly it is."""

from rich.text import Text
from textual.widgets import Static


class ShownText(Static):
    """A `Static` that is laid out anew only when its text is another."""

    def __init__(self, text: str = "", *, id: str) -> None:
        super().__init__(text, id=id, markup=False)
        self._shown: str | Text = text

    @property
    def shown(self) -> str:
        """What is shown."""
        return str(self._shown)

    def show(self, text: str | Text) -> None:
        """Show this from now on."""
        if text != self._shown:
            self._shown = text
            self.update(text)
