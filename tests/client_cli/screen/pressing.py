"""Which keys somebody presses to play an action: found on a table of one's own."""

from __future__ import annotations

from collections import deque

from client_cli.screen.choosing import Choosing, Outcome
from client_cli.screen.horseshoe import Direction
from server.engine.actions import Action
from server.engine.codes import parse_code
from server.engine.game import Game
from server.engine.places import PILES, PLACES
from tests.support.golden import Golden

ARROWS: tuple[Direction, ...] = ("left", "right", "up", "down")


class Hand:
    """A hand over a table of its own, which does what the hand on the screen does."""

    def __init__(self, code: str) -> None:
        self.game = Game.deal(parse_code(code))
        self.choosing = Choosing(self)

    def keys(self, action: Action) -> list[str]:
        """Return the keys for an action with a resolved destination, and play it here too."""
        if action.op == "r":
            asked = any(self.game.destinations(place) for place in PLACES)
            assert self.game.redeal() is None
            return ["r", "r"] if asked else ["r"]
        if action.op == "u":
            self.game.undo()
            return ["u"]
        keys, outcome = self._reach(action.src)
        if outcome is None:
            more, outcome = self._reach(action.dst)
            keys += more
        assert outcome == action
        assert self.game.move(action.src, action.dst) == action.dst
        return keys

    def _reach(self, place: int) -> tuple[list[str], Outcome]:
        """Choose a place: a pile by its number, a foundation by the arrows."""
        if place in PILES:
            keys = ["1", "enter"] if place == 0 else list(str(place + 1))
            outcome: Outcome = None
            for key in keys:
                outcome = self.choosing.confirm() if key == "enter" else self.choosing.digit(key)
            return keys, outcome
        keys = self._arrows(place)
        return [*keys, "enter"], self.choosing.confirm()

    def _arrows(self, place: int) -> list[str]:
        """Go there with the arrows, on the shortest way."""
        ways: dict[int, list[Direction]] = {self.choosing.cursor: []}
        queue = deque(ways)
        while place not in ways:
            here = queue.popleft()
            for arrow in ARROWS:
                self.choosing.cursor = here
                self.choosing.arrow(arrow)
                there = self.choosing.cursor
                if there not in ways:
                    ways[there] = [*ways[here], arrow]
                    queue.append(there)
        self.choosing.cursor = place
        return [*ways[place]]


def keys_of(game: Golden) -> list[list[str]]:
    """Return the keys of a whole golden game, action by action."""
    hand = Hand(game.code)
    return [
        hand.keys(Action(action.op, action.src, action.place))  # type: ignore[arg-type]
        for action in game.actions
    ]
