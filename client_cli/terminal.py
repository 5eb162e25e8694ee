"""A terminal's sitting from start to exit code: identity, client, screen, and every way it can fail."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from client_cli import exits
from client_cli.address import Address, AddressError
from client_cli.client import RaceClient
from client_cli.display import Display
from client_cli.failures import Denied, Ended, LineLost, NoConnection, OwnServerEnded
from client_cli.identity import BOT_SLOT, DEFAULT_SLOT, Identity, IdentityError, open_identity
from client_cli.json_lines import JsonScreen
from client_cli.lines import LineScreen
from client_cli.names import default_name
from client_cli.output import Output, silence
from client_cli.plain_lines import PlainScreen
from client_cli.refusal_hints import as_typed
from client_cli.room_options import MomentError, SettingError
from client_cli.screen.display import ScreenDisplay
from client_cli.screen.look import Look
from client_cli.screen.typed import ScreenLines
from client_cli.session import Session
from client_cli.texts import say
from client_cli.typed_lines import Lines, TypedLines
from client_cli.unfinished import Unfinished
from protocol.messages import Lang, Message, Room


@dataclass(frozen=True, slots=True)
class Settings:
    """What every command is told."""

    server: Address
    lang: Lang
    json: bool = False
    name: str | None = None
    identity: str | None = None
    password: str | None = None
    room: str | None = None
    """The room the command names, by which a terminal finds its identity again."""
    plain: bool = False
    """Sentences for a screen reader."""
    look: Look | None = None
    """How the screen looks; None for none, where lines are shown."""
    practice: bool = False
    """One plays alone, in rooms that end with the program."""


class Terminal:
    """A client of the settings' server with a screen; connected while it is entered."""

    def __init__(self, settings: Settings, output: Output, slot: str | None = DEFAULT_SLOT) -> None:
        self.settings = settings
        self.output = output
        self.identity: Identity | None = None
        if slot is not None:
            self.identity = open_identity(
                settings.server.url, settings.identity, slot=slot, player=settings.name, room=settings.room
            )
        kept = self.identity.unfinished if self.identity is not None else ()
        self.unfinished = Unfinished(
            kept, lambda rooms: self._keep(lambda identity: identity.save(unfinished=rooms))
        )
        self.client = RaceClient(
            settings.server.url,
            token=self.identity.token if self.identity is not None else None,
            lang=settings.lang,
            on_token=self._keep_token,
            on_message=self._received,
        )
        state = self.client.state
        self.screen: Display = JsonScreen(output.raw, state)
        if not settings.json:
            lines = PlainScreen if settings.plain else LineScreen
            self.screen = lines(output, settings.lang, state, tables=slot != BOT_SLOT)
        if settings.look is not None:
            self.screen = ScreenDisplay(output, settings.lang)

    async def __aenter__(self) -> "Terminal":
        if self.identity is not None and self.identity.slot.startswith(f"{DEFAULT_SLOT}-"):
            self.screen.tell("slot", slot=self.identity.slot)
        await self.client.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()
        self.free()

    def free(self) -> None:
        """Let go of the identity."""
        if self.identity is not None:
            self.identity.close()

    @property
    def name(self) -> str:
        """The name to enter with: typed, or that of the last time, or the system's."""
        last = self.identity.name if self.identity is not None else None
        return self.settings.name or last or default_name()

    def was_in(self, room: str) -> bool:
        """Whether this identity was in that room the last time."""
        last = self.identity.room if self.identity is not None else None
        return last is not None and last.casefold() == room.casefold()

    def keep_name(self) -> None:
        """Remember the name that the room knows us by."""
        state = self.client.state
        name = state.room.name_of(state.me) if state.room is not None else ""
        if name:
            self._keep(lambda identity: identity.save(name=name))

    def forget_identity(self) -> None:
        """The server has deleted this identity: so is its file."""
        if self.identity is not None:
            self.identity.forget()

    def lines(self) -> Lines:
        """Return what is typed here; its `start` begins to read."""
        return ScreenLines() if self.settings.look is not None else TypedLines()

    def typed_lines(self) -> Lines:
        """Begin to read what is typed."""
        lines = self.lines()
        lines.start()
        return lines

    async def sit(self, session: Session, lines: Lines) -> int:
        """Run a session that reads these lines to its end, on the screen if there is one; its exit code."""
        room = self.client.room
        if room is not None:
            self.unfinished.look(room)
        try:
            return await self._run(session, lines)
        finally:
            if room is not None and not session.forgotten:
                self.unfinished.left(room, self.client.room)

    async def _run(self, session: Session, lines: Lines) -> int:
        look = self.settings.look
        if look is None or not isinstance(self.screen, ScreenDisplay) or not isinstance(lines, ScreenLines):
            return await session.run()
        from client_cli.screen.app import run_on_screen  # it takes a moment, which lines need not wait

        practice = self.settings.practice
        return await run_on_screen(
            self.client, self.screen, lines, look, self.name, session, practice=practice
        )

    def _received(self, message: Message) -> None:
        if isinstance(message, Room) and message.you:
            self._keep(lambda identity: identity.save(room=message.room))
        self.screen.received(message)

    def _keep_token(self, token: str) -> None:
        self._keep(lambda identity: identity.save(token=token))

    def _keep(self, save: Callable[[Identity], None]) -> None:
        if self.identity is None:
            return
        try:
            save(self.identity)
        except IdentityError as error:  # the race goes on; only coming back after a restart is lost
            self.screen.tell(f"identity_{error.reason}", detail=error.detail)


