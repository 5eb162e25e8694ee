"""The app that begins in the lobby, goes into rooms, and comes back to the lobby."""

import asyncio
from collections.abc import Callable
from typing import Any

from client_cli import exits
from client_cli.address import AddressError, NoRoomError, parse_address, split_room
from client_cli.client import RaceClient
from client_cli.failures import Denied, Ended, LineLost
from client_cli.names import enter_as_player
from client_cli.notices import Lost, NewIdentity, Resumed
from client_cli.screen.app import RaceApp
from client_cli.screen.asking import AskScreen
from client_cli.screen.display import ScreenDisplay
from client_cli.screen.lobby import LobbyScreen
from client_cli.screen.look import Look
from client_cli.screen.race import RaceScreen
from client_cli.screen.room_form import RoomForm
from client_cli.screen.typed import ScreenLines
from client_cli.screen.words import word
from client_cli.session import Session, tell_end
from client_cli.texts import say
from protocol.messages import Role, Rooms, RoomsAnswer

ROOMS_S = 2.0
"""How often the list of rooms is asked for."""

_HERE = {
    ("player", "wrong_state"): "lobby_begun",
    ("player", "not_allowed"): "lobby_not_again",
    ("spectator", "wrong_state"): "lobby_you_play",
}
"""What one can do here instead, by role and error; `refusal_hints` has the same for commands."""


