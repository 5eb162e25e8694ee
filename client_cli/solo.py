"""`crescent solo`: practice in a room of one, on a server of one's own or another."""

import asyncio
import contextlib
import dataclasses
import os
import shlex
from collections.abc import Callable
from pathlib import Path

from client_cli import exits
from client_cli.client import RaceClient
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
from client_cli.typed_lines import TypedLines
from protocol.messages import Manage, Ready

CLOSE_S = 5.0


def run_solo(settings: Settings, options: RoomOptions, *, own_server: bool) -> int:
    """Practise once, and return the exit code."""
    if not own_server:
        return run(settings, lambda terminal: _practise(terminal, options))
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

    practising = asyncio.create_task(_practise(terminal, options, server.directory))
    watching = asyncio.create_task(watch())
    try:
        done, _ = await asyncio.wait((practising, watching), return_when=asyncio.FIRST_COMPLETED)
        return (watching if watching in done else practising).result()
    finally:
        for task in (practising, watching):
            task.cancel()
        await asyncio.gather(practising, watching, return_exceptions=True)


async def _practise(terminal: Terminal, options: RoomOptions, directory: Path | None = None) -> int:
    """A race of one, from the deal to its close. With a `directory`, its log is kept there."""
    client, screen = terminal.client, terminal.screen
    room = (await client.create(options.to_wire(client.state.clock.now_ms()))).room
    await enter_as_player(client, room, terminal.name, chosen=terminal.settings.name is not None)
    terminal.keep_name()
    screen.tell("solo_ready")
    await client.request(Ready(ready=True))
    lines = TypedLines()
    session = Session(client, screen, lines, terminal.name, ends_with_race=True)
    beside = [
        asyncio.create_task(job) for job in (_read_once_begun(client, lines), _close_once_given_up(terminal))
    ]
    try:
        code = await session.run()
        if code == exits.OK:
            await _end(terminal, room, directory)
        return code
    except asyncio.CancelledError:  # Ctrl-C: the practice is over, and its log is not lost
        with contextlib.suppress(OSError):  # nobody may be there any more to be told
            await _end(terminal, room, directory)
        raise
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)


async def _end(terminal: Terminal, room: str, directory: Path | None) -> None:
    """Close the race if it is not, and tell where its log is."""
    client = terminal.client
    if client.ended is not None or client.room is None:
        return
    if not _is_closed(terminal):
        await _close(terminal)
        terminal.screen.board()
    await _tell_log(terminal, room, directory)


async def _read_once_begun(client: RaceClient, lines: TypedLines) -> None:
    """What is typed first is played, not refused because the game has not come yet."""
    await client.game()
    lines.start()


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - what the server tells is folded into a state without events
        await asyncio.sleep(POLL_S)


async def _close_once_given_up(terminal: Terminal) -> None:
    """Nobody waits for a forfeit to be taken back: there is nobody else."""
    state = terminal.client.state
    await _until(lambda: state.room is not None and _own_status(terminal) == "forfeited")
    await _close(terminal)


def _own_status(terminal: Terminal) -> str:
    room = terminal.client.state.room
    row = room.own_row if room is not None else None
    return row.status if row is not None else ""


def _is_closed(terminal: Terminal) -> bool:
    room = terminal.client.state.room
    return room is None or room.state == "closed"


async def _close(terminal: Terminal) -> None:
    """Close the room, if it is not, so that there is a log."""
    with contextlib.suppress(Denied, LineLost, Ended, TimeoutError):
        async with asyncio.timeout(CLOSE_S):
            if not _is_closed(terminal):
                await terminal.client.request(Manage(action="close"))
                await _until(lambda: _is_closed(terminal))


async def _tell_log(terminal: Terminal, room: str, directory: Path | None) -> None:
    """Tell where the log is; one of a server that ends now is kept in a file."""
    page = room_page(terminal.settings.server, room)
    if directory is None:
        terminal.screen.tell("solo_log", log=page, what=f"{room} --server {terminal.settings.server.url}")
        return
    path = directory.with_name("solo-logs") / f"{room}.jsonl"
    try:
        await asyncio.to_thread(_keep_log, page, path)
    except (NoAnswerError, PageRefusedError, NotALogError, OSError) as error:
        terminal.screen.error(str(error))
        return
    terminal.screen.tell("solo_log", log=str(path), what=shlex.quote(str(path)))


def _keep_log(page: str, path: Path) -> None:
    with page_lines(page) as lines:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.parent.chmod(0o700)  # it may have been there, more open, before
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.writelines(lines)
