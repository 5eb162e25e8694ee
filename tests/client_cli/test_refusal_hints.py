"""What people are told when the race says no: by every word `why`, in every language."""

from __future__ import annotations

import pytest

from client_cli.failures import Denied
from client_cli.refusal_hints import at_the_door, in_the_room
from client_cli.room_view import RoomView
from protocol.messages import BoardData, Error, Lang, Person, Room
from server.engine.texts import LANGUAGES
from server.rooms.whys import TEXTS, Why

URL = "ws://localhost:8765/ws"


def view(*players: str, **options: object) -> RoomView:
    people = [
        Person(id=id, name=id.title(), role="player", referee=False, ready=False, online=True)
        for id in players
    ]
    return RoomView(
        Room(
            room="AAAAAAAA", v=1, options=dict(options), state="lobby", host="ann", you=["host", "player"],
            players=people, board=BoardData(seq=0, at=0, rows=[]), now=0,
        ),
        "ann",
    )  # fmt: skip


def denied(why: str | None, text: str, code: str = "not_allowed") -> Denied:
    return Denied(Error(code=code, why=why, text=text))


@pytest.mark.parametrize("why", Why)
def test_every_word_is_told_in_each_language_and_with_nothing_left_open(why: Why) -> None:
    told = set()
    for lang in LANGUAGES:
        server = TEXTS[why].text(lang).format(option="deal", allowed="1-2", more="…")
        inside = in_the_room(denied(why, server), "x", view("ann", "bob", min_players=3), URL, lang)
        door = at_the_door(denied(why, server), "player", "AAAAAAAA", URL, None, lang)
        assert "{" not in inside + door
        told |= {(lang, inside), (lang, door)}
    assert len({text for _, text in told}) == len(told), "no two languages say the same"
    assert all(text.strip() for _, text in told)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_word_this_client_does_not_know_leaves_the_servers_sentence(lang: Lang) -> None:
    for why in ("of_tomorrow", None):
        unknown = denied(why, "The moon is in the way")
        assert in_the_room(unknown, "start", view("ann"), URL, lang) == "The moon is in the way"
        assert at_the_door(unknown, "player", "AAAAAAAA", URL, None, lang) == "The moon is in the way"


def test_too_few_players_are_counted() -> None:
    few = denied(Why.TOO_FEW_PLAYERS, "few")
    alone = in_the_room(few, "start", view("ann", min_players=4), URL, "en")
    assert alone.startswith("4 players are needed and 1 is here")
    both = in_the_room(few, "start", view("ann", "bob", min_players=4), URL, "en")
    assert both.startswith("4 players are needed and 2 are here")


def test_who_cannot_play_again_is_told_what_stands_in_the_way() -> None:
    watched = at_the_door(denied(Why.HAS_WATCHED, "w"), "player", "AAAAAAAA", URL, "pw", "en")
    put_out = at_the_door(denied(Why.WAS_PUT_OUT, "p"), "player", "AAAAAAAA", URL, "pw", "en")
    assert "have followed a game" in watched
    assert "were put out" in put_out
    for told in (watched, put_out):
        assert told.endswith(f"crescent watch AAAAAAAA --server {URL} --password …")


def test_a_state_in_which_something_cannot_be_done_is_told_by_the_command() -> None:
    late = denied(None, "late", "wrong_state")
    assert in_the_room(late, "hold", view("ann"), URL, "en") == "There is no countdown to call off."
    newer = denied(Why.NEWER_VERSION, "newer", "wrong_state")
    assert in_the_room(newer, "hold", view("ann"), URL, "en") == "newer"
    assert at_the_door(newer, "player", "AAAAAAAA", URL, None, "en") == "newer"
