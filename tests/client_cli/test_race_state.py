"""How one's own game stands, told by events alone."""

from __future__ import annotations

import pytest

from client_cli.race_state import Effect, RaceState
from protocol import messages as wire
from server.engine.codes import parse_code
from server.engine.game import Game
from tests.client_cli.samples import CODE, event, game_message, room

DEALT = Game.deal(parse_code(CODE))
STUCK = Game([["5S"], ["9H"], *([] for _ in range(14))], [1] * 4, [1] * 4, 2)
WON = Game([[] for _ in range(16)], [13] * 4, [13] * 4, 0)


def told(game: Game) -> RaceState:
    state = RaceState()
    for message in (wire.Welcome(player="ID-Ada", now=1000, server="x"), room(1), game_message(game)):
        state.fold(message)
    return state


def status(state: RaceState) -> str:
    assert state.position is not None
    return state.position.status


@pytest.mark.parametrize(("game", "before"), [(DEALT, "playing"), (STUCK, "blocked"), (WON, "won")])
@pytest.mark.parametrize(("out", "back"), [("forfeited", "unforfeited"), ("disqualified", "reinstated")])
def test_it_stands_as_before_once_it_is_given_back(game: Game, before: str, out: str, back: str) -> None:
    state = told(game)
    assert status(state) == before
    state.fold(event(2, out, player="ID-Bo"))
    assert status(state) == before, "that was another's"
    state.fold(event(3, out, player="ID-Ada"))
    assert status(state) == out
    state.fold(event(4, back, player="ID-Bo"))
    assert status(state) == out
    state.fold(event(5, back, player="ID-Ada"))
    assert status(state) == before


def test_it_stays_given_up_where_only_a_disqualification_was_taken_back() -> None:
    state = told(DEALT)
    for v, kind in enumerate(("forfeited", "disqualified", "reinstated"), start=2):
        state.fold(event(v, kind, player="ID-Ada"))
    assert status(state) == "forfeited"


def test_who_was_out_when_this_client_came_may_have_given_up_before() -> None:
    state = told(DEALT)
    out = game_message(DEALT)
    out.status = "disqualified"
    for back, asks in ((out, Effect.SHOW_AND_ENTER_AGAIN), (game_message(DEALT), Effect.SHOW)):
        state.fold(room(1))
        state.fold(back)
        if asks is Effect.SHOW:  # here it is seen to happen
            state.fold(event(2, "disqualified", player="ID-Ada"))
        assert state.fold(event(state.room.v + 1, "reinstated", player="ID-Ada")) is asks  # type: ignore[union-attr]
        assert status(state) == "playing"
