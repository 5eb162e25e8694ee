"""The deal of a code: the same in every language that can do SHA-256 (R20, R21)."""

from collections.abc import Iterator
from hashlib import sha256

from server.engine.cards import PACK, Card
from server.engine.codes import GameCode

_WORD_VALUES = 1 << 32
_PILE_CARDS = 6


def _words(code: GameCode) -> Iterator[int]:
    """Yield the endless 32-bit words of `code`: eight big-endian ones a SHA-256 block (R20, R21)."""
    block = 0
    while True:
        digest = sha256(f"CR{code.algorithm}:{code.number}:{block}".encode("ascii")).digest()
        for at in range(0, len(digest), 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        block += 1


def deal(code: GameCode) -> list[list[Card]]:
    """Return the 16 piles of six that `code` deals, bottom to top; the variant changes nothing (R17, R20)."""
    words = _words(code)
    cards = list(PACK)
    for i in range(len(cards) - 1, 0, -1):
        choices = i + 1
        # Words above the last whole multiple would favour low places; they are dropped (R20).
        limit = _WORD_VALUES - _WORD_VALUES % choices
        j = next(word for word in words if word < limit) % choices
        cards[i], cards[j] = cards[j], cards[i]
    return [cards[at : at + _PILE_CARDS] for at in range(0, len(cards), _PILE_CARDS)]