def run(
    settings: Settings, sitting: Callable[[Terminal], Awaitable[int]], slot: str | None = DEFAULT_SLOT
) -> int:
    """Run a sitting on a connected terminal and return the exit code; nothing ends in a traceback.

    `slot` names the identities to choose from, None for none at all.
    """
    output = Output()
    complain = JsonScreen(output.raw).error if settings.json else output.complain
    if settings.look is not None:  # which takes a moment to be there
        output.line(say("connecting", settings.lang, url=settings.server.url))

    async def whole() -> int:
        terminal = Terminal(settings, output, slot)
        try:
            async with terminal:
                return await sitting(terminal)
        finally:
            terminal.free()

    try:
        return asyncio.run(whole())
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except BrokenPipeError:
        silence()
        return exits.OK
    except Denied as error:
        text = as_typed(error.text) if error.code == "bad_options" else error.text
        complain(say("ended_denied", settings.lang, reason=text))
        return exits.exit_of_denied(error)
    except (
        NoConnection, OwnServerEnded, Ended, LineLost, IdentityError, AddressError, MomentError,
        SettingError,
    ) as error:  # fmt: skip
        sentence, code = _explained(error, settings)
        complain(sentence)
        return code


def _explained(error: Exception, settings: Settings) -> tuple[str, int]:
    """Return the sentence for what went wrong, with what to do about it, and the exit code."""
    lang, url = settings.lang, settings.server.url
    match error:
        case NoConnection():
            return say("no_connection", lang, url=url, reason=str(error)), exits.NO_CONNECTION
        case OwnServerEnded():
            return say("solo_server", lang, reason=str(error)), exits.NO_CONNECTION
        case Ended(kind="away"):
            return say("away", lang, url=url, reason=error.reason), exits.NO_CONNECTION
        case Ended():
            return say(f"ended_{error.kind}", lang, reason=error.reason), exits.exit_of_ended(error)
        case LineLost():
            return say("line_lost", lang), exits.NO_CONNECTION
        case IdentityError():
            return say(f"identity_{error.reason}", lang, detail=error.detail), exits.USAGE
        case SettingError():
            return say(error.key, lang, **error.values), exits.USAGE
        case MomentError():
            return say("bad_moment", lang, text=str(error)), exits.USAGE
        case _:
            return say("bad_address", lang, text=str(error)), exits.USAGE
