"""One sitting at the terminal: typed lines in, the race out."""

import asyncio
from collections.abc import Awaitable, Callable

from client_cli import exits
from client_cli.asking import Asking
from client_cli.client import RaceClient
from client_cli.commands import Command, CommandError, parse_line
from client_cli.display import Display
from client_cli.failures import Denied, Ended, LineLost
from client_cli.managing import Managing
from client_cli.notation import read_action
from client_cli.notices import Lost, NewIdentity, Resumed
from client_cli.refusal_hints import in_the_room
from client_cli.room_terms import first_hint
from client_cli.typed_help import help_told
from client_cli.typed_lines import Lines
from protocol.messages import (
    Event,
    Forfeit,
    Forget,
    Hold,
    Ok,
    Ready,
    Rematch,
    Request,
    Role,
    Say,
    Start,
    Unforfeit,
)
from server.engine.notation import NotationError

TICK_S = 0.25
FORGET_WORD = "me"
"""What is typed after `forget`, so that nobody deletes themselves by a slip."""

_PLAIN: dict[str, Callable[[], Request]] = {
    "ready": lambda: Ready(ready=True),
    "unready": lambda: Ready(ready=False),
    "start": Start,
    "hold": Hold,
    "forfeit": Forfeit,
    "unforfeit": Unforfeit,
}
"""Commands that are one request and say nothing when it is done: everybody is told by an event."""


