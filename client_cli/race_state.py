"""What a client knows: its room, its game, the games it follows; folded from the server's messages."""

from dataclasses import replace
from enum import Enum

from client_cli.moves import legal_moves, may_redeal
from client_cli.position import OutOfStep, Position
from client_cli.race_clock import RaceClock
from client_cli.room_view import RoomView, Verdict
from protocol.messages import (
    Board,
    ClockAnswer,
    Done,
    Event,
    GameState,
    GameStatus,
    Message,
    OpRequest,
    Presence,
    Room,
    Seen,
    View,
    Welcome,
)
from server.engine.places import FOUNDATION_CARDS_MAX, FOUNDATIONS


class Effect(Enum):
    """What the client is to do about a message after it was folded."""

    SHOW = "show"
    DROP = "drop"
    """Old news."""
    ENTER_AGAIN = "enter again"
    """Something is missing before it."""
    SHOW_AND_ENTER_AGAIN = "show and enter again"
    """It is news, and does not tell all that it changes."""


class RaceState:
    """Room, own position and followed positions. Sans I/O: messages go in, the state is read.

    A position that was read stays as it was: what comes in makes a new one.
    """

    def __init__(self, clock: RaceClock | None = None) -> None:
        self.clock = clock or RaceClock()
        self.me = ""
        self.room: RoomView | None = None
        self.position: Position | None = None
        self.followed: dict[str, Position] = {}
        self.refused: OpRequest | None = None
        """What the latest `refused` answered."""
        self._stale = False
        self._was_out = False  # disqualified before this client could know how the game stood then

    def left(self) -> None:
        """Forget the room: it was left."""
        self.room, self.position = None, None
        self.followed.clear()

    def game_is_due(self) -> bool:
        """Whether the room, as just told, has a game of this player that a `game` will now tell."""
        return self.room is not None and self.position is not None

    def why_no_game(self) -> str:
        """Return why no game of this player's will come in this room; "" where one is there or may come."""
        room = self.room
        if room is None:
            return "you are in no room"
        if self.position is not None:
            return ""
        if "player" not in room.roles:
            return "you do not play in this room"
        own = room.own_row
        if room.state == "closed" and (own is None or own.status == "waiting"):
            return "the room was closed before you had a game in it"
        return ""

    def fold(self, message: Message, asked_s: float | None = None) -> Effect:
        """Take a message in; `asked_s` is when what it answers was asked, for the clock."""
        match message:
            case Welcome() | ClockAnswer():
                self.clock.sample(message.now, asked_s)
                if isinstance(message, Welcome):
                    self.me = message.player
            case Room():
                self.clock.sample(message.now, asked_s)
                self._take_room(message)
            case View():
                self.followed = {message.player: Position.from_game(message)}  # one at a time
            case GameState():
                self._take_game(message)
            case Event() | Board() | Presence():
                return self._take_news(message)
            case Done():
                return self._take_done(message)
        return Effect.SHOW

    def _take_room(self, message: Room) -> None:
        before, self.room = self.room, RoomView(message, self.me)
        another = before is None or before.id != message.room
        if before is not None and not another:
            self.room.remember(before)
        self._stale = False
        if another:
            self.followed.clear()
        if another or message.state in ("lobby", "countdown") or self.room.own_row is None:
            self.position = None

    def _take_game(self, message: GameState) -> None:
        before, self.position = self.position, Position.from_game(message)
        if self.position.status != "disqualified":
            self._was_out = False
        elif before is None or before.status != "disqualified":
            self._was_out = True

    def _take_news(self, message: Event | Board | Presence) -> Effect:
        # Between a gap and the `room` that closes it nothing can be placed; that `room` will hold it all.
        if self.room is None or self._stale:
            return Effect.DROP
        match message:
            case Event():
                verdict = self.room.take_event(message)
                if verdict is Verdict.NEW and self._take_own(message):
                    return Effect.SHOW_AND_ENTER_AGAIN
            case Board():
                verdict = self.room.take_board(message)
            case Presence():
                verdict = self.room.take_presence(message)
        if verdict is Verdict.GAP:
            self._stale = True
            return Effect.ENTER_AGAIN
        return Effect.SHOW if verdict is Verdict.NEW else Effect.DROP

    def _take_own(self, event: Event) -> bool:
        """What an event says of one's own game, which no `game` or `done` will tell. Return whether that is
        not all: who was already out when this client came may have given up before that.
        """
        if event.kind == "held":
            self.position = None
        if self.position is None or self.room is None or event.player != self.me:
            return False
        status: GameStatus
        match event.kind:
            case "forfeited" | "disqualified" as out:
                status = out
            case "reinstated" if self.me in self.room.gave_up_at:
                status = "forfeited"
            case "unforfeited" | "reinstated":
                status = _status_on_the_table(self.position)
            case _:
                return False
        self.position = replace(self.position, status=status)
        unsure = self._was_out and event.kind == "reinstated" and status != "forfeited"
        self._was_out = False
        return unsure

    def _take_done(self, done: Done) -> Effect:
        game = self.followed.get(done.player) if isinstance(done, Seen) else self.position
        if game is None:
            return Effect.DROP
        game = game.copy()
        try:
            if not game.fold(done):
                return Effect.DROP
        except OutOfStep:
            # A followed game begins anew with its next `view`; one's own with the `game` after `enter`.
            return Effect.DROP if isinstance(done, Seen) else Effect.ENTER_AGAIN
        if isinstance(done, Seen):
            self.followed[done.player] = game
        else:
            self.position = game
        return Effect.SHOW


def _status_on_the_table(position: Position) -> GameStatus:
    """Return how a game stands that nobody gave up (R14, R15)."""
    if position.home == len(FOUNDATIONS) * FOUNDATION_CARDS_MAX:
        return "won"
    return "playing" if legal_moves(position) or may_redeal(position) else "blocked"
