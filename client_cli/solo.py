"""`crescent solo`: practice in a room of one, on a server of one's own or another."""

import asyncio
import contextlib
import dataclasses
import os
import shlex
from collections.abc import Callable
from pathlib import Path

from client_cli import exits
from client_cli.asking_again import patiently
from client_cli.failures import Denied, Ended, LineLost, OwnServerEnded
from client_cli.json_lines import JsonScreen
from client_cli.log_source import NoAnswerError, PageRefusedError, page_lines, room_page
from client_cli.names import enter_as_player
from client_cli.output import Output
from client_cli.own_server import POLL_S, OwnServer
from client_cli.report import NotALogError
from client_cli.room_options import RoomOptions
from client_cli.session import Session
from client_cli.terminal import Settings, Terminal, run
from client_cli.texts import say
from client_cli.typed_lines import Lines
from protocol.messages import Manage, Ready
from server.rooms.options import RANDOM_DEAL

CLOSE_S = 5.0


def practice_options(
    deal: str | None, variant: str | None = None, visibility: str | None = None, *, undo: bool = True
) -> RoomOptions:
    """Return the options of a room that starts at once, for one."""
    return RoomOptions(
        deal=deal,
        variant=variant,
        visibility=visibility,
        start="ready",
        min_players=1,
        max_players=1,
        countdown_s=0,
        undo=undo,
        spectators="none",
    )


def run_solo(settings: Settings, options: RoomOptions, *, own_server: bool) -> int:
    """Practise, and return the exit code."""
    settings = dataclasses.replace(settings, practice=True)
    if not own_server:
        return run(settings, lambda terminal: Practice(terminal, None).run(options))
    try:
        with OwnServer() as server:
            settings = dataclasses.replace(settings, server=server.address)
            # Its port is another each time: nobody comes back to it, and no identity is kept.
            return run(settings, lambda terminal: _beside(server, terminal, options), slot=None)
    except OwnServerEnded as error:
        output = Output()
        complain = JsonScreen(output.raw).error if settings.json else output.complain
        complain(say("solo_server", settings.lang, reason=str(error)))
        return exits.NO_CONNECTION


async def _beside(server: OwnServer, terminal: Terminal, options: RoomOptions) -> int:
    """Practise while the server runs; its end is the end."""

    async def watch() -> int:
        while True:
            server.check()
            await asyncio.sleep(POLL_S)

    practice = Practice(terminal, server.directory)
    practising = asyncio.create_task(practice.run(options))
    watching = asyncio.create_task(watch())
    try:
        done, _ = await asyncio.wait((practising, watching), return_when=asyncio.FIRST_COMPLETED)
        practice.is_served = watching not in done
        return (watching if watching in done else practising).result()
    finally:
        for task in (practising, watching):
            task.cancel()
        await asyncio.gather(practising, watching, return_exceptions=True)


