"""Every message of `docs/protocol.md` as a typed struct, its `t` the tag.

Fields marked `?` on the page default to None and are then left out. A field's type is its range: what does
not fit is malformed (`4400`). Durations end in `_ms`; `at`, `…_at` and `now` are moments of the race clock.
"""

from typing import Annotated, Any, Literal

import msgspec

from protocol import limits

Lang = Literal["en", "da", "de"]
Role = Literal["player", "spectator"]
Op = Literal["m", "r", "u"]
RoomState = Literal["lobby", "countdown", "running", "closed"]
GameStatus = Literal["playing", "won", "blocked", "forfeited", "disqualified"]
RowStatus = Literal["waiting", "playing", "won", "blocked", "forfeited", "disqualified"]

Id = Annotated[int, msgspec.Meta(ge=0, le=limits.ID_MAX)]
RoomName = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]  # as typed
PlayerRef = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Password = Annotated[str, msgspec.Meta(max_length=limits.PASSWORD_CHARACTERS_MAX)]


# Client to server ---------------------------------------------------------------------------------------


class Request(msgspec.Struct, kw_only=True, tag_field="t", omit_defaults=True):
    """What every request may carry: an `id` that its direct answer carries back."""

    id: Id | None = None


class Hello(Request, tag="hello"):
    """First, once. Without a token: a new identity."""

    token: Annotated[str, msgspec.Meta(max_length=limits.TOKEN_CHARACTERS_MAX)] | None = None
    lang: Lang | None = None
    client: Annotated[str, msgspec.Meta(max_length=limits.CLIENT_NAME_CHARACTERS_MAX)] | None = None


class Create(Request, tag="create"):
    """A new room. `options` is judged by the room, which answers `bad_options` in words."""

    options: dict[str, Any]
    key: Annotated[str, msgspec.Meta(max_length=limits.CREATE_KEY_CHARACTERS_MAX)] | None = None


class Enter(Request, tag="enter"):
    """Into a room, or back into it; `as` may be left out by who is in it already."""

    room: RoomName
    role: Role | None = msgspec.field(default=None, name="as")
    name: Annotated[str, msgspec.Meta(max_length=limits.PLAYER_NAME_RAW_CHARACTERS_MAX)] | None = None
    password: Password | None = None


class Leave(Request, tag="leave"):
    """Out of the room: before the start the seat is free again."""


class Ready(Request, tag="ready"):
    """Ready to start, or no longer."""

    ready: bool


class Start(Request, tag="start"):
    """Host: begin the countdown."""


class Hold(Request, tag="hold"):
    """Host: call the countdown off."""


class OpRequest(Request, tag="op"):
    """One action of one's own game: `n` its place in the log, `src` and `dst` for a move and only for it."""

    n: Annotated[int, msgspec.Meta(ge=1, le=limits.ID_MAX)]
    op: Op
    src: Annotated[int, msgspec.Meta(ge=0, le=limits.SOURCE_PLACE_MAX)] | None = None
    dst: Annotated[int, msgspec.Meta(ge=0, le=limits.DESTINATION_PLACE_MAX)] | None = None

    def __post_init__(self) -> None:
        if (self.op == "m") != (self.src is not None) or (self.op == "m") != (self.dst is not None):
            raise ValueError("`src` and `dst` belong to a move (`m`), both, and to nothing else")


class Forfeit(Request, tag="forfeit"):
    """Give up one's game."""


class Unforfeit(Request, tag="unforfeit"):
    """Take a forfeit back, within 60 s while the race runs."""


class Follow(Request, tag="follow"):
    """See another player's game from now on; None stops."""

    player: PlayerRef | None


class Say(Request, tag="say"):
    """Chat. An empty text is answered in words: an empty line at a prompt is no fault of a program."""

    text: Annotated[str, msgspec.Meta(max_length=limits.SAY_CHARACTERS_MAX)]


class Manage(Request, tag="manage"):
    """What hosts and referees do to a room; which fields an action needs stands in `MANAGE_FIELDS`."""

    action: Literal[
        "kick", "ban", "disqualify", "reinstate", "referee", "host", "set", "mute", "close"
    ]  # fmt: skip
    player: PlayerRef | None = None
    on: bool | None = None
    options: dict[str, Any] | None = None
    reason: Annotated[str, msgspec.Meta(max_length=limits.REASON_CHARACTERS_MAX)] | None = None
    text: Annotated[str, msgspec.Meta(max_length=limits.REASON_CHARACTERS_MAX)] | None = None

    def __post_init__(self) -> None:
        for field in MANAGE_FIELDS[self.action]:
            if getattr(self, field) is None:
                raise ValueError(f"`manage` `{self.action}` needs `{field}`")


MANAGE_FIELDS: dict[str, tuple[str, ...]] = {
    "kick": ("player",),
    "ban": ("player",),
    "disqualify": ("player",),
    "reinstate": ("player",),
    "referee": ("player", "on"),
    "host": ("player",),
    "set": ("options",),
    "mute": ("player", "on"),
    "close": (),
}


class Rematch(Request, tag="rematch"):
    """In a closed room: a new one with the same options and host."""


class Rooms(Request, tag="rooms"):
    """The public rooms."""


