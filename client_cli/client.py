"""The client library: one player on one server, with a method for everything they can do there.

A bot in short (`examples/bot.py` is a whole one, `docs/bots.md` the page about it):

    async with RaceClient.connect("ws://127.0.0.1:8000/ws") as client:
        await client.enter(room, "player", "Ada")
        await client.ready()
        game = await client.game()
        while moves := home_moves(game):
            game = await client.move(*moves[0])
        await client.forfeit()
        print((await client.closed()).rows)

A host may close the race at any moment: what is played then is refused as `not_running` (ActionRefused), and
giving up as `wrong_state` (Denied); `closed()` returns at once.

Nothing is to be done about a line that breaks or a server that starts again: the client connects again,
enters the room again, and says once more what was not answered. An action is never played twice.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any

from client_cli.checking import invalid
from client_cli.failures import ActionRefused, Denied, NoRace
from client_cli.kept_line import GIVE_UP_S, KeptLine, OnToken
from client_cli.notices import Notice
from client_cli.position import Position
from client_cli.room_view import RoomView
from protocol.messages import (
    Create,
    Done,
    Enter,
    Follow,
    Forfeit,
    Lang,
    Leave,
    Message,
    Ok,
    Op,
    OpRequest,
    Ready,
    Refused,
    Rematch,
    Role,
    Room,
    Say,
    Start,
    Unforfeit,
)

TOO_MANY_PAUSE_S = 0.25
"""Long enough for the server to allow some actions again."""

TOO_MANY_PAUSES_MAX = 40


class RaceClient(KeptLine):
    """One player's client. Connected inside `async with`, or between `open()` and `close()`.

    Every request returns once the server has done it, and raises

    - `Denied`, where the server says no: `code` (a name of `docs/protocol.md`) and `text` (a sentence); its
      `InvalidRequest`, where an argument is such that nothing was sent: `field` names it;
    - `LineLost`, where the line broke before the answer and saying it again could do it twice;
    - `Ended`, where the connection is over for good: `kind` says why;
    - `NoConnection`, where it was never opened.

    `events()` has what the server says. What is known is folded before: `state`, and of it `room`,
    `position` and `followed`. Requests that have no method of their own (those of hosts, `Manage` above all)
    go through `request()`.
    """

    @classmethod
    def connect(
        cls,
        url: str,
        *,
        token: str | None = None,
        lang: Lang = "en",
        on_token: OnToken | None = None,
        give_up_s: float = GIVE_UP_S,
    ) -> "RaceClient":
        """Return a client for `async with`, which connects on entering: NoConnection if nobody answers.

        `url` is a WebSocket address such as `ws://127.0.0.1:8000/ws`. `token` is the secret of the identity
        to be; without one the client is somebody new, and `on_token` is told the secret with which the same
        player can come back from another program, once they have created or entered a first room: before
        that the server keeps nothing of them. `lang` is the language of the server's sentences. A line
        that is away for `give_up_s` seconds is given up (`Ended`, kind `away`).
        """
        return cls(url, token=token, lang=lang, on_token=on_token, give_up_s=give_up_s)

    async def __aenter__(self) -> "RaceClient":
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.close()

    # What is known

    @property
    def me(self) -> str:
        """The id of this player."""
        return self.state.me

    @property
    def room(self) -> RoomView | None:
        """The room one is in, as last told; None before the first and after `leave`. It stays as it was when
        the connection is over, also for who was put out.
        """
        return self.state.room

    @property
    def position(self) -> Position | None:
        """One's own game, as confirmed by the server; None before it begins.

        A position does not change: each action makes a new one. `status` says also whether one gave up or was
        disqualified, but not that the race was closed: `room.state` does.
        """
        return self.state.position

    @property
    def followed(self) -> dict[str, Position]:
        """The game that one follows, by its player; empty where one follows none."""
        return self.state.followed

    def events(self) -> AsyncIterator[Message | Notice]:
        """Iterate over what the server says, and over the notices `Lost`, `Resumed` and `NewIdentity`.

        Of errors only those that answer no request: the others their request raises.
        Ends with the connection; `ended` then says why. One loop at a time reads them: each is handed out
        once. Who does not read loses the oldest after some thousands, and nothing of what is known.
        """
        return self

    def __aiter__(self) -> "RaceClient":
        return self

    async def __anext__(self) -> Message | Notice:
        if self.ended is None:  # at the end what came before it is still to be read
            self._must_be_on()
        return await self._inbox.get()

    # The room

    async def create(self, options: dict[str, Any]) -> Room:
        """Create a room and be its host, not yet a player; a line cut meanwhile makes no second one.

        `options` as in `docs/protocol.md`; what is left out is the default. The answer's `room` is its name.
        Denied: `bad_options`, `too_many` (six a minute, which is not waited for).
        """
        answer = await self.request(Create(options=options, key=secrets.token_urlsafe(16)))
        assert isinstance(answer, Room)
        return answer

    async def enter(
        self, room: str, role: Role | None = None, name: str | None = None, password: str | None = None
    ) -> Room:
        """Enter a room as `player` (with a name) or `spectator`; without a role, go on where one is in it.

        Denied: `unknown_room`, `wrong_password`, `room_full`, `name_taken`, `bad_name`, `banned`,
        `wrong_state`, `not_allowed`.
        """
        answer = await self.request(Enter(room=room, role=role, name=name, password=password))
        assert isinstance(answer, Room)
        return answer

    async def closed(self) -> RoomView:
        """Wait until this race is closed, and return its room: `rows` is the final board, `reason` why.

        Once nobody can play on it closes by itself; who gave up can, for 60 s. NoRace in no room, or once it
        is left; Ended if the connection is over before.
        """
        id_ = self.room.id if self.room is not None else None
        while (room := self.room) is not None and room.id == id_:
            if room.state == "closed":
                return room
            self._must_be_on()
            await self._news()
        self._must_be_on()
        raise NoRace("you are not in that room any more" if id_ else "you are in no room")

    async def leave(self) -> None:
        """Leave the room: before the start the seat is free again, after it the game can be resumed."""
        await self.request(Leave())

    async def ready(self, ready: bool = True) -> None:
        """Be ready to start, or no longer. In a room of own starts: start one's own game."""
        await self.request(Ready(ready=ready))

    async def start(self) -> None:
        """Begin the countdown, as host. Denied: `not_host`, `not_allowed` with too few players."""
        await self.request(Start())

    async def rematch(self) -> str:
        """Open the next race with the same options, and return its room; asked twice, the same one."""
        answer = await self.request(Rematch())
        assert isinstance(answer, Ok)
        assert answer.room is not None
        return answer.room

    async def say(self, text: str) -> None:
        """Say something to everybody in the room, in 300 characters at most."""
        await self.request(Say(text=text))

    async def follow(self, player: str | None) -> None:
        """Follow another player's game, after a lost line too; None stops. `followed` has it from then on.

        Denied: `not_allowed` for who may not see it, or not yet; `unknown_player`.
        """
        await self.request(Follow(player=player))
        self._following = player
        if player is None:
            self.state.followed.clear()

    # The game

    async def game(self) -> Position:
        """Return this player's game as it is now, waiting for its start.

        NoRace if none will come: in no room, for who only looks on, or once the room is closed before. Ended
        if the connection is over before.
        """
        while (position := self.position) is None:
            self._must_be_on()
            if why := self.state.why_no_game():
                raise NoRace(why)
            await self._news()
        return position

    async def move(self, src: int, dst: int) -> Position:
        """Move the top card of `src` (0-23) to `dst` (0-25), and return the game with it stored.

        Places are numbered as in `docs/rules.md`: piles 0-15, ace foundations 16-19, king foundations 20-23,
        24 the foundation area, 25 the only place there is. `client_cli.moves` tells what may be moved.

        ActionRefused where it may not be: nothing has changed. Where it comes too soon for the server
        (`too_many`) it waits and is said again.
        """
        return await self._play("m", src, dst)

    async def redeal(self) -> Position:
        """Redeal (R10), and return the game with it stored. ActionRefused where that cannot be."""
        return await self._play("r")

    async def undo(self) -> Position:
        """Take back the latest move (R13), and return the game with it stored. ActionRefused likewise."""
        return await self._play("u")

    async def forfeit(self) -> None:
        """Give up one's game; `unforfeit` takes it back for a minute."""
        await self.request(Forfeit())

    async def unforfeit(self) -> None:
        """Play on after all.

        Denied: `not_allowed` after 60 s, once another's game was followed, or without a forfeit;
        `wrong_state` unless the race runs.
        """
        await self.request(Unforfeit())

    async def op(self, op: Op, src: int | None = None, dst: int | None = None) -> Done | Refused:
        """Play one action as the next of this player's log and return the answer as it came.

        Actions wait for each other. One that was under way when the line broke is sent again with the same
        `n`, so it is played exactly once; LineLost where that can no longer be told.
        """
        async with self._op_turn:
            position = self.state.position
            n = position.n + 1 if position is not None else 1
            try:
                request = OpRequest(n=n, op=op, src=src, dst=dst)
            except ValueError as error:
                raise invalid(str(error), self.lang) from None
            answer = await self.request(request)
        assert isinstance(answer, Done | Refused)
        return answer

    async def _play(self, op: Op, src: int | None = None, dst: int | None = None) -> Position:
        """Play an action, slowing down where the server asks for that, and return the game after it."""
        answer = await self._paced(op, src, dst)
        if isinstance(answer, Refused):
            raise ActionRefused(answer)
        return await self.game()

    async def _paced(self, op: Op, src: int | None, dst: int | None) -> Done | Refused:
        for _ in range(TOO_MANY_PAUSES_MAX):
            try:
                return await self.op(op, src, dst)
            except Denied as denied:
                if denied.code != "too_many":
                    raise
            await asyncio.sleep(TOO_MANY_PAUSE_S)
        return await self.op(op, src, dst)
