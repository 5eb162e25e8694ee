"""What every app of the screen has in common: its style and how it looks in this terminal."""

import os

from textual.app import App

from client_cli.screen.ascii_filter import AsciiFilter
from client_cli.screen.look import Look
from client_cli.screen.style import CSS, THEMES


class ThemedApp(App[int]):
    """An app that looks as its player wants it; its value is the exit code."""

    TITLE = "Crescent"
    ENABLE_COMMAND_PALETTE = False
    CSS = CSS

    def __init__(self, look: Look) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        if look.ascii_only:
            self._filters.append(AsciiFilter())
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = THEMES[look.theme].name
