"""Whole journeys at the screen, by keys and by mouse, against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from client_cli.client import RaceClient
from client_cli.screen import gestures
from client_cli.screen.look import Look
from protocol import messages as wire
from server.engine.actions import Action
from server.engine.codes import parse_code
from server.engine.game import Game
from server.engine.places import FOUNDATIONS, PILES
from tests.client_cli.screen.pressing import keys_of
from tests.client_cli.screen.seats import PATIENCE_S, Sitting, quick_client, seated
from tests.support.golden import BLOCKED, SHORTEST_WIN

CODE = "CR1-N-AAAAAAB"
ROOM = {"min_players": 1, "countdown_ms": 0, "deal": CODE}


async def hosted(ada: RaceClient, *others: RaceClient, **options: Any) -> str:
    """A room of Ada's with the others in it."""
    room = (await ada.create({**ROOM, **options})).room
    await ada.enter(room, "player", "Ada")
    for name, client in zip(("Bo", "Cy"), others, strict=False):
        await client.enter(room, "player", name)
    return room


async def start(sitting: Sitting) -> None:
    await sitting.press("s")
    await sitting.until(lambda: sitting.app.seat.plays)


def position(client: RaceClient) -> Any:
    assert client.state.position is not None
    return client.state.position


def moves(*, to: range, onto_same: bool | None = None) -> list[Action]:
    """Moves of the fresh deal to such places, whose card has no other place (`onto_same` True) or some."""
    game = Game.deal(parse_code(CODE))
    found = []
    for src in PILES:
        places = game.destinations(src)
        if onto_same is None or (len(places) == 1) is onto_same:
            found += [Action("m", src, dst) for dst in places if dst in to]
    return found


async def test_from_lobby_to_win_and_rematch_by_keys(ada: RaceClient, bo: RaceClient) -> None:
    await hosted(ada, bo, deal=SHORTEST_WIN.code)
    async with seated(ada) as sitting:
        assert "s starts the race" in sitting.text
        assert "Bo: not ready yet" in sitting.text
        await start(sitting)
        by_keys = 8  # the rest is played for her; test_real_terminal presses the keys of a whole game
        before = SHORTEST_WIN.actions[:-by_keys]
        for action in before:
            await ada.op(action.op, *((action.src, action.dst) if action.op == "m" else ()))  # type: ignore[arg-type]
        await sitting.until(lambda: sitting.app.seat.playing.forecast.n == len(before))  # type: ignore[union-attr]
        sitting.app.race.choosing.cursor = before[-1].src
        for n, keys in enumerate(keys_of(SHORTEST_WIN)[-by_keys:], start=len(before) + 1):
            await sitting.press(*keys)
            await sitting.until(lambda n=n: position(ada).n == n and not sitting.app.seat.playing.unconfirmed)
        await sitting.until(lambda: "You have won" in sitting.sentence)
        assert "rank 1!" in sitting.sentence
        assert "104" in sitting.text
        await bo.game()
        await bo.request(wire.Forfeit())
        await sitting.until(lambda: "Bo gives up" in sitting.news)
        await ada.request(wire.Manage(action="close"))
        await sitting.until(lambda: "n rematch" in sitting.sentence)
        old = ada.state.room.id if ada.state.room is not None else ""
        await sitting.press("n")
        await sitting.until(lambda: ada.state.room is not None and ada.state.room.id != old)
        await sitting.until(lambda: "s starts the race" in sitting.text)
        await sitting.press("q")
        await sitting.until(lambda: not sitting.app.is_running or sitting.app.return_value is not None)
    assert sitting.app.return_value == 0


