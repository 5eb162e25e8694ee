"""`--ascii`: whatever is drawn, nothing beyond ASCII reaches the terminal."""

import unicodedata

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_AS_ASCII = str.maketrans(
    {
        **dict(zip("♠♥♦♣", "SHDC", strict=True)),
        **dict.fromkeys("“”„", '"'), **dict.fromkeys("’‘", "'"), **dict.fromkeys("–—─━▁▔", "-"),
        **dict.fromkeys("│┃▏▎▕", "|"), **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯", "+"),
        "·": "-", "…": ".", "×": "x", "●": "*", "○": "o", "◆": "+", "›": ">", "▸": ">", "★": "*", "~": "~",
        "←": "<", "→": ">", "↑": "^", "↓": "v", "æ": "a", "Æ": "A", "ø": "o", "Ø": "O", "ß": "s",
    }
)  # fmt: skip


class AsciiFilter(LineFilter):
    """Puts one ASCII character in place of each cell, so that the layout stays as it is."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in ASCII."""
        return [
            segment
            if segment.control or segment.text.isascii()
            else segment._replace(text=as_ascii(segment.text))
            for segment in segments
        ]


def as_ascii(text: str) -> str:
    """Return `text` in ASCII, as wide as it was: letters without accents, `?` for what has no likeness."""
    return "".join(
        character if character.isascii() else _plain(character) for character in text.translate(_AS_ASCII)
    )


def _plain(character: str) -> str:
    width = cell_len(character)
    base = unicodedata.normalize("NFKD", character)[:1]
    return base if width == 1 and base.isascii() else "?" * width
