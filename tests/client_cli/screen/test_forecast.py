"""Moves show at once, are confirmed by `done`, and snap back when refused; against the engine itself."""

from __future__ import annotations

import random
from functools import partial

import pytest

from client_cli.position import Position
from client_cli.screen.forecast import UNKNOWN, Forecast
from protocol.messages import Done, GameState
from server.engine.actions import REDEAL, UNDO, Action
from server.engine.codes import parse_code
from server.engine.game import Game
from server.engine.places import PILES
from server.engine.refusals import Refusal

CODE = "CR1-N-AAAAAAB"


class Server:
    """The engine behind the wire: what it plays it answers with `done`, and what it shows are top cards."""

    def __init__(self, *, open_room: bool = False) -> None:
        self.game = Game.deal(parse_code(CODE))
        self.open_room = open_room
        self.n = 0
        self.position = Position.from_game(self.told())

    def told(self) -> GameState:
        game = self.game
        piles = [
            pile[:] if self.open_room else [pile[-1] if pile else None, len(pile)] for pile in game.piles
        ]
        return GameState(
            n=self.n, piles=piles, up=game.up[:], down=game.down[:], redeals=game.redeals, moves=game.moves,
            undone=game.undone, undoable=game.undoable, status=game.status, start_at=1000,
        )  # fmt: skip

    def play(self, action: Action) -> Done:
        """Play an action and take its `done` into the position, as a client's state does."""
        before = self._seen()
        src, dst = action.src, action.dst
        if action.op == "m":
            place = self.game.move(src, dst)
            assert not isinstance(place, Refusal)
            dst = place
        elif action.op == "r":
            assert self.game.redeal() is None
        else:
            undone = self.game.undo()
            assert not isinstance(undone, Refusal)
            src, dst = undone
        self.n += 1
        after = self._seen()
        changed = [(place, *after[place]) for place in range(24) if after[place] != before[place]]
        game, places = self.game, (None, None) if action.op == "r" else (src, dst)
        done = Done(
            n=self.n, op=action.op, src=places[0], dst=places[1],
            changed=changed, redeals=game.redeals, moves=game.moves, undone=game.undone,
            undoable=game.undoable, status=game.status, ms=self.n,
            piles=[pile[:] for pile in game.piles] if self.open_room and action.op == "r" else None,
        )  # fmt: skip
        assert self.position.fold(done)
        return done

    def _seen(self) -> list[tuple[str | None, int]]:
        return [(self.game.top(place), self.game.count(place)) for place in range(24)]


def shows_the_truth(forecast: Forecast, game: Game) -> bool:
    """Whether nothing shown contradicts the game; unknown cards contradict nothing."""
    shown = forecast.game
    if (shown.up, shown.down, shown.redeals) != (game.up, game.down, game.redeals):
        return False
    return all(
        len(seen) == len(true) and all(a in (UNKNOWN, b) for a, b in zip(seen, true, strict=True))
        for seen, true in zip(shown.piles, game.piles, strict=True)
    )


def moves(game: Game) -> list[Action]:
    return [Action("m", src, dst) for src in range(24) for dst in game.destinations(src)]


def test_a_move_shows_at_once_and_what_it_uncovers_only_when_told() -> None:
    server = Server()
    forecast = Forecast(server.position)
    action = moves(server.game)[0]
    pending = forecast.add(action)
    assert forecast.game.top(action.src) == UNKNOWN
    assert forecast.game.top(action.dst) == server.game.top(action.src)
    assert forecast.moves == 1
    assert forecast.places() == {action.dst}
    pending.n = 1
    forecast.confirm(server.play(action), server.position)
    forecast.settle(pending)
    assert forecast.game.top(action.src) == server.game.top(action.src) != UNKNOWN
    assert (forecast.places(), forecast.moves) == (frozenset(), 1)


