"""What lies over a screen: help, lists and questions, whole at every size, with their keys and a help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets import Input, OptionList

from client_cli.client import RaceClient
from client_cli.screen.asking import AskScreen
from client_cli.screen.following import FollowScreen
from client_cli.screen.help import HelpScreen
from client_cli.screen.host_actions import ManageScreen
from client_cli.screen.room_form import RoomForm
from client_cli.screen.seat import Seat
from tests.client_cli.screen import still
from tests.client_cli.screen.lobbies import in_lobby

SIZES = ((80, 24), (100, 34), (120, 40), (140, 45))
WINDOWS: dict[str, Callable[[Seat], Screen[Any]]] = {
    "ask": lambda seat: AskScreen("Close the race for all: a word to them, or nothing", "en"),
    "manage": ManageScreen,
    "follow": FollowScreen,
}


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_window_cuts_no_line_of_what_lies_under_it(size: tuple[int, int]) -> None:
    """It has a border, and in its lines nothing else: no half cards, no half words beside it."""
    async with still.shown(still.race(), size) as sitting:
        for window in WINDOWS.values():
            await sitting.app.push_screen(window(sitting.app.seat))
            await sitting.pilot.pause()
            lines = sitting.text.splitlines()
            top = next(at for at, line in enumerate(lines) if "╭" in line)
            bottom = next(at for at, line in enumerate(lines) if "╰" in line)
            assert bottom > top
            for line in lines[top : bottom + 1]:
                inside = line.strip()
                assert inside[0] in "╭│╰", line
                assert inside[-1] in "╮│╯", line
            await sitting.app.pop_screen()


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_help_has_the_screen_for_itself(size: tuple[int, int]) -> None:
    async with still.shown(still.race(), size) as sitting:
        under = {line.strip() for line in sitting.text.splitlines()} - {""}
        await sitting.app.push_screen(HelpScreen("en"))
        await sitting.pilot.pause()
        lines = sitting.text.splitlines()
        left = (size[0] - min(size[0], 96)) // 2
        for line in lines:
            assert line[:left].strip() == "", line
            assert line[left + 96 :].strip() == "", line
        assert not under & {line.strip() for line in lines}


@pytest.mark.parametrize("window", [ManageScreen, FollowScreen])
async def test_lists_say_their_keys_and_have_a_help(window: Callable[[Seat], Screen[Any]]) -> None:
    async with still.shown(still.race(), (80, 24)) as sitting:
        await sitting.app.push_screen(window(sitting.app.seat))
        await sitting.pilot.pause()
        assert "Enter choose  ? help  Esc back" in sitting.text
        await sitting.press("?")
        assert isinstance(sitting.app.screen, HelpScreen)
        assert "choose somebody" in sitting.text


async def test_what_can_be_done_is_said_of_whom_and_that_nothing_can() -> None:
    parts = still.race()
    async with still.shown(parts, (80, 24)) as sitting:
        await sitting.app.push_screen(ManageScreen(sitting.app.seat))
        await sitting.pilot.pause()
        whom = sitting.app.screen.query_one("#whom", OptionList)
        for at, option in enumerate(whom.options):
            whom.highlighted = at
            await sitting.pilot.pause()
            name = str(option.prompt).partition(":")[0]
            assert f"│ {name}:" in sitting.text
        room = parts.state.room
        assert room is not None
        room.state = "closed"
        whom.highlighted = next(at for at, option in enumerate(whom.options) if option.id == parts.state.me)
        await sitting.until(lambda: "Ada: host, not finished" in sitting.text)
        await sitting.press("enter")
        assert "Nothing can be done about yourself now." in sitting.text


async def test_the_room_comes_before_its_people_and_is_chosen_at_first() -> None:
    async with still.shown(still.race(), (80, 24)) as sitting:
        await sitting.press("m")
        assert isinstance(sitting.app.screen, ManageScreen)
        whom = sitting.app.screen.query_one("#whom", OptionList)
        assert [str(option.prompt).partition(":")[0] for option in whom.options][:2] == ["The room", "Bo"]
        assert whom.highlighted == 0
        await sitting.press("enter", "enter")
        assert isinstance(sitting.app.screen, RoomForm)


async def test_while_one_types_the_bottom_line_says_what_enter_and_escape_do() -> None:
    async with still.shown(still.race(), (80, 24)) as sitting:
        for key, does in (("t", "sends"), ("slash", "does it")):
            await sitting.press(key)
            assert sitting.text.splitlines()[-1].strip() == f"Enter {does}  Esc does not"
            await sitting.press("escape")
            assert "u undo" in sitting.text.splitlines()[-1]


async def test_what_stands_in_a_field_is_replaced_by_what_is_typed(ada: RaceClient) -> None:
    async with in_lobby(ada) as sitting:
        await sitting.press("o")
        form = sitting.on(RoomForm)
        form.query_one("#limit_ms").focus()
        await sitting.press("2", "0")
        assert form.query_one("#limit_ms", Input).value == "20"


async def test_every_field_of_the_form_is_explained_and_keys_may_be_faster_than_it(ada: RaceClient) -> None:
    async with in_lobby(ada, size=(100, 60)) as sitting:
        sitting.app.open_form()
        sitting.app.screen.action_do("submit")  # type: ignore[attr-defined]
        await sitting.sees_screen(RoomForm)
        for key in ("?", "f1"):
            await sitting.press(key)
            await sitting.sees("What the fields do", "redeals, a little easier")
            await sitting.press("escape")
        await sitting.press(*["down"] * 3)
        await sitting.sees("a little easier")


async def test_what_was_typed_in_a_form_is_there_again(ada: RaceClient) -> None:
    async with in_lobby(ada) as sitting:
        await sitting.press("o", "right", "down", *"Fri", "escape")
        await sitting.sees("What you typed in the form is kept")
        await sitting.press("o")
        await sitting.until(lambda: sitting.on(RoomForm).query_one("#name", Input).value == "Fri")
        await sitting.press("enter")
        await sitting.until(lambda: ada.room is not None)
        assert ada.room is not None
        assert ada.room.options["name"] == "Fri"
        assert ada.room.roles == {"host"}, "and that one does not play"
        await sitting.press("m", "enter", "enter")
        await sitting.sees_screen(RoomForm)
        await sitting.press(*"Sat", "escape", "m", "enter", "enter")
        await sitting.until(lambda: sitting.on(RoomForm).query_one("#name", Input).value == "Sat")
        await sitting.press("escape", "q")
        await sitting.press("o")
        await sitting.sees_screen(RoomForm)
        assert sitting.on(RoomForm).query_one("#name", Input).value == "", (
            "a room that was opened is no draft"
        )
