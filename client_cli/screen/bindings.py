"""What textual is told of the keys: bindings made from the one table."""

from textual.binding import Binding, BindingType

from client_cli.screen.keys import BY_NAME, Where, keys_on
from client_cli.screen.words import seat_word
from protocol.messages import Lang

Item = tuple[str, str, str]
"""A key of the bottom line: the action's name, the key as people read it, and its words."""


def bindings(where: Where) -> list[BindingType]:
    """Return a screen's bindings: each calls `do` with its action's name and, of several keys, which one."""
    return [
        Binding(pressed, f"do('{key.name}', '{pressed}')", show=False)
        for key in keys_on(where)
        for pressed in key.keys
    ]


def item(
    name: str, lang: Lang, short: str | None = None, *, practice: bool = False, **values: object
) -> Item:
    """Return a key for the bottom line; `short` names other words than the key's own."""
    words = seat_word(f"short_{short or name}", lang, practice=practice, **values)
    return name, BY_NAME[name].shown, words


def items(where: Where, lang: Lang, *, practice: bool = False) -> list[Item]:
    """Return all keys of a screen that have words for the bottom line."""
    return [item(key.name, lang, practice=practice) for key in keys_on(where) if key.short]
