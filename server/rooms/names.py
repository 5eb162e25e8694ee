"""Names of players: what is allowed, and which two are the same."""

import unicodedata
from functools import lru_cache

from confusable_homoglyphs.confusables import confusables_data

NAME_CHARACTERS_MAX = 24
# Control, format and direction characters, surrogates, private use, unassigned, line separators.
FORBIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
MARKS = frozenset({"Mn", "Mc", "Me"})  # they stand on a letter, and alone are no name
NO_NAME = "—"  # of somebody whose identity was deleted, and of nobody else
# Letters and signs by their category, but blank on every screen: Hangul fillers, the empty Braille cell.
BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")
# Seen only by what they do to an emoji: the grapheme joiner and the variation selectors.
UNSEEN = dict.fromkeys([0x034F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])


def clean_name(typed: str) -> str | None:
    """The name as it will be shown (NFC, trimmed), or None when it is not allowed (`bad_name`)."""
    name = unicodedata.normalize("NFC", typed).strip()
    if not 1 <= len(name) <= NAME_CHARACTERS_MAX:
        return None
    if not is_printable(name):
        return None
    if not BLANK.isdisjoint(name):
        return None
    seen = name.translate(UNSEEN)
    bare = "".join(character for character in seen if unicodedata.category(character) not in MARKS).strip()
    return name if bare and bare != NO_NAME else None


def is_printable(text: str) -> bool:
    """Whether a text has no control, format or direction characters and the like."""
    return not any(unicodedata.category(character) in FORBIDDEN_CATEGORIES for character in text)


def alike(name: str, other: str) -> bool:
    """Whether one would take one name for the other (`name_taken`): but for case, width and spacing they are
    the same, or they look the same (Unicode's confusables)."""
    return not keys_of(name).isdisjoint(keys_of(other))


@lru_cache(maxsize=8192)  # a room of a thousand compares each newcomer with everyone
def keys_of(name: str) -> frozenset[str]:
    """What a name is compared by: folded as it is, and folded from how it looks. `Ian` is both `ian` and, as
    it looks, `lan`; `ian` and `lan` are two."""
    name = name.translate(UNSEEN)
    return frozenset({_folded(name), _folded(_look(_folded(name))), _folded(_look(name))})


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def _look(text: str) -> str:
    return "".join(PROTOTYPES.get(character, character) for character in unicodedata.normalize("NFKC", text))


def _prototypes() -> dict[str, str]:
    """What each character is drawn like, where that is one character. (`Arne` is not taken for `Ame`.)

    In the data a prototype lists all that look like it, and each of those lists the prototype alone.
    """
    return {
        character: like[0]["c"]
        for character, like in confusables_data.items()
        if len(character) == len(like) == len(like[0]["c"]) == 1 and not _stands_for(character, like[0]["c"])
    }


def _stands_for(character: str, other: str) -> bool:
    """Whether of a pair that lists one another this is the prototype: the one that comes first."""
    mutual = [like["c"] for like in confusables_data.get(other, [])] == [character]
    return mutual and character < other


PROTOTYPES = _prototypes()
