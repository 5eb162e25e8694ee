"""What the screens around the race have in common: keys from the table, each a method of its screen."""

from typing import TYPE_CHECKING

from client_cli.screen.help import HelpScreen
from client_cli.screen.keys import Where
from client_cli.screen.style import other_theme
from protocol.messages import Lang

if TYPE_CHECKING:
    from textual.screen import Screen

    _Base = Screen[None]
else:
    _Base = object


class Keyed(_Base):
    """A screen's keys: `do('name', 'pressed')` calls its method `do_name` with the key that was pressed."""

    where: Where
    lang: Lang
    practice = False

    def action_do(self, name: str, pressed: str = "") -> None:
        """Do what a key of the table means."""
        getattr(self, f"do_{name}")(pressed)

    def dismiss_once(self) -> None:
        """Go away if this is the screen one sees: `dismiss` takes away whichever is on top."""
        if self.is_active:
            self.dismiss()

    def do_help(self, _: str) -> None:
        """Show the keys of this screen."""
        self.app.push_screen(HelpScreen(self.lang, self.where, practice=self.practice))

    do_field_help = do_help

    def do_theme(self, _: str) -> None:
        """Dark or light."""
        self.app.theme = other_theme(self.app.theme)

    def do_back(self, _: str) -> None:
        """Go back to the screen below."""
        self.dismiss()

    do_leave = do_back
