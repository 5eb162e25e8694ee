"""The numbers of the places a card moves from and to (rules.md, "Places")."""

PILES = range(16)
"""Piles 1 to 16 of people's counting."""

ASCENDING = range(16, 20)
"""The ace foundations ♠ ♥ ♦ ♣, which rise (R7)."""

DESCENDING = range(20, 24)
"""The king foundations ♠ ♥ ♦ ♣, which fall (R7)."""

FOUNDATIONS = range(16, 24)

PLACES = range(24)
"""Every place that holds cards, and so every source."""

FOUNDATION_AREA = 24
"""Destination only: the foundation that accepts the card."""

ONLY_PLACE = 25
"""Destination only: the single place that accepts the card."""

DESTINATIONS = range(26)
"""Everything that may be named as a destination."""

PILE_CARDS_MAX = 13
"""R5."""

FOUNDATION_CARDS_MAX = 13
"""One of each rank (R7)."""


def foundation_suit(place: int) -> int:
    """Return the suit, as an index into `cards.SUITS`, of the foundation `place` (16-23)."""
    return (place - FOUNDATIONS.start) % 4


def sibling(place: int) -> int:
    """Return the other foundation of the same suit as the foundation `place` (R8)."""
    return place + 4 if place < DESCENDING.start else place - 4


def check_source(src: int) -> None:
    """Raise ValueError unless `src` is 0-23: another number is malformed input, not a refusal."""
    if src not in PLACES:
        raise ValueError(f"Source {src} is no place; sources are 0 to 23")


def check_destination(dst: int) -> None:
    """Raise ValueError unless `dst` is 0-25: another number is malformed input, not a refusal."""
    if dst not in DESTINATIONS:
        raise ValueError(f"Destination {dst} is no place; destinations are 0 to 25")
