"""The one place that writes to the terminal. In pipes, and with NO_COLOR, its output is plain."""

import contextlib
import io
import json
import shutil
import sys

from rich.console import Console
from rich.text import Text

_SUIT_STYLES = ((r"\S+♥", "red"), (r"\S+♦", "blue"), (r"\S+♣", "green"))  # four colours, as players ask for
_PLAIN_WIDTH = 80
_COMMAND = "  crescent "


class Output:
    """Lines to people on standard output, complaints on standard error."""

    def __init__(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # A terminal that lacks a letter shows a question mark; it never ends a game.
                stream.reconfigure(errors="replace")
        self._out = Console(markup=False, highlight=False, emoji=False, soft_wrap=True)
        self._err = Console(markup=False, highlight=False, emoji=False, soft_wrap=True, stderr=True)

    @property
    def ascii_only(self) -> bool:
        """Whether the terminal's encoding lacks the suits."""
        try:
            "♠♥♦♣".encode(sys.stdout.encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            return True
        return False

    @property
    def width(self) -> int:
        """How many columns a line may have."""
        return shutil.get_terminal_size((_PLAIN_WIDTH, 24)).columns if sys.stdout.isatty() else _PLAIN_WIDTH

    def line(self, text: str, style: str = "") -> None:
        """Write a line, or several. At a terminal lines break between words, those with a command do not."""
        for line in text.split("\n"):
            to_copy = _COMMAND in line or not sys.stdout.isatty()
            self._out.print(Text(line, style=style), soft_wrap=to_copy)

    def table(self, lines: list[str]) -> None:
        """Write lines with cards in them, the suits in colours."""
        text = Text("\n".join(lines))
        for pattern, style in _SUIT_STYLES:
            text.highlight_regex(pattern, style)
        self._out.print(text)

    def raw(self, text: str) -> None:
        """Write a line for programs, at once and as it is."""
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def json(self, value: object) -> None:
        """Write a value as one line of JSON, in ASCII."""
        self.raw(json.dumps(value, separators=(",", ":")))

    def complain(self, text: str) -> None:
        """Write a line to standard error."""
        self._err.print(Text(text, style="red"))


def silence() -> None:
    """After the reader of a pipe has gone: let nothing more be written, nor complained about."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout = io.StringIO()
        sys.stderr = io.StringIO()
