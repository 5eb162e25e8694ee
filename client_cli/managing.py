"""What hosts and referees type to manage a room and the people in it."""

from collections.abc import Awaitable, Callable

from client_cli.client import RaceClient
from client_cli.display import Display
from client_cli.room_options import MomentError, SettingError, read_setting
from client_cli.typed_names import name_and_rest
from protocol.messages import Manage

Handler = Callable[[str], Awaitable[None]]


class Managing:
    """The commands that are the wire's `manage`."""

    def __init__(self, client: RaceClient, screen: Display) -> None:
        self._client = client
        self._screen = screen

    def handlers(self) -> dict[str, Handler]:
        """What each command does with what stands after it."""
        return {
            "kick": self._about("kick"),
            "ban": self._about("ban"),
            "disqualify": self._about("disqualify", reason=True),
            "reinstate": self._about("reinstate", reason=True),
            "host": self._about("host"),
            "referee": self._about("referee", on=True),
            "unreferee": self._about("referee", on=False),
            "mute": self._about("mute", on=True),
            "unmute": self._about("mute", on=False),
            "set": self._set,
            "close": self._close,
        }

    def player(self, text: str) -> tuple[str, str] | None:
        """Return the player whose name is typed, and what follows it; None, and it is said, for nobody."""
        room = self._client.state.room
        name, rest = name_and_rest(
            text, lambda name: room is not None and room.player_named(name) is not None
        )
        player = room.player_named(name) if room is not None else None
        if player is None:
            self._screen.tell("unknown_name", text=name)
            return None
        return player, rest

    def _about(self, action: str, *, on: bool | None = None, reason: bool = False) -> Handler:
        """A command about one player."""

        async def handle(text: str) -> None:
            found = self.player(text)
            if found is None:
                return
            player, rest = found
            if rest and not reason:
                self._screen.tell("unknown_name", text=text)
                return
            why = rest if rest else None
            await self._client.request(Manage(action=action, player=player, on=on, reason=why))  # type: ignore[arg-type]

        return handle

    async def _set(self, text: str) -> None:
        option, _, value = text.partition(" ")
        try:
            options = read_setting(option, value.strip(), self._client.state.clock.now_ms())
        except SettingError as error:
            self._screen.tell(error.key, **error.values)
        except MomentError as error:
            self._screen.tell("bad_moment", text=str(error))
        else:
            await self._client.request(Manage(action="set", options=options))

    async def _close(self, text: str) -> None:
        await self._client.request(Manage(action="close", text=text or None))
