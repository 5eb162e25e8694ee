"""Stored things put into messages, where a node knows less of the room than of its games."""

from __future__ import annotations

from server.node import outbound
from server.rooms.options import Options
from server.rooms.room import Person, Room
from server.rooms.standings import Progress


def test_a_row_tells_nothing_of_a_game_whose_start_was_not_heard_of() -> None:
    """Its stamp is a moment, and without a start there is nothing to count from."""
    ann = Person(id="ann", name="Ann", role="player")
    room = Room(id="R", options=Options(variant="F"), people={"ann": ann})
    progress = {"ann": Progress(n=3, stamp=1_800_000_000_000, moves=3, redeals=2, home=9)}
    (row,) = outbound.rows(room, progress, {})
    assert (row.status, row.moves, row.redeals, row.home, row.ms) == ("waiting", 0, 4, 8, 0)
