"""Typed moves, read against what a player sees."""

from typing import cast

from client_cli.position import Position
from server.engine.actions import Action
from server.engine.game import Game
from server.engine.notation import format_action, parse_action


class _NoCards:
    """A table without cards: against it every foundation is written by its full name."""

    def top(self, place: int) -> None:
        return None


def read_action(text: str, position: Position | None) -> Action:
    """Return the action that `text` means; the engine's NotationError if it means none.

    `3>A` and `3>K` ask for the card on pile 3; without a game there is none.
    """
    # The engine asks a game for nothing but `top`, and that a position seen from outside can answer.
    return parse_action(cast(Game, position or _NoCards()), text)


def write_action(op: str, src: int | None, dst: int | None) -> str:
    """Return an action as it is typed, foundations by their full names: `10>14`, `3>AS`, `R`, `U`."""
    if op == "m":
        return format_action(cast(Game, _NoCards()), Action("m", src or 0, dst or 0))
    return op.upper()
