"""The reference client: one identity on one server, over as many connections as it takes."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from client_cli.backoff import Backoff
from client_cli.failures import Denied, Ended, NoConnection, UnknownToken, final_end
from client_cli.inbox import Inbox
from client_cli.link import open_link
from client_cli.notices import Lost, NewIdentity, Notice, Resumed
from client_cli.outbox import Outbox, Waiting
from client_cli.position import Position
from client_cli.race_state import Effect, RaceState
from protocol.codec import MSGPACK, MalformedFrame
from protocol.messages import (
    Create,
    Done,
    Enter,
    Error,
    Follow,
    GameState,
    Lang,
    Leave,
    Message,
    Op,
    OpRequest,
    Refused,
    Request,
    Role,
    Room,
    View,
)

GIVE_UP_S = 600.0
"""A node's restart takes seconds and a store's outage minutes; after ten somebody has to look at it."""

_PASSING = frozenset(("too_many", "store_unavailable"))


class RaceClient:
    """A client that comes back by itself.

    `await connect()`, then `request()`, `enter()`, `op()` …, and `async for message in client` for whatever
    the server says and, as notices, for what becomes of the line. Requests wait while the line is away.
    `state` has the room and the game, folded before a message is handed out.

    `on_token` is told a new identity's token once the server has stored it; `on_message` every message, in
    order, dropped ones too.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        lang: Lang = "en",
        on_token: Callable[[str], None] | None = None,
        on_message: Callable[[Message], None] | None = None,
        backoff: Backoff | None = None,
        give_up_s: float = GIVE_UP_S,
    ) -> None:
        self.url = url
        self.lang = lang
        self.state = RaceState()
        self.ended: Ended | None = None
        self._token = token
        self._token_unsaved = token is None
        self._renewed = False
        self._on_token = on_token
        self._on_message = on_message
        self._backoff = backoff or Backoff()
        self._give_up_s = give_up_s
        self._inbox: Inbox[Message | Notice] = Inbox()
        self._outbox = Outbox()
        self._link: ClientConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._entered: Enter | None = None
        self._following: str | None = None
        self._entering: Waiting | None = None
        self._resuming = False
        self._ops_held = False
        self._op_turn = asyncio.Lock()
        self._game_told = asyncio.Event()

    # For its user

    async def connect(self) -> None:
        """Connect for the first time; NoConnection if that fails. From then on the line is kept."""
        link = await self._open()
        self._task = asyncio.create_task(self._keep(link), name="race-client")

    async def close(self) -> None:
        """Close the connection; what waits for an answer gets `Ended`."""
        self._finish(Ended("done"))
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._link is not None:
            await self._link.close()
            self._link = None

    async def __aenter__(self) -> "RaceClient":
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __aiter__(self) -> "RaceClient":
        return self

    async def __anext__(self) -> Message | Notice:
        return await self._inbox.get()

    async def request(self, message: Request) -> Message:
        """Send a request and return its direct answer.

        Denied for an `error`; LineLost if the line broke before the answer and saying it twice could do it
        twice; Ended if the connection is over.
        """
        if self.ended is not None:
            raise self.ended
        waiting = self._outbox.add(message)
        held = self._ops_held and isinstance(message, OpRequest)
        if self._link is not None and not self._resuming and not held:
            await self._send(waiting)
        try:
            answer = await waiting.answer
        finally:
            self._outbox.drop(waiting)
        if isinstance(answer, Error):
            raise Denied(answer)
        return answer

    async def create(self, options: dict[str, Any]) -> Room:
        """Create a room and be its host; a line cut meanwhile makes no second one."""
        answer = await self.request(Create(options=options, key=secrets.token_urlsafe(16)))
        assert isinstance(answer, Room)
        return answer

    async def enter(
        self, room: str, role: Role | None = None, name: str | None = None, password: str | None = None
    ) -> Room:
        """Enter a room, or resume where this identity is in it already."""
        answer = await self.request(Enter(room=room, role=role, name=name, password=password))
        assert isinstance(answer, Room)
        return answer

    async def leave(self) -> None:
        """Leave the room."""
        await self.request(Leave())

    async def follow(self, player: str | None) -> None:
        """Follow another player's game, after a lost line too; None stops."""
        await self.request(Follow(player=player))
        self._following = player
        if player is None:
            self.state.followed.clear()

    async def op(self, op: Op, src: int | None = None, dst: int | None = None) -> Done | Refused:
        """Play one action as the next of this player's log and return what became of it.

        Actions wait for each other. One that was under way when the line broke is sent again with the same
        `n`, so it is played exactly once; LineLost where that can no longer be told.
        """
        async with self._op_turn:
            position = self.state.position
            n = position.n + 1 if position is not None else 1
            answer = await self.request(OpRequest(n=n, op=op, src=src, dst=dst))
        assert isinstance(answer, Done | Refused)
        return answer

    async def game(self) -> Position:
        """Return this player's position once there is a game; Ended if the connection is over before."""
        while self.state.position is None:
            if self.ended is not None:
                raise self.ended
            self._game_told.clear()
            await self._game_told.wait()
        return self.state.position

    # The line

    async def _open(self) -> ClientConnection:
        """Connect and say hello; once in a client's life as somebody new, where our token is unknown."""
        asked_s = time.monotonic()
        try:
            link, welcome = await open_link(self.url, self._token, self.lang)
        except UnknownToken:
            if self._token is None or self._renewed:
                raise Ended("unknown_token") from None
            # A token the server never stored (nothing was entered with it yet) was nobody's: no news.
            if not self._token_unsaved:
                self._renewed = True
                self._inbox.put(NewIdentity())
            self._token, self._token_unsaved = None, True
            return await self._open()
        self.state.fold(welcome, asked_s)
        if welcome.token is not None:
            self._token, self._token_unsaved = welcome.token, True
        if self._on_message is not None:
            self._on_message(welcome)
        return link

    async def _keep(self, link: ClientConnection) -> None:
        """Serve connection after connection until one ends for good."""
        try:
            while True:
                code, reason = await self._serve(link)
                kind = final_end(code)
                if kind is not None:
                    raise Ended(kind, code, reason)
                link = await self._come_back(code, reason)
        except Ended as end:
            self._finish(end)
        except Exception:
            # A fault of ours: whoever waits is let go, and the task's failure is there to be seen.
            self._finish(Ended("malformed"))
            raise

    async def _serve(self, link: ClientConnection) -> tuple[int | None, str]:
        """Read one connection to its end and return its close code and reason."""
        self._link = link
        opened_s = time.monotonic()
        try:
            await self._resume()
            async for frame in link:
                await self._take(frame if isinstance(frame, bytes) else frame.encode())
        except ConnectionClosed:
            pass
        except MalformedFrame as error:
            raise Ended("malformed", error.close_code, str(error)) from error
        finally:
            self._link = None
            self._resuming = False
            if self._entering is not None:
                self._outbox.drop(self._entering)
                self._entering = None
            self._outbox.line_lost()
            await link.close()
        self._backoff.lived(time.monotonic() - opened_s)
        return link.close_code, link.close_reason or ""

    async def _come_back(self, code: int | None, reason: str) -> ClientConnection:
        """Connect again, with pauses that grow; `Ended` once it has gone on for too long."""
        lost_s = time.monotonic()
        while True:
            delay_s = self._backoff.delay_s(code)
            self._inbox.put(Lost(code, reason, delay_s))
            await asyncio.sleep(delay_s)
            try:
                return await self._open()
            except NoConnection as error:
                code, reason = None, str(error)
                if time.monotonic() - lost_s > self._give_up_s:
                    raise Ended("away", None, reason) from error

    async def _resume(self) -> None:
        """After `hello`: back into the room first, then what waited."""
        asks_itself = any(isinstance(w.message, Enter | Create) for w in self._outbox.to_send())
        if self._entered is not None and not asks_itself:
            self._resuming = True
            await self._enter_again()
        else:
            self._outbox.fail_ops()  # no game is known that they could belong to
            await self._send_what_waited()

    async def _enter_again(self) -> None:
        """Ask for room and game anew, on this connection; once at a time."""
        if self._entered is None or self._entering is not None:
            return
        first = self._entered
        # Somebody new is not in the room yet and has to say what the old identity said.
        role, name = (first.role, first.name) if self._token_unsaved else (None, None)
        again = Enter(room=first.room, role=role, name=name, password=first.password)
        self._entering = self._outbox.add(again)
        self._ops_held = True
        await self._send(self._entering)

    async def _send_what_waited(self) -> None:
        for waiting in self._outbox.to_send():
            await self._send(waiting)

    async def _send(self, waiting: Waiting) -> None:
        if self._link is None or waiting.sent:
            return
        waiting.sent, waiting.asked_s = True, time.monotonic()
        # On a line that is gone, the reader notices, and decides what becomes of the request.
        with contextlib.suppress(ConnectionClosed):
            await self._link.send(MSGPACK.encode(waiting.message))

    def _finish(self, end: Ended) -> None:
        if self.ended is None:
            self.ended = end
            self._outbox.fail_all(end)
            self._inbox.end()
            self._game_told.set()

    # What comes in

    async def _take(self, frame: bytes) -> None:
        """Take one frame: fold it, resolve what it answers, hand it out."""
        message = MSGPACK.decode_server(frame)
        if message is None:
            return
        if self._on_message is not None:
            self._on_message(message)
        asked = self._outbox.answered(message)
        effect = self.state.fold(message, asked.asked_s if asked is not None else None)
        if isinstance(message, Room):
            await self._room_told(message, asked)
        elif isinstance(message, GameState) and not isinstance(message, View):
            await self._release_ops()
        elif isinstance(message, Error) and asked is not None and asked is self._entering:
            await self._entering_failed(message)
        elif asked is not None and isinstance(asked.message, Leave) and not isinstance(message, Error):
            self._entered, self._following = None, None
            self.state.left()
        if effect is Effect.ENTER_AGAIN:
            await self._enter_again()
        if effect is Effect.SHOW:
            self._inbox.put(message)

    async def _room_told(self, message: Room, asked: Waiting | None) -> None:
        """A room was told: remember where we are, and go on with what waited for it."""
        if self._token_unsaved and self._token is not None:
            self._token_unsaved = False
            if self._on_token is not None:
                self._on_token(self._token)
        request = asked.message if asked is not None else None
        if asked is not None and asked is self._entering:
            self._entering = None
        elif isinstance(request, Enter):
            if self._entered is not None and self._entered.room != message.room:
                self._following = None  # who was followed stayed in the other room
            self._entered = Enter(
                room=message.room, role=request.role, name=request.name, password=request.password
            )
        elif isinstance(request, Create):
            password = request.options.get("password")
            self._entered = Enter(room=message.room, password=password)
        if self._ops_held and not self.state.game_is_due():
            self._ops_held = False
            self._outbox.fail_ops()
        if self._resuming:
            self._resuming = False
            self._inbox.put(Resumed())
            if self._following is not None:
                self._outbox.add(Follow(player=self._following))
            await self._send_what_waited()

    async def _release_ops(self) -> None:
        """The game is known again: what was under way is sent once more, or given up."""
        self._ops_held = False
        self._game_told.set()
        assert self.state.position is not None
        for waiting in self._outbox.resend_ops(self.state.position.n):
            await self._send(waiting)

    async def _entering_failed(self, error: Error) -> None:
        """The room does not take us back: for now, or for good."""
        self._entering = None
        if error.code not in _PASSING:
            raise Ended("denied", None, error.text)
        if self._link is not None:
            # 1013's own meaning; our side's close is followed by an attempt later, with its pause.
            await self._link.close(1013)
