"""What can happen to a room: its log is a list of these, and a room is their fold.

Field names are those of the wire's `event`; `docs/protocol.md` lists the kinds. A moment inside an event is
race clock. When an event happened (`at`) is its stamp in the log, not a field.
"""

from typing import Any

import msgspec

from server.rooms.options import Options


class RoomEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """One entry of a room's log."""


class Created(RoomEvent, tag="created", frozen=True, kw_only=True):
    """The room's first event. `deal` is the drawn or given game code, told to nobody before the start."""

    by: str
    options: Options
    deal: str
    nonce: str = ""
    name: str = ""
    key: str = ""


class Joined(RoomEvent, tag="joined", frozen=True, kw_only=True):
    """Came in, or changed the role."""

    player: str
    name: str
    role: str


class Left(RoomEvent, tag="left", frozen=True, kw_only=True):
    """Went out: before the start the seat is free again."""

    player: str


class ReadySet(RoomEvent, tag="ready", frozen=True, kw_only=True):
    """Ready to start, or no longer."""

    player: str
    ready: bool


class OptionsSet(RoomEvent, tag="options", frozen=True, kw_only=True):
    """The host changed options: `options` are those changed, `deal` the new deal where that changed."""

    by: str
    options: dict[str, Any]
    deal: str = ""
    nonce: str = ""


class HostChanged(RoomEvent, tag="host", frozen=True, kw_only=True):
    """Somebody else is the host now; `by` nobody where the host was away."""

    player: str
    by: str = ""


class Countdown(RoomEvent, tag="countdown", frozen=True, kw_only=True):
    """The race starts at `start_at`."""

    start_at: int
    by: str = ""


class Held(RoomEvent, tag="held", frozen=True, kw_only=True):
    """Back to the lobby: called off, or too few players. Everyone's readiness is cleared."""

    by: str = ""


class Started(RoomEvent, tag="started", frozen=True, kw_only=True):
    """The race is on since `start_at`; in a room of own starts, `player`'s."""

    start_at: int
    ends_at: int | None = None
    player: str = ""


class Won(RoomEvent, tag="won", frozen=True, kw_only=True):
    """A player's game is won, with its action `n`, after `ms` and `moves`."""

    player: str
    n: int
    ms: int
    moves: int


class Forfeited(RoomEvent, tag="forfeited", frozen=True, kw_only=True):
    """A player gave up after `n` actions."""

    player: str
    n: int


class Unforfeited(RoomEvent, tag="unforfeited", frozen=True, kw_only=True):
    """A forfeit taken back."""

    player: str


class Kicked(RoomEvent, tag="kicked", frozen=True, kw_only=True):
    """Put out: before the start the seat is free, after it they count as disqualified. They may come back."""

    player: str
    by: str
    name: str = ""


class Banned(RoomEvent, tag="banned", frozen=True, kw_only=True):
    """The same, and they may not come back."""

    player: str
    by: str
    name: str = ""


class Disqualified(RoomEvent, tag="disqualified", frozen=True, kw_only=True):
    """A player's game counts no longer."""

    player: str
    by: str
    reason: str = ""


class Reinstated(RoomEvent, tag="reinstated", frozen=True, kw_only=True):
    """It counts again."""

    player: str
    by: str
    reason: str = ""


class RefereeSet(RoomEvent, tag="referee", frozen=True, kw_only=True):
    """Somebody is a referee now, or no longer."""

    player: str
    by: str
    on: bool


class Muted(RoomEvent, tag="muted", frozen=True, kw_only=True):
    """Somebody may not say anything, or may again."""

    player: str
    by: str
    on: bool


class Watching(RoomEvent, tag="watching", frozen=True, kw_only=True):
    """Has been sent another's game: they can play here no more."""

    player: str


class Forgotten(RoomEvent, tag="forgotten", frozen=True, kw_only=True):
    """Somebody's identity is deleted: their name is told no more."""

    player: str


class Rematch(RoomEvent, tag="rematch", frozen=True, kw_only=True):
    """There is a next room."""

    next: str
    by: str


class Ending(RoomEvent, tag="ending", frozen=True, kw_only=True):
    """A first win has set the moment of the close."""

    ends_at: int


class Closed(RoomEvent, tag="closed", frozen=True, kw_only=True):
    """The end of the race."""

    reason: str
    by: str = ""
    text: str = ""


AnyEvent = (
    Created
    | Joined
    | Left
    | ReadySet
    | OptionsSet
    | HostChanged
    | Countdown
    | Held
    | Started
    | Won
    | Forfeited
    | Unforfeited
    | Kicked
    | Banned
    | Disqualified
    | Reinstated
    | RefereeSet
    | Muted
    | Watching
    | Forgotten
    | Rematch
    | Ending
    | Closed
)

# A fence is the tip of the last event that changed who may play or when: an action is stored only if the
# fences it was judged under still stand (`docs/architecture.md`). `won` moves neither.
MOVES_THE_ROOMS_FENCE = (Started, Held, Closed)  # `Started` without a player
MOVES_A_PLAYERS_FENCE = (
    Joined,  # into a race that is on, one may play from then on; a store that has lost it takes no action
    Started,  # with a player
    Forfeited,
    Unforfeited,
    Kicked,
    Banned,
    Disqualified,
    Reinstated,
)


def fence_moved(event: RoomEvent) -> str | None:
    """Whose fence this event moves: "" the room's, else a player's; None: no fence."""
    if isinstance(event, MOVES_A_PLAYERS_FENCE) and event.player:
        return event.player
    return "" if isinstance(event, MOVES_THE_ROOMS_FENCE) else None
