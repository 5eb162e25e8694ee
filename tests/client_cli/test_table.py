from __future__ import annotations

import pytest
from rich.cells import cell_len

from client_cli.table import place_name, table_lines
from server.engine.cards import card_text
from tests.client_cli.samples import Table, position


@pytest.mark.parametrize("width", [20, 40, 59, 60, 69, 70, 80, 200])
def test_it_fits_and_shows_every_place(width: int) -> None:
    seen = position()
    lines = table_lines(seen, "en", width)
    assert all(cell_len(line) <= max(width, 40) for line in lines)
    text = "\n".join(lines)
    for place in range(24):
        assert f"{place_name(place)}:{seen.count(place)}" in text
        card = seen.top(place)
        assert card is not None
        assert card_text(card, "en") in text


def test_the_horseshoe() -> None:
    lines = table_lines(position(), "en", 70)
    assert len(lines) == 10
    assert lines[1].split() == [f"{n}:6" for n in range(5, 13)]  # along the top
    assert [line.split()[0] for line in lines[3::2]] == ["4:6", "3:6", "2:6", "1:6"]  # up the left side
    assert [line.split()[-1] for line in lines[3::2]] == ["13:6", "14:6", "15:6", "16:6"]  # down the right
    assert lines[4].split()[1:5] == ["A♠", "A♥", "A♦", "A♣"]
    assert lines[6].split()[1:5] == ["K♠", "K♥", "K♦", "K♣"]
    top = lines[0]
    assert [top[7 * column :].split()[0] for column in range(1, 9)] == top.split()


def test_in_the_player_s_letters() -> None:
    assert "E♠" in "\n".join(table_lines(position(), "da"))
    assert "B♠" in "\n".join(table_lines(position(), "de"))
    assert "10♣" in "\n".join(table_lines(position(), "de"))


def test_without_the_suits_letters_do() -> None:
    text = "\n".join(table_lines(position(), "en", ascii_only=True))
    assert text.isascii()
    assert "10C" in text


def test_an_open_room_s_piles_stand_below() -> None:
    lines = table_lines(position(full=True), "en")
    assert lines[10] == " 1: K♣ 2♦ 10♦ 4♦ K♥ 8♣"
    assert len(lines) == 26


def test_after_a_move() -> None:
    table = Table()
    from client_cli.position import Position

    seen = Position.from_game(table.message())
    src, dst = 11, 9
    src, dst = next((s, d) for s in range(16) for d in table.game.destinations(s))
    seen.fold(table.do("m", src, dst))
    text = "\n".join(table_lines(seen, "en"))
    assert f"{place_name(dst)}:{table.game.count(dst)}" in text
    assert f"{place_name(src)}:5" in text
