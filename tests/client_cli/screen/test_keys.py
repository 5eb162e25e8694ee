"""The one table of keys: every screen's bindings and its help are whole, in every language."""

from __future__ import annotations

from typing import get_args

import pytest

from client_cli.screen.following import FollowScreen
from client_cli.screen.help import help_rows
from client_cli.screen.host_actions import ManageScreen
from client_cli.screen.keys import KEYS, NOT_ALONE, Where, keys_on
from client_cli.screen.lobby import LobbyScreen
from client_cli.screen.race import RaceScreen
from client_cli.screen.replay_screen import ReplayScreen
from client_cli.screen.result import ResultScreen
from client_cli.screen.room_form import RoomForm
from client_cli.screen.words import WORDS
from protocol.messages import Lang

SCREENS = {
    "lobby": (LobbyScreen,), "form": (RoomForm,), "people": (ManageScreen, FollowScreen),
    "result": (ResultScreen,), "replay": (ReplayScreen,),
}  # fmt: skip


@pytest.mark.parametrize("where", get_args(Where))
def test_no_key_means_two_things_on_a_screen(where: Where) -> None:
    pressed = [key for entry in keys_on(where) for key in entry.keys]
    assert len(pressed) == len(set(pressed))


@pytest.mark.parametrize("lang", get_args(Lang))
@pytest.mark.parametrize("where", get_args(Where))
def test_the_help_of_a_screen_has_all_its_keys(where: Where, lang: Lang) -> None:
    rows = help_rows(lang, where)
    assert {shown for shown, words in rows if words} == {key.shown for key in keys_on(where)}
    assert any(not words for _, words in rows), "headings"


@pytest.mark.parametrize("lang", get_args(Lang))
def test_in_practice_the_help_leaves_out_what_takes_others(lang: Lang) -> None:
    alone, all_ = (dict(help_rows(lang, practice=practice)) for practice in (True, False))
    assert set(all_) - set(alone) == {key.shown for key in KEYS if key.name in NOT_ALONE}
    assert alone["q"] != all_["q"]
    assert alone["u"] == all_["u"]


def test_words_of_practice_stand_in_the_place_of_others() -> None:
    own = [key for key in WORDS if key.endswith("_practice")]
    assert own
    assert {key.removesuffix("_practice") for key in own} <= set(WORDS)
    assert {key.name for key in KEYS} >= NOT_ALONE


def test_every_key_has_its_words() -> None:
    assert {f"key_{key.name}" for key in KEYS} <= set(WORDS)
    assert {f"short_{key.name}" for key in KEYS if key.short} <= set(WORDS)


@pytest.mark.parametrize("where", SCREENS)
def test_every_key_is_something_its_screen_does(where: Where) -> None:
    for screen in SCREENS[where]:
        missing = [key.name for key in keys_on(where) if key.keys and not hasattr(screen, f"do_{key.name}")]
        assert not missing, screen


def test_the_races_keys_have_actions() -> None:
    source = RaceScreen.__init__.__code__.co_consts
    names = {key.name for key in keys_on("race") if key.keys} - {"arrow", "digit"}
    told = {name for const in source if isinstance(const, tuple) for name in const} | set(source)
    assert names <= told
