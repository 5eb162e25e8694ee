"""One identity's line to one server, over as many connections as it takes.

What is asked waits while the line is away; what was under way when it broke is said again where that does no
harm, once. `client_cli.client.RaceClient` is this with a method for everything one can ask.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from client_cli.backoff import Backoff
from client_cli.checking import frame_of
from client_cli.failures import Denied, Ended, NoConnection, UnknownToken, final_end
from client_cli.inbox import Inbox
from client_cli.link import open_link
from client_cli.notices import Lost, NewIdentity, Notice, Resumed
from client_cli.outbox import Outbox, Waiting
from client_cli.race_state import Effect, RaceState
from protocol.codec import MSGPACK, MalformedFrame
from protocol.limits import CLOSE_NODE_LEAVING, CLOSE_STORE_AWAY
from protocol.messages import (
    Create,
    Enter,
    Error,
    Follow,
    GameState,
    Lang,
    Leave,
    Message,
    OpRequest,
    Refused,
    Request,
    Room,
    View,
)

GIVE_UP_S = 600.0
"""A node's restart takes seconds and a store's outage minutes; after ten somebody has to look at it."""

_PASSING = frozenset(("too_many", "store_unavailable"))

OLDER_NODES_MAX = 8
"""While a server is updated some nodes are too old for a room, and chance leads to others; a server that was
put back to an older version has no others."""

OnToken = Callable[[str], None]
"""Told a new identity's token once the server has stored it."""

OnMessage = Callable[[Message], None]
"""Told every message, in order, also those that are no news."""


class KeptLine:
    """A line that comes back by itself, and `state`, folded from what came in before it is handed out.

    `ended` says why it is over for good, None while it is not; what is known stays as it was then. The
    arguments are told at `RaceClient.connect`; `on_message` is told every message, `backoff` says how long to
    wait between attempts.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        lang: Lang = "en",
        on_token: OnToken | None = None,
        on_message: OnMessage | None = None,
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
        self._older_nodes = 0  # met one after the other
        self._resuming = False
        self._came_back = False
        self._ops_held = False
        self._op_turn = asyncio.Lock()  # an action's `n` is known once the one before it is answered
        self._told = asyncio.Event()

    # For its user

    async def open(self) -> None:
        """Connect for the first time; NoConnection if that fails. From then on the line is kept."""
        link = self._link = await self._open()
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

    async def request(self, message: Request) -> Message:
        """Send a request and return its direct answer.

        Denied for an `error`, and, with nothing sent, its InvalidRequest for what the server could not read;
        LineLost if the line broke before the answer and saying it twice could do it twice; Ended if the
        connection is over; NoConnection if it was never opened.
        """
        self._must_be_on()
        frame_of(message, self.lang)
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

    def _must_be_on(self) -> None:
        """Raise what a request raises that no server will ever answer."""
        if self.ended is not None:
            raise self.ended.again()
        if self._task is None:
            raise NoConnection("not connected: use `async with`, or open() first")

    async def _news(self) -> None:
        """Wait until something more may be known, or nothing more will be."""
        self._told.clear()
        await self._told.wait()

    # The line

    async def _open(self) -> ClientConnection:
        """Connect and say hello; once in a client's life as somebody new, where our token is unknown."""
        asked_s = time.monotonic()
        try:
            link, welcome = await open_link(self.url, self._token, self.lang, was_there=self.state.me != "")
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
                self._outbox.line_lost()
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
            await link.close()
        self._backoff.lived(time.monotonic() - opened_s)
        code = link.close_code
        return None if code is None else int(code), link.close_reason or ""

    async def _come_back(self, code: int | None, reason: str) -> ClientConnection:
        """Connect again, with pauses that grow; `Ended` once it has gone on for too long."""
        lost_s = time.monotonic()
        while True:
            delay_s = self._backoff.delay_s(code)
            self._inbox.put(Lost(code, reason, delay_s))
            await asyncio.sleep(delay_s)
            try:
                link = await self._open()
            except NoConnection as error:
                code, reason = None, str(error)
                if time.monotonic() - lost_s > self._give_up_s:
                    raise Ended("away", None, reason) from error
            else:
                self._came_back = True
                return link

    async def _resume(self) -> None:
        """After `hello`: back into the room first, then what waited."""
        asks_itself = any(isinstance(w.message, Enter | Create) for w in self._outbox.to_send())
        if self._entered is not None and not asks_itself:
            self._resuming = True
            await self._enter_again()
        else:
            if asks_itself:
                self._outbox.fail_ops()  # no game is known that they could belong to
            if self._came_back:
                self._inbox.put(Resumed())
            await self._send_what_waited()
            for waiting in self._outbox.resend_ops(0):  # in no room: the server says so
                await self._send(waiting)

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
            self.ended = end.again()
            self._outbox.fail_all(end.again)
            self._inbox.end()
            self._told.set()

    # What comes in

    async def _take(self, frame: bytes) -> None:
        """Take one frame: fold it, resolve what it answers, hand it out."""
        message = MSGPACK.decode_server(frame)
        if message is None:
            return
        if self._on_message is not None:
            self._on_message(message)
        asked = self._outbox.answered(message)
        if asked is not None and isinstance(asked.message, OpRequest) and isinstance(message, Refused):
            self.state.refused = asked.message
        effect = self.state.fold(message, asked.asked_s if asked is not None else None)
        if isinstance(message, Room):
            await self._room_told(message, asked)
        elif isinstance(message, GameState) and not isinstance(message, View):
            await self._release_ops()
        elif isinstance(message, Error) and asked is not None and asked is self._entering:
            await self._entering_failed(message)
        elif asked is not None and isinstance(asked.message, Leave) and not isinstance(message, Error):
            self._entered, self._following, self._ops_held = None, None, False
            self._outbox.fail_ops()  # what was held till the game is known: none will be
            self.state.left()
        if effect in (Effect.ENTER_AGAIN, Effect.SHOW_AND_ENTER_AGAIN):
            await self._enter_again()
        self._told.set()
        # Whoever asked is told by an exception what an error answers.
        is_news = effect in (Effect.SHOW, Effect.SHOW_AND_ENTER_AGAIN)
        if is_news and not (isinstance(message, Error) and message.id is not None):
            self._inbox.put(message)

    async def _room_told(self, message: Room, asked: Waiting | None) -> None:
        """A room was told: remember where we are, and go on with what waited for it."""
        if self._token_unsaved and self._token is not None:
            self._token_unsaved = False
            if self._on_token is not None:
                self._on_token(self._token)
        self._older_nodes = 0
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
        assert self.state.position is not None
        for waiting in self._outbox.resend_ops(self.state.position.n):
            await self._send(waiting)

    async def _entering_failed(self, error: Error) -> None:
        """The room does not take us back: for now, or for good."""
        self._entering = None
        # Who is in the room already is told so by a node that is too old for it, and by no other.
        too_old = error.code == "wrong_state" and not self._token_unsaved
        self._older_nodes += too_old
        if error.code not in _PASSING and not (too_old and self._older_nodes < OLDER_NODES_MAX):
            raise Ended("denied", None, error.text)
        if self._link is not None:
            # As the server would say it; our side's close is followed by an attempt later, with its pause.
            await self._link.close(CLOSE_NODE_LEAVING if too_old else CLOSE_STORE_AWAY)
