"""Moves in sentences that name card and place: where it may go, where it went, why it may not. Pure."""

from collections.abc import Callable, Sequence

from client_cli.moves import Table, accepting_foundations, accepting_piles, next_on
from client_cli.plain_words import card_words
from client_cli.table import face
from client_cli.texts import say
from protocol.messages import Lang
from server.engine.cards import NEIGHBOURS, RANKS, SUIT, Card
from server.engine.places import (
    ASCENDING,
    DESCENDING,
    FOUNDATIONS,
    PILES,
    sibling,
)
from server.engine.refusals import Refusal
from server.engine.refusals import text as refusal_text


class MoveWords:
    """Sentences in one language, whose cards are written by `card`: as signs, or in words."""

    def __init__(self, lang: Lang, card: Callable[[Card], str]) -> None:
        self._lang = lang
        self._card = card

    # Where a card may go

    def may_go(self, table: Table, src: int, targets: Sequence[int]) -> str:
        """Return where the top card of `src` may go: home, or to which piles."""
        return self._say("may_go", card=self._top(table, src), places=self._places(table, src, targets))

    def stuck(self, redeals: int, redeal: str, undo: str | None) -> str:
        """Return that only a redeal goes on; `redeal` and `undo` (None: it cannot be) are what to type."""
        return self._say("stuck" if undo is None else "stuck_undo", redeal=redeal, undo=undo, count=redeals)

    def went(self, card: Card, onto: Card | None, dst: int) -> str:
        """Return that a card went to its only place, and onto which card."""
        return self._gone("went", card, onto, dst)

    def gone_already(self, card: Card, onto: Card | None, dst: int) -> str:
        """Return that it did so before it was sent."""
        return self._gone("gone", card, onto, dst)

    # What was taken back, and dealt anew

    def undone(self, card: Card, src: int, onto: Card | None, dst: int) -> str:
        """Return that a card is on `src` again, and no longer on `onto`, which lies on `dst`."""
        if src in FOUNDATIONS:
            return self._say("undone_other", card=self._card(card))
        key = "undone_home" if dst in FOUNDATIONS else "undone_onto"
        return self._say(key, card=self._card(card), number=src + 1, onto=self._of_pile(onto, dst))

    def redealt(self, redeals: int) -> str:
        """Return what a redeal did, and how many are left."""
        return self._say("redealt", count=redeals)

    # Why it may not

    def refused(self, refusal: Refusal, table: Table, src: int, dst: int) -> str:
        """Return why the top card of `src` may not go to `dst`, 0 to 25."""
        card = table.top(src)
        if card is None:
            return self._say("why_empty_source", number=src + 1)
        name = self._card(card)
        if src in FOUNDATIONS and dst not in PILES and refusal not in _OF_THE_SOURCE:
            return self._stays_home(table, src, name)
        onto = self._onto(table, dst)
        match refusal:
            case Refusal.RANK if dst in PILES:
                lies = table.top(dst)
                return self._say("why_rank", card=name, onto=onto, next=self._cards(NEIGHBOURS[lies or card]))
            case Refusal.RANK if dst in FOUNDATIONS:
                return self._say("why_not_next", card=name, onto=onto, next=self._next(table, [dst]))
            case Refusal.RANK:
                return self._say("why_not_home", card=name, next=self._next(table, _foundations(card)))
            case Refusal.NO_DESTINATION:
                neighbours = self._cards(NEIGHBOURS[card])
                coming = self._next(table, _foundations(card))
                return self._say("why_no_destination", card=name, neighbours=neighbours, next=coming)
            case Refusal.AMBIGUOUS:
                return self._say(
                    "why_ambiguous",
                    card=name,
                    places=self._places(
                        table, src, accepting_piles(table, card) + accepting_foundations(table, card)
                    ),
                )
            case Refusal.GAME_OVER:
                return refusal_text(refusal, self._lang)
        return self._say(f"why_{refusal}", card=name, onto=onto, number=dst + 1)

    def nothing_to_undo(self, moves: int, redealt: bool) -> str:
        """Return why nothing can be undone: nothing was played, or it was before a redeal (R11, R13)."""
        if redealt:
            return self._say("why_redealt")
        return self._say("why_no_more_undo" if moves else "why_nothing_to_undo")

    # Their parts

    def _say(self, key: str, **values: object) -> str:
        text = say(key, self._lang, **values)
        return f"{text[:1].upper()}{text[1:]}"

    def _top(self, table: Table, place: int) -> str:
        return self._card(table.top(place) or "")

    def _gone(self, key: str, card: Card, onto: Card | None, dst: int) -> str:
        if dst in FOUNDATIONS:
            return self._say(f"{key}_home", card=self._card(card))
        return self._say(f"{key}_onto", card=self._card(card), onto=self._of_pile(onto, dst))

    def _of_pile(self, card: Card | None, pile: int) -> str:
        """Return a card with the pile it lies on; "" for none."""
        return "" if card is None else say("of_pile", self._lang, card=self._card(card), number=pile + 1)

    def _onto(self, table: Table, dst: int) -> str:
        if dst in PILES:
            return self._of_pile(table.top(dst), dst)
        return self._top(table, dst) if dst in FOUNDATIONS else ""

    def _places(self, table: Table, src: int, targets: Sequence[int]) -> str:
        home = self._either([self._top(table, place) for place in targets if place in FOUNDATIONS])
        piles = self._either([str(place + 1) for place in sorted(targets) if place in PILES])
        key = "to_other" if src in FOUNDATIONS else "to_home"
        parts = [say(key, self._lang, cards=home)] if home else []
        parts += [say("to_piles", self._lang, numbers=piles)] if piles else []
        return self._either(parts)

    def _stays_home(self, table: Table, src: int, name: str) -> str:
        coming = self._next(table, [sibling(src)])
        key = "why_stays_home" if coming else "why_stays_home_complete"
        return self._say(key, card=name, next=coming)

    def _next(self, table: Table, foundations: Sequence[int]) -> str:
        coming = [next_on(table, place) for place in foundations]
        # The same card may come next on both.
        return self._either(list(dict.fromkeys(self._card(card) for card in coming if card is not None)))

    def _cards(self, cards: frozenset[Card]) -> str:
        return self._either(
            [self._card(card) for card in sorted(cards, key=lambda card: RANKS.index(card[0]))]
        )

    def _either(self, parts: Sequence[str]) -> str:
        """Return parts as a sentence has them: `2, 5 or 7`."""
        if len(parts) < 2:
            return "".join(parts)
        return f"{', '.join(parts[:-1])} {say('or', self._lang)} {parts[-1]}"


_OF_THE_SOURCE = (Refusal.GAME_OVER, Refusal.BASE_LOCKED, Refusal.SAME_PLACE, Refusal.SUIT)


def sign_words(lang: Lang, *, ascii_only: bool = False) -> MoveWords:
    """Return sentences whose cards are signs: `3♦`."""
    return MoveWords(lang, lambda card: face(card, lang, ascii_only))


def spoken_words(lang: Lang) -> MoveWords:
    """Return sentences whose cards are words: `three of diamonds`."""
    return MoveWords(lang, lambda card: card_words(card, lang))


def _foundations(card: Card) -> list[int]:
    return [ASCENDING.start + SUIT[card], DESCENDING.start + SUIT[card]]
