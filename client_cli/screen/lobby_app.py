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
from client_cli.unfinished import Unfinished
from protocol.messages import Role, Rooms, RoomsAnswer
from server.rooms.whys import Why

ROOMS_S = 2.0
"""How often the list of rooms is asked for."""
_PASSES = ("too_many", "store_unavailable")
"""Why one is not let in for a moment only."""

_HERE: dict[str, str] = {
    Why.HAS_WATCHED: "lobby_has_watched",
    Why.WAS_PUT_OUT: "lobby_put_out",
}
"""What one can do here instead, by the word `why`; `refusal_hints` has the same for commands."""

_BEGUN: dict[Role, str] = {"player": "lobby_begun", "spectator": "lobby_you_play"}
"""The same for `wrong_state` where no word says more, by what one wants to be."""


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
        unfinished: Unfinished | None = None,
        keep_name: Callable[[], None] = lambda: None,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(client, display, lines, look, name)
        self._keep_name, self._forget = keep_name, forget
        self._unfinished = unfinished or Unfinished()
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
    def unfinished(self) -> tuple[str, ...]:
        """The rooms in which a game of one's own waits, the latest first."""
        return self._unfinished.rooms

    def enter(self, room: str, role: Role | None) -> None:
        """Go into a room of the list, or on in it; why not is said in the lobby."""

        async def enter() -> None:
            wrong = await self._come_in(room, role)
            if wrong:
                self.lobby.say(wrong)
            elif self.seat.client.ended is None:
                await self._sit_in()

        self._once(enter)

    async def try_room(self, typed: str, role: Role | None) -> str:
        """Go into a room by its code or a link to it; "" if one is in, else why not. `sit` then shows it."""
        room, wrong = self._room_of(typed)
        return wrong or await self._come_in(room, role)

    def sit(self) -> None:
        """Show the room one has come into."""
        if self.seat.client.ended is None:
            self._once(self._sit_in)

    def open_form(self) -> None:
        """Show the form for a new room, and go into it once it is there."""
        opened: list[str] = []

        async def submit(options: dict[str, Any], playing: bool) -> None:
            client, password = self.seat.client, options.get("password")
            room = (await client.create(options)).room
            if playing:
                try:
                    await enter_as_player(client, room, self.player_name, chosen=False, password=password)
                except Denied:
                    await client.leave()  # nobody stays the host of a room they could not enter
                    raise
            self.seat.password = password
            opened.append(room)

        def closed(_: None) -> None:
            if opened:
                self.sit()
            elif self.seat.drafts.get(""):
                self.lobby.say(word("lobby_draft", self.seat.lang))

        self.push_screen(RoomForm(self.seat, submit), closed)

    def go(self) -> None:
        """Leave the lobby, and the program."""
        self.exit(exits.OK)

    def _room_of(self, typed: str) -> tuple[str, str]:
        """Return the room that is meant, and why it is none of this server's; "" if it is."""
        lang, here = self.seat.lang, parse_address(self.seat.client.url)
        try:
            address, room = split_room(typed, here)
        except NoRoomError:
            return "", say("link_without_room", lang)
        except AddressError:
            return "", say("bad_address", lang, text=typed)
        return room, "" if address.url == here.url else word("other_server", lang, link=typed)

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

    async def _come_in(self, room: str, role: Role | None, password: str | None = None) -> str:
        """Enter a room; "" if one is in it (or the connection is over), else why not."""
        lang = self.seat.lang
        try:
            await self._enter(room, role, password)
        except Denied as denied:
            if denied.code == "wrong_password":
                return denied.text if password is not None else await self._ask_password(room, role)
            key = _HERE.get(denied.why or "")
            if denied.code == "wrong_state" and denied.why is None:
                key = _BEGUN[role or "player"]
            if role is None and denied.code not in _PASSES:
                self._unfinished.drop(room)
            return denied.text if key is None else word(key, lang)
        except LineLost:
            return say("line_lost", lang)
        except Ended:
            return ""  # which the app tells
        self.seat.password = password
        return ""

    async def _enter(self, room: str, role: Role | None, password: str | None) -> None:
        """Enter as what is said, or, to go on, as what one is there; a seat one has left is taken again."""
        client = self.seat.client
        if role != "player":
            try:
                await client.enter(room, role, None, password)
            except Denied as denied:
                if role is not None or denied.code != "not_allowed":
                    raise
            else:
                return
        await enter_as_player(client, room, self.player_name, chosen=False, password=password)

    async def _ask_password(self, room: str, role: Role | None) -> str:
        """Ask for the password till one is in; "" then, else what to do."""
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def typed(text: str | None) -> None:
            if not answer.done():
                answer.set_result(text)

        async def check(password: str) -> str:
            return await self._come_in(room, role, password)

        question = word("ask_password", self.seat.lang, room=room)
        await self.push_screen(AskScreen(question, self.seat.lang, secret=True, check=check), typed)
        given = await answer
        return "" if given is not None else word("lobby_no_password", self.seat.lang)

    # In a room

    async def _sit_in(self) -> None:
        """Be in the room that was entered, until its session ends."""
        client, room = self.seat.client, self.seat.state.room
        assert room is not None
        self._keep_name()
        self._unfinished.look(room)
        if self._hearing is not None:
            self._hearing.cancel()
        self._in_room = True
        self.race = RaceScreen(self.seat, self._open_new_room)
        await self.push_screen(self.race)
        self.seat.playing.told()
        session = Session(client, self._told_by, self.seat.lines, self.player_name, self.seat.password)
        code = await session.run()
        self._unfinished.left(room, self.seat.state.room)
        if session.forgotten:
            self._forget()
        if code != exits.OK or client.ended is not None:
            self.exit(code)
            return
        await self._come_back()

    async def _come_back(self) -> None:
        """Leave the room (a game in it stays) for the lobby."""
        room = self.seat.state.room
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
