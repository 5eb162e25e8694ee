"""One connection's conversation: who it is, which room it is in, and what it asks.

Actions are taken as they come, without a task. Every other request that must wait for the store has the
connection's reading paused meanwhile, so that a client's requests are served one after the other.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import structlog

from protocol import limits
from protocol import messages as wire
from protocol.codec import Codec, MalformedFrame
from server.node.feed import Feed
from server.node.live_game import LiveGame
from server.node.live_room import LiveRoom
from server.node.rates import Flood
from server.node.requests import HANDLERS
from server.node.texts import problem_text, text, why_text
from server.rooms.due import is_done
from server.rooms.not_running import why_not_running
from server.rooms.problems import RoomProblem
from server.rooms.sight import hides_results, may_watch, watching_delay_ms
from server.rooms.whys import Why
from server.store.records import NewerFormatError
from server.store.store import StoreUnavailableError
from server.transport.connection import Connection
from server.transport.frames import encode_frame
from server.transport.registry import log_failure

if TYPE_CHECKING:
    from server.node.node import Node

UNDER_WAY_MAX = 64  # actions of one connection that wait for the store, before its reading is paused
UNDER_WAY_AGAIN = 16
SLOWED_MS = 20.0  # after each message too many: a flood is read no faster than fifty a second
FAULT = 1011, "a fault of the server; connect again"

log = structlog.get_logger()


class Session:
    """See the module. The transport's receiver of one connection, and a `LiveGame`'s asker."""

    def __init__(self, node: "Node", connection: Connection, codec: Codec) -> None:
        self.node, self.connection, self.codec = node, connection, codec
        self.hub, self.world = node.hub, node.world
        self.address = node.door.address(connection.request)
        self.player = ""
        self.name = ""  # the last name this identity played under
        self.lang = "en"
        self.connection_id = ""  # in the room it is in; the room names it
        self.room: LiveRoom | None = None
        self._game: LiveGame | None = None
        self.feed: Feed | None = None
        self.board: wire.BoardData | None = None  # the last it was told, where results are hidden
        self.token_hash = ""
        self.identity_stored = False
        self._under_way = 0
        self._paused = False
        self._slowed = False
        self._flood = Flood()

    @property
    def about(self) -> dict[str, str]:
        """Whom and which room a line of the log is about, as far as that is known."""
        about = {"player": self.player} if self.player else {}
        return about if self.room is None else {**about, "room": self.room.id}

    # From the transport

    def received(self, data: bytes) -> None:
        """One frame of the client's."""
        try:
            request = self.codec.decode_client(data)
            if (type(request) is wire.Hello) is bool(self.player):
                again = "`hello` comes once" if self.player else "`hello` comes first"
                self.close(limits.CLOSE_MALFORMED, again)
            elif type(request) is wire.OpRequest:
                self._op(request)
            elif not self.player or self._within_rate(request):
                self.connection.pause_reading()
                self.world.spawn(self._serve(HANDLERS[type(request)], request), "serve", **self.about)
        except MalformedFrame as fault:
            self.close(fault.close_code, str(fault))
        except Exception as error:  # the transport would end it as well, but does not know whom it befell
            log_failure("a request failed", error, **self.about)
            self.close(*FAULT)

    def disconnected(self, code: int) -> None:
        """The connection is over; the seat is kept."""
        log.debug("disconnected", code=code, **self.about)
        self.leave_room()
        self.node.disconnected(self, code)

    async def _serve(
        self, handler: Callable[["Session", Any], Awaitable[None]], request: wire.Request
    ) -> None:
        try:
            await handler(self, request)
        except RoomProblem as problem:
            self._deny(request, problem)
        except NewerFormatError as error:
            log.warning("newer format", request=tag(request), error=str(error))
            self._deny(request, RoomProblem("wrong_state", Why.NEWER_VERSION))
        except StoreUnavailableError as error:
            log.warning("request not served", request=tag(request), error=str(error))
            self.unavailable(None)
        except Exception:
            self.connection.close(*FAULT)
            raise
        finally:
            self._read_on()

    def _within_rate(self, request: wire.Request) -> bool:
        now_ms = self.world.monotonic_ms()
        if self.node.buckets(self.player).take(tag(request), now_ms):
            return True
        self.too_many(request, now_ms)
        return False

    def too_many(self, request: wire.Request, now_ms: float) -> None:
        """One message was too many: say so, and end what floods."""
        self.error(request, "too_many")
        if self._flood.too_many(now_ms):
            self.close(limits.CLOSE_TOO_MANY_MESSAGES, "too many messages for ten seconds")
        elif not self._slowed:
            self._slowed = True
            self.connection.pause_reading()
            self.world.call_later(SLOWED_MS, self._slowed_enough)

    def _slowed_enough(self) -> None:
        self._slowed = False
        self._read_on()

    def _read_on(self) -> None:
        """Read on, unless there is another reason not to."""
        if not self._paused and not self._slowed:
            self.connection.resume_reading()

    # To the client

    def frame(self, message: wire.Message) -> bytes:
        """A message as this connection's frame, to be shared with others of its kind."""
        return encode_frame(self.codec.encode(message), binary=self.codec.binary)

    def send_frame(self, frame: bytes) -> None:
        """Send what `frame` made."""
        self.connection.send_frame(frame)

    def send(self, message: wire.Message, request: wire.Request | None = None) -> None:
        """Send a message; as the direct answer to a request it carries the request's `id`."""
        if request is not None and request.id is not None:
            message.id = request.id
            self.connection.send(self.codec.encode(message))
            message.id = None
        else:
            self.connection.send(self.codec.encode(message))

    def error(self, request: wire.Request | None, code: str) -> None:
        """Answer that a request cannot be done, where the code says why."""
        self._deny(request, RoomProblem(code))

    def _deny(self, request: wire.Request | None, problem: RoomProblem) -> None:
        n = request.n if isinstance(request, wire.OpRequest) else None
        told = problem_text(problem, self.lang)
        self.send(wire.Error(code=problem.code, why=problem.why, text=told, n=n), request)

    def close(self, code: int, reason: str) -> None:
        """End the connection."""
        log.debug("closing", code=code, **self.about)
        self.leave_room()
        self.connection.close(code, reason)

    def replaced(self) -> None:
        """This identity has come into the room on a newer connection."""
        self.unfollow()
        self.room = self._game = None
        self.close(limits.CLOSE_NEWER_CONNECTION, "this identity is in this room on a newer connection")

    def room_gone(self) -> None:
        """The room's time is over: it is in the store no longer."""
        self.unfollow()
        self.room = self._game = None
        self.error(None, "unknown_room")

    def resync(self) -> None:
        """The room was read again from its beginning: tell it and the game afresh."""
        if self.room is not None:
            self.world.spawn(self._resync(self.room), "resync", **self.about)

    async def _resync(self, room: LiveRoom) -> None:
        try:
            game = await self.own_game(room)
            if self.room is not room:
                return
            self._game = game
            self._tell_room(room, None)
            if game is not None:
                self.send(room.teller.game_message(game))
            await self._follow_again(room)
        except StoreUnavailableError:
            self.unavailable(None)

    async def _follow_again(self, room: LiveRoom) -> None:
        """Whom one followed is shown afresh as well, as far as they still have a game."""
        old, self.feed = self.feed, None
        person = room.room.people.get(old.player) if old is not None else None
        if old is None or person is None or person.game is None:
            return
        feed = await room.follow(self, old.player, old.delay_ms)
        if self.room is room and self.feed is None and self.connection.open:
            self.feed = feed
            self.send(feed.view())
        else:
            room.unfollow(self, feed)

    def leave_room(self) -> None:
        """Be in no room; the seat is another matter."""
        self.unfollow()
        room, self.room, self._game = self.room, None, None
        if room is not None:
            room.go_out(self)

    def look_away(self) -> None:
        """Follow no longer, if this person may not any more, or may see the past only."""
        room, feed = self.room, self.feed
        if room is None or feed is None:
            return
        person = room.room.people.get(self.player)
        may = person is not None and may_watch(room.room, person, self.is_done(room))
        if not may or feed.delay_ms != watching_delay_ms(room.room, self.player):
            self.unfollow()

    def unfollow(self) -> None:
        """Be shown nobody's game any more."""
        feed, self.feed = self.feed, None
        if feed is not None and self.room is not None:
            self.room.unfollow(self, feed)

    # Actions

    def _op(self, request: wire.OpRequest) -> None:
        now_ms = self.world.monotonic_ms()
        if not self.node.buckets(self.player).take("op", now_ms):
            self.node.counts.refused["too_many"] += 1
            self.too_many(request, now_ms)
            return
        room, game = self.room, self._game
        if room is None:
            self._refuse(request, 0, "not_player")
        elif game is not None and room.games.get(self.player) is game:
            self._count_under_way()
            game.ask(self, request, now_ms)
        else:
            self.connection.pause_reading()
            self.world.spawn(self._serve(Session.op_later, request), "op", **self.about)

    async def op_later(self, request: wire.OpRequest) -> None:
        """An action for which the game must first be read."""
        room = self.room
        person = room.room.people.get(self.player) if room is not None else None
        if room is None or person is None or person.role != "player":
            self._refuse(request, 0, "not_player")
        elif person.game is None:
            self._refuse(request, 0, "not_running", why_not_running(room.room, self.player))
        else:
            received_ms = self.world.monotonic_ms()
            self._game = await room.game(self.player)
            self._count_under_way()
            self._game.ask(self, request, received_ms)

    def _count_under_way(self) -> None:
        self._under_way += 1
        if self._under_way >= UNDER_WAY_MAX and not self._paused:
            self._paused = True
            self.connection.pause_reading()

    def _count_answered(self) -> None:
        self._under_way -= 1
        if self._paused and self._under_way <= UNDER_WAY_AGAIN:
            self._paused = False
            self._read_on()

    def done(self, request: wire.OpRequest, done: wire.Done, packed: bytes) -> None:
        """See `Asker`."""
        self._count_answered()
        if request.id is None and self.codec.binary:
            self.connection.send(packed)
        else:
            self.send(done, request)

    def refused(self, request: wire.OpRequest, stored: int, code: str, why: Why | None) -> None:
        """See `Asker`."""
        self._count_answered()
        self._refuse(request, stored, code, why)

    def _refuse(self, request: wire.OpRequest, stored: int, code: str, why: Why | None = None) -> None:
        self.node.counts.refused[code] += 1
        told = text(code, self.lang) if why is None else why_text(why, self.lang)
        self.send(wire.Refused(n=request.n, stored=stored, code=code, why=why, text=told), request)

    def began(self, game: LiveGame) -> None:
        """One's game in the room has begun."""
        self._game = game

    def correct(self) -> None:
        """See `Asker`."""
        if self.room is not None and self._game is not None:
            self.send(self.room.teller.game_message(self._game))

    def unavailable(self, request: wire.OpRequest | None) -> None:
        """See `Asker`."""
        if request is not None:
            self.node.counts.unknown += 1
        if self.connection.open:
            self.error(request, "store_unavailable")
            self.close(limits.CLOSE_STORE_AWAY, "the store is away; connect again later")

    # The room

    async def show_room(self, room: LiveRoom, request: wire.Request) -> None:
        """Be in the room from here on, and see it as it is, with one's game if there is one."""
        came_at, before = await self.hub.store.moment(room.id, self.player)
        game = await self.own_game(room)
        if not self.connection.open:
            return
        if self.room is not room:
            self.leave_room()
        self.room, self._game = room, game
        if not room.come_in(self, came_at, before):
            return
        self._tell_room(room, request)
        if game is not None:
            self.send(room.teller.game_message(game))

    def _tell_room(self, room: LiveRoom, request: wire.Request | None) -> None:
        message = room.teller.room_message(self.player)
        self.board = message.board if hides_results(room.room) else None
        self.send(message, request)

    async def own_game(self, room: LiveRoom) -> LiveGame | None:
        """One's game in the room, as stored, with nothing under way; None: there is none."""
        while True:
            await room.teller.settled()
            game = await room.current_game(self.player)
            if game is None or not room.teller.telling:
                return game

    def in_room(self) -> LiveRoom:
        """The room one is in. Raises `RoomProblem` `not_in_room`."""
        if self.room is None:
            raise RoomProblem("not_in_room")
        return self.room

    def is_done(self, room: LiveRoom) -> bool:
        """Whether one's own game in the room can go no further."""
        own = room.room.people.get(self.player)
        return own is not None and is_done(own, room.progress.get(self.player), room.room)


def tag(request: wire.Request) -> str:
    """The `t` of a request."""
    return str(type(request).__struct_config__.tag)
