"""What a room tells those who are connected to this node: its events in order, and the live board."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import structlog
from msgspec.structs import replace

from protocol import messages as wire
from protocol.limits import BOARD_INTERVAL_MS, BOARD_ROWS_MAX
from server.node import outbound
from server.node.live_game import LiveGame
from server.node.world import Timer
from server.rooms import events as ev
from server.rooms.room import Room
from server.rooms.sight import hides_results, sees_all
from server.rooms.standings import Progress

if TYPE_CHECKING:
    from server.node.live_room import LiveRoom
    from server.node.session import Session

FLUSH_INTERVAL_MS = 20  # fifty writes a second to each of a room, whatever happens in it
FINAL_PATIENCE_MS = 60_000.0  # so long a final board waits for a store that does not answer
FINAL_AGAIN_MS = 100.0

log = structlog.get_logger()


class Untold(NamedTuple):
    """A stored event that is not told yet, and the room around it."""

    before: Room
    after: Room
    event: ev.RoomEvent
    at: int


class Teller:
    """Everything one room sends to more than one."""

    def __init__(self, live: "LiveRoom") -> None:
        self._live = live
        self._outbox: list[wire.Message] = []
        self._flush_timer: Timer | None = None
        self._flushed_ms = float("-inf")
        self._untold: deque[Untold] = deque()
        self._closing = False
        self._waiting: list[asyncio.Future[None]] = []
        self._board_timer: Timer | None = None
        self._board_told_ms = float("-inf")
        self._board_seq = 0
        self._common_seq = 0  # of the last board that all were told alike

    def broadcast(self, message: wire.Message) -> None:
        """To everyone connected here, soon: at once, or a moment after what was told last, so that what comes
        in a burst goes in one write a connection, encoded once an encoding."""
        if self._flush_timer is None:
            wait_ms = self._flushed_ms + FLUSH_INTERVAL_MS - self._live.world.monotonic_ms()
            self._flush_timer = self._live.world.call_later(max(0.0, wait_ms), self.flush)
        self._outbox.append(message)

    def broadcast_with_board(self, message: wire.Message) -> None:
        """To everyone connected here, with what is told next, the coming board at the latest."""
        self._outbox.append(message)
        self.board_changed()

    def flush(self) -> None:
        """Send what waits, before anything that must not overtake it."""
        outbox = self._taken_outbox()
        if outbox:
            self._send(outbox, self._live.members.values())

    def _taken_outbox(self) -> list[wire.Message]:
        if self._flush_timer is not None:
            self._flush_timer.cancel()
            self._flush_timer = None
        self._flushed_ms = self._live.world.monotonic_ms()
        outbox, self._outbox = self._outbox, []
        return outbox

    def send_all(self, message: wire.Message, sessions: Iterable["Session"]) -> None:
        """To all these, now."""
        self.flush()
        self._send([message], sessions)

    def _send(self, messages: Sequence[wire.Message], sessions: Iterable["Session"]) -> None:
        frames: dict[object, bytes] = {}
        for session in list(sessions):
            frame = frames.get(session.codec)
            if frame is None:
                frame = frames[session.codec] = b"".join(session.frame(message) for message in messages)
            session.send_frame(frame)

    # Events

    @property
    def telling(self) -> bool:
        """Whether a close is stored and its final board not yet told."""
        return bool(self._untold)

    async def settled(self) -> None:
        """Wait until a close that is stored is told: what is shown then is final."""
        while self._untold:
            told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(told)
            await told

    def event_stored(self, before: Room, after: Room, event: ev.RoomEvent, at: int) -> None:
        """Tell an event, after those before it; the close only with its final board."""
        self._untold.append(Untold(before, after, event, at))
        self._tell_events()

    def _tell_events(self) -> None:
        while self._untold and not self._closing:
            if isinstance(self._untold[0].event, ev.Closed):
                self._closing = True
                self._live.world.spawn(self._tell_close(), "tell the close", room=self._live.id)
                return
            untold = self._untold.popleft()
            self._tell_event(untold)
            if isinstance(untold.event, ev.Started):
                self._tell_first_games(untold.after, untold.event)
            elif isinstance(untold.event, ev.Kicked | ev.Banned):
                self.flush()
                self._live.put_out(untold.event.player)
            elif isinstance(untold.event, ev.RefereeSet) and untold.event.player in self._live.members:
                self._live.members[untold.event.player].look_away()

    def _tell_event(self, untold: Untold) -> None:
        if not outbound.is_told_to_each(untold.after, untold.event):
            self.broadcast(outbound.event_message(*untold, board=None))
            return
        self.flush()
        for session in list(self._live.members.values()):
            session.send(outbound.event_message(*untold, board=None, viewer=session.player))

    def _tell_first_games(self, room: Room, event: ev.Started) -> None:
        """Everyone's game as it begins, the same for all; or the game of the one whose own start it is."""
        players = [event.player] if event.player else [person.id for person in room.players]
        if players:
            fields = outbound.game_fields(room, players[0], self._live.dealt(), Progress())
            here = [member for player in players if (member := self._live.members.get(player)) is not None]
            self.send_all(wire.GameState(**fields), here)
            self._live.begin_games(players)

    async def _tell_close(self) -> None:
        """The final board is folded from what is stored after the close: no action can follow it."""
        try:
            if not await self._read_to_the_end():
                log.warning("final board from the rows heard of")
        finally:  # whatever becomes of it, nobody waits for ever
            self._closing = False
            if self._untold:
                self._tell_closed(self._untold.popleft())
            self._tell_events()
            waiting, self._waiting = self._waiting, []
            for told in waiting:
                if not told.done():
                    told.set_result(None)

    async def _read_to_the_end(self) -> bool:
        """Read on till the store answers: what is told now is final, on every node. False: it did not."""
        give_up_at_ms = self._live.world.monotonic_ms() + FINAL_PATIENCE_MS
        while not await self._live.read_on():
            if self._live.world.monotonic_ms() >= give_up_at_ms:
                return False
            await self._live.world.sleep_ms(FINAL_AGAIN_MS)
        return True

    def _tell_closed(self, untold: Untold) -> None:
        board = self.whole_board("")
        self._board_seq = max(self._board_seq, board.seq)
        closed = outbound.event_message(*untold, board=board)

        def with_board(rows: Any, own: wire.Row | None) -> wire.Event:
            return replace(closed, board=replace(board, rows=rows, own=own))

        self._broadcast_board(board.rows, with_board)

    def room_message(self, viewer: str) -> wire.Room:
        """The room as this person may see it."""
        now_ms = self._live.now_ms()
        board, online = self.board(viewer), self._live.attendance.online()
        return outbound.room_message(self._live.room, viewer, online, board, now_ms)

    def game_message(self, game: LiveGame) -> wire.GameState:
        """A player's own game; only of an idle one."""
        return wire.GameState(**outbound.game_fields(self._live.room, game.player, game.game, game.progress))

    # The board

    def _rows(self) -> list[wire.Row]:
        return outbound.rows(self._live.room, self._live.progress, self._live.attendance.shown())

    def whole_board(self, viewer: str) -> wire.BoardData:
        """The board now as `viewer` may see it, every row of it."""
        now_ms = self._live.now_ms()
        return self._seen_by(viewer, self._rows(), now_ms)

    def _seen_by(self, viewer: str, rows: list[wire.Row], now_ms: int) -> wire.BoardData:
        room = self._live.room
        if hides_results(room) and not sees_all(room, viewer):
            # A rank among the others would tell how they fare.
            rows = [replace(row, rank=1) for row in rows if row.player == viewer]
            return wire.BoardData(seq=0, at=now_ms, rows=rows)  # nor does a number of what has changed
        return wire.BoardData(seq=self._live.seqs.whole, at=now_ms, rows=rows)

    def board(self, viewer: str = "") -> wire.BoardData:
        """The same as part of another message: the first hundred rows, and the viewer's own beyond them."""
        return first_hundred(self.whole_board(viewer), viewer)

    def _broadcast_board(
        self, rows: list[wire.Row], message: Callable[[Any, wire.Row | None], wire.Message]
    ) -> None:
        """To everyone the same message of the first hundred rows; to players whose row is beyond them, one
        with their own. The common rows are encoded once an encoding."""
        members, common, outbox = self._live.members, rows[:BOARD_ROWS_MAX], self._taken_outbox()
        beyond = {row.player: row for row in rows[BOARD_ROWS_MAX:] if row.player in members}
        others = [session for player, session in members.items() if player not in beyond]
        self._send([*outbox, message(common, None)], others)
        encoded: dict[object, tuple[bytes, msgspec.Raw]] = {}
        for player, own in beyond.items():
            session = members[player]
            if session.codec not in encoded:
                before = b"".join(session.frame(message) for message in outbox)
                encoded[session.codec] = before, msgspec.Raw(session.codec.encode(common))
            before, rows_encoded = encoded[session.codec]
            session.send_frame(before + session.frame(message(rows_encoded, own)))

    def board_changed(self) -> None:
        """Have the board go out, at most ten times a second."""
        if self._board_timer is None and self._live.members:
            wait_ms = self._board_told_ms + BOARD_INTERVAL_MS - self._live.world.monotonic_ms()
            self._board_timer = self._live.world.call_later(max(0.0, wait_ms), self._tell_board)

    def _tell_board(self) -> None:
        self._board_timer = None
        live = self._live
        seq = live.seqs.whole
        if seq <= self._board_seq or not live.members or live.room.state == "closed":
            self.flush()  # of what waited for a board
            return
        self._board_seq, self._board_told_ms = seq, live.world.monotonic_ms()
        now_ms = live.now_ms()
        rows = self._rows()
        if hides_results(live.room):
            self.flush()
            for session in list(live.members.values()):
                self._tell_board_of_one(session, rows, now_ms)
            return
        self._common_seq = seq
        self._broadcast_board(
            rows, lambda common, own: wire.Board(room=live.id, seq=seq, at=now_ms, rows=common, own=own)
        )

    def _tell_board_of_one(self, session: "Session", rows: list[wire.Row], now_ms: int) -> None:
        """Where results are hidden neither the coming of a board nor its number tells that others play: it
        comes when what one sees has changed, and is numbered by itself."""
        board = first_hundred(self._seen_by(session.player, rows, now_ms), session.player)
        last = session.board
        if not sees_all(self._live.room, session.player):
            if last is not None and board.rows == last.rows:
                return
            # Who was told of a room whose results are not hidden knows what all were told till now.
            told_seq = max(last.seq, self._common_seq) if last is not None else self._live.seqs.whole - 1
            board = replace(board, seq=told_seq + 1)
        session.board = board
        session.send(wire.Board(room=self._live.id, **msgspec.structs.asdict(board)))

    def begin_again(self) -> None:
        """The room is read again from its beginning: nothing that was waiting to be told counts."""
        self._untold.clear()
        self._board_seq = self._common_seq = 0

    def stop(self) -> None:
        """Tell no more boards."""
        for timer in (self._board_timer, self._flush_timer):
            if timer is not None:
                timer.cancel()


def first_hundred(board: wire.BoardData, viewer: str) -> wire.BoardData:
    """A board as it is sent: a hundred rows, and the viewer's own where it is beyond them."""
    own = next((row for row in board.rows[BOARD_ROWS_MAX:] if row.player == viewer), None)
    return replace(board, rows=board.rows[:BOARD_ROWS_MAX], own=own)
