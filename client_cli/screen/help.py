"""The help: what the game is about, and every key, from the one table of keys."""

from collections.abc import Sequence
from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from client_cli.screen.keys import GROUPS, NOT_ALONE, Where, keys_on
from client_cli.screen.words import seat_word, word
from protocol.messages import Lang


def help_rows(lang: Lang, where: Where = "race", *, practice: bool = False) -> list[tuple[str, str]]:
    """Return the help of a screen as rows of two columns; a row without a second one is a heading."""
    rows: list[tuple[str, str]] = []
    for group in GROUPS:
        keys = [key for key in keys_on(where) if key.group == group]
        if practice:
            keys = [key for key in keys if key.name not in NOT_ALONE]
        if keys:
            rows.append((word(f"group_{group}", lang), ""))
        rows += [(key.shown, seat_word(f"key_{key.name}", lang, practice=practice)) for key in keys]
    return rows


def rule_rows(lang: Lang) -> list[tuple[str, str]]:
    """Return every kind of move (R4-R13) as it is typed, with what it is and how it is done."""
    rows = [(word("group_rules", lang), "")]
    rows += [(typed, word(f"rule_{rule}", lang)) for typed, rule in _RULES]
    columns = " ".join(word(f"column_{column}", lang) for column in ("moves", "home"))
    return [*rows, (columns, word("rule_columns", lang))]


_RULES = (
    ("3>F", "home"),
    ("10>14", "pile"),
    ("AS>K", "across"),
    ("3>*", "only"),
    ("R", "redeal"),
    ("U", "undo"),
)


class HelpScreen(ModalScreen[None]):
    """Shows the help over a screen, which goes on. `fields`: of a form, with what each of them does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,question_mark,f1,q,enter", "dismiss", ""),
    ]

    def __init__(
        self,
        lang: Lang,
        where: Where = "race",
        *,
        practice: bool = False,
        fields: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__()
        self._practice = practice
        self._lang = lang
        self._where: Where = where
        self._fields = fields

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with VerticalScroll(id="help"):
            yield Static(self._text())

    def _sections(self) -> list[tuple[str, str]]:
        """Return the rows: in the race what may be moved comes first, in a replay the keys."""
        keys = help_rows(self._lang, self._where, practice=self._practice)
        if self._where == "race":
            return rule_rows(self._lang) + keys
        return keys + rule_rows(self._lang) if self._where == "replay" else keys

    def _text(self) -> Table:
        table = Table.grid(padding=(0, 1))
        table.add_column(width=6, no_wrap=True)
        table.add_column()
        whole = Table.grid()
        whole.add_row(
            Text.assemble((word("help_title", self._lang), "bold"), f"   {word('help_close', self._lang)}")
        )
        whole.add_row(Text(word("help_aim", self._lang)))
        for key, words in self._sections():
            if words:
                table.add_row(Text(key, "bold"), Text(words))
            else:
                whole.add_row(table)
                whole.add_row(Text(key, "bold underline"))
                table = Table.grid(padding=(0, 1))
                table.add_column(width=6, no_wrap=True)
                table.add_column()
        whole.add_row(table)
        if self._fields:
            table = Table.grid(padding=(0, 1))
            table.add_column(width=17)
            table.add_column()
            for label, words in self._fields:
                table.add_row(Text(label, "bold"), Text(words))
            whole.add_row(Text(word("group_fields", self._lang), "bold underline"))
            whole.add_row(table)
        return whole
