"""What a client may ask, actions apart: a function for each request, and the table of them at the end.

Each answers by the session, or raises `RoomProblem`, which is answered as an `error`, or
`StoreUnavailableError`. While one waits, the next request of its connection does.
"""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from protocol import limits
from protocol import messages as wire
from server.node import passwords
from server.node.ids import player_id_from, read_room_id
from server.node.live_room import LiveRoom
from server.rooms import commands as cmd
from server.rooms.decide import may_rematch
from server.rooms.names import clean_name
from server.rooms.problems import RoomProblem
from server.rooms.sight import watching_delay_ms
from server.rooms.whys import Why

if TYPE_CHECKING:
    from server.node.session import Session

UNKNOWN_TOKEN = limits.CLOSE_UNKNOWN_TOKEN, "unknown token: say `hello` again without it"


async def hello(session: "Session", request: wire.Hello) -> None:
    """Who one is, first of all; a new identity gets its token."""
    now_ms = session.world.monotonic_ms()
    if not session.node.door.may_say_hello(session.address, now_ms):
        session.too_many(request, now_ms)
        return
    if request.token is None:
        token: str | None = (
            urlsafe_b64encode(session.world.token_bytes(limits.TOKEN_BYTES)).decode().rstrip("=")
        )
        assert token is not None
        session.token_hash = hash_token(token)
        session.player = player_id_from(session.world.token_bytes(8))
    else:
        token, session.token_hash = None, hash_token(request.token)
        known = await session.hub.store.identity(session.token_hash)
        if known is None:
            session.close(*UNKNOWN_TOKEN)
            return
        session.player, session.name = known
        session.identity_stored = True
    session.lang = request.lang or "en"
    now = session.hub.clock.now_ms()
    message = wire.Welcome(player=session.player, token=token, now=now, server=session.node.version)
    session.send(message, request)


async def _store_identity(session: "Session", name: str = "") -> bool:
    """An identity is stored when it first creates or enters, and with each new name, unless another of its
    connections has had it forgotten. It comes before the room or the seat, which nobody could come back to.

    False: its client has come on another connection meanwhile, and was told that nobody has its token.
    """
    name = name or session.name
    if not session.identity_stored:
        if not await session.hub.store.save_identity(session.token_hash, session.player, name):
            session.close(*UNKNOWN_TOKEN)
            return False
        session.identity_stored = True
    elif name != session.name:
        await session.hub.store.rename_identity(session.token_hash, session.player, name)
    session.name = name
    return True


async def create(session: "Session", request: wire.Create) -> None:
    """A new room, of which one is the host."""
    received_ms = session.world.monotonic_ms()
    if not session.node.door.may_create(session.address, received_ms):
        raise RoomProblem("too_many")
    if not await _store_identity(session):
        return
    command = cmd.CreateRoom(
        by=session.player,
        options=await _hashed(request.options),
        draw=session.hub.draw(),
        name=session.name,
        key=request.key or "",
    )
    room = await session.hub.create(command, session.token_hash, received_ms)
    await session.hub.store.been_in(session.player, room.id)
    await session.show_room(room, request)


async def enter(session: "Session", request: wire.Enter) -> None:
    """Into a room, or back."""
    received_ms = session.world.monotonic_ms()
    room_id = read_room_id(request.room)
    room = await session.hub.room(room_id) if room_id is not None else None
    if room is None:
        raise RoomProblem("unknown_room")
    await _check_password(session, room, request.password)
    if not await _store_identity(session):
        return
    await room.in_step()  # they may come from another node, and are shown no less than there
    command = cmd.Join(by=session.player, role=request.role, name=request.name)
    await room.submit(command, received_ms)
    person = room.room.people.get(session.player)
    if person is not None and person.name and person.name == clean_name(request.name or ""):
        await _store_identity(session, person.name)
    await session.hub.store.been_in(session.player, room.id)
    await session.show_room(room, request)


async def _check_password(session: "Session", room: LiveRoom, password: str | None) -> None:
    """A room with a password asks strangers for it; five wrong tries a minute for a room and address."""
    known = session.player in room.room.people or session.player == room.room.host
    if room.room.options.password is None or known:
        return
    if not password:
        raise RoomProblem("wrong_password")
    await session.node.password_tries.check(room, session.address, password)


async def _submit(session: "Session", request: wire.Request, command: cmd.Command) -> None:
    """Have a command of this room stored, and say so."""
    room = session.in_room()
    v = await room.submit(command, session.world.monotonic_ms())
    room.teller.flush()  # the event comes before the `ok` that names its version
    session.send(wire.Ok(v=v), request)


async def leave(session: "Session", request: wire.Leave) -> None:
    """Out of it."""
    room = session.in_room()
    v = await room.submit(cmd.Leave(by=session.player), session.world.monotonic_ms())
    session.leave_room()
    session.send(wire.Ok(v=v), request)


