"""Names of people as they are typed in a command: with spaces, quoted or not, a reason after them."""

from collections.abc import Callable

_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“", "”": "”", "«": "»", "»": "«"}


def name_and_rest(text: str, knows: Callable[[str], bool]) -> tuple[str, str]:
    """Return the name at the beginning of `text`, and what follows it.

    A quoted name is what stands in the quotes; another, as many words as make a name that somebody has.
    Where nobody has one, all of it is taken for the name.
    """
    closing = _QUOTES.get(text[:1])
    if closing is not None:
        name, found, rest = text[1:].partition(closing)
        if found:
            return name.strip(), rest.strip()
    words = text.split(" ")
    for count in range(len(words), 0, -1):
        name = " ".join(words[:count]).strip()
        if knows(name):
            return name, " ".join(words[count:]).strip()
    return text.strip(), ""
