"""One connection's conversation: who it is, which room it is in, and what it asks.

Actions are taken as they come, without a task. Every other request that must wait for the store has the
connection's reading paused meanwhile, so that a client's requests are served one after the other.
"""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import structlog

from protocol import limits
from protocol import messages as wire
from protocol.codec import Codec, MalformedFrame
from server.node import passwords
from server.node.feed import Feed
from server.node.ids import player_id_from, read_room_id
from server.node.live_game import LiveGame
from server.node.live_room import LiveRoom
from server.node.rates import Flood
from server.node.texts import text
from server.rooms import commands as cmd
from server.rooms.decide import may_rematch
from server.rooms.due import is_done
from server.rooms.names import clean_name
from server.rooms.problems import RoomProblem
from server.rooms.sight import may_watch, watching_delay_ms
from server.store.records import NewerFormatError
from server.store.store import StoreUnavailableError
from server.transport.connection import Connection
from server.transport.frames import encode_frame

if TYPE_CHECKING:
    from server.node.node import Node

UNDER_WAY_MAX = 64  # actions of one connection that wait for the store, before its reading is paused
UNDER_WAY_AGAIN = 16

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
        self._feed: Feed | None = None
        self._token_hash = ""
        self._identity_stored = False
        self._under_way = 0
        self._paused = False
        self._flood = Flood()

    # From the transport

    def received(self, data: bytes) -> None:
        """One frame of the client's."""
        try:
            request = self.codec.decode_client(data)
        except MalformedFrame as fault:
            self.close(fault.close_code, str(fault))
            return
        if type(request) is wire.OpRequest and self.player:
            self._op(request)
            return
        handler = HANDLERS[type(request)]
        if (type(request) is wire.Hello) is bool(self.player):
            again = "`hello` comes once" if self.player else "`hello` comes first"
            self.close(limits.CLOSE_MALFORMED, again)
            return
        if not self.player or self._within_rate(request):
            self.connection.pause_reading()
            self.world.spawn(self._serve(handler, request), f"serve {self.player}")

    def disconnected(self, code: int) -> None:
        """The connection is over; the seat is kept."""
        self._leave_room()
        self.node.disconnected(self, code)

    async def _serve(
        self, handler: Callable[["Session", Any], Awaitable[None]], request: wire.Request
    ) -> None:
        try:
            await handler(self, request)
        except RoomProblem as problem:
            self.error(request, problem.code, option=problem.option, allowed=problem.allowed)
        except NewerFormatError as error:
            log.warning("newer format", error=str(error))
            self.error(request, "wrong_state")
        except StoreUnavailableError as error:
            log.warning("request not served", player=self.player, error=str(error))
            self.unavailable(None)
        except Exception:
            self.connection.close(1011, "a fault of the server; connect again")
            raise
        finally:
            if not self._paused:
                self.connection.resume_reading()

    def _within_rate(self, request: wire.Request) -> bool:
        now_ms = self.world.monotonic_ms()
        if self.node.buckets(self.player).take(str(type(request).__struct_config__.tag), now_ms):
            return True
        self._too_many(request, now_ms)
        return False

    def _too_many(self, request: wire.Request, now_ms: float) -> None:
        self.error(request, "too_many")
        if self._flood.too_many(now_ms):
            self.close(limits.CLOSE_TOO_MANY_MESSAGES, "too many messages for ten seconds")

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

    def error(self, request: wire.Request | None, code: str, *, option: str = "", allowed: str = "") -> None:
        """Answer that a request cannot be done, and why."""
        n = request.n if isinstance(request, wire.OpRequest) else None
        sentence = text(code, self.lang, option=option, allowed=allowed)
        self.send(wire.Error(code=code, text=sentence, n=n), request)

    def close(self, code: int, reason: str) -> None:
        """End the connection."""
        self._leave_room()
        self.connection.close(code, reason)

    def replaced(self) -> None:
        """This identity has come into the room on a newer connection."""
        self._unfollow()
        self.room = self._game = None
        self.close(limits.CLOSE_NEWER_CONNECTION, "this identity is in this room on a newer connection")

    def room_gone(self) -> None:
        """The room's time is over: it is in the store no longer."""
        self._unfollow()
        self.room = self._game = None
        self.error(None, "unknown_room")

    def resync(self) -> None:
        """The room was read again from its beginning: tell it and the game afresh."""
        if self.room is not None:
            self.world.spawn(self._resync(self.room), f"resync {self.player}")

    async def _resync(self, room: LiveRoom) -> None:
        game = await self._own_game(room)
        if self.room is room:
            self._game = game
            self.send(room.teller.room_message(self.player))
            if game is not None:
                self.send(room.teller.game_message(game))

    def _leave_room(self) -> None:
        self._unfollow()
        room, self.room, self._game = self.room, None, None
        if room is not None:
            room.go_out(self)

    def look_away(self) -> None:
        """Follow no longer, if this person may not any more."""
        room = self.room
        person = room.room.people.get(self.player) if room is not None else None
        if room is None or person is None or not may_watch(room.room, person, self._is_done(room)):
            self._unfollow()

    def _unfollow(self) -> None:
        feed, self._feed = self._feed, None
        if feed is not None and self.room is not None:
            self.room.unfollow(self, feed)

    # Actions

    def _op(self, request: wire.OpRequest) -> None:
        now_ms = self.world.monotonic_ms()
        if not self.node.buckets(self.player).take("op", now_ms):
            self._too_many(request, now_ms)
            return
        room, game = self.room, self._game
        if room is None:
            self._refuse(request, 0, "not_player")
        elif game is not None and room.games.get(self.player) is game:
            self._count_under_way()
            game.ask(self, request, now_ms)
        else:
            self.connection.pause_reading()
            self.world.spawn(self._serve(Session._op_later, request), f"op {self.player}")

    async def _op_later(self, request: wire.OpRequest) -> None:
        """An action for which the game must first be read."""
        room = self.room
        person = room.room.people.get(self.player) if room is not None else None
        if room is None or person is None or person.role != "player":
            self._refuse(request, 0, "not_player")
        elif person.game is None:
            self._refuse(request, 0, "not_running")
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
            self.connection.resume_reading()

    def done(self, request: wire.OpRequest, done: wire.Done, packed: bytes) -> None:
        """See `Asker`."""
        self.node.counts.stored += 1
        self._count_answered()
        if request.id is None and self.codec.binary:
            self.connection.send(packed)
        else:
            self.send(done, request)

    def refused(self, request: wire.OpRequest, stored: int, code: str) -> None:
        """See `Asker`."""
        self._count_answered()
        self._refuse(request, stored, code)

    def _refuse(self, request: wire.OpRequest, stored: int, code: str) -> None:
        self.node.counts.refused += 1
        message = wire.Refused(n=request.n, stored=stored, code=code, text=text(code, self.lang))
        self.send(message, request)

    def began(self, game: LiveGame) -> None:
        """One's game in the room has begun."""
        self._game = game

    def correct(self) -> None:
        """See `Asker`."""
        if self.room is not None and self._game is not None:
            self.send(self.room.teller.game_message(self._game))

    def unavailable(self, request: wire.OpRequest | None) -> None:
        """See `Asker`."""
        if self.connection.open:
            self.error(request, "store_unavailable")
            self.close(limits.CLOSE_STORE_AWAY, "the store is away; connect again later")

    # Requests

    async def _hello(self, request: wire.Hello) -> None:
        now_ms = self.world.monotonic_ms()
        if not self.node.door.may_say_hello(self.address, now_ms):
            self._too_many(request, now_ms)
            return
        if request.token is None:
            token: str | None = (
                urlsafe_b64encode(self.world.token_bytes(limits.TOKEN_BYTES)).decode().rstrip("=")
            )
            assert token is not None
            self._token_hash = hash_token(token)
            self.player = player_id_from(self.world.token_bytes(8))
        else:
            token, self._token_hash = None, hash_token(request.token)
            known = await self.hub.store.identity(self._token_hash)
            if known is None:
                self.close(limits.CLOSE_UNKNOWN_TOKEN, "unknown token: say `hello` again without it")
                return
            self.player, self.name = known
            self._identity_stored = True
        self.lang = request.lang or "en"
        now = self.hub.clock.now_ms()
        message = wire.Welcome(player=self.player, token=token, now=now, server=self.node.version)
        self.send(message, request)

    async def _store_identity(self, name: str = "") -> None:
        """An identity is stored when it first creates or enters, and with each new name."""
        name = name or self.name
        if not self._identity_stored or name != self.name:
            await self.hub.store.save_identity(self._token_hash, self.player, name)
            self._identity_stored, self.name = True, name

    async def _create(self, request: wire.Create) -> None:
        received_ms = self.world.monotonic_ms()
        if not self.node.door.may_create(self.address, received_ms):
            raise RoomProblem("too_many")
        await self._store_identity()
        command = cmd.CreateRoom(
            by=self.player,
            options=await self._hashed(request.options),
            draw=self.hub.draw(),
            name=self.name,
            key=request.key or "",
        )
        room = await self.hub.create(command, self._token_hash, received_ms)
        await self.hub.store.been_in(self.player, room.id)
        await self._show_room(room, request)

    async def _enter(self, request: wire.Enter) -> None:
        received_ms = self.world.monotonic_ms()
        room_id = read_room_id(request.room)
        room = await self.hub.room(room_id) if room_id is not None else None
        if room is None:
            raise RoomProblem("unknown_room")
        await self._check_password(room, request.password)
        await self._store_identity()
        command = cmd.Join(by=self.player, role=request.role, name=request.name)
        await room.submit(command, received_ms)
        person = room.room.people.get(self.player)
        if person is not None and person.name and person.name == clean_name(request.name or ""):
            await self._store_identity(person.name)
        await self.hub.store.been_in(self.player, room.id)
        await self._show_room(room, request)

    async def _check_password(self, room: LiveRoom, password: str | None) -> None:
        """A room with a password asks strangers for it; five wrong tries a minute for a room and address."""
        known = self.player in room.room.people or self.player == room.room.host
        if room.room.options.password is None or known:
            return
        if not password:
            raise RoomProblem("wrong_password")
        if not await self.hub.store.password_try(room.id, self.address):
            raise RoomProblem("too_many")
        if not await passwords.fits(room.room.options.password, password):
            raise RoomProblem("wrong_password")
        await self.hub.store.password_fitted(room.id, self.address)

    async def _show_room(self, room: LiveRoom, request: wire.Request) -> None:
        """Be in the room from here on, and see it as it is, with one's game if there is one."""
        game = await self._own_game(room)
        if not self.connection.open:
            return
        if self.room is not room:
            self._leave_room()
        self.room, self._game = room, game
        room.come_in(self)
        self.send(room.teller.room_message(self.player), request)
        if game is not None:
            self.send(room.teller.game_message(game))

    async def _own_game(self, room: LiveRoom) -> LiveGame | None:
        """One's game in the room, as stored, with nothing under way; None: there is none."""
        while True:
            await room.teller.settled()
            person = room.room.people.get(self.player)
            if person is None or person.game is None:
                return None
            game = await room.current_game(self.player)
            if not room.teller.telling:
                return game

    def _in_room(self) -> LiveRoom:
        if self.room is None:
            raise RoomProblem("not_in_room")
        return self.room

    async def _submit(self, request: wire.Request, command: cmd.Command) -> None:
        """Have a command of this room stored, and say so."""
        v = await self._in_room().submit(command, self.world.monotonic_ms())
        self.send(wire.Ok(v=v), request)

    async def _leave(self, request: wire.Leave) -> None:
        room = self._in_room()
        v = await room.submit(cmd.Leave(by=self.player), self.world.monotonic_ms())
        self._leave_room()
        self.send(wire.Ok(v=v), request)

    async def _ready(self, request: wire.Ready) -> None:
        await self._submit(request, cmd.SetReady(by=self.player, ready=request.ready))

    async def _start(self, request: wire.Start) -> None:
        await self._submit(request, cmd.StartCountdown(by=self.player))

    async def _hold(self, request: wire.Hold) -> None:
        await self._submit(request, cmd.Hold(by=self.player))

    async def _forfeit(self, request: wire.Forfeit) -> None:
        game = await self._own_game(self._in_room())  # what was asked before it comes before it
        await self._submit(request, cmd.Forfeit(by=self.player, n=game.stored_n if game else 0))

    async def _unforfeit(self, request: wire.Unforfeit) -> None:
        await self._submit(request, cmd.Unforfeit(by=self.player))

    async def _manage(self, request: wire.Manage) -> None:
        self._in_room()
        if request.action == "set":
            options = await self._hashed(request.options or {})
            command: cmd.Command = cmd.SetOptions(by=self.player, options=options, draw=self.hub.draw())
        else:
            command = MANAGE[request.action](self.player, request)
        await self._submit(request, command)

    async def _hashed(self, options: dict[str, Any]) -> dict[str, Any]:
        """Options with the password, if there is one, hashed. Raises `RoomProblem` `bad_options`."""
        if options.get("password") is None:
            return options
        return {**options, "password": await passwords.hashed(options["password"])}

    async def _follow(self, request: wire.Follow) -> None:
        room = self._in_room()
        if request.player is None:
            self._unfollow()
            self.send(wire.Ok(), request)
            return
        watch = cmd.Watch(by=self.player, player=request.player, done=self._is_done(room))
        await room.submit(watch, self.world.monotonic_ms())
        feed = await room.follow(self, request.player, watching_delay_ms(room.room, self.player))
        if self.room is not room or not self.connection.open:
            room.unfollow(self, feed)
            return
        if feed is not self._feed:
            self._unfollow()
        self._feed = feed
        self.send(feed.view(), request)

    def _is_done(self, room: LiveRoom) -> bool:
        """Whether one's own game in the room can go no further."""
        own = room.room.people.get(self.player)
        return own is not None and is_done(own, room.progress.get(self.player), room.room)

    async def _rematch(self, request: wire.Rematch) -> None:
        room = self._in_room()
        if not may_rematch(room.room, self.player):
            raise RoomProblem("not_allowed")
        if room.room.state != "closed":
            raise RoomProblem("wrong_state")
        if not room.room.next_room:
            next_id = await self.hub.create_rematch(room)
            command = cmd.TellRematch(by=self.player, next=next_id)
            await room.submit(command, self.world.monotonic_ms())
        self.send(wire.Ok(room=room.room.next_room), request)

    async def _forget(self, request: wire.Forget) -> None:
        self._leave_room()
        await self.hub.forget(self.player, self._token_hash)
        self._identity_stored = False
        self.send(wire.Ok(), request)
        self.close(limits.CLOSE_DONE, "forgotten")

    async def _say(self, request: wire.Say) -> None:
        room = self._in_room()
        person = room.room.people.get(self.player)
        if person is not None and person.muted:
            raise RoomProblem("muted")
        if not room.room.options.chat or (person is None and self.player != room.room.host):
            raise RoomProblem("not_allowed")
        name = person.name if person is not None else room.room.host_name
        await self.hub.say(room, self.player, name, request.text)
        self.send(wire.Ok(), request)

    async def _rooms(self, request: wire.Rooms) -> None:
        self.send(wire.RoomsAnswer(rooms=await self.hub.public_rooms()), request)

    async def _clock(self, request: wire.Clock) -> None:
        self.send(wire.ClockAnswer(sent=request.sent, now=self.hub.clock.now_ms()), request)