class Practice:
    """Races of one, from the first deal to the last one's close. On the screen there may be several.

    `directory`: where a server that ends with the practice keeps its data; the logs are kept beside it. None
    where the server keeps them.
    """

    def __init__(self, terminal: Terminal, directory: Path | None) -> None:
        self._terminal = terminal
        self._client = terminal.client
        self._directory = directory
        self._rooms: list[str] = []
        self._logs: dict[str, str] = {}
        """Where the logs of closed rooms are, by room."""
        self.is_served = True
        """False once there is no server any more to end anything on."""

    async def run(self, options: RoomOptions) -> int:
        """Practise, and return the exit code."""
        terminal, client = self._terminal, self._client
        room = (await client.create(options.to_wire(client.state.clock.now_ms()))).room
        await enter_as_player(client, room, terminal.name, chosen=terminal.settings.name is not None)
        terminal.keep_name()
        terminal.screen.tell("solo_ready")
        self._rooms.append(room)
        await client.request(Ready(ready=True))
        lines = terminal.lines()
        # On the screen the end of a race has a result to look at, and another deal to go on to.
        ends_with_race = terminal.settings.look is None
        session = Session(client, terminal.screen, lines, terminal.name, ends_with_race=ends_with_race)
        jobs = (self._read_once_begun(lines), self._close_once_given_up(), self._begin_further_deals())
        beside = [asyncio.create_task(job) for job in jobs]
        try:
            code = await terminal.sit(session, lines)
            if session.forgotten:
                terminal.forget_identity()
            if code == exits.INTERRUPTED:
                await self._end_unheard()
            elif code == exits.OK:
                await self._end()
            return code
        except asyncio.CancelledError:  # Ctrl-C
            await self._end_unheard()
            raise
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)

    # Beside the session

    async def _read_once_begun(self, lines: Lines) -> None:
        """What is typed first is played, not refused because the game has not come yet."""
        await self._client.game()
        lines.start()

    async def _close_once_given_up(self) -> None:
        """Nobody waits for a forfeit to be taken back: there is nobody else."""
        while True:
            await _until(lambda: self._own_status == "forfeited" and not self._is_closed)
            await self._close()
            await asyncio.sleep(POLL_S)

    async def _begin_further_deals(self) -> None:
        """Begin each rematch at once, with cards drawn anew, and keep the log of the race before it."""
        while True:
            await _until(lambda: self._room_id not in ("", self._rooms[-1]))
            before = self._rooms[-1]
            self._rooms.append(self._room_id)
            try:
                if self._option("deal") != RANDOM_DEAL:
                    await self._client.request(Manage(action="set", options={"deal": RANDOM_DEAL}))
                await self._client.request(Ready(ready=True))
            except Denied as denied:
                self._terminal.screen.error(denied.text)
            except LineLost:
                self._terminal.screen.tell("line_lost")
            await self._keep_log(before)

    # What is so

    @property
    def _room_id(self) -> str:
        return self._client.room.id if self._client.room is not None else ""

    def _option(self, name: str) -> object:
        return self._client.room.options.get(name) if self._client.room is not None else None

    @property
    def _own_status(self) -> str:
        row = self._client.room.own_row if self._client.room is not None else None
        return row.status if row is not None else ""

    @property
    def _is_closed(self) -> bool:
        return self._client.room is None or self._client.room.state == "closed"

    # The end

    async def _end_unheard(self) -> None:
        """The practice was ended from outside: its log is not lost."""
        with contextlib.suppress(OSError):  # nobody may be there any more to be told
            await self._end()

    async def _end(self) -> None:
        """Close the race if it is not, and tell where the logs are."""
        if self.is_served and self._client.ended is None and self._client.room is not None:
            if not self._is_closed:
                await self._close()
                self._terminal.screen.board()
            for room in self._rooms:
                await self._keep_log(room)
        for room, log in self._logs.items():
            what = f"{room} --server {self._terminal.settings.server.url}"
            if self._directory is not None:
                what = shlex.quote(log)
            self._terminal.screen.tell("solo_log", log=log, what=what)

    async def _close(self) -> None:
        """Close the room, if it is not, so that there is a log."""
        with contextlib.suppress(Denied, LineLost, Ended, TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                if not self._is_closed:
                    await self._client.request(Manage(action="close"))
                    await _until(lambda: self._is_closed)

    async def _keep_log(self, room: str) -> None:
        """Note where a closed room's log is, after writing it to a file where its server ends with us."""
        if room in self._logs:
            return
        page = room_page(self._terminal.settings.server, room)
        if self._directory is None:
            self._logs[room] = page
            return
        path = self._directory.with_name("solo-logs") / f"{room}.jsonl"
        try:
            await patiently(lambda: _write_log(page, path))
        except (NoAnswerError, PageRefusedError, NotALogError, OSError) as error:
            self._terminal.screen.error(str(error))
        else:
            self._logs[room] = str(path)


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - what the server tells is folded into a state without events
        await asyncio.sleep(POLL_S)


def _write_log(page: str, path: Path) -> None:
    with page_lines(page) as lines:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.parent.chmod(0o700)  # it may have been there, more open, before
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.writelines(lines)
