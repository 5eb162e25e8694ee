"""Other people's texts made harmless: a name or a line of chat must not steer anybody's terminal."""

import unicodedata

_DROPPED = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
_BREAKS = "\t\n\v\f\r\x85\u2028\u2029"


def safe_text(text: str) -> str:
    """Return `text` in one line, without control, format, direction, surrogate and private-use characters.

    What would have ended a line becomes a space, so that words do not run together.
    """
    if text.isascii() and text.isprintable():
        return text
    spaced = "".join(" " if character in _BREAKS else character for character in text)
    return "".join(character for character in spaced if unicodedata.category(character) not in _DROPPED)