class Session:
    """Runs until `quit`, the end of the connection, or, when nobody types, the end of the race.

    What is typed is done in order, one after the other; only `help`, and `quit` of a person, go first, so
    that one can leave while an answer is awaited. `lines` None: nothing is typed at all. `ends_with_race`:
    the end of the race is the end for a person as well. `forgotten`: the identity was deleted.
    """

    def __init__(
        self,
        client: RaceClient,
        screen: Display,
        lines: Lines | None,
        name: str | None,
        password: str | None = None,
        *,
        ends_with_race: bool = False,
    ) -> None:
        self._client = client
        self._screen = screen
        self._lines = lines
        self._name = name
        self._password = password
        self._ends_with_race = ends_with_race
        self._managing = Managing(client, screen)
        self.forgotten = False
        self._todo: asyncio.Queue[Command] = asyncio.Queue()
        self._quit = asyncio.Event()
        self._handlers: dict[str, Callable[[str], Awaitable[None]]] = {
            "move": self._move,
            "say": self._say,
            "follow": self._follow,
            "unfollow": self._unfollow,
            **self._managing.handlers(),
            **Asking(client, screen).handlers(),
            "rematch": self._rematch,
            "next": self._next,
            "leave": self._leave,
            "forget": self._forget,
        }

    async def run(self) -> int:
        """Run to the end and return the exit code."""
        quitting = asyncio.create_task(self._quit.wait())
        messages = asyncio.create_task(self._show_messages())
        helpers = [asyncio.create_task(job()) for job in (self._read_lines, self._work, self._tick)]
        try:
            await asyncio.wait((quitting, messages, *helpers[1:]), return_when=asyncio.FIRST_COMPLETED)
        finally:
            tasks = [quitting, messages, *helpers]
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
        ended = self._client.ended
        if self._quit.is_set() or ended is None:
            return exits.OK
        tell_end(self._screen, ended, self._client.url)
        return exits.exit_of_ended(ended)

    @property
    def password(self) -> str | None:
        """The password with which rooms are entered."""
        return self._password

    @property
    def _person(self) -> bool:
        return self._lines is not None and self._lines.interactive

    # In

    async def _read_lines(self) -> None:
        if self._lines is None:
            return
        while (line := await self._lines.get()) is not None:
            try:
                command = parse_line(line)
            except CommandError as error:
                self._screen.tell(error.key, **error.values)
                continue
            if command is None:
                continue
            if command.name == "help":
                self._help(command.argument)
            elif command.name == "quit" and self._person:
                self._quit.set()
            else:
                self._todo.put_nowait(command)
        if self._person:  # Ctrl-D; the end of a file is no wish to leave the race
            self._quit.set()
        elif self._ends_with_race:  # but alone, nothing more would ever happen in it
            self._todo.put_nowait(Command("quit"))

    def _help(self, text: str) -> None:
        """Say what one can type, as who one is in the room; `help set`: the options."""
        for key, values in help_told(text, self._client.state.room, self._client.lang):
            self._screen.tell(key, **values)

    async def _work(self) -> None:
        while True:
            command = await self._todo.get()
            try:
                await self._do(command)
            except Denied as error:
                room, client = self._client.state.room, self._client
                self._screen.error(in_the_room(error, command.name, room, client.url, client.lang))
            except LineLost:
                self._screen.tell("line_lost")
            except Ended:
                return

    async def _do(self, command: Command) -> None:
        match command.name:
            case "quit":
                self._quit.set()
            case "table":
                self._screen.table()
            case "board":
                self._screen.board()
            case plain if plain in _PLAIN:
                await self._client.request(_PLAIN[plain]())
            case other:
                await self._handlers[other](command.argument)

    async def _move(self, text: str) -> None:
        try:
            action = read_action(text, self._client.state.position)
        except NotationError as error:
            self._screen.error(error.text(self._client.lang))
            return
        places = (action.src, action.dst) if action.op == "m" else (None, None)
        await self._client.op(action.op, *places)

    async def _say(self, text: str) -> None:
        room = self._client.state.room
        if room is not None and room.is_muted:
            self._screen.tell("muted")
            return
        await self._client.request(Say(text=text))

    async def _follow(self, text: str) -> None:
        found = self._managing.player(text)
        if found is not None:
            await self._client.follow(found[0])

    async def _unfollow(self, _: str) -> None:
        await self._client.follow(None)

    async def _rematch(self, _: str) -> None:
        answer = await self._client.request(Rematch())
        if isinstance(answer, Ok) and answer.room is not None:
            await self._go_to(answer.room)

    async def _next(self, _: str) -> None:
        room = self._client.state.room
        if room is None or room.next is None:
            self._screen.tell("no_next")
            return
        await self._go_to(room.next)

    async def _go_to(self, next_room: str) -> None:
        """Enter the next room as what one was in this one, and tell what to type there."""
        room = self._client.state.room
        roles = room.roles if room is not None else set()
        # A host who only leads says no role, and comes to the desk.
        role: Role | None = "player" if "player" in roles else "spectator" if "host" not in roles else None
        name = self._name if role == "player" else None
        await self._client.enter(next_room, role, name, self._password)
        hint = first_hint(self._client.state)
        if hint is not None:
            key, values = hint
            self._screen.tell(key, **values)

    async def _forget(self, text: str) -> None:
        if text.casefold() != FORGET_WORD:
            self._screen.tell("forget_sure", word=FORGET_WORD)
            return
        await self._client.request(Forget())
        self.forgotten = True
        self._screen.tell("forgotten")
        self._quit.set()

    async def _leave(self, _: str) -> None:
        await self._client.leave()
        self._quit.set()

    # Out

    async def _show_messages(self) -> None:
        async for message in self._client:
            if isinstance(message, Lost | Resumed | NewIdentity):
                self._screen.notice(message)
                continue
            self._screen.message(message)
            room = self._client.state.room
            if room is None or room.state != "closed":
                continue
            if self._ends_with_race or not self._person:
                self._quit.set()
            elif isinstance(message, Event) and message.kind == "closed" and message.reason != "cancelled":
                may_rematch = not {"host", "player"}.isdisjoint(room.roles)
                key = "after_close" if may_rematch else "after_close_watching"
                self._screen.tell(key, room=room.id, url=self._client.url)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._screen.tick()


def tell_end(screen: Display, ended: Ended, url: str) -> None:
    """Say why the connection is over for good."""
    if ended.kind == "away":
        screen.tell("away", url=url, reason=ended.reason)
    else:
        screen.tell(f"ended_{ended.kind}", reason=ended.reason)
