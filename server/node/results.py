"""A room and its board, for programs and spreadsheets: JSON and CSV. The whole log is `race_log`."""

import csv
import io
import re
from typing import Any

import msgspec

from protocol import messages as wire
from server.node.live_room import LiveRoom

COLUMNS = ("rank", "player", "name", "status", "moves", "undone", "redeals", "home", "ms")
# What a spreadsheet would take for a formula where a cell begins; in East Asia also the wide ones. Some take
# a semicolon for the end of a cell, even between quotes, and a quote that follows for one around the next.
FORMULA_BEGINS = re.compile(r"""((?:^|[;\t\r\n])[\s"']*)([=+\-@\uff1d\uff0b\uff0d\uff20])""")
STRANGER = ""


def room_json(live: LiveRoom) -> bytes:
    """What `room` has for a stranger."""
    return msgspec.json.encode(live.teller.room_message(STRANGER))


def board_csv(live: LiveRoom) -> bytes:
    """The board as a stranger may see it, a player a line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(COLUMNS)
    board: wire.BoardData = live.teller.whole_board(STRANGER)
    for row in board.rows:
        writer.writerow([harmless(getattr(row, column)) for column in COLUMNS])
    return text.getvalue().encode()


def named(row: wire.Row) -> dict[str, Any]:
    """A row without what was only so at the moment."""
    return {column: getattr(row, column) for column in COLUMNS}


def harmless(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula, whatever it takes for the end of a cell: before what
    would begin one stands an apostrophe."""
    return FORMULA_BEGINS.sub(r"\1'\2", cell) if isinstance(cell, str) else cell
