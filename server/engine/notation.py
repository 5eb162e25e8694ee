"""Actions as text that people read and type: `10>14`, `3>A`, `AS>K`, `R`, `U` (rules.md, "Places")."""

from server.engine.actions import REDEAL, UNDO, Action
from server.engine.cards import SUIT, SUITS
from server.engine.game import Game
from server.engine.places import (
    ASCENDING,
    DESCENDING,
    FOUNDATION_AREA,
    ONLY_PLACE,
    PILES,
    check_destination,
    check_source,
)
from server.engine.texts import TextError, Texts

ACTION_TEXT_CHARS_MAX = 40
"""The longest action, `AS>KH`, is five characters; this leaves room for spaces, and bounds the work."""

_WITHOUT_PLACES = {"R": REDEAL, "U": UNDO}
_SOURCES = {
    **{str(place + 1): place for place in PILES},
    **{"A" + suit: place for suit, place in zip(SUITS, ASCENDING, strict=True)},
    **{"K" + suit: place for suit, place in zip(SUITS, DESCENDING, strict=True)},
}
_DESTINATIONS = {**_SOURCES, "F": FOUNDATION_AREA, "*": ONLY_PLACE}
_DESTINATION_NAMES = {place: name for name, place in _DESTINATIONS.items()}
_OF_ITS_SUIT = {"A": ASCENDING, "K": DESCENDING}


class NotationError(TextError):
    """A text that is no action; the sentence says what is wrong with it and what to type."""


def parse_action(game: Game, text: str) -> Action:
    """Return the action that `text` means in `game`; NotationError if it means none.

    Case and whitespace do not matter. `A` and `K` as destinations are the foundations of the suit of the card
    that would move, which is why the game is asked; whether the action is allowed is not looked at.
    """
    if len(text) > ACTION_TEXT_CHARS_MAX:
        raise NotationError(_TOO_LONG)
    compact = "".join(text.split())
    # Of other text upper() would make letters that were not typed: an S of ſ. As it is, it matches nothing.
    if compact.isascii():
        compact = compact.upper()
    if not compact:
        raise NotationError(_EMPTY)
    if compact in _WITHOUT_PLACES:
        return _WITHOUT_PLACES[compact]
    source, arrow, destination = compact.partition(">")
    if not arrow:
        raise NotationError(_NO_ARROW)
    if source not in _SOURCES:
        raise NotationError(_SOURCE)
    src = _SOURCES[source]
    if destination in _DESTINATIONS:
        return Action("m", src, _DESTINATIONS[destination])
    if destination not in _OF_ITS_SUIT:
        raise NotationError(_DESTINATION)
    dst = _foundation_of_its_suit(game, src, destination)
    if dst is None:
        raise NotationError(_no_card(source))
    return Action("m", src, dst)


def format_action(game: Game, action: Action) -> str:
    """Return the text of `action` in `game`, played or not; `parse_action` in the same position inverts it.

    A foundation is called `A` or `K` where that means it, else (the source pile is empty, or its card of
    another suit) by its full name, as `AS`. ValueError if a place is no source or no destination.
    """
    op, src, dst = action
    if op != "m":
        return op.upper()
    check_source(src)
    check_destination(dst)
    name = _DESTINATION_NAMES[dst]
    short = name[0]
    if short in _OF_ITS_SUIT and dst == _foundation_of_its_suit(game, src, short):
        name = short
    return f"{_DESTINATION_NAMES[src]}>{name}"


def _foundation_of_its_suit(game: Game, src: int, short: str) -> int | None:
    """Return the foundation that `short`, `A` or `K`, means for the card of `src`; None without one."""
    card = game.top(src)
    return None if card is None else _OF_ITS_SUIT[short][SUIT[card]]


_EMPTY = Texts(
    "There is no action here. Type one such as 10>14, 3>F, R or U.",
    "Her er ingen handling. Skriv en som 10>14, 3>F, R eller U.",
    "Hier ist keine Aktion. Gib eine ein, etwa 10>14, 3>F, R oder U.",
)
_TOO_LONG = Texts(
    "This is too long for an action. Type one such as 10>14, 3>F, R or U.",
    "Det er for langt til en handling. Skriv en som 10>14, 3>F, R eller U.",
    "Das ist zu lang für eine Aktion. Gib eine ein, etwa 10>14, 3>F, R oder U.",
)
_NO_ARROW = Texts(
    "An action is a move with a > in it, R (redeal) or U (undo). Type a move like 10>14 or 3>F.",
    "En handling er et træk med et > i, R (omdeling) eller U (fortryd). Skriv et træk som 10>14 eller 3>F.",
    "Eine Aktion ist ein Zug mit einem > darin, R (Neuverteilung) oder U (rückgängig). "
    "Gib einen Zug wie 10>14 oder 3>F ein.",
)
_SOURCE = Texts(
    "Before the > stands where the card comes from: a pile, 1 to 16, or a foundation such as AS or KH.",
    "Før > står, hvor kortet kommer fra: en bunke, 1 til 16, eller en grundbunke som AS eller KH.",
    "Vor dem > steht, woher die Karte kommt: ein Stapel, 1 bis 16, oder ein Grundstapel wie AS oder KH.",
)
_DESTINATION = Texts(
    "After the > stands where the card goes: a pile, 1 to 16, A, K, F, *, or a foundation such as AS or KH.",
    "Efter > står, hvor kortet skal hen: en bunke, 1 til 16, A, K, F, * eller en grundbunke som AS eller KH.",
    "Nach dem > steht, wohin die Karte geht: ein Stapel, 1 bis 16, A, K, F, * "
    "oder ein Grundstapel wie AS oder KH.",
)


def _no_card(pile: str) -> Texts:
    return Texts(
        f"Pile {pile} has no card, so A and K mean nothing here. Choose a pile that has a card.",
        f"Bunke {pile} har intet kort, så A og K betyder intet her. Vælg en bunke, der har et kort.",
        f"Stapel {pile} hat keine Karte, A und K bedeuten hier nichts. Wähle einen Stapel mit einer Karte.",
    )
