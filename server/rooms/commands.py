"""What people and clocks ask of a room; `decide` turns each into events or refuses it.

What must be drawn (a deal, a nonce) is drawn by the caller and handed in, so that deciding is pure.
"""

from typing import Any

import msgspec


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """Something asked of a room by the player `by`."""

    by: str


class Draw(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller has drawn in case the command needs it: deals for every variant, long and short."""

    codes: dict[str, str]  # variant -> CR1 code
    sealed_codes: dict[str, str]  # variant -> CR2 code
    nonce: str


class CreateRoom(Command, frozen=True, kw_only=True):
    """Make the room; `name` is the host's where it is known."""

    options: dict[str, Any]
    draw: Draw
    name: str = ""
    key: str = ""


class Join(Command, frozen=True, kw_only=True):
    """Take a seat (`player`), look on (`spectator`), or change from one to the other."""

    role: str | None = None
    name: str | None = None


class Leave(Command, frozen=True, kw_only=True):
    """Go out."""


class SetReady(Command, frozen=True, kw_only=True):
    """Ready, or no longer."""

    ready: bool


class StartCountdown(Command, frozen=True, kw_only=True):
    """Host: begin."""


class Hold(Command, frozen=True, kw_only=True):
    """Host: call the countdown off."""


class SetOptions(Command, frozen=True, kw_only=True):
    """Host: change options."""

    options: dict[str, Any]
    draw: Draw


class Forfeit(Command, frozen=True, kw_only=True):
    """Give up, after `n` actions."""

    n: int


class Unforfeit(Command, frozen=True, kw_only=True):
    """Take that back."""


class Close(Command, frozen=True, kw_only=True):
    """Host: end the race, or cancel it."""

    text: str = ""


class Kick(Command, frozen=True, kw_only=True):
    """Host or referee: put a person out."""

    player: str


class Ban(Command, frozen=True, kw_only=True):
    """Host or referee: put a person out for good."""

    player: str


class Disqualify(Command, frozen=True, kw_only=True):
    """Host or referee: a player's game counts no longer."""

    player: str
    reason: str = ""


class Reinstate(Command, frozen=True, kw_only=True):
    """Host or referee: it counts again."""

    player: str
    reason: str = ""


class SetReferee(Command, frozen=True, kw_only=True):
    """Host or referee: make a person a referee, or unmake them."""

    player: str
    on: bool


class SetHost(Command, frozen=True, kw_only=True):
    """Host: let somebody else be it."""

    player: str


class Mute(Command, frozen=True, kw_only=True):
    """Host or referee: a person may not chat, or may again."""

    player: str
    on: bool


class Watch(Command, frozen=True, kw_only=True):
    """Be sent another's game (`player`). `done`: one's own can go no further."""

    player: str
    done: bool


class TellRematch(Command, frozen=True, kw_only=True):
    """The next room is made: `next`."""

    next: str


class Forget(Command, frozen=True, kw_only=True):
    """The identity is deleted: let its name be gone from this closed room."""