async def test_a_click_moves_a_card_that_has_one_place(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        action = moves(to=range(24), onto_same=True)[0]
        await sitting.click(action.src)
        await sitting.until(lambda: position(ada).n == 1)
        assert set(position(ada).changed) == {action.src, action.dst}


async def test_a_click_lights_up_the_places_of_a_card_that_has_several(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        action = moves(to=PILES, onto_same=False)[0]
        await sitting.click(action.src)
        targets = sitting.app.race.choosing.targets
        assert action.dst in targets
        assert len(targets) > 1
        assert sitting.text.count("◆") == len(targets) - 1, "all but the one under the cursor"
        assert " may go " in sitting.sentence
        await sitting.click(action.dst)
        await sitting.until(lambda: position(ada).n == 1)
        assert set(position(ada).changed) == {action.src, action.dst}


async def test_a_double_click_sends_home(ada: RaceClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gestures, "DOUBLE_CLICK_S", PATIENCE_S)  # the pilot waits between the two
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        action = moves(to=FOUNDATIONS)[0]
        await sitting.click(action.src, times=2)
        await sitting.until(lambda: position(ada).n == 1)
        assert position(ada).home == 9


async def test_a_card_is_dragged_onto_a_pile(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        action = moves(to=PILES)[0]
        await sitting.drag(action.src, sitting.spot(action.dst))
        await sitting.until(lambda: position(ada).n == 1)
        assert set(position(ada).changed) == {action.src, action.dst}


async def test_dragged_anywhere_on_the_foundations_the_right_one_takes_it(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        action = moves(to=FOUNDATIONS)[0]
        other = next(place for place in FOUNDATIONS if place != action.dst)
        x, y = sitting.spot(other)
        await sitting.drag(action.src, (x, y))
        await sitting.until(lambda: position(ada).n == 1)
        assert action.dst in position(ada).changed
        await sitting.press("u")
        await sitting.until(lambda: position(ada).n == 2)
        await sitting.drag(action.src, (sitting.spot(16)[0] - 4, y))  # beside them, in the middle
        await sitting.until(lambda: position(ada).n == 3)
        assert position(ada).home == 9


async def test_while_a_card_is_dragged_it_is_seen_and_its_places_light_up(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        action = moves(to=PILES)[0]
        await sitting.pilot.mouse_down("#table", offset=sitting.spot(action.src))
        await sitting.pilot.hover("#table", offset=(7, 13))
        await sitting.until(lambda: sitting.app.race.choosing.held == action.src)
        card = position(ada).tops[action.src].replace("T", "10")
        line = sitting.text.splitlines()[2 + 13]
        assert f"{card[:-1]}" in line[5:11]
        await sitting.pilot.mouse_up("#table", offset=(7, 13))
        await sitting.until(lambda: sitting.app.race.choosing.held is None)
        assert position(ada).n == 0


async def test_refusals_say_why_or_not(race_server: Any) -> None:
    async with quick_client(race_server.url, lang="da") as ada, danish(ada) as sitting:
        await start(sitting)
        stuck = next(pile for pile in PILES if not Game.deal(parse_code(CODE)).destinations(pile))
        await sitting.click(stuck)
        assert "kan ikke flyttes: der er ingen fri" in sitting.sentence
        await sitting.press("u")
        assert sitting.sentence.startswith("Intet kan fortrydes: der er ikke spillet")
        await sitting.press("i", "escape")
        await sitting.click(stuck)
        assert "kan ikke" not in sitting.sentence


@asynccontextmanager
async def danish(ada: RaceClient) -> AsyncIterator[Sitting]:
    await hosted(ada)
    async with seated(ada, lang="da") as sitting:
        yield sitting


async def test_undo_and_redeal_with_the_number_left(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        assert "redeal (3)" in sitting.text
        await sitting.press("r")
        assert sitting.sentence.startswith("Redeal (3 left)? Cards can still move")
        assert not sitting.app.seat.playing.unconfirmed
        await sitting.press("left", "r")  # another key between: it is asked again
        assert not sitting.app.seat.playing.unconfirmed
        await sitting.press("r")
        await sitting.until(lambda: position(ada).n == 1)
        await sitting.until(lambda: "redeal (2)" in sitting.text)
        assert "redeals 2" in sitting.text
        await sitting.press("u")
        assert sitting.sentence == "Nothing can be undone: not past a redeal."
        for n in (2, 3):
            await sitting.press("r", "r")
            await sitting.until(lambda n=n: position(ada).n == n)
        await sitting.until(lambda: "redeals 0" in sitting.text)
        assert "redeal" not in sitting.text.splitlines()[-1]
        await sitting.press("r")
        assert sitting.sentence == "No redeals left"
        assert position(ada).n == 3


async def test_moves_show_before_they_are_confirmed_and_are_marked(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        held = asyncio.Event()
        op = ada.op

        async def slow_op(*args: Any) -> Any:
            await held.wait()
            return await op(*args)

        ada.op = slow_op  # type: ignore[method-assign]
        action = moves(to=range(24), onto_same=True)[0]
        card = position(ada).tops[action.src]
        await sitting.click(action.src)
        shown = sitting.app.seat.playing.game
        assert shown.top(action.dst) == card
        assert position(ada).n == 0
        assert "1 unconfirmed" in sitting.text
        assert "??" in sitting.text
        held.set()
        await sitting.confirmed()
        await sitting.until(lambda: "unconfirmed" not in sitting.text)
        assert "??" not in sitting.text


async def test_what_the_server_refuses_snaps_back(ada: RaceClient) -> None:
    """By a client that has the rules wrong: what it played after the refused move is not sent."""
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        sent = []
        op = ada.op

        async def counted(*args: Any) -> Any:
            sent.append(args)
            return await op(*args)

        ada.op = counted  # type: ignore[method-assign]
        playing = sitting.app.seat.playing
        playing.play(Action("m", 0, 1))
        playing.play(Action("r"))
        await sitting.confirmed()
        await sitting.until(lambda: sitting.sentence)
        assert len(sent) == 1
        assert position(ada).n == 0
        assert [playing.game.top(place) for place in PILES] == position(ada).tops
        assert playing.game.redeals == 3


async def test_a_blocked_game_offers_undo_forfeit_or_a_new_game(ada: RaceClient) -> None:
    game = min(BLOCKED, key=lambda game: len(game.actions))
    room = await hosted(ada, deal=game.code)
    async with seated(ada) as sitting:
        await start(sitting)
        for action in game.actions:
            await ada.op(action.op, *((action.src, action.dst) if action.op == "m" else ()))  # type: ignore[arg-type]
        await sitting.until(lambda: "locked" in sitting.sentence)
        assert "give up" in sitting.sentence
        assert "n new game" in sitting.sentence
        await sitting.press("n")
        assert "once more" in sitting.sentence
        await sitting.press("n")
        await sitting.until(lambda: ada.state.room is not None and ada.state.room.id != room)
        await sitting.until(lambda: "crescent play" in sitting.text)


async def test_giving_up_takes_two_presses_and_can_be_taken_back(ada: RaceClient, bo: RaceClient) -> None:
    await hosted(ada, bo)
    async with seated(ada) as sitting:
        await start(sitting)
        await sitting.press("g", "left", "g")
        assert "once more" in sitting.sentence
        assert sitting.app.seat.plays
        await sitting.press("g")
        await sitting.until(lambda: "You gave up" in sitting.sentence)
        await sitting.press("g")
        await sitting.until(lambda: sitting.app.seat.plays)


def bos_line(sitting: Sitting) -> str:
    """Bo's line of the standings."""
    return next((line for line in sitting.text.splitlines()[:17] if " Bo " in line), "")


async def test_friends_are_seen_and_heard(ada: RaceClient, race_server: Any) -> None:
    async with quick_client(race_server.url) as bo:
        await hosted(ada, bo)
        async with seated(ada) as sitting:
            await start(sitting)
            await bo.request(wire.Say(text="Good [bold]luck\x1b[2J"))
            await sitting.until(lambda: "<Bo> Good [bold]luck[2J" in sitting.text)
            await sitting.press("t", *"hello", "enter")
            await sitting.until(lambda: "<Ada> hello" in sitting.news)
            await bo.game()
            action = moves(to=FOUNDATIONS)[0]
            await bo.op("m", action.src, action.dst)
            await sitting.until(
                lambda: any("Bo" in line and " 9 " in line for line in sitting.text.splitlines())
            )
            await bo.close()
            await sitting.until(lambda: "Bo is offline" in sitting.news)
            await sitting.until(
                lambda: any("Bo" in line and "offline" in line for line in sitting.text.splitlines()[:17])
            )


async def test_the_muted_see_that_they_are(ada: RaceClient, bo: RaceClient) -> None:
    await hosted(ada, bo)
    async with seated(bo, name="Bo") as sitting:
        await sitting.until(lambda: "t talk" in sitting.text)
        await sitting.press("t", *"one")
        await ada.request(wire.Manage(action="mute", player=bo.me, on=True))
        await sitting.until(lambda: "Bo: muted, not ready yet" in sitting.text)
        assert "t talk" not in sitting.text
        await sitting.press("enter")  # what was begun is not sent either
        assert sitting.sentence.startswith("You are muted here")
        await sitting.press("escape", "t")
        assert sitting.sentence.startswith("You are muted here")
        await sitting.press(*"yq?", "enter")  # typed on without looking: no key is taken for a command
        await ada.request(wire.Manage(action="mute", player=bo.me, on=False))
        await sitting.until(lambda: not bo.room.is_muted)
        assert "<Bo>" not in sitting.news
        await sitting.press("enter")  # and nothing of it is lost
        await sitting.until(lambda: "<Bo> yq?" in sitting.news)
    assert "<Bo> one" not in sitting.news


async def test_commands_are_typed_too(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        action = moves(to=FOUNDATIONS)[0]
        await sitting.press("slash", *f"{action.src + 1}", "greater_than_sign", "F", "enter")
        await sitting.until(lambda: position(ada).n == 1)
        await sitting.press("slash", *"hello", "enter")
        await sitting.until(lambda: "neither a move nor a command" in sitting.sentence)
        await sitting.press("slash", *"home", "enter")
        await sitting.until(lambda: "“home 5” (or 5>F)" in sitting.sentence)
        assert "home 5" not in sitting.news
        await sitting.press("slash", *"undo", "enter")
        await sitting.until(lambda: position(ada).n == 2)
        assert position(ada).home == 8
        await sitting.press("slash", "u", "escape", "r", "r")
        await sitting.until(lambda: position(ada).redeals == 2)


async def test_the_help_is_there_and_the_race_goes_on_behind_it(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        await sitting.press("question_mark")
        await sitting.until(lambda: "Keys and mouse" in sitting.text)
        await sitting.press("r")
        assert position(ada).n == 0
        await sitting.press("escape")
        await sitting.until(lambda: "Keys and mouse" not in sitting.text)


async def test_everything_needed_to_play_is_visible_at_once(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        for size in ((80, 24), (60, 20), (52, 16), (140, 45), (200, 60)):
            await sitting.pilot.resize_terminal(*size)
            await sitting.until(lambda: "? help" in sitting.text.splitlines()[-1])
            text = sitting.text
            for place in PILES:
                assert f"{place + 1}·6" in text, size
            assert (text.count("↑·1"), text.count("↓·1")) == (4, 4)
            assert "redeals 3" in text
            assert ("> 1 Ada" in text) is (size[0] >= 80)


async def test_a_terminal_that_is_too_small_says_so(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada, size=(40, 10)) as sitting:
        assert "too small" in sitting.text
        await sitting.pilot.resize_terminal(80, 24)
        await sitting.until(lambda: "s starts the race" in sitting.text)


async def test_ascii_is_nothing_but_ascii(race_server: Any) -> None:
    async with quick_client(race_server.url, lang="de") as client:
        await hosted(client, name="Køge “æøå” ♠ 漢字")
        async with seated(client, lang="de", look=Look(ascii_only=True)) as sitting:
            assert sitting.text.isascii()
            await start(sitting)
            await sitting.press("h")
            assert sitting.text.isascii()
            await sitting.press("question_mark")
            assert sitting.text.isascii()


async def test_with_no_color_not_one_colour_is_used(ada: RaceClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        strips = sitting.app.screen._compositor.render_strips()
        styles = [segment.style for strip in strips for segment in strip if segment.style is not None]
        assert {style.color.name for style in styles if style.color is not None} <= {"default"}
        assert {style.bgcolor.name for style in styles if style.bgcolor is not None} <= {"default"}
        assert any(style.reverse for style in styles), "the cards are there"


async def test_dark_and_light(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        dark = sitting.app.race._table._style(("table--felt",))
        await sitting.press("d")
        await sitting.pilot.pause()
        assert sitting.app.race._table._style(("table--felt",)) != dark


async def test_an_open_room_shows_the_pile_under_the_cursor(ada: RaceClient) -> None:
    await hosted(ada, visibility="open")
    async with seated(ada) as sitting:
        await start(sitting)
        await sitting.press("right")
        assert sitting.sentence.startswith("Pile 6: ")
        assert len(sitting.sentence.split()) == 2 + 6
