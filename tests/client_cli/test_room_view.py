from __future__ import annotations

from client_cli.race_state import Effect, RaceState
from protocol import messages as wire
from server.engine.codes import parse_code
from server.engine.game import Game
from tests.client_cli.samples import CODE, ROOM, Table, event, game_message, person, room, row


def state(*messages: wire.Message) -> RaceState:
    made = RaceState()
    made.fold(wire.Welcome(player="ID-Ada", now=1000, server="x"))
    for message in messages:
        made.fold(message)
    return made


def board(seq: int, *rows: wire.Row, **fields: object) -> wire.Board:
    return wire.Board(**{"room": ROOM, "seq": seq, "at": 1, "rows": list(rows), **fields})  # type: ignore[arg-type]


def test_the_version_rule() -> None:
    race = state(room(v=5))
    assert race.room is not None
    assert race.fold(event(5, "ready", player="ID-Bo", ready=True)) is Effect.DROP
    assert race.room.people["ID-Bo"].ready is False
    assert race.fold(event(6, "ready", player="ID-Bo", ready=True)) is Effect.SHOW
    assert race.room.people["ID-Bo"].ready is True
    assert race.fold(event(7, "an unknown kind")) is Effect.SHOW
    assert race.fold(event(9, "left", player="ID-Bo")) is Effect.ENTER_AGAIN
    assert "ID-Bo" in race.room.people
    # Until the room is told anew nothing can be placed, not even what would fit.
    assert race.fold(event(8, "left", player="ID-Bo")) is Effect.DROP
    assert race.fold(event(10, "closed")) is Effect.DROP
    assert race.fold(room(v=10, players=[person("Ada")])) is Effect.SHOW
    assert race.room.v == 10
    assert race.fold(event(10, "left", player="ID-Ada")) is Effect.DROP
    assert race.fold(event(11, "countdown", start_at=5)) is Effect.SHOW
    assert race.room.state == "countdown"


def test_another_room_s_news_are_dropped() -> None:
    race = state(room(v=5, seq=5))
    assert race.fold(event(6, "held", room="OTHER")) is Effect.DROP
    assert race.fold(board(6, room="OTHER")) is Effect.DROP
    assert race.fold(wire.Presence(room="OTHER", player="ID-Bo", online=False)) is Effect.DROP
    assert state().fold(event(6, "held")) is Effect.DROP


def test_the_board_rule() -> None:
    race = state(room(seq=5))
    assert race.room is not None
    assert race.fold(board(5, row(1, "Bo"))) is Effect.DROP
    assert race.fold(board(7, row(1, "Bo"))) is Effect.SHOW  # boards may be skipped
    assert [r.name for r in race.room.rows] == ["Bo"]
    assert race.fold(board(6, row(1, "Cy"))) is Effect.DROP
    race.fold(room(seq=2))
    assert race.fold(board(3, row(1, "Di"))) is Effect.SHOW  # a later `room` starts anew


def test_one_s_own_row_beyond_the_first_hundred() -> None:
    race = state(room())
    race.fold(board(2, row(1, "Bo"), own=row(101, "Ada")))
    assert race.room is not None
    assert race.room.own_row is not None
    assert race.room.own_row.rank == 101


def test_a_race_from_lobby_to_close() -> None:
    race = state(room(v=1))
    view = race.room
    assert view is not None
    race.fold(event(2, "joined", player="ID-Cy", name="Cy", role="player"))
    race.fold(event(3, "host", player="ID-Bo"))
    race.fold(event(4, "referee", player="ID-Ada", on=True))
    assert view.roles == {"player", "referee"}
    race.fold(event(5, "ready", player="ID-Ada", ready=True))
    race.fold(event(6, "countdown", start_at=9))
    race.fold(event(7, "held"))
    assert (view.state, view.start_at, view.people["ID-Ada"].ready) == ("lobby", None, False)
    race.fold(event(8, "countdown", start_at=10))
    race.fold(event(9, "started", start_at=10, ends_at=99, code=CODE))
    assert (view.state, view.start_at, view.ends_at, view.code) == ("running", 10, 99, CODE)
    race.fold(event(10, "ending", ends_at=50))
    race.fold(event(11, "options", options={"chat": False}))
    final = wire.BoardData(seq=9, at=1, rows=[row(1, "Cy")])
    race.fold(event(12, "closed", reason="finished", board=final))
    race.fold(event(13, "rematch", next="NEXTROOM"))
    assert (view.state, view.reason, view.ends_at, view.next) == ("closed", "finished", 50, "NEXTROOM")
    assert [r.name for r in view.rows] == ["Cy"]
    assert view.options == {"chat": False}


