"""The table drawn as lines of styled text, without a terminal: what stands in each cell, in which style."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from client_cli.screen.forecast import UNKNOWN
from client_cli.screen.horseshoe import COLUMNS, ROWS, Cell, Horseshoe
from client_cli.table import PLACE_AT, face
from protocol.messages import Lang
from server.engine.cards import Card
from server.engine.game import Game
from server.engine.places import ASCENDING, FOUNDATION_CARDS_MAX, PILES

FELT = "table--felt"
CARD = "table--card"
BACK = "table--back"
EMPTY = "table--empty"
NUMBER = "table--number"
COUNT = "table--count"
FULL = "table--full"
STATES = ("cursor", "target", "held", "pending")
"""What a place may be besides; of several the last is shown."""

STYLES = frozenset(
    (
        FELT, CARD, BACK, EMPTY, NUMBER, COUNT, FULL,
        *(f"table--suit-{suit}" for suit in "SHDC"), *(f"table--{state}" for state in STATES),
    )
)  # fmt: skip

_MARKS = {"cursor": "›", "target": "◆", "held": "●", "pending": "~"}
_ASCII_MARKS = {"cursor": ">", "target": "+", "held": "*", "pending": "~"}
_SUITS = dict(zip("SHDC", "♠♥♦♣", strict=True))

_CARD_COLUMNS_MAX = 8
_CARD_LINES_MAX = 5
_BIG_COLUMNS, _BIG_LINES = 6, 3  # from this size on a card shows its face in two corners


class Span(NamedTuple):
    """A piece of a line; `styles` lie over each other, the last on top."""

    text: str
    styles: tuple[str, ...]


@dataclass(slots=True)
class TableView:
    """All that is drawn of a game. `cursor` None: nobody plays here."""

    game: Game
    cursor: int | None = None
    held: int | None = None
    targets: tuple[int, ...] = ()
    pending: frozenset[int] = frozenset()
    drag: tuple[int, int] | None = None
    """Where, by column and line, the held card is being dragged."""
    states: dict[int, str] = field(init=False)

    def __post_init__(self) -> None:
        self.states = dict.fromkeys(self.pending, "pending")
        self.states |= dict.fromkeys(self.targets, "target")
        if self.cursor is not None:
            self.states[self.cursor] = "cursor"
        if self.held is not None:
            self.states[self.held] = "held"


def paint(view: TableView, layout: Horseshoe, lang: Lang, *, ascii_only: bool = False) -> list[list[Span]]:
    """Return the table's lines, each of exactly the layout's width."""
    left, top = layout.corner
    felt = (FELT,)
    lines = [[Span(" " * layout.width, felt)] for _ in range(top)]
    for row in range(ROWS):
        places = [PLACE_AT.get((row, column)) for column in range(COLUMNS)]
        cells = [
            None if place is None else _cell(view, place, layout.cell(place), lang, ascii_only)
            for place in places
        ]
        for line in range(layout.cell_lines):
            spans = [Span(" " * left, felt)]
            for cell in cells:
                spans += _padded(
                    cell[line] if cell is not None and line < len(cell) else [], layout.cell_columns
                )
            lines.append(_joined(_padded(spans, layout.width)))
    lines += [[Span(" " * layout.width, felt)] for _ in range(layout.height - len(lines))]
    if view.drag is not None and view.held is not None:
        _put_dragged(lines, view, lang, ascii_only)
    return lines


def _put_dragged(lines: list[list[Span]], view: TableView, lang: Lang, ascii_only: bool) -> None:
    """Draw the card that is being dragged over everything else."""
    assert view.drag is not None
    assert view.held is not None
    card = view.game.top(view.held)
    x, y = view.drag
    if card is None or not 0 <= y < len(lines):
        return
    text = f" {UNKNOWN if card == UNKNOWN else face(card, lang, ascii_only)} "
    x = max(0, x - 1)
    dragged = Span(text, (*_card_styles(card), "table--held"))
    width = sum(len(span.text) for span in lines[y])
    lines[y] = [*_part(lines[y], 0, x), dragged, *_part(lines[y], x + len(text), width)]


def _part(line: list[Span], start: int, stop: int) -> list[Span]:
    """Return the columns from `start` to `stop` of a line."""
    part, x = [], 0
    for span in line:
        text = span.text[max(0, start - x) : max(0, stop - x)]
        if text:
            part.append(Span(text, span.styles))
        x += len(span.text)
    return part


def _padded(spans: list[Span], width: int) -> list[Span]:
    """Return spans with felt after them, to a width."""
    missing = width - sum(len(span.text) for span in spans)
    return [*spans, Span(" " * missing, (FELT,))] if missing > 0 else spans


def _joined(spans: list[Span]) -> list[Span]:
    """Return spans with equal neighbours joined and empty ones left out."""
    joined: list[Span] = []
    for span in spans:
        if joined and joined[-1].styles == span.styles:
            joined[-1] = Span(joined[-1].text + span.text, span.styles)
        elif span.text:
            joined.append(span)
    return joined


def as_text(lines: Iterable[Iterable[Span]]) -> list[str]:
    """Return painted lines without their styles."""
    return ["".join(span.text for span in line).rstrip() for line in lines]


def _cell(view: TableView, place: int, cell: Cell, lang: Lang, ascii_only: bool) -> list[list[Span]]:
    """Return a place's lines: the card, and under it number and count (R2)."""
    width = min(cell.width - 1, _CARD_COLUMNS_MAX)
    height = min(cell.height - 1, _CARD_LINES_MAX)
    card, state = view.game.top(place), view.states.get(place)
    styles = (*_card_styles(card), *((f"table--{state}",) if state else ()))
    marks = _ASCII_MARKS if ascii_only else _MARKS
    mark = marks[state] if state else " "
    lines = [[Span(text, styles)] for text in _card_lines(card, mark, width, height, lang, ascii_only)]
    return [*lines, _label(place, view.game.count(place), cell.width, ascii_only)]


