"""Every refusal of an action, of the rules and of the wire: code, sentence, and that nothing changes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.golden import SHORTEST_WIN, Action, shortest_refusal
from tests.support.peer import Peer
from tests.support.races import (
    bare,
    game_on_entering,
    gather_room,
    play,
    play_well,
    request,
    start_race,
    told,
)
from tests.support.table import SUITS, Table

LANGS = ("en", "da", "de")
ENCODING = {"en": "msgpack", "da": "json", "de": "msgpack"}
RULES = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
# code -> sentences, from the page's own table
SENTENCES = {
    found[1]: dict(zip(LANGS, (cell.strip() for cell in found[2].split("|")), strict=True))
    for found in re.finditer(r"^\| `(\w+)` \|(?:[^|]*)\|([^|]*\|[^|]*\|[^|]*)\|$", RULES, re.MULTILINE)
}


class Scene(NamedTuple):
    """A game in which an action is refused after some others."""

    code: str
    before: list[Action]
    refused: Action


def full_pile() -> Scene:
    """Pile 8 is built up to 13 cards; another neighbour does not fit (found by trying)."""
    moves = [(4, 7), (3, 7), (2, 7), (9, 7), (2, 7), (4, 7), (5, 7), (4, 1), (14, 8), (14, 10), (15, 12)]
    before = [*(Action("m", src, dst, dst) for src, dst in moves), Action("r")]
    return Scene("CR1-N-GDDHOJD", before, Action("m", 11, 7, 7))


def foundation_complete() -> Scene:
    """In a game on its way to be won: the first complete foundation, and a card of its suit."""
    table = Table(SHORTEST_WIN.code)
    for number, action in enumerate(SHORTEST_WIN.actions):
        for foundation in range(16, 24):
            suit = SUITS[foundation % 4]
            cards = [pile for pile in range(16) if (table.top(pile) or "  ")[1] == suit]
            if table.count(foundation) == 13 and cards:
                refused = Action("m", cards[0], foundation)
                return Scene(SHORTEST_WIN.code, SHORTEST_WIN.actions[:number], refused)
        table.play(action.op, action.src, action.place)
    raise AssertionError("no complete foundation before the end")


def nothing_to_redeal() -> Scene:
    """The same cards with a redeal more (R17): before the last move there is one left, and nothing for it."""
    return Scene(SHORTEST_WIN.code.replace("-N-", "-F-"), SHORTEST_WIN.actions[:-1], Action("r"))


MADE = {
    "full_pile": full_pile,
    "foundation_complete": foundation_complete,
    "nothing_to_redeal": nothing_to_redeal,
}


def scene(code: str) -> Scene:
    if code in MADE:
        return MADE[code]()
    found = shortest_refusal(code)
    assert found is not None, f"no golden game from a deal shows {code}"
    game, before, refused = found
    return Scene(game.code, game.actions[:before], refused)


def test_the_page_has_all_refusals_of_the_rules() -> None:
    assert len(SENTENCES) == 15


@pytest.mark.parametrize("code", SENTENCES)
async def test_a_refusal_of_the_rules_says_why_in_three_languages_and_changes_nothing(
    meet, code: str
) -> None:
    game_code, before, refused = scene(code)
    keeper, ann = await meet(), await meet()  # the keeper's game keeps the race on when Ann's is won
    room = await start_race(keeper, ann, deal=game_code)
    await play_well(ann, before)
    n = len(before) + 1
    expected = told(game_code, before)
    for lang in LANGS:
        ann = await meet(ENCODING[lang], token=ann.token, lang=lang)
        game = await game_on_entering(ann, room)
        assert bare(game) == expected.game()
        (answer,) = await play(ann, [refused], first=n)
        sentence = SENTENCES[code][lang]
        assert bare(answer) == {"t": "refused", "n": n, "stored": n - 1, "code": code, "text": sentence}
    ann = await meet(token=ann.token)
    assert bare(await game_on_entering(ann, room)) == expected.game()


async def refusal(peer: Peer, n: int, action: Action) -> tuple[str, int]:
    (answer,) = await peer.pipeline([request(n, action)])
    assert answer["t"] == "refused", answer
    assert answer["n"] == n
    assert answer["text"]
    return answer["code"], answer["stored"]


FIRST = SHORTEST_WIN.actions[0]
DEAL = SHORTEST_WIN.code


async def sentences(meet, peer: Peer, room: str, n: int, action: Action) -> set[str]:
    """What this refusal says in each language; the peers it was asked with."""
    said = set()
    for lang in LANGS:
        again = await meet(ENCODING[lang], token=peer.token, lang=lang)
        if room:
            await again.ask("enter", room=room)
        (answer,) = await again.pipeline([request(n, action)])
        assert answer["t"] == "refused", answer
        said.add(answer["text"])
    return said


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
async def test_not_player_in_no_room_with_nothing_stored(meet, encoding: str) -> None:
    ann = await meet(encoding)
    assert await refusal(ann, 1, FIRST) == ("not_player", 0)
    assert await refusal(ann, 7, Action("u")) == ("not_player", 0)


async def test_not_player_as_a_spectator_and_as_a_host_without_a_seat(meet) -> None:
    ann, eve = await meet(), await meet("json")
    room = await ann.create(min_players=1)
    assert await refusal(ann, 1, FIRST) == ("not_player", 0)
    await eve.enter(room, "Eve", as_="spectator")
    assert await refusal(eve, 1, FIRST) == ("not_player", 0)
    assert len(await sentences(meet, eve, room, 1, FIRST)) == 3


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
async def test_not_running_before_the_start(meet, encoding: str) -> None:
    ann = await meet(encoding)
    room = await gather_room(ann, deal=DEAL, countdown_ms=60_000)
    assert await refusal(ann, 1, FIRST) == ("not_running", 0)
    await ann.ask("start")
    assert await refusal(ann, 1, FIRST) == ("not_running", 0)
    assert len(await sentences(meet, ann, room, 1, FIRST)) == 3


async def test_not_running_after_the_close_and_the_game_stays_as_it_was(meet) -> None:
    ann = await meet("json")
    room = await start_race(ann, deal=DEAL)
    await play_well(ann, SHORTEST_WIN.actions[:4])
    await ann.ask("manage", action="close")
    await ann.next("event", kind="closed")
    assert await refusal(ann, 5, SHORTEST_WIN.actions[4]) == ("not_running", 4)
    assert await refusal(ann, 9, Action("r")) == ("not_running", 4)
    again = await meet(token=ann.token)
    assert bare(await game_on_entering(again, room)) == told(DEAL, SHORTEST_WIN.actions[:4]).game()


async def test_not_running_after_a_forfeit_and_again_running_when_it_is_taken_back(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await start_race(ann, bob, deal=DEAL)
    await play_well(bob, SHORTEST_WIN.actions[:2])
    assert (await bob.ask("forfeit"))["t"] == "ok"
    assert await refusal(bob, 3, SHORTEST_WIN.actions[2]) == ("not_running", 2)
    bob = await meet(token=bob.token)
    game = await game_on_entering(bob, room)
    assert bare(game) == told(DEAL, SHORTEST_WIN.actions[:2]).game() | {"status": "forfeited"}
    assert (await bob.ask("unforfeit"))["t"] == "ok"
    await play_well(bob, SHORTEST_WIN.actions[2:4], first=3)


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
@pytest.mark.parametrize("n", [1, 2, 4, 5, 2**53 - 1])
async def test_out_of_step_is_followed_by_the_game_as_stored(meet, encoding: str, n: int) -> None:
    ann = await meet(encoding)
    await start_race(ann, deal=DEAL)
    await play_well(ann, SHORTEST_WIN.actions[:3])
    stored = told(DEAL, SHORTEST_WIN.actions[:3])
    wrong = Action("m", 23, 22) if n < 3 else SHORTEST_WIN.actions[3]
    if n == 4:
        await play_well(ann, SHORTEST_WIN.actions[3:4], first=4)
        stored, wrong = told(DEAL, SHORTEST_WIN.actions[:4]), Action("r")
    assert await refusal(ann, n, wrong) == ("out_of_step", stored.n)
    assert bare(await ann.next("game")) == stored.game()
    assert ann.received[-1]["t"] in ("game", "board")


async def test_no_undo_where_the_room_has_none(meet) -> None:
    ann = await meet("json")
    room = await start_race(ann, deal=DEAL, undo=False)
    await play_well(ann, SHORTEST_WIN.actions[:1])
    assert await refusal(ann, 2, Action("u")) == ("no_undo", 1)
    assert len(await sentences(meet, ann, room, 2, Action("u"))) == 3
    again = await meet(token=ann.token)
    assert bare(await game_on_entering(again, room)) == told(DEAL, SHORTEST_WIN.actions[:1]).game()


async def test_a_won_game_answers_game_over_while_the_race_runs_and_not_running_after_it(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await start_race(ann, bob, deal=DEAL)
    await play_well(ann, SHORTEST_WIN.actions)
    n = len(SHORTEST_WIN.actions) + 1
    for action in (Action("m", 0, 1), Action("m", 0, 24), Action("m", 16, 25), Action("u"), Action("r")):
        assert await refusal(ann, n, action) == ("game_over", n - 1)
    assert await refusal(ann, n + 1, Action("u")) == ("out_of_step", n - 1)
    await ann.ask("manage", action="close")
    assert await refusal(ann, n, Action("u")) == ("not_running", n - 1)


async def test_too_long_after_five_thousand_actions(meet) -> None:
    ann = await meet()
    room = await start_race(ann, deal=DEAL)
    most = [FIRST if n % 2 == 0 else Action("u") for n in range(5000)]
    # In parts: a client that sends so much reads meanwhile, and this one's patience is for one part.
    for first in range(0, 5000, 1000):
        await play_well(ann, most[first : first + 1000], first=first + 1)
    assert await refusal(ann, 5001, FIRST) == ("too_long", 5000)
    assert len(await sentences(meet, ann, room, 5001, FIRST)) == 3
    again = await meet(token=ann.token)
    expected = Table(DEAL)
    expected.n, expected.undone = 5000, 2500
    assert bare(await game_on_entering(again, room)) == expected.game()
    assert (await play(again, [Action("u")], first=5000))[0]["t"] == "done"