def test_a_refused_move_snaps_back_with_all_that_was_played_after_it() -> None:
    server = Server()
    forecast = Forecast(server.position)
    for action in moves(server.game)[:2]:
        forecast.add(action)
    forecast.drop_all()
    assert shows_the_truth(forecast, server.game)
    assert (forecast.moves, forecast.undoable, forecast.places()) == (0, 0, frozenset())


def test_an_undo_shows_the_card_that_lay_there() -> None:
    server = Server()
    forecast = Forecast(server.position)
    action = moves(server.game)[0]
    forecast.confirm(server.play(action), server.position)
    forecast.add(UNDO)
    assert forecast.game.top(action.src) == server.game.top(action.dst)
    assert (forecast.moves, forecast.undoable) == (0, 0)
    forecast.drop_all()
    assert (forecast.moves, forecast.undoable) == (1, 1)


def test_a_redeal_shows_no_card_that_nobody_saw() -> None:
    server = Server()
    forecast = Forecast(server.position)
    forecast.add(REDEAL)
    assert forecast.game.redeals == 2
    assert {forecast.game.top(place) for place in PILES} == {UNKNOWN}


@pytest.mark.parametrize("open_room", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_it_never_shows_what_is_not_so(seed: int, open_room: bool) -> None:
    """Random play: every forecast agrees with the engine, before the answer, after it, and after a resume."""
    rng = random.Random(seed)
    server = Server(open_room=open_room)
    forecast = Forecast(server.position)
    for _ in range(250):
        choices = moves(server.game)
        if server.game.undoable:
            choices.append(UNDO)
        if rng.random() < 0.02 and server.game.redeal_refusal() is None:
            choices = [REDEAL]
        if not choices:
            break
        action = rng.choice(choices)
        twin = server.game.copy()
        {"m": partial(twin.move, action.src, action.dst), "u": twin.undo, "r": twin.redeal}[action.op]()
        foretold = action.op != "u" or forecast.game.undoable  # what was played before a resume is not
        pending = forecast.add(action)
        if foretold:
            assert shows_the_truth(forecast, twin)
        pending.n = server.n + 1
        done = server.play(action)
        if rng.random() < 0.1:  # the line broke: the whole game is told, then the `done` once more
            server.position = Position.from_game(server.told())
            forecast.look(server.position)
        forecast.confirm(done, server.position)
        forecast.confirm(done, server.position)
        forecast.settle(pending)
        assert shows_the_truth(forecast, server.game)
        assert [forecast.game.top(place) for place in range(24)] == [server.game.top(p) for p in range(24)]
        assert (forecast.moves, forecast.undoable) == (server.game.moves, server.game.undoable)


def test_after_a_resume_what_is_stored_is_not_shown_twice() -> None:
    server = Server()
    forecast = Forecast(server.position)
    first = moves(server.game)[0]
    stored = forecast.add(first)
    stored.n = 1
    server.play(first)
    second = moves(server.game)[0]
    server.position = Position.from_game(server.told())
    forecast.look(server.position)
    assert shows_the_truth(forecast, server.game)
    assert forecast.moves == 1
    forecast.add(second)
    assert forecast.moves == 2


def test_a_card_once_seen_is_known_when_it_is_uncovered_again() -> None:
    server = Server()
    forecast = Forecast(server.position)
    onto_pile = next(action for action in moves(server.game) if action.dst in PILES)
    below = server.game.top(onto_pile.dst)
    forecast.confirm(server.play(onto_pile), server.position)
    back = [action for action in moves(server.game) if action.src == onto_pile.dst]
    if back:
        forecast.add(back[0])
        assert forecast.game.top(onto_pile.dst) == below


def test_a_repeated_done_makes_nothing_forgotten() -> None:
    server = Server()
    forecast = Forecast(server.position)
    onto_pile = next(action for action in moves(server.game) if action.dst in PILES)
    done = server.play(onto_pile)
    forecast.confirm(done, server.position)
    forecast.confirm(done, server.position)
    forecast.add(UNDO)
    assert forecast.game.top(onto_pile.dst) != UNKNOWN
    assert forecast.game.undone == 1
