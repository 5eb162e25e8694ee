"""Sentences about moves name the card and the place, in every language, and fit under the table."""

from __future__ import annotations

from typing import get_args

import pytest

from client_cli.move_words import sign_words, spoken_words
from protocol.messages import Lang
from server.engine.game import Game
from server.engine.places import ASCENDING, DESCENDING, FOUNDATION_AREA, ONLY_PLACE
from server.engine.refusals import Refusal

COLUMNS = 78
ACE_HEARTS, ACE_DIAMONDS = ASCENDING.start + 1, ASCENDING.start + 2
KING_HEARTS, KING_DIAMONDS = DESCENDING.start + 1, DESCENDING.start + 2


def table(*tops: str, up: int = 1, down: int = 1, height: int = 2) -> Game:
    piles = [["9C"] * (height - 1) + [top] if top else [] for top in tops]
    piles += [["9C", "9C"] for _ in range(16 - len(piles))]
    return Game(piles, [up] * 4, [down] * 4, 3)


def refusal(game: Game, src: int, dst: int) -> str:
    found = game.refusal(src, dst)
    assert found is not None
    return sign_words("en").refused(found, game, src, dst)


@pytest.mark.parametrize(
    ("tops", "src", "dst", "sentence"),
    [
        (("9D",), 0, FOUNDATION_AREA, "9♦ cannot go home: 2♦ or Q♦ comes next there."),
        (("7H", "3C"), 0, 1, "7♥ cannot go onto 3♣ (pile 2): the suits differ."),
        (("7H", "3H"), 0, 1, "7♥ cannot go onto 3♥ (pile 2): 2♥ or 4♥ may lie there."),
        (("QH", "AH"), 0, 1, "Q♥ cannot go onto A♥ (pile 2): 2♥ or K♥ may lie there."),
        (("7H",), 0, ACE_HEARTS, "7♥ cannot go onto A♥: 2♥ comes next there."),
        (("7H",), 0, ACE_DIAMONDS, "7♥ cannot go onto A♦: the suits differ."),
        (("7H", ""), 0, 1, "7♥ cannot go onto pile 2: an emptied pile stays empty."),
        (("7H", ""), 1, 0, "Pile 2 is empty: there is no card to move."),
        (("7H",), 0, 0, "7♥ lies there already; choose another place."),
        (("7H",), ACE_HEARTS, 0, "A♥ is its foundation's base and never moves."),
        (
            ("9D",), 0, ONLY_PLACE,
            "9♦ can go nowhere: no pile has room on 8♦ or 10♦; home waits for 2♦ or Q♦.",
        ),
        (
            ("QC", "KC", "JC"), 0, ONLY_PLACE,
            "Q♣ may go home (onto K♣) or to pile 2 or 3; say which.",
        ),
    ],
)  # fmt: skip
def test_a_refusal_names_card_and_place(tops: tuple[str, ...], src: int, dst: int, sentence: str) -> None:
    assert refusal(table(*tops), src, dst) == sentence


def test_what_is_home_stays_there() -> None:
    game = table("9D", up=3, down=4)
    assert refusal(game, ACE_HEARTS, 0) == "3♥ is home and never returns to a pile."
    assert refusal(game, ACE_HEARTS, KING_HEARTS) == (
        "3♥ stays home: on its suit's other foundation 9♥ comes next."
    )
    assert refusal(game, ACE_HEARTS, FOUNDATION_AREA) == refusal(game, ACE_HEARTS, KING_HEARTS)
    assert refusal(game, ACE_HEARTS, KING_DIAMONDS) == "3♥ cannot go onto 10♦: the suits differ."
    full = table("9D", up=3, down=13)
    assert refusal(full, ACE_HEARTS, KING_HEARTS).endswith("other foundation is complete.")


def test_a_full_pile_says_so() -> None:
    game = table("7H", "8H", height=13)
    assert refusal(game, 0, 1) == "7♥ cannot go onto 8♥ (pile 2): 13 cards lie there, and no more may."


def test_where_a_card_may_go_tells_home_from_piles() -> None:
    words = sign_words("en")
    game = table("QC", "KC", "JC")
    assert words.may_go(game, 0, (DESCENDING.start + 3, 2)) == "Q♣ may go home (onto K♣) or to pile 3."
    game = table("3D", up=2)
    assert words.may_go(game, 0, (ACE_DIAMONDS,)) == "3♦ may go home (onto 2♦)."
    across = table(up=6, down=7)
    assert words.may_go(across, ACE_HEARTS, (KING_HEARTS,)) == (
        "6♥ may go to its suit's other foundation (onto 7♥)."
    )
    assert sign_words("da").may_go(table("QC"), 0, (DESCENDING.start + 3,)).startswith("D♣ kan komme hjem")


def test_what_cannot_be_undone() -> None:
    words = sign_words("en")
    assert words.nothing_to_undo(0, False).endswith("no move was played yet.")
    assert words.nothing_to_undo(7, True).endswith("not past a redeal.")
    assert "100 moves" in words.nothing_to_undo(150, False)


def test_a_screen_reader_hears_words() -> None:
    said = spoken_words("de").refused(Refusal.RANK, table("9D"), 0, FOUNDATION_AREA)
    assert said == ("Karo-Neun kann nicht nach Hause: dort kommt Karo-Zwei oder Karo-Dame als Nächstes.")


@pytest.mark.parametrize("lang", get_args(Lang))
def test_every_sentence_fits_under_the_table(lang: Lang) -> None:
    words = sign_words(lang)
    tops = [""] * 16
    tops[11], tops[12], tops[13], tops[14], tops[15] = "TD", "9D", "9D", "JD", "JD"
    game = table(*tops, up=8, down=1)
    said = [
        words.may_go(game, 11, [*range(12, 16), ACE_DIAMONDS, KING_DIAMONDS]),
        words.stuck(3, "r", "u"),
        words.went("TD", "JD", 15),
        words.gone_already("TD", "JD", 15),
        words.gone_already("TD", "JD", ACE_DIAMONDS),
        words.undone("TD", 14, "JD", 15),
        words.undone("TD", 15, "9D", ACE_DIAMONDS),
        words.undone("TD", ACE_DIAMONDS, "TD", KING_DIAMONDS),
        words.redealt(4),
        *(words.nothing_to_undo(moves, redealt) for moves in (0, 200) for redealt in (True, False)),
    ]
    for code in Refusal:
        if code not in (Refusal.NO_REDEALS, Refusal.NOTHING_TO_REDEAL, Refusal.NOTHING_TO_UNDO):
            for src in (11, ACE_DIAMONDS):
                said += [
                    words.refused(code, game, src, dst) for dst in (0, 15, KING_DIAMONDS, FOUNDATION_AREA)
                ]
    assert {text for text in said if len(text) > COLUMNS} == set()