def hash_token(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


MANAGE: dict[str, Callable[[str, Any], cmd.Command]] = {
    "kick": lambda by, asked: cmd.Kick(by=by, player=asked.player),
    "ban": lambda by, asked: cmd.Ban(by=by, player=asked.player),
    "disqualify": lambda by, asked: cmd.Disqualify(by=by, player=asked.player, reason=asked.reason or ""),
    "reinstate": lambda by, asked: cmd.Reinstate(by=by, player=asked.player, reason=asked.reason or ""),
    "referee": lambda by, asked: cmd.SetReferee(by=by, player=asked.player, on=asked.on),
    "host": lambda by, asked: cmd.SetHost(by=by, player=asked.player),
    "mute": lambda by, asked: cmd.Mute(by=by, player=asked.player, on=asked.on),
    "close": lambda by, asked: cmd.Close(by=by, text=asked.text or ""),
}

HANDLERS: dict[type[wire.Request], Callable[[Session, Any], Awaitable[None]]] = {
    wire.Hello: Session._hello,
    wire.Create: Session._create,
    wire.Enter: Session._enter,
    wire.Leave: Session._leave,
    wire.Ready: Session._ready,
    wire.Start: Session._start,
    wire.Hold: Session._hold,
    wire.OpRequest: Session._op_later,
    wire.Forfeit: Session._forfeit,
    wire.Unforfeit: Session._unforfeit,
    wire.Follow: Session._follow,
    wire.Say: Session._say,
    wire.Manage: Session._manage,
    wire.Rematch: Session._rematch,
    wire.Rooms: Session._rooms,
    wire.Clock: Session._clock,
    wire.Forget: Session._forget,
}