async def ready(session: "Session", request: wire.Ready) -> None:
    """Ready, or no longer."""
    await _submit(session, request, cmd.SetReady(by=session.player, ready=request.ready))


async def start(session: "Session", request: wire.Start) -> None:
    """Begin the countdown."""
    await _submit(session, request, cmd.StartCountdown(by=session.player))


async def hold(session: "Session", request: wire.Hold) -> None:
    """Call it off."""
    await _submit(session, request, cmd.Hold(by=session.player))


async def forfeit(session: "Session", request: wire.Forfeit) -> None:
    """Give up one's game, after what was asked of it before."""
    game = await session.own_game(session.in_room())  # what was asked before it comes before it
    await _submit(session, request, cmd.Forfeit(by=session.player, n=game.stored_n if game else 0))


async def unforfeit(session: "Session", request: wire.Unforfeit) -> None:
    """Take that back."""
    await _submit(session, request, cmd.Unforfeit(by=session.player))


async def manage(session: "Session", request: wire.Manage) -> None:
    """What hosts and referees do."""
    room = session.in_room().room
    if request.action == "set":
        if not room.manages(session.player):  # asked before a password is hashed for it
            raise RoomProblem("not_host")
        options = await _hashed(request.options or {})
        command: cmd.Command = cmd.SetOptions(by=session.player, options=options, draw=session.hub.draw())
    else:
        command = MANAGE[request.action](session.player, request)
    await _submit(session, request, command)


async def _hashed(options: dict[str, Any]) -> dict[str, Any]:
    """Options with the password, if there is one, hashed. Raises `RoomProblem` `bad_options`."""
    if options.get("password") is None:
        return options
    return {**options, "password": await passwords.hashed(options["password"])}


async def follow(session: "Session", request: wire.Follow) -> None:
    """Be shown another's game, or nobody's."""
    room = session.in_room()
    if request.player is None:
        session.unfollow()
        session.send(wire.Ok(), request)
        return
    watch = cmd.Watch(by=session.player, player=request.player, done=session.is_done(room))
    await room.submit(watch, session.world.monotonic_ms())
    feed = await room.follow(session, request.player, watching_delay_ms(room.room, session.player))
    if session.room is not room or not session.connection.open:
        room.unfollow(session, feed)
        return
    if feed is not session.feed:
        session.unfollow()
    session.feed = feed
    session.send(feed.view(), request)


async def rematch(session: "Session", request: wire.Rematch) -> None:
    """The next room: made by the first who asks."""
    room = session.in_room()
    if not may_rematch(room.room, session.player):
        raise RoomProblem("not_allowed", Why.PLAYERS_REMATCH)
    if room.room.state != "closed":
        raise RoomProblem("wrong_state")
    if not room.room.next_room:
        next_id = await session.hub.create_rematch(room)
        command = cmd.TellRematch(by=session.player, next=next_id)
        await room.submit(command, session.world.monotonic_ms())
    session.send(wire.Ok(room=room.room.next_room), request)


async def forget(session: "Session", request: wire.Forget) -> None:
    """Delete this identity, and end."""
    session.leave_room()
    await session.hub.forget(session.player, session.token_hash)
    session.identity_stored = False
    session.send(wire.Ok(), request)
    session.close(limits.CLOSE_DONE, "forgotten")


async def say(session: "Session", request: wire.Say) -> None:
    """Chat."""
    room = session.in_room()
    person = room.room.people.get(session.player)
    if person is not None and person.muted:
        raise RoomProblem("muted")
    if not room.room.options.chat:
        raise RoomProblem("not_allowed", Why.CHAT_IS_OFF)
    if person is None and session.player != room.room.host:
        raise RoomProblem("not_allowed", Why.NOT_INSIDE)
    if not request.text:
        raise RoomProblem("not_allowed", Why.EMPTY_TEXT)
    name = person.name if person is not None else room.room.host_name
    await session.hub.say(room, session.player, name, request.text)
    session.send(wire.Ok(), request)


async def rooms(session: "Session", request: wire.Rooms) -> None:
    """The public rooms."""
    session.send(wire.RoomsAnswer(rooms=await session.hub.public_rooms()), request)


async def clock(session: "Session", request: wire.Clock) -> None:
    """The race clock's now."""
    now_ms = session.hub.clock.now_ms() if session.room is None else session.room.now_ms()
    session.send(wire.ClockAnswer(sent=request.sent, now=now_ms), request)


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

HANDLERS: dict[type[wire.Request], Callable[["Session", Any], Awaitable[None]]] = {
    wire.Hello: hello,
    wire.Create: create,
    wire.Enter: enter,
    wire.Leave: leave,
    wire.Ready: ready,
    wire.Start: start,
    wire.Hold: hold,
    wire.Forfeit: forfeit,
    wire.Unforfeit: unforfeit,
    wire.Follow: follow,
    wire.Say: say,
    wire.Manage: manage,
    wire.Rematch: rematch,
    wire.Rooms: rooms,
    wire.Clock: clock,
    wire.Forget: forget,
}
