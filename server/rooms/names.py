"""Names of players: what is allowed, and which two are the same."""

import unicodedata

NAME_CHARACTERS_MAX = 24
# Control, format and direction characters, surrogates, private use, unassigned, line separators.
FORBIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean_name(typed: str) -> str | None:
    """The name as it will be shown (NFC, trimmed), or None when it is not allowed (`bad_name`)."""
    name = unicodedata.normalize("NFC", typed).strip()
    if not 1 <= len(name) <= NAME_CHARACTERS_MAX:
        return None
    if any(unicodedata.category(character) in FORBIDDEN_CATEGORIES for character in name):
        return None
    return name


def fold_name(name: str) -> str:
    """The same for two names that one would take for each other (`name_taken`): width, case, spacing."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())
