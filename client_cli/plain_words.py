"""Cards, places and times in words, as a screen reader says them."""

from collections.abc import Iterator
from typing import Protocol

from client_cli.texts import say
from protocol.messages import Lang
from server.engine.actions import Action
from server.engine.cards import SUITS, Card
from server.engine.places import ASCENDING, DESCENDING, PILES, PLACES

_LEFT, _TOP = range(4), range(4, 12)


class Tops(Protocol):
    """A table, seen from above."""

    def top(self, place: int) -> Card | None:
        """The top card of a place, 0 to 23; None for an empty pile."""

    def count(self, place: int) -> int:
        """How many cards it holds."""


def card_words(card: Card, lang: Lang) -> str:
    """Return a card in words: `queen of hearts`, `hjerter dame`, `Herz-Dame`."""
    return say("plain_card", lang, rank=say(f"rank_{card[0]}", lang), suit=say(f"suit_{card[1]}", lang))


def place_words(place: int, lang: Lang) -> str:
    """Return a place by its name: `pile 10`, `ace foundation of spades`."""
    if place in PILES:
        return say("place_pile", lang, number=place + 1)
    suit = say(f"suit_{SUITS[(place - ASCENDING.start) % 4]}", lang)
    return say("place_ace" if place in ASCENDING else "place_king", lang, suit=suit)


def where_words(place: int, lang: Lang) -> str:
    """Return a place with where it lies in the horseshoe (R2): `pile 5, top, number 1 from the left`."""
    if place in PILES:
        if place in _LEFT:
            where = say("where_left", lang, number=place + 1)
        elif place in _TOP:
            where = say("where_top", lang, number=place - _TOP.start + 1)
        else:
            where = say("where_right", lang, number=place - _TOP.stop + 1)
    else:
        where = say("where_kings" if place in DESCENDING else "where_aces", lang)
    return say("place_where", lang, place=place_words(place, lang), where=where)


def cards_words(count: int, lang: Lang) -> str:
    """Return a number of cards: `1 card`, `6 cards`."""
    return say("cards_one" if count == 1 else "cards_many", lang, count=count)


def holds_words(table: Tops, place: int, name: str, lang: Lang) -> str:
    """Return what lies at a place, which is called `name`: `pile 5: six of spades, 5 cards`."""
    card = table.top(place)
    if card is None:
        return say("place_empty", lang, place=name)
    cards = cards_words(table.count(place), lang)
    return say("place_holds", lang, place=name, card=card_words(card, lang), cards=cards)


def table_words(table: Tops, lang: Lang) -> Iterator[str]:
    """Yield a whole table: the piles by number, then the foundations."""
    for place in PLACES:
        yield sentence(holds_words(table, place, where_words(place, lang), lang))


def action_words(action: Action, lang: Lang) -> str:
    """Return an action without its card: `pile 10 to pile 14`, `redeal`, `undo`."""
    if action.op != "m":
        return say(f"plain_op_{action.op}", lang)
    src, dst = place_words(action.src, lang), place_words(action.dst, lang)
    return say("plain_op_m", lang, src=src, dst=dst)


def time_words(ms: int, lang: Lang) -> str:
    """Return a time in whole hours, minutes and seconds: `1 minute 23 seconds`."""
    minutes, seconds = divmod(max(0, ms) // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    parts = {"hours": hours, "minutes": minutes, "seconds": seconds}
    told = {unit: count for unit, count in parts.items() if count} or {"seconds": 0}
    return " ".join(
        say(f"unit_{unit}_one" if count == 1 else f"unit_{unit}", lang, count=count)
        for unit, count in told.items()
    )


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning and a full stop at its end."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"
