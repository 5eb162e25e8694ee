"""What the screen says of the race, so that nobody has to guess: under the table, beside it, in the help."""

from __future__ import annotations

import time
from typing import Any, get_args

import pytest
from textual.widgets import Input

from client_cli.client import RaceClient
from client_cli.output import Output
from client_cli.screen.asking import AskScreen
from client_cli.screen.display import ScreenDisplay
from client_cli.screen.following import FollowScreen
from client_cli.screen.help import rule_rows
from client_cli.screen.look import Look
from client_cli.screen.race import JUST_BACK_S
from client_cli.screen.replay_screen import ReplayScreen
from client_cli.screen.result import ResultScreen
from client_cli.screen.shown_text import ShownText
from client_cli.screen.typed_help import TypedHelpScreen
from client_cli.table import face
from client_cli.typed_help import help_rows
from protocol import messages as wire
from protocol.messages import Lang
from server.engine.actions import Action
from server.engine.codes import parse_code
from server.engine.game import Game
from server.engine.notation import parse_action
from server.engine.places import FOUNDATIONS, PILES
from server.rooms.options import RULES
from tests.client_cli.screen import still, still_around
from tests.client_cli.screen.seats import Sitting, quick_client, seated
from tests.client_cli.screen.test_journeys import CODE, hosted, moves, position, start

ME, BO, CY = still.ME, still.BO, still.CY


def event(kind: str, v: int, at: int = still.NOW, **more: Any) -> wire.Event:
    return wire.Event(room="4F7K2M9Q", v=v, at=at, kind=kind, **more)


async def took(sitting: Sitting, *messages: wire.Message) -> None:
    """Have messages come in."""
    for message in messages:
        sitting.app.seat.state.fold(message)
        sitting.app.took(message)
    await sitting.pilot.pause()


# Moves


async def test_a_number_and_f_at_once_play_one_card(ada: RaceClient) -> None:
    await hosted(ada, deal="CR1-N-AAAAAAE")
    async with seated(ada) as sitting:
        await start(sitting)
        assert "with only one place goes there at once" in sitting.sentence
        await sitting.press("6")
        assert sitting.sentence.endswith("went home: its only place.")
        await sitting.press("f")
        assert "has gone home already" in sitting.sentence
        await sitting.confirmed()
        assert position(ada).n == 1
        await sitting.press("u")
        await sitting.until(lambda: position(ada).n == 2)
        assert "went home" not in sitting.sentence


