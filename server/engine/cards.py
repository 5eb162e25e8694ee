"""Cards as two characters, rank then suit (`TH` is the ten of hearts), and the tables that judge them."""

from typing import TypeAlias

Card: TypeAlias = str

RANKS = "A23456789TJQK"
SUITS = "SHDC"

CARDS: tuple[Card, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 different cards, suit by suit, ace to king."""

RANK: dict[Card, int] = {card: RANKS.index(card[0]) + 1 for card in CARDS}
"""A card's rank, 1 (ace) to 13 (king)."""

SUIT: dict[Card, int] = {card: SUITS.index(card[1]) for card in CARDS}
"""A card's suit as an index into `SUITS`."""

NEIGHBOURS: dict[Card, frozenset[Card]] = {
    card: frozenset(RANKS[(RANK[card] - 1 + step) % 13] + card[1] for step in (-1, 1)) for card in CARDS
}
"""The two cards that a card may lie on in a pile; ranks go round (R4)."""

PACK: tuple[Card, ...] = tuple(
    rank + suit for suit in SUITS for rank in RANKS for _ in range(1 if rank in "AK" else 2)
)
"""The 96 cards that are dealt, in the order from which they are shuffled (R20)."""

_SYMBOLS = dict(zip(SUITS, "♠♥♦♣", strict=True))
_LETTERS = {
    "en": {"A": "A", "K": "K", "Q": "Q", "J": "J", "T": "10"},
    "da": {"A": "E", "K": "K", "Q": "D", "J": "J", "T": "10"},
    "de": {"A": "A", "K": "K", "Q": "D", "J": "B", "T": "10"},
}


def card_text(card: Card, lang: str) -> str:
    """Return `card` as people read it in `lang` ("en", "da" or "de"): `TH` is `10♥`, `QS` in Danish `D♠`.

    ValueError for any other card or language (rules.md, "Places").
    """
    if card not in RANK:
        raise ValueError(f"There is no card {card!r}")
    if lang not in _LETTERS:
        raise ValueError(f"Cards have no letters in the language {lang!r}; choose en, da or de")
    return _LETTERS[lang].get(card[0], card[0]) + _SYMBOLS[card[1]]