def _card_styles(card: Card | None) -> tuple[str, ...]:
    if card is None:
        return (EMPTY,)
    return (BACK,) if card == UNKNOWN else (CARD, f"table--suit-{card[1]}")


def _card_lines(
    card: Card | None, mark: str, width: int, height: int, lang: Lang, ascii_only: bool
) -> list[str]:
    if card is None:
        text = "--" if ascii_only else "──"
    elif card == UNKNOWN:
        text = "??"
    else:
        text = face(card, lang, ascii_only)
    known = card is not None and card != UNKNOWN
    lines = [(mark + text.rjust(3)).ljust(width), *[" " * width] * (height - 1)]
    if known and width >= _BIG_COLUMNS and height >= _BIG_LINES:
        assert card is not None
        lines[0] = (mark + text).ljust(width)
        lines[height // 2] = (card[1] if ascii_only else _SUITS[card[1]]).center(width)
        lines[-1] = f"{text} ".rjust(width)
    return lines


def _label(place: int, count: int, width: int, ascii_only: bool) -> list[Span]:
    """Return the line under a card: which place it is, and how many cards lie there."""
    if place in PILES:
        name = str(place + 1)
    elif place in ASCENDING:
        name = "^" if ascii_only else "↑"
    else:
        name = "v" if ascii_only else "↓"
    point = ":" if ascii_only else "·"
    full = count == FOUNDATION_CARDS_MAX
    text = f"{name}{point}{count}"
    before = max(0, (width - 1 - len(text) + 1) // 2)
    after = max(0, width - before - len(text))
    return [
        Span(" " * before, (FELT,)),
        Span(f"{name}{point}", (FELT, NUMBER)),
        Span(str(count), (FELT, FULL if full else COUNT)),
        Span(" " * after, (FELT,)),
    ]
