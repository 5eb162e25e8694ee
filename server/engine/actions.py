"""What a player can do in a game, as a value: it is sent, logged, and written as text."""

from typing import Literal, NamedTuple, TypeAlias

Op: TypeAlias = Literal["m", "r", "u"]


class Action(NamedTuple):
    """A move (`m`) from `src` (0-23) to `dst` (0-25), a redeal (`r`) or an undo (`u`).

    The last two have 0 for both places.
    """

    op: Op
    src: int = 0
    dst: int = 0


REDEAL = Action("r")
UNDO = Action("u")
