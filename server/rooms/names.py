"""Names of players: what is allowed, and which two are the same."""

import unicodedata

NAME_CHARACTERS_MAX = 24
# Control, format and direction characters, surrogates, private use, unassigned, line separators.
FORBIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters and signs by their category, but blank on every screen: Hangul fillers, the empty Braille cell.
BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")
# Seen only by what they do to an emoji: the grapheme joiner and the variation selectors.
UNSEEN = dict.fromkeys([0x034F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
# Letters that look like a Latin one in either case, by their small letter, for case is folded first; and what
# is told from l by its font only. Of Unicode's table of confusables what can be typed on a keyboard.
LOOK_ALIKES = str.maketrans(
    {
        "а": "a", "в": "b", "е": "e", "ѕ": "s", "і": "l", "ј": "j", "к": "k", "м": "m", "н": "h", "о": "o",
        "р": "p", "с": "c", "т": "t", "у": "y", "х": "x", "һ": "h", "ԁ": "d", "ԛ": "q", "ԝ": "w", "ӏ": "l",
        "α": "a", "β": "b", "ε": "e", "ζ": "z", "η": "h", "ι": "l", "κ": "k", "μ": "m", "ν": "n", "ο": "o",
        "ρ": "p", "τ": "t", "υ": "y", "χ": "x", "0": "o", "1": "l", "i": "l", "|": "l", "ı": "l",
    }
)  # fmt: skip


def clean_name(typed: str) -> str | None:
    """The name as it will be shown (NFC, trimmed), or None when it is not allowed (`bad_name`)."""
    name = unicodedata.normalize("NFC", typed).strip()
    if not 1 <= len(name) <= NAME_CHARACTERS_MAX:
        return None
    if any(unicodedata.category(character) in FORBIDDEN_CATEGORIES for character in name):
        return None
    if not BLANK.isdisjoint(name) or not name.translate(UNSEEN).strip():
        return None
    return name


def fold_name(name: str) -> str:
    """The same for two names that one would take for each other (`name_taken`).

    Width, case, spacing, and letters that look alike.
    """
    folded = unicodedata.normalize("NFKC", name.translate(UNSEEN)).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).translate(LOOK_ALIKES).split())
