"""Names that a spreadsheet would count with: none begins a formula, whatever is taken for a cell's end."""

from __future__ import annotations

import csv
import io

import pytest

from server.node.results import harmless
from tests.support.races import gather_room
from tests.support.web import fetch

NAMES = [
    ("=1+1", "'=1+1"),
    (";=1+1|x", ";'=1+1|x"),
    ("x;=1+1;y", "x;'=1+1;y"),
    ("a; @b", "a; '@b"),
    ('a;"=1', "a;\"'=1"),
    ('"-1', "\"'-1"),
    ("a;;+2", "a;;'+2"),
    ("＝1", "'＝1"),
    ("a=b-c", "a=b-c"),
    ("a;b", "a;b"),
]


@pytest.mark.parametrize(("name", "shown"), NAMES)
def test_an_apostrophe_stands_before_what_would_begin_a_formula(name: str, shown: str) -> None:
    assert harmless(name) == shown


@pytest.mark.parametrize(
    ("cell", "shown"), [("a\t=1", "a\t'=1"), ("a\n@b", "a\n'@b"), (-5, -5), (None, None)]
)
def test_other_ends_of_cells_and_what_is_no_text(cell: object, shown: object) -> None:
    assert harmless(cell) == shown


@pytest.mark.parametrize("separator", [",", ";", "\t"])
async def test_no_cell_of_a_board_is_a_formula_by_whichever_separator(meet, race_server, separator) -> None:
    peers = [await meet() for _ in NAMES]
    room = await gather_room(peers[0], max_players=20)
    for peer, (name, _) in zip(peers[1:], NAMES[1:], strict=True):
        await peer.enter(room, name)
    body = (await fetch(race_server.port, f"/api/rooms/{room}/board.csv")).body.decode()
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):  # some know no quotes
        rows = csv.reader(io.StringIO(body), delimiter=separator, quoting=quoting)
        cells = [cell.lstrip(' "') for row in rows for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "＝"))]
    named = {row["name"] for row in csv.DictReader(io.StringIO(body))}
    assert named == {"A", *(shown for _, shown in NAMES[1:])}