async def test_a_refused_number_leaves_the_held_card_where_it_is(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        held = next(move for move in moves(to=PILES, onto_same=False) if move.src)
        game = Game.deal(parse_code(CODE))
        wrong = next(pile for pile in range(1, 9) if game.refusal(held.src, pile) and pile != held.src)
        await sitting.press(*str(held.src + 1), str(wrong + 1))
        assert f"(pile {wrong + 1})" in sitting.sentence
        assert "cannot go onto" in sitting.sentence
        await sitting.press("f")
        assert "is still held" in sitting.sentence
        assert sitting.app.race.choosing.held == held.src
        assert not sitting.app.seat.playing.unconfirmed
        assert position(ada).n == 0


async def test_what_was_taken_back_or_dealt_anew_is_said(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
        home = moves(to=FOUNDATIONS)[0]
        onto = next(move for move in moves(to=PILES) if move.src != home.src)
        cards = Game.deal(parse_code(CODE)).top
        await ada.op("m", home.src, home.dst)
        await sitting.until(lambda: sitting.app.seat.playing.forecast.n == 1)  # type: ignore[union-attr]
        await sitting.press("u")
        home_card = face(cards(home.src), "en")
        assert sitting.sentence == f"Undone: {home_card} is back on pile {home.src + 1}, no longer home."
        await sitting.until(lambda: position(ada).n == 2)
        await ada.op("m", onto.src, onto.dst)
        await sitting.press("slash", *"undo", "enter")
        await sitting.until(lambda: position(ada).n == 4)
        card, lay = face(cards(onto.src), "en"), face(cards(onto.dst), "en")
        back = f"Undone: {card} is back on pile {onto.src + 1}, no longer on {lay} (pile {onto.dst + 1})."
        await sitting.until(lambda: sitting.sentence == back)
        await sitting.press("r", "r")
        assert sitting.sentence == "Redealt: every pile's bottom card is on top now (2 left)."


async def test_what_is_taken_back_of_before_one_came_is_said_by_the_server(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada) as sitting:
        await start(sitting)
    move = moves(to=FOUNDATIONS)[0]
    await ada.op("m", move.src, move.dst)
    async with seated(ada) as again:
        await again.press("u")
        await again.until(lambda: again.sentence.startswith("Undone: "))
        assert again.sentence.endswith("no longer home.")


async def test_where_no_card_can_move_a_redeal_is_offered_and_done_at_once() -> None:
    parts = still.race()
    tops = [rank + suit for suit in "SHDC" for rank in "2468"]
    parts.game(Game([["9C", top] for top in tops], [9] * 4, [2] * 4, 2), 40)
    parts.rows = []
    async with still.shown(parts, (80, 24)) as sitting:
        assert sitting.sentence == "No card can move: r redeals (2 left)."
        await sitting.press("r")
        assert sitting.app.seat.playing.unconfirmed == 1


@pytest.mark.parametrize("lang", get_args(Lang))
def test_the_help_has_every_kind_of_move_as_the_notation_reads_it(lang: Lang) -> None:
    rows = dict(rule_rows(lang))
    game = Game.deal(parse_code(CODE))
    read = {
        parse_action(game, typed).op for typed in ("3>F", "10>14", "AS>K", "3>*", "R", "U") if rows[typed]
    }
    assert read == {"m", "r", "u"}
    assert "3>A" in rows["3>F"]
    assert "KS>A" in rows["AS>K"]
    assert "13" in rows["10>14"]
    assert "100" in rows["U"]


# Typed


async def test_help_that_is_typed_lies_over_the_race(ada: RaceClient) -> None:
    await hosted(ada)
    async with seated(ada, size=(100, 60)) as sitting:
        await sitting.press("slash", *"help", "enter")
        assert isinstance(sitting.app.screen, TypedHelpScreen)
        for text in ("3>F or home 3: home", "R or redeal", "quit keeps it", "kick ban mute"):
            assert text in sitting.text
        await sitting.press("escape")
        await sitting.press("slash", *"help", "space", *"set", "enter")
        assert isinstance(sitting.app.screen, TypedHelpScreen)
        assert "limit: Time limit, in minutes; 0: none (0, " in sitting.text
        assert "--help" not in sitting.text
        await sitting.press("escape")
        assert "home 3" not in sitting.news


@pytest.mark.parametrize("lang", get_args(Lang))
def test_help_set_has_every_option(lang: Lang) -> None:
    rows = help_rows("set", None, lang)
    assert len(rows) == 1 + len(RULES)
    assert rows[0][1]


# Others' games, and giving up


async def test_who_plays_is_told_at_once_that_others_games_come_later() -> None:
    async with still.shown(still.race(), (80, 24)) as sitting:
        news = sitting.news
        await sitting.press("v")
        assert sitting.sentence == "Others' games can be followed once your own is over."
        assert not isinstance(sitting.app.screen, FollowScreen)
        assert sitting.news == news
        assert " v " not in sitting.text.splitlines()[-1]


async def test_spectators_of_the_board_are_told_at_once() -> None:
    parts = still.race()
    assert parts.state.room is not None
    parts.state.room.roles, parts.state.position = {"spectator"}, None
    parts.options["spectators"] = parts.state.room.options["spectators"] = "board"
    async with still.shown(parts, (80, 24)) as sitting:
        await sitting.press("v")
        assert sitting.sentence.startswith("In this room spectators see the board only")


def gave_up(*others: str) -> still.Still:
    """This player gave up just now; the others are so."""
    parts = still.race()
    assert parts.state.room is not None
    parts.room(
        "running", still.row(BO, 1, 31, 40, 80_120, others[0]), still.row(CY, 2, 9, 2, 12_000, others[1]),
        still.row(ME, 3, 27, 38, 83_000, "forfeited"),
    )  # fmt: skip
    parts.state.fold(event("forfeited", 8, player=ME))
    return parts


async def test_looking_into_a_game_makes_giving_up_final_and_says_so_first() -> None:
    async with still.shown(gave_up("playing", "playing"), (80, 24)) as sitting:
        assert sitting.sentence == "You gave up; for 60 s more, g takes it back."
        assert "g play on" in " ".join(sitting.text.split())
        await sitting.press("v")
        assert sitting.sentence.startswith("Look into another's game? That makes giving up final")
        assert not isinstance(sitting.app.screen, FollowScreen)
        await sitting.press("v")
        assert isinstance(sitting.app.screen, FollowScreen)
        await sitting.press("escape")
        await took(sitting, event("watching", 9, player=ME))
        assert sitting.sentence == "You gave up, and it is final."
        assert "g play on" not in " ".join(sitting.text.split())
        # A room told anew, as after a lost line, does not bring the promise back.
        before = sitting.app.seat.state.room
        assert before is not None
        again = still.race()
        again.client, again.state = sitting.app.seat.client, sitting.app.seat.state
        again.room("running", *before.rows)
        sitting.app.race.show()
        await sitting.pilot.pause()
        assert sitting.sentence == "You gave up, and it is final."


async def test_giving_up_is_not_taken_back_for_longer_than_the_race_lasts() -> None:
    parts = gave_up("playing", "playing")
    assert parts.state.room is not None
    parts.state.room.ends_at = still.NOW + 20_000
    async with still.shown(parts, (80, 24)) as sitting:
        assert sitting.sentence == "You gave up; for 20 s more, g takes it back."


async def test_when_nobody_plays_any_more_the_seconds_to_the_close_are_counted() -> None:
    parts = gave_up("won", "forfeited")
    parts.state.fold(event("forfeited", 9, at=still.NOW - 20_000, player=CY))
    async with still.shown(parts, (80, 24)) as sitting:
        assert sitting.sentence == "You gave up; g takes it back. Nobody plays on: the race closes in 60 s."
        await took(sitting, event("watching", 10, player=ME))
        assert sitting.sentence == "You gave up. Nobody plays on: the race closes in 40 s."
        await took(sitting, event("unforfeited", 11, player=CY))
        sitting.app.seat.state.room.rows[1].status = "playing"  # type: ignore[union-attr]
        sitting.app.race.show()
        await sitting.pilot.pause()
        assert "closes in" not in sitting.sentence


# Coming back


async def test_who_comes_back_to_a_game_is_told_that_it_goes_on(race_server: Any) -> None:
    async with quick_client(race_server.url) as ada:
        room = await hosted(ada)
        token = ada._token
        async with seated(ada) as sitting:
            await start(sitting)
            action = moves(to=FOUNDATIONS)[0]
            await ada.op("m", action.src, action.dst)
            await sitting.until(lambda: position(ada).n == 1)
            assert "You are back" not in sitting.news
    async with quick_client(race_server.url, token=token) as again:
        await again.enter(room)
        async with seated(again) as sitting:
            await sitting.until(lambda: "You are back: your game goes on" in sitting.news)
            assert sitting.sentence.startswith("You are back")
            sitting.app.race._back_s = time.monotonic()
            await sitting.press("g", "g")  # which led here from the lobby, pressed on
            assert sitting.sentence.startswith("You are back")
            sitting.app.race._back_s -= JUST_BACK_S
            await sitting.press("g")
            assert sitting.sentence.startswith("Give up")


# What goes wrong


async def test_what_is_wrong_is_said_on_the_screen_one_sees_and_is_no_news() -> None:
    async with still_around.result((80, 24)) as sitting:
        sitting.app.told("That did not work.", wrong=True)
        await sitting.until(lambda: "That did not work." in sitting.text)
        await sitting.press("p")
        await sitting.until(lambda: isinstance(sitting.app.screen, ReplayScreen))
        assert "That did not work." not in sitting.text
        sitting.app.told("Nor did that.", wrong=True)
        await sitting.until(lambda: "Nor did that." in sitting.text)
        await sitting.press("space")
        assert "Nor did that." not in sitting.text
        assert "did" not in sitting.news


async def test_what_is_wrong_in_a_room_that_waits_stays_till_something_else_may_be_done() -> None:
    async with still.shown(still.lobby(), (80, 24)) as sitting:
        sitting.app.told("That cannot be.", wrong=True)
        for kind in ("joined", "left", "muted"):
            assert sitting.app.seat.state.room is not None
            await took(sitting, event(kind, sitting.app.seat.state.room.v + 1, player="Dee", name="Dee"))
        await took(sitting, wire.Said(room="4F7K2M9Q", at=1, player=BO, name="Bo", text="hi"))
        assert sitting.sentence == "That cannot be."
        await took(sitting, event("ready", sitting.app.seat.state.room.v + 1, player=BO, ready=True))
        assert sitting.sentence != "That cannot be."


async def test_what_was_said_to_be_done_and_was_not_is_said_no_more(ada: RaceClient) -> None:
    """Also where refusals are not explained."""
    await hosted(ada)
    async with seated(ada, look=Look(explains=False)) as sitting:
        await start(sitting)
        sitting.app.race.say("Redealt: every pile's bottom card is on top now (2 left).")
        refused = wire.Refused(n=1, stored=0, code="no_redeals", text="No redeals left")
        await took(sitting, refused)
        assert not sitting.sentence.startswith("Redealt")


def test_that_there_is_no_table_yet_is_wrong_and_no_news() -> None:
    display, told = ScreenDisplay(Output(), "en"), []

    class Shown:
        def told(self, text: str, *, wrong: bool = False) -> None:
            told.append((text, wrong))

    display.show_on(Shown())  # type: ignore[arg-type]
    display.tell("no_game")
    assert told == [("There is no game to show yet.", True)]


async def test_who_is_disqualified_sees_it_and_who_can_undo_that() -> None:
    parts = still.race()
    async with still.shown(parts, (80, 24)) as sitting:
        assert sitting.app.seat.state.room is not None
        v = sitting.app.seat.state.room.v
        await took(sitting, event("disqualified", v + 1, player=ME))
        wanted = "You are disqualified; only the host or a referee can reinstate you."
        assert sitting.sentence == wanted
        await sitting.press("u")
        assert sitting.sentence == wanted
        await took(sitting, event("reinstated", v + 2, player=ME))
        assert sitting.sentence != wanted


async def test_a_long_sentence_in_a_replay_is_whole() -> None:
    async with still_around.replay((80, 24), at_ms=0) as sitting:
        assert isinstance(sitting.app.screen, ReplayScreen)
        sitting.app.screen.say(f"{'It goes on and on. ' * 8}And so it ends.", wrong=True)
        await sitting.until(lambda: " ends." in sitting.text)
        await sitting.press("j", "enter")
        assert sitting.app.screen.is_mounted
        assert isinstance(sitting.app.screen, ReplayScreen), "nothing typed is nowhere to go"


@pytest.mark.parametrize("size", [(80, 24), (52, 16)], ids=str)
async def test_a_long_sentence_takes_lines_of_the_news_and_gives_them_back(size: tuple[int, int]) -> None:
    async with still.shown(still.race(), size) as sitting:
        before = sitting.text.splitlines()
        sitting.app.told("A sentence of some length. " * 12, wrong=True)
        await sitting.until(lambda: "A sentence" in sitting.text)
        during = sitting.text.splitlines()
        assert sum("sentence" in line for line in during) > 1
        assert during[-1] == before[-1], "the keys are still there"
        assert during[: size[1] // 2] == before[: size[1] // 2], "and the table stays where it is"
        await sitting.press("left", "right")
        await sitting.until(lambda: "A sentence" not in sitting.text)
        assert sitting.text.splitlines()[-3:] == before[-3:]


# After the race


async def test_beside_the_result_one_hears_the_others_and_of_the_rematch() -> None:
    async with still_around.result((80, 24)) as sitting:
        await took(sitting, wire.Said(room="4F7K2M9Q", at=1, player=BO, name="Bo", text="well played"))
        await sitting.until(lambda: "<Bo> well played" in sitting.text)
        await took(sitting, event("rematch", 8, by=BO, next="9QXT7K3M"))
        await sitting.until(lambda: "Bo has opened the rematch: n takes you there." in sitting.text)
        await sitting.press("p")
        await sitting.until(lambda: isinstance(sitting.app.screen, ReplayScreen))
        await sitting.until(lambda: "Bo has opened the rematch: n takes you there." in sitting.text)
        await sitting.press("n")
        assert isinstance(sitting.app.screen, ResultScreen)
        assert await sitting.app.seat.lines.get() == "next"


async def test_a_new_room_begins_with_news_of_its_own(ada: RaceClient, bo: RaceClient) -> None:
    await hosted(ada, bo)
    async with seated(ada) as sitting:
        await bo.request(wire.Say(text="see you there"))
        await sitting.until(lambda: "see you there" in sitting.news)
        await start(sitting)
        await ada.request(wire.Manage(action="close"))
        await sitting.until(lambda: isinstance(sitting.app.screen, ResultScreen))
        before = ada.state.room.id if ada.state.room is not None else ""
        await sitting.press("n")
        await sitting.until(lambda: ada.state.room is not None and ada.state.room.id != before)
        await sitting.until(lambda: "see you there" not in sitting.news)
        await bo.enter((ada.state.room.id if ada.state.room else ""), "player", "Bo")
        await bo.request(wire.Say(text="here we are"))
        await sitting.until(lambda: "here we are" in sitting.news)


async def test_what_could_not_be_is_said_until_it_may_be_possible(ada: RaceClient, bo: RaceClient) -> None:
    room = await hosted(ada, min_players=2)
    async with seated(ada) as sitting:
        await sitting.press("s")
        await sitting.until(lambda: "“set min-players 1” (typed; on the screen at /)" in sitting.sentence)
        assert "min-players" not in sitting.news
        shown = " ".join(sitting.text.split())
        assert shown.count("2 players are needed") == 1, "said once"
        assert f"crescent bot {room} --server {ada.url}" in shown, "and wholly, in as many lines as it takes"
        await bo.enter(room, "player", "Bo")
        await sitting.until(lambda: "Bo is here" in sitting.news)
        await sitting.until(lambda: "min-players" not in sitting.sentence)


# The replay


async def test_in_a_replay_a_wrong_moment_stays_where_it_was_typed_till_it_is_right() -> None:
    async with still_around.replay((80, 24)) as sitting:
        screen = sitting.app.screen
        assert isinstance(screen, ReplayScreen)
        await sitting.press("j", *"3:0x", "enter")
        asks = sitting.app.screen
        assert isinstance(asks, AskScreen)
        await sitting.until(lambda: asks.complaint.startswith("“3:0x” is no time of a race"))
        assert asks.query_one(Input).value == "3:0x"
        await sitting.press(*"0:08", "enter")
        await sitting.until(lambda: sitting.app.screen is screen)
        assert screen.clock.ms == 8000


async def test_all_cards_of_a_replay_say_which_end_is_the_top() -> None:
    async with still_around.replay((80, 24)) as sitting:
        await sitting.press("o")
        assert "bottom → top, which may move" in sitting.text
        assert "\n 16:" in sitting.text
        assert "latest " in str(sitting.app.screen.query_one("#replay-clock", ShownText)._shown)


def test_an_action_is_typed_as_a_replay_shows_it() -> None:
    game = Game.deal(parse_code(still.SHORTEST_WIN.code))
    for player in still_around.race().players[:1]:
        for shown, play in zip(player.actions[:1], player.plays, strict=False):
            assert parse_action(game, shown) == Action(*play)
