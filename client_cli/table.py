"""The table as text: the horseshoe of piles with the foundations in its middle (R2)."""

from client_cli.position import Position
from protocol.messages import Lang
from server.engine.cards import SUITS, Card, card_text
from server.engine.places import ASCENDING, DESCENDING, PILES

_COLUMNS = 10
_CELL_MAX = 7
_CELL_MIN = 6  # the widest entry, "16:13", and a space
_LIST_ROW = 4

_ASCII = str.maketrans(dict(zip("♠♥♦♣", SUITS, strict=True)))

# Places by row and column: piles 1-4 up the left side, 5-12 along the top, 13-16 down the right side, the
# ace foundations in the middle and the king foundations in the row below (R2).
PLACE_AT = {
    **{(0, 1 + i): 4 + i for i in range(8)},
    **{(4 - i, 0): i for i in range(4)},
    **{(1 + i, 9): 12 + i for i in range(4)},
    **{(2, 3 + i): place for i, place in enumerate(ASCENDING)},
    **{(3, 3 + i): place for i, place in enumerate(DESCENDING)},
}


def face(card: Card | None, lang: Lang, ascii_only: bool = False) -> str:
    """Return a card as its player reads it, `--` for none."""
    if card is None:
        return "--"
    text = card_text(card, lang)
    return text.translate(_ASCII) if ascii_only else text


def place_name(place: int) -> str:
    """Return a place as it is typed: `1` to `16`, `AS` … `AC`, `KS` … `KC`."""
    if place in PILES:
        return str(place + 1)
    row = "A" if place in ASCENDING else "K"
    return row + SUITS[(place - ASCENDING.start) % 4]


def table_lines(position: Position, lang: Lang, width: int = 80, ascii_only: bool = False) -> list[str]:
    """Return the table in lines of at most `width`, as a horseshoe where that fits, else as a list.

    Under each top card stand the place's name and its number of cards. An open room's piles follow in full.
    """
    cell = min(_CELL_MAX, width // _COLUMNS)
    lines = (
        _horseshoe(position, lang, cell, ascii_only)
        if cell >= _CELL_MIN
        else _list(position, lang, ascii_only)
    )
    if position.piles is not None:
        lines += _full_piles(position.piles, lang, ascii_only)
    return lines


def _horseshoe(position: Position, lang: Lang, cell: int, ascii_only: bool) -> list[str]:
    lines = []
    for row in range(5):
        cards, labels = "", ""
        for column in range(_COLUMNS):
            place = PLACE_AT.get((row, column))
            card = "" if place is None else face(position.top(place), lang, ascii_only)
            label = "" if place is None else f"{place_name(place)}:{position.count(place)}"
            cards += card.center(cell)
            labels += label.center(cell)
        lines += [cards.rstrip(), labels.rstrip()]
    return lines


def _list(position: Position, lang: Lang, ascii_only: bool) -> list[str]:
    """Return the places in rows of four, for terminals too narrow for the horseshoe."""
    rows = []
    for first in range(0, DESCENDING.stop, _LIST_ROW):
        places = range(first, first + _LIST_ROW)
        entries = [
            f"{place_name(p)}:{position.count(p)} {face(position.top(p), lang, ascii_only)}" for p in places
        ]
        rows.append(" ".join(entry.ljust(9) for entry in entries).rstrip())
    return rows


def _full_piles(piles: list[list[Card]], lang: Lang, ascii_only: bool) -> list[str]:
    return [
        f"{number:>2}: {' '.join(face(card, lang, ascii_only) for card in pile)}".rstrip()
        for number, pile in enumerate(piles, start=1)
    ]
