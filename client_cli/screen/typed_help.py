"""What can be typed on the screen: what `help` says, over the race."""

from rich.table import Table
from rich.text import Text

from client_cli.screen.help import HelpScreen
from client_cli.screen.words import word
from protocol.messages import Lang


class TypedHelpScreen(HelpScreen):
    """Shows rows of text, of which some are headings; the race goes on."""

    def __init__(self, rows: list[tuple[str, bool]], lang: Lang) -> None:
        super().__init__(lang)
        self._rows = rows

    def _text(self) -> Table:
        whole = Table.grid()
        title, close = word("help_typed", self._lang), word("help_close", self._lang)
        whole.add_row(Text.assemble((title, "bold"), f"   {close}"))
        for text, is_heading in self._rows:
            whole.add_row(Text(text, "bold underline") if is_heading else Text(f"  {text}"))
        return whole
