"""What every app of the screen has in common: its style and how it looks in this terminal."""

import os
import sys
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver

from client_cli.screen.ascii_filter import AsciiFilter
from client_cli.screen.look import Look
from client_cli.screen.style import CSS, THEMES


class ThemedApp(App[int]):
    """An app that looks as its player wants it; its value is the exit code. `ends`: a signal has ended it."""

    TITLE = "Crescent"
    ENABLE_COMMAND_PALETTE = False
    CSS = CSS
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "suspend_process", show=False, priority=True)]

    def __init__(self, look: Look) -> None:
        self.ends = False  # by a signal
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        if look.ascii_only:
            self._filters.append(AsciiFilter())
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = THEMES[look.theme].name

    def get_driver_class(self) -> type[Driver]:
        """Return what has the terminal."""
        if sys.platform == "win32":
            return super().get_driver_class()
        from client_cli.screen.terminal_driver import TerminalDriver

        return TerminalDriver