def test_others_own_starts_do_not_move_one_s_clock() -> None:
    race = state(room(v=1, state="running", start_at=7))
    race.fold(event(2, "started", player="ID-Bo", start_at=20))
    assert race.room is not None
    assert race.room.start_at == 7
    race.fold(event(3, "started", player="ID-Ada", start_at=30))
    assert race.room.start_at == 30


def test_presence_and_names() -> None:
    race = state(room())
    view = race.room
    assert view is not None
    race.fold(wire.Presence(room=ROOM, player="ID-Bo", online=False))
    assert not view.people["ID-Bo"].online
    assert not next(r for r in view.rows if r.name == "Bo").online
    assert view.player_named("bO") == "ID-Bo"
    assert view.player_named("ID-Bo") == "ID-Bo"
    assert view.player_named("nobody") is None
    assert view.name_of("ID-Bo") == "Bo"


def test_who_is_muted_is_known_from_the_room_from_events_and_from_who_comes_back() -> None:
    race = state(room(v=1, players=[person("Ada"), person("Bo", muted=True)]))
    view = race.room
    assert view is not None
    assert (view.people["ID-Ada"].muted, view.people["ID-Bo"].muted) == (False, True)
    race.fold(event(2, "muted", player="ID-Bo", on=False))
    race.fold(event(3, "muted", player="ID-Ada", on=True))
    assert (view.people["ID-Bo"].muted, view.is_muted) == (False, True)
    race.fold(event(4, "joined", player="ID-Ada", role="spectator"))
    assert view.is_muted, "a change of role changes nothing about it"
    race.fold(event(5, "joined", player="ID-Cy", name="Cy", role="player", muted=True))
    race.fold(event(6, "joined", player="ID-Di", name="Di", role="player"))
    assert (view.people["ID-Cy"].muted, view.people["ID-Di"].muted) == (True, False)
    race.fold(event(7, "muted", player="ID-Gone", on=True))
    race.fold(event(8, "muted", player="ID-Ada", on=False))
    assert not view.is_muted


def test_games_are_folded_and_a_missing_action_asks_anew() -> None:
    table = Table()
    race = state(room(state="running"), table.message())
    assert race.position is not None
    first, second, third = table.do("r"), table.do("r"), table.do("r")
    assert race.fold(first) is Effect.SHOW
    assert race.fold(first) is Effect.DROP
    assert race.fold(third) is Effect.ENTER_AGAIN
    assert race.fold(second) is Effect.SHOW
    assert race.position.n == 2


def test_a_followed_game_is_another_s() -> None:
    table = Table()
    race = state(room(state="running"))
    view = wire.View(**{**wire_fields(table.message()), "player": "ID-Bo"})
    race.fold(view)
    assert race.position is None
    done = table.do("r")
    assert race.fold(wire.Seen(**{**wire_fields(done), "player": "ID-Bo"})) is Effect.SHOW
    assert race.followed["ID-Bo"].redeals == 2
    assert race.fold(wire.Seen(**{**wire_fields(done), "player": "ID-Cy"})) is Effect.DROP


def wire_fields(message: wire.Message) -> dict[str, object]:
    return {name: getattr(message, name) for name in message.__struct_fields__}


def test_going_back_to_the_lobby_or_to_another_room_drops_the_game() -> None:
    game = game_message(Game.deal(parse_code(CODE)))
    race = state(room(state="running"), game)
    race.fold(room(v=2, state="running"))
    assert race.game_is_due()
    race.fold(room(v=3, state="lobby"))
    assert race.position is None
    race = state(room(state="running"), game)
    race.fold(room(room="OTHER", state="running"))
    assert race.position is None