class LobbyApp(RaceApp):
    """Runs until one leaves the lobby or the connection is over.

    `keep_name` is told under which name a room knows this player, `forget` that the server has deleted them.
    """

    def __init__(
        self,
        client: RaceClient,
        display: ScreenDisplay,
        lines: ScreenLines,
        look: Look,
        name: str,
        last_room: str | None = None,
        keep_name: Callable[[], None] = lambda: None,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(client, display, lines, look, name)
        self._keep_name, self._forget = keep_name, forget
        self._last_room = last_room
        self._hearing: asyncio.Task[None] | None = None
        self._busy = False
        self._in_room = False
        self.lobby = LobbyScreen(self.seat, self)

    async def _arrive(self) -> None:
        await self.push_screen(self.lobby)
        self._hear()
        self._begin(self._ask_rooms)

    # A door

    @property
    def player_name(self) -> str:
        """The name to enter with."""
        return self._player_name

    @player_name.setter
    def player_name(self, name: str) -> None:
        self._player_name = name

    @property
    def last_room(self) -> str | None:
        """The room one was in the last time."""
        return self._last_room

    def enter(self, typed: str, role: Role | None) -> None:
        """Go into a room, by its code or a link to it."""
        room = self._room_of(typed)
        if room is not None:
            self._once(lambda: self._enter(room, role, None))

    def open_form(self) -> None:
        """Show the form for a new room, and go into it once it is there."""
        opened: list[str | None] = []

        async def submit(options: dict[str, Any], playing: bool) -> None:
            client, password = self.seat.client, options.get("password")
            room = (await client.create(options)).room
            if playing:
                try:
                    await enter_as_player(client, room, self.player_name, chosen=False, password=password)
                except Denied:
                    await client.leave()  # nobody stays the host of a room they could not enter
                    raise
            opened.append(password)

        def closed(_: None) -> None:
            if opened:
                self._once(lambda: self._sit_in(opened[0]))

        self.push_screen(RoomForm(self.seat, submit), closed)

    def go(self) -> None:
        """Leave the lobby, and the program."""
        self.exit(exits.OK)

    def _room_of(self, typed: str) -> str | None:
        """Return the room that is meant; None, and it is said, where none of this server's is."""
        lang, here = self.seat.lang, parse_address(self.seat.client.url)
        try:
            address, room = split_room(typed, here)
        except NoRoomError:
            self.lobby.say(say("link_without_room", lang))
        except AddressError:
            self.lobby.say(say("bad_address", lang, text=typed))
        else:
            if address.url == here.url:
                return room
            self.lobby.say(word("other_server", lang, link=typed))
        return None

    def _once(self, job: Callable[[], Any]) -> None:
        """Begin a job, unless one of the lobby's is under way: a double click enters one room, once."""

        async def alone() -> None:
            try:
                await job()
            finally:
                self._busy = False

        if not self._busy:
            self._busy = True
            self._begin(alone)

    async def _enter(self, room: str, role: Role | None, password: str | None) -> None:
        client = self.seat.client
        try:
            if role == "player":
                await enter_as_player(client, room, self.player_name, chosen=False, password=password)
            else:
                await client.enter(room, role, None, password)
        except Denied as denied:
            if denied.code == "wrong_password":
                await self._ask_password(room, role, denied.text if password is not None else "")
            else:
                self._refused(denied, room, role)
        except LineLost:
            self.lobby.say(say("line_lost", self.seat.lang))
        except Ended:
            return
        else:
            await self._sit_in(password)

    def _refused(self, denied: Denied, room: str, role: Role | None) -> None:
        key = _HERE.get((str(role), denied.code))
        self.lobby.say(denied.text if key is None else word(key, self.seat.lang))
        if role is None and room == self._last_room:
            self._last_room = None  # there is nothing to go on with

    async def _ask_password(self, room: str, role: Role | None, wrong: str) -> None:
        self.lobby.say(wrong)
        question = word("ask_password", self.seat.lang, room=room)
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def typed(text: str | None) -> None:
            if not answer.done():
                answer.set_result(text)

        await self.push_screen(AskScreen(question, self.seat.lang, secret=True), typed)
        password = await answer
        self.lobby.say("")
        if password:
            await self._enter(room, role, password)
        else:
            self.lobby.say(word("lobby_no_password", self.seat.lang))

    # In a room

    async def _sit_in(self, password: str | None) -> None:
        """Be in the room that was entered, until its session ends."""
        client, room = self.seat.client, self.seat.state.room
        assert room is not None
        self._keep_name()
        self.seat.password = password
        if self._hearing is not None:
            self._hearing.cancel()
        self._in_room = True
        self.race = RaceScreen(self.seat, self._open_new_room)
        await self.push_screen(self.race)
        self.seat.playing.told()
        session = Session(client, self._told_by, self.seat.lines, self.player_name, password)
        code = await session.run()
        if session.forgotten:
            self._forget()
        if code != exits.OK or client.ended is not None:
            self.exit(code)
            return
        await self._come_back()

    async def _come_back(self) -> None:
        """Leave the room (a game in it stays) for the lobby."""
        room = self.seat.state.room
        self._last_room = room.id if room is not None and room.state != "closed" else None
        self._in_room = False
        while self.screen is not self.lobby:
            await self.pop_screen()
        try:
            if room is not None:
                await self.seat.client.leave()
        except (Denied, LineLost) as error:
            self.lobby.say(error.text if isinstance(error, Denied) else say("line_lost", self.seat.lang))
        except Ended as ended:
            self.exit(exits.exit_of_ended(ended))
            return
        self.seat.playing.told()
        self._hear()

    # In the lobby

    async def _ask_rooms(self) -> None:
        """Ask for the public rooms as long as somebody looks at them."""
        while True:
            if not self._in_room and self.screen is self.lobby:
                try:
                    answer = await self.seat.client.request(Rooms())
                except Ended:
                    return
                except (Denied, LineLost):
                    pass  # a moment later it is asked again
                else:
                    if isinstance(answer, RoomsAnswer):
                        self.lobby.list_rooms(answer.rooms)
            await asyncio.sleep(ROOMS_S)

    def _hear(self) -> None:
        """Read what comes while no session does."""

        async def read() -> None:
            client = self.seat.client
            async for message in client:
                if isinstance(message, Lost | Resumed | NewIdentity):
                    self.line_changed(message)
            if client.ended is not None:
                tell_end(self._told_by, client.ended, client.url)
                self.exit(exits.exit_of_ended(client.ended))

        self._hearing = self._begin(read)

    def show_line(self) -> None:
        """Show what the line is like, where one is."""
        if self._in_room:
            super().show_line()
        else:
            self.lobby.show()

    def told(self, text: str, *, wrong: bool = False) -> None:
        """A sentence for people."""
        if self._in_room:
            super().told(text, wrong=wrong)
        else:
            self.lobby.say(text.split("\n")[0])
