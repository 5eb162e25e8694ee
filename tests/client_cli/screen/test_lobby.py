"""From the lobby into rooms and back, by keys and by mouse, against a real server."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, OptionList

from client_cli.client import RaceClient
from client_cli.failures import Denied
from client_cli.screen.asking import AskScreen
from client_cli.screen.choice_widget import ChoiceWidget
from client_cli.screen.host_actions import ManageScreen
from client_cli.screen.lobby import LobbyScreen
from client_cli.screen.race import RaceScreen
from client_cli.screen.replay_screen import ReplayScreen
from client_cli.screen.result import ResultScreen
from client_cli.screen.room_form import RoomForm
from client_cli.verify import verify
from protocol.messages import Error, Lang, Manage, Room
from server.rooms.whys import Why
from tests.client_cli.screen.lobbies import InLobby, in_lobby
from tests.client_cli.screen.seats import PATIENCE_S, quick_client
from tests.support.golden import SHORTEST_WIN
from tests.support.server import ServerProcess


def room_of(client: RaceClient) -> Any:
    assert client.room is not None
    return client.room


async def fill(sitting: InLobby, **fields: str) -> None:
    """Fill in fields; how one goes through them by keys has a test of its own."""
    await sitting.sees_screen(RoomForm)
    for option, text in fields.items():
        widget = sitting.on(RoomForm).query_one(f"#{option}")
        if isinstance(widget, ChoiceWidget):
            widget.choose(text)
        else:
            assert isinstance(widget, Input)
            widget.value = text


async def choose(sitting: InLobby, list_id: str, text: str) -> None:
    """Go to a line of a list with the arrows."""
    options = sitting.app.screen.query_one(f"#{list_id}", OptionList)
    lines = [str(option.prompt) for option in options.options]
    wanted = next(at for at, line in enumerate(lines) if line.startswith(text))
    for _ in lines:
        if options.highlighted != wanted:
            await sitting.press("down")
    assert options.highlighted == wanted


async def join(sitting: InLobby, code: str) -> None:
    """Go into a room by its code or a link."""
    await sitting.press("j")
    await sitting.sees_screen(AskScreen)
    await sitting.type(code)
    await sitting.press("enter")
    await sitting.sees_screen(RaceScreen)


async def manage(sitting: InLobby, whom: str, what: str) -> None:
    """Do something as the host, by keys."""
    await sitting.press("m")
    await sitting.sees_screen(ManageScreen)
    await choose(sitting, "whom", whom)
    await sitting.press("enter")
    await choose(sitting, "what", what)
    await sitting.press("enter")


async def test_two_people_from_the_lobby_to_the_rematch(ada: RaceClient, bo: RaceClient) -> None:
    async with in_lobby(ada) as a, in_lobby(bo, "Bo") as b:
        # Ada opens a room, and Bo sees it and goes in.
        await a.press("o")
        await fill(
            a, name="Journey", deal=SHORTEST_WIN.code, countdown_ms="60", spectators="live", listed="yes"
        )
        await a.press("enter")
        await a.sees("s starts the race", "“Journey”", "0 of 1 ready, 2 needed", "listed")
        room = room_of(ada).id
        assert f"/#{room}" in a.text
        await b.sees("Journey")
        await choose(b, "rooms", room)
        await b.press("enter")
        await b.sees("y says that you are ready", "Ada: host, not ready yet")
        await b.press("y")
        await a.sees("Bo: ready", "1 of 2 ready, 2 needed")
        # The countdown goes to the race clock's moment, and can be called off.
        await a.press("s")
        await b.sees("Start in ", "Get ready")
        await a.press("s")
        await b.sees("Bo: not ready yet")
        await ada.request(Manage(action="set", options={"countdown_ms": 500}))
        await a.press("s")
        await a.until(lambda: a.app.seat.plays and b.app.seat.plays)
        start_at = {client.state.position.start_at for client in (ada, bo) if client.state.position}
        assert len(start_at) == 1
        # The host's actions, with a reason, and by the mouse.
        await manage(a, "Bo", "disqualify")
        await a.type("by mistake")
        await a.press("enter")
        await b.until(lambda: "by mistake" in b.news)
        await b.until(lambda: not b.app.seat.plays)
        await manage(a, "Bo", "reinstate")
        await a.press("enter")
        await b.until(lambda: b.app.seat.plays)
        await a.press("m")
        await a.sees_screen(ManageScreen)
        await choose(a, "whom", "Bo")
        await a.pilot.click("#what", offset=(2, 1))
        await a.sees("Mute Bo, until you let them speak again?")
        await a.press("enter")
        await a.sees_screen(RaceScreen)
        await a.until(lambda: "Bo is muted" in a.news)
        # Bo gives up and looks into Ada's game, move by move.
        await b.press("g", "g")
        await b.sees("You gave up")
        await b.press("v")
        await b.sees("That makes giving up final: v once more")
        await b.press("v")
        await b.sees("Whose game?", "cannot play on", "Ada: host, playing, 8/104")
        await b.press("enter")
        await b.sees("you follow Ada", "You gave up, and it is final.")
        assert "g play on" not in b.text
        first = SHORTEST_WIN.actions[0]
        await ada.op("m", first.src, first.dst)
        await b.sees("moves 1")
        await b.press("v", "enter")
        await b.until(lambda: not bo.state.followed)
        # The host closes; both see the board and what happened.
        await manage(a, "The room", "close")
        await a.type("good night")
        await a.press("enter")
        for sitting in (a, b):
            await sitting.sees_screen(ResultScreen)
            await sitting.sees("the host closed it", "What happened", "B", "“good night”", "crescent verify")
            await sitting.sees("Bo is disqualified. by mistake", "The race is on!")
        # The rematch.
        await a.press("n")
        await a.until(lambda: room_of(ada).id != room and isinstance(a.app.screen, RaceScreen))
        await b.until(lambda: room_of(bo).next == room_of(ada).id)
        await b.press("n")
        await a.sees("Bo: not ready yet", "Ada: host, not ready yet")
        assert room_of(ada).id == room_of(bo).id
        await b.press("q")
        await b.sees_screen(LobbyScreen)
        await a.until(lambda: "Bo has left" in a.news)


async def test_by_code_and_by_link(ada: RaceClient, bo: RaceClient) -> None:
    room = (await bo.create({})).room
    link = bo.url.replace("ws://", "http://").replace("/ws", f"/#{room}")
    async with in_lobby(ada) as sitting:
        for typed in (room.lower(), link):
            await join(sitting, typed)
            assert room_of(ada).id == room
            await sitting.press("q")
            await sitting.sees_screen(LobbyScreen)
            await sitting.until(lambda: ada.room is None)
        for typed, says in (
            ("nothere1", "room"),
            ("http://elsewhere.example/#ABCDEFGH", "another server"),
            ("http://elsewhere.example/", "names no room"),
            ("ftp://x", "is no server's address"),
        ):
            if not isinstance(sitting.app.screen, AskScreen):
                await sitting.press("j")
                await sitting.sees_screen(AskScreen)
            await sitting.type(typed)
            await sitting.press("enter")
            await sitting.until(lambda says=says: says in sitting.on(AskScreen).complaint)
            assert sitting.on(AskScreen).query_one(Input).value == typed, "it is there to be mended"
        await sitting.press(*room)
        assert sitting.on(AskScreen).query_one(Input).value == room, "or to be typed over"
        await sitting.press("enter")
        await sitting.sees_screen(RaceScreen)


async def test_a_password_is_asked_for_and_asked_again(ada: RaceClient, bo: RaceClient) -> None:
    room = (await bo.create({"password": "sesame", "listed": True, "name": "Locked"})).room
    async with in_lobby(ada) as sitting:
        await sitting.sees("Locked (password)")
        await choose(sitting, "rooms", room)
        await sitting.press("enter")
        await sitting.sees(f"Room {room} has a password")
        await sitting.type("wrong")
        assert "wrong" not in sitting.text
        await sitting.press("enter")
        await sitting.until(lambda: sitting.on(AskScreen).complaint)
        await sitting.press("escape")
        await sitting.until(lambda: "ask its host" in sitting.lobby)
        await sitting.press("enter")
        await sitting.sees_screen(AskScreen)
        await sitting.type("sesame")
        await sitting.press("enter")
        await sitting.sees_screen(RaceScreen)
        assert room_of(ada).id == room
        assert sitting.app.seat.password == "sesame"


async def test_looking_on_and_what_the_lobby_says_instead(ada: RaceClient, bo: RaceClient) -> None:
    room = (await bo.create({"min_players": 1, "countdown_ms": 0, "listed": True})).room
    await bo.enter(room, "player", "Bo")
    async with in_lobby(ada) as sitting:
        await bo.start()
        await bo.game()
        await sitting.sees(room, "running")
        await choose(sitting, "rooms", room)
        await sitting.press("enter")
        await sitting.until(lambda: "w looks on" in sitting.lobby)
        await sitting.press("w")
        await sitting.sees_screen(RaceScreen)
        assert room_of(ada).roles == {"spectator"}
        await sitting.press("q")
        await sitting.sees_screen(LobbyScreen)


async def test_a_name_is_chosen_and_one_that_is_taken_gets_a_number(ada: RaceClient, bo: RaceClient) -> None:
    room = (await bo.create({"listed": True})).room
    await bo.enter(room, "player", "Bo")
    async with in_lobby(ada) as sitting:
        await sitting.press("a", "backspace", "enter")
        await sitting.until(lambda: "can be no player's name" in sitting.on(AskScreen).complaint)
        await sitting.press("escape", "a", *"Bo", "enter")  # in place of the name that stands there
        await sitting.sees("You are “Bo”", room)
        await choose(sitting, "rooms", room)
        await sitting.press("enter")
        await sitting.sees("Bo 2: not ready yet")


async def test_the_seat_is_free_before_the_start_and_the_game_kept_after_it(
    ada: RaceClient, bo: RaceClient
) -> None:
    room = (await bo.create({"min_players": 1, "countdown_ms": 0, "deal": SHORTEST_WIN.code})).room
    await bo.enter(room, "player", "Bo")
    async with in_lobby(ada, unfinished=(room,)) as sitting:
        await sitting.press("g")
        await sitting.sees("Ada: not ready yet")
        await sitting.press("q")
        await sitting.sees(f"g goes on in room {room}")
        await gone(bo, ada.me)
        await sitting.press("g")
        await sitting.sees("Ada: not ready yet")
        await bo.start()
        await sitting.until(lambda: sitting.app.seat.plays)
        first = SHORTEST_WIN.actions[0]
        await ada.op("m", first.src, first.dst)
        await sitting.press("q")
        assert "once more" in sitting.sentence
        await sitting.press("q")
        await sitting.sees(f"g goes on in room {room}")
        await sitting.press("g")
        await sitting.until(lambda: sitting.app.seat.plays)
        assert ada.position is not None
        assert ada.position.n == 1


@pytest.mark.parametrize(
    ("lang", "put_out", "watched"),
    [
        ("en", "You were put out of that race", "You have followed a game in that room"),
        ("da", "Du er sat ud af det løb", "Du har fulgt et spil i det rum"),
        ("de", "Du wurdest aus dem Rennen genommen", "Du bist dort einer Partie gefolgt"),
    ],
)
async def test_who_cannot_play_is_told_what_stands_in_the_way(
    ada: RaceClient, monkeypatch: pytest.MonkeyPatch, lang: Lang, put_out: str, watched: str
) -> None:
    said = [
        ("not_allowed", Why.WAS_PUT_OUT),
        ("not_allowed", Why.HAS_WATCHED),
        ("wrong_state", Why.NEWER_VERSION),
    ]

    async def enter(*_: object) -> Room:
        code, why = said.pop(0)
        raise Denied(Error(code=code, why=why, text="in the server's words"))

    monkeypatch.setattr(ada, "enter", enter)
    monkeypatch.setattr(ada, "lang", lang)
    async with in_lobby(ada, lang=lang) as sitting:
        for wanted in (put_out, watched, "in the server's words"):
            sitting.app.enter("AAAAAAAA", "player")
            await sitting.sees(wanted)
            assert "…" not in sitting.lobby
            assert len(sitting.lobby) <= 2 * 78


async def test_every_game_that_waits_is_offered_till_it_is_over(ada: RaceClient, bo: RaceClient) -> None:
    """Also where another room was looked into since, and what has closed meanwhile is offered no more."""
    rooms = []
    for _ in range(2):
        rooms.append((await bo.create({"min_players": 1, "countdown_ms": 0})).room)
        await ada.enter(rooms[-1], "player", "Ada")
        await bo.start()
        await ada.leave()
    seen = (await bo.create({"listed": True})).room
    async with in_lobby(ada) as sitting:
        for room in rooms:
            await join(sitting, room)
            await sitting.until(lambda: sitting.app.seat.plays)
            await sitting.press("q", "q")
            await sitting.sees_screen(LobbyScreen)
        await sitting.sees(seen)
        await choose(sitting, "rooms", seen)
        await sitting.press("w")
        await sitting.sees_screen(RaceScreen)
        await sitting.press("q")
        await sitting.sees(f"that wait for you: {rooms[1]}, {rooms[0]}")
        await sitting.press("g")
        await sitting.sees("Which of your rooms?")
        await sitting.press("enter")
        await sitting.until(lambda: sitting.app.seat.plays)
        assert room_of(ada).id == rooms[1], "the latest stands there"
        await sitting.press("g", "g")
        await sitting.until(lambda: not sitting.app.seat.plays)
        await sitting.press("q")
        await sitting.sees(f"g goes on in room {rooms[0]}")
        await sitting.press("g")
        await sitting.until(lambda: sitting.app.seat.plays)
        assert room_of(ada).id == rooms[0]
        await bo.enter(rooms[0])
        await close(bo)
        await sitting.sees_screen(ResultScreen)
        await sitting.press("q")
        await sitting.sees_screen(LobbyScreen)
        assert sitting.app.unfinished == ()


async def gone(client: RaceClient, player: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        async for _ in client:
            if player not in room_of(client).people:
                return


async def test_the_form_says_what_is_wrong_at_the_field_and_keeps_what_was_typed(ada: RaceClient) -> None:
    async with in_lobby(ada) as sitting:
        await sitting.press("o")
        await fill(sitting, name="Mine", min_players="9", countdown_ms="99")
        await sitting.press("enter")
        await sitting.sees("Players at most: allowed", "Countdown, s: allowed")
        form = sitting.on(RoomForm)
        wrong = [row.id for row in form.query(".-wrong") if row.id and row.id.startswith("row-")]
        assert wrong == ["row-max_players", "row-countdown_ms"]
        assert form.focused is not None
        assert form.focused.id == "max_players", "one is taken to the first of them"
        await fill(sitting, max_players="9", countdown_ms="1", playing="no", rank_by="moves")
        await sitting.press("f1")
        await sitting.sees("from field to field")
        await sitting.press("escape", "enter")
        await sitting.sees_screen(RaceScreen)
        wanted = {"name": "Mine", "min_players": 9, "max_players": 9, "countdown_ms": 1000, "undo": False}
        options = room_of(ada).options
        assert {name: options[name] for name in wanted} == wanted
        assert room_of(ada).roles == {"host"}, "who does not play leads"


async def test_through_the_form_by_arrows_and_by_clicks(ada: RaceClient) -> None:
    async with in_lobby(ada) as sitting:
        await sitting.press("o")
        form = sitting.on(RoomForm)
        reached = [form.focused.id if form.focused else None]
        for _ in range(3):
            await sitting.press("down")
            reached.append(form.focused.id if form.focused else None)
        await sitting.press("up")
        assert [*reached, form.focused.id if form.focused else None] == [
            "playing", "name", "deal", "variant", "deal",
        ]  # fmt: skip
        await sitting.press("down", "right")
        variant, start = form.query_one("#variant", ChoiceWidget), form.query_one("#start", ChoiceWidget)
        assert variant.value == "F"
        await sitting.press("right")
        assert variant.value == "N", "after the last comes the first"
        await sitting.pilot.click("#start", offset=(8, 0))
        assert start.value == "ready"
        await sitting.press("escape")
        assert isinstance(sitting.app.screen, LobbyScreen)
        assert ada.room is None


async def test_options_are_changed_and_what_the_server_refuses_is_said_in_the_form(
    ada: RaceClient, bo: RaceClient
) -> None:
    async with in_lobby(ada) as sitting:
        await sitting.press("o", "enter")
        await sitting.sees_screen(RaceScreen)
        room = room_of(ada).id
        await manage(sitting, "The room", "change options")
        await sitting.sees_screen(RoomForm)
        await fill(sitting, max_players="2", limit_ms="15")
        await sitting.press("enter")
        await sitting.sees("limit 15 min")
        assert room_of(ada).options["max_players"] == 2
        await bo.enter(room, "player", "Bo")
        await manage(sitting, "The room", "change options")
        await sitting.sees_screen(RoomForm)
        await fill(sitting, min_players="1", countdown_ms="60")
        await ada.start()  # meanwhile
        await sitting.press("enter")
        await sitting.sees("Once it starts, only name, chat, listed and password can be changed.")


async def test_the_result_is_checked_saved_and_seen_again(
    ada: RaceClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    room = (await ada.create({"min_players": 1, "countdown_ms": 0, "deal": SHORTEST_WIN.code})).room
    await ada.enter(room, "player", "Ada")
    await ada.leave()
    async with in_lobby(ada, unfinished=(room,)) as sitting:
        await join(sitting, room)
        await sitting.press("s")
        await sitting.until(lambda: sitting.app.seat.plays)
        await sitting.press("b")
        await sitting.sees("The history is here once the race is closed", "Ada")
        for action in SHORTEST_WIN.actions:
            places = (action.src, action.dst) if action.op == "m" else ()
            await ada.op(action.op, *places)  # type: ignore[arg-type]
        await sitting.sees("Ada has won", "everybody is done", "104/104")
        await sitting.press("c")
        await sitting.sees("The log agrees with the board")
        await sitting.press("l")
        await sitting.sees(
            f"Saved as crescent-{room}.jsonl in", str(tmp_path), f"crescent verify crescent-{room}.jsonl"
        )
        saved = tmp_path / f"crescent-{room}.jsonl"
        assert os.listdir(tmp_path) == [saved.name]
        assert verify(saved.read_bytes().splitlines(keepends=True)).agrees
        monkeypatch.chdir("/proc")
        await sitting.press("l")
        await sitting.sees("cannot be written", "a folder you may write to")
        await sitting.press("p")
        await sitting.sees_screen(ReplayScreen)
        await sitting.press("end")
        await sitting.sees("104")
        await sitting.press("escape")
        await sitting.sees_screen(ResultScreen)
        await sitting.press("q")
        await sitting.sees_screen(LobbyScreen)
        assert sitting.app.unfinished == (), "there is nothing to go on with"


async def test_nothing_covers_what_is_being_typed(ada: RaceClient, bo: RaceClient) -> None:
    room = (await bo.create({"min_players": 1, "countdown_ms": 0})).room
    async with in_lobby(ada) as sitting:
        await join(sitting, room)
        await sitting.press("t", "n")
        await bo.start()
        await sitting.until(lambda: sitting.app.seat.plays)
        await ada.forfeit()
        await close(bo)
        await sitting.until(lambda: room_of(ada).state == "closed")
        await sitting.press("o")
        assert sitting.on(RaceScreen)._typing.value == "no"
        await sitting.press("escape", "b")
        await sitting.sees_screen(ResultScreen)


async def close(client: RaceClient) -> None:
    await client.request(Manage(action="close"))


async def test_who_is_put_out_is_told_when_the_screen_has_gone(
    ada: RaceClient, bo: RaceClient, capsys: pytest.CaptureFixture[str]
) -> None:
    room = (await bo.create({})).room
    async with in_lobby(ada) as sitting:
        await join(sitting, room)
        await bo.request(Manage(action="ban", player=ada.me))
        await sitting.until(lambda: sitting.app.return_value is not None)
    assert sitting.app.return_value == 1
    capsys.readouterr()
    sitting.app._told_by.say_end()
    assert "You were removed from this room." in capsys.readouterr().out


async def test_a_lost_line_is_seen_in_the_lobby_and_comes_back(tmp_path: Path) -> None:
    server = ServerProcess("--data", str(tmp_path / "data")).start()
    try:
        async with quick_client(server.url) as client, in_lobby(client) as sitting:
            await sitting.sees("● online", "There are no public rooms now")
            server.kill()
            await sitting.sees("no line")
            await asyncio.to_thread(server.start)
            await sitting.sees("● online")
            await client.create({"listed": True, "name": "After"})
            await client.leave()
            await sitting.sees("After")
            await sitting.press("q")
            await sitting.until(lambda: sitting.app.return_value == 0)
    finally:
        server.close()