class Clock(Request, tag="clock"):
    """The race clock now; `sent` comes back as it was."""

    sent: Id | Annotated[str, msgspec.Meta(max_length=limits.SENT_CHARACTERS_MAX)]


class Forget(Request, tag="forget"):
    """Delete this identity."""


ClientMessage = (
    Hello
    | Create
    | Enter
    | Leave
    | Ready
    | Start
    | Hold
    | OpRequest
    | Forfeit
    | Unforfeit
    | Follow
    | Say
    | Manage
    | Rematch
    | Rooms
    | Clock
    | Forget
)


# Server to client ---------------------------------------------------------------------------------------


class Message(msgspec.Struct, kw_only=True, tag_field="t", omit_defaults=True):
    """What the server says; `id` only in the direct answer to a request that had one."""

    id: Id | None = None


class Welcome(Message, tag="welcome"):
    """The answer to `hello`; `token` only when new."""

    player: str
    now: int
    server: str
    token: str | None = None


class Ok(Message, tag="ok"):
    """Done and stored, in the room's version `v`; `room` is the new room of a `rematch`."""

    v: int | None = None
    room: str | None = None


class Person(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Somebody in the room; `muted` only where it is so."""

    id: str
    name: str
    role: Role
    referee: bool
    ready: bool
    online: bool
    muted: bool = False


class Row(msgspec.Struct, kw_only=True):
    """One player's line of the board. `ms`: of the win, else of the latest action; 0 before."""

    rank: int
    player: str
    name: str
    status: RowStatus
    moves: int
    undone: int
    redeals: int
    home: int
    ms: int
    online: bool


class BoardData(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A board inside another message."""

    seq: int
    at: int
    rows: list[Row]
    own: Row | None = None


class Room(Message, tag="room"):
    """The whole room as this person may see it."""

    room: str
    v: int
    options: dict[str, Any]
    state: RoomState
    host: str
    you: list[str]
    players: list[Person]
    board: BoardData
    now: int
    start_at: int | None = None
    ends_at: int | None = None
    code: str | None = None
    commit: str | None = None


class Event(Message, tag="event"):
    """Something that happened to the room; which fields a kind has stands in `docs/protocol.md`."""

    room: str
    v: int
    at: int
    kind: str
    by: str | None = None
    player: str | None = None
    name: str | None = None
    role: Role | None = None
    ready: bool | None = None
    on: bool | None = None
    muted: bool | None = None
    options: dict[str, Any] | None = None
    start_at: int | None = None
    ends_at: int | None = None
    code: str | None = None
    commit: str | None = None
    nonce: str | None = None
    ms: int | None = None
    moves: int | None = None
    reason: str | None = None
    text: str | None = None
    board: BoardData | None = None
    next: str | None = None


class Presence(Message, tag="presence"):
    """Somebody's line came or went. Not logged, no `v`."""

    room: str
    player: str
    online: bool


class GameState(Message, tag="game", kw_only=True):
    """The whole of one's own game. `piles`: 16 of `[top or null, count]`, in an `open` room of cards."""

    n: int
    piles: list[Any]
    up: list[int]
    down: list[int]
    redeals: int
    moves: int
    undone: int
    undoable: int
    status: GameStatus
    start_at: int
    ms: int | None = None


class View(GameState, tag="view", kw_only=True):
    """Another player's game, to who follows it."""

    player: str


class Done(Message, tag="done", kw_only=True):
    """One's action is stored. `changed`: `[place, top or null, count]` in place order."""

    n: int
    op: Op
    changed: list[tuple[int, str | None, int]]
    redeals: int
    moves: int
    undone: int
    undoable: int
    status: GameStatus
    ms: int
    src: int | None = None
    dst: int | None = None
    piles: list[list[str]] | None = None


class Seen(Done, tag="seen", kw_only=True):
    """Another player's action, to who follows them."""

    player: str


class Refused(Message, tag="refused"):
    """One's action changed nothing. `stored`: the log's length. `why`: which of a code's several causes."""

    n: int
    stored: int
    code: str
    text: str
    why: str | None = None


class Board(Message, tag="board"):
    """The live board: at most ten a second a room."""

    room: str
    seq: int
    at: int
    rows: list[Row]
    own: Row | None = None


class Said(Message, tag="said"):
    """Chat of somebody."""

    room: str
    at: int
    player: str
    name: str
    text: str


class ClockAnswer(Message, tag="clock"):
    """The race clock's `now`."""

    sent: int | str
    now: int


class RoomSummary(msgspec.Struct, kw_only=True):
    """A public room in a line; `host` is a name."""

    room: str
    name: str
    state: RoomState
    players: int
    max_players: int
    variant: str
    password: bool
    start: str
    host: str


class RoomsAnswer(Message, tag="rooms", kw_only=True):
    """The public rooms one can enter or watch."""

    rooms: list[RoomSummary] = msgspec.field(name="list")


class Error(Message, tag="error"):
    """A request that is well-formed and cannot be done. `n` when it answers an `op`; `why` as there."""

    code: str
    text: str
    n: int | None = None
    why: str | None = None


ServerMessage = (
    Welcome
    | Ok
    | Room
    | Event
    | Presence
    | GameState
    | View
    | Done
    | Seen
    | Refused
    | Board
    | Said
    | ClockAnswer
    | RoomsAnswer
    | Error
)
