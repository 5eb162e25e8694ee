"""The help: what the game is about, and every key, from the one table of keys."""

from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from client_cli.screen.keys import GROUPS, Where, keys_on
from client_cli.screen.words import word
from protocol.messages import Lang


def help_rows(lang: Lang, where: Where = "race") -> list[tuple[str, str]]:
    """Return the help of a screen as rows of two columns; a row without a second one is a heading."""
    rows: list[tuple[str, str]] = []
    for group in GROUPS:
        keys = [key for key in keys_on(where) if key.group == group]
        if keys:
            rows.append((word(f"group_{group}", lang), ""))
        rows += [(key.shown, word(f"key_{key.name}", lang)) for key in keys]
    return rows


class HelpScreen(ModalScreen[None]):
    """Shows the help over a screen, which goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,question_mark,f1,q,enter", "dismiss", ""),
    ]

    def __init__(self, lang: Lang, where: Where = "race") -> None:
        super().__init__()
        self._lang = lang
        self._where: Where = where

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with VerticalScroll(id="help"):
            yield Static(self._text())

    def _text(self) -> Table:
        table = Table.grid(padding=(0, 1))
        table.add_column(width=6, no_wrap=True)
        table.add_column()
        whole = Table.grid()
        whole.add_row(
            Text.assemble((word("help_title", self._lang), "bold"), f"   {word('help_close', self._lang)}")
        )
        whole.add_row(Text(word("help_aim", self._lang)))
        for key, words in help_rows(self._lang, self._where):
            if words:
                table.add_row(Text(key, "bold"), Text(words))
            else:
                whole.add_row(table)
                whole.add_row(Text(key, "bold underline"))
                table = Table.grid(padding=(0, 1))
                table.add_column(width=6, no_wrap=True)
                table.add_column()
        whole.add_row(table)
        return whole
