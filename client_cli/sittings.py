"""What the commands do once they are connected: host, play, watch, list rooms."""

from client_cli import exits
from client_cli.names import enter_as_player
from client_cli.room_options import RoomOptions
from client_cli.safe_text import safe_text
from client_cli.session import Session
from client_cli.terminal import Terminal
from client_cli.texts import say
from protocol.messages import Rooms, RoomsAnswer, RoomSummary


async def host(terminal: Terminal, options: RoomOptions, playing: bool) -> int:
    """Create a room, tell how a friend joins, and play in it (or not)."""
    client, screen, settings = terminal.client, terminal.screen, terminal.settings
    # The moments are typed by a person's clock but kept by the race's: `welcome` has told it.
    room = await client.create(options.to_wire(client.state.clock.now_ms()))
    screen.tell("invite", room=room.room, url=settings.server.url)
    if settings.server.loopback:
        screen.tell("invite_loopback")
    if playing:
        await enter_as_player(
            client, room.room, terminal.name, chosen=settings.name is not None, password=options.password
        )
        terminal.keep_name()
    start = room.options.get("start", "host")
    if start == "host":
        screen.tell("host_start")
    elif start in ("ready", "own") and playing:
        screen.tell("get_ready")
    return await _sit(terminal, options.password)


async def play(terminal: Terminal, room: str) -> int:
    """Enter a room as a player, or resume, and play."""
    client, settings = terminal.client, terminal.settings
    told = await enter_as_player(
        client, room, terminal.name, chosen=settings.name is not None, password=settings.password
    )
    terminal.keep_name()
    if told.state == "lobby":
        terminal.screen.tell("get_ready")
    return await _sit(terminal, settings.password)


async def watch(terminal: Terminal, room: str) -> int:
    """Enter a room as a spectator and look on."""
    await terminal.client.enter(room, "spectator", None, terminal.settings.password)
    return await _sit(terminal, terminal.settings.password)


async def _sit(terminal: Terminal, password: str | None) -> int:
    """Sit in the room that was entered until the session ends."""
    session = Session(terminal.client, terminal.screen, terminal.typed_lines(), terminal.name, password)
    code = await session.run()
    if session.forgotten:
        terminal.forget_identity()
    return code


async def rooms(terminal: Terminal) -> int:
    """List the public rooms."""
    answer = await terminal.client.request(Rooms())
    if isinstance(answer, RoomsAnswer) and not terminal.settings.json:
        for summary in answer.rooms:
            terminal.output.line(_room_line(summary, terminal))
        if not answer.rooms:
            terminal.screen.tell("no_rooms")
    return exits.OK


def _room_line(summary: RoomSummary, terminal: Terminal) -> str:
    lang = terminal.settings.lang
    line = (
        f"{safe_text(summary.room)}  {summary.players}/{summary.max_players}  {summary.variant}  "
        f"{say(f'state_{summary.state}', lang)}  {safe_text(summary.name)}  ({safe_text(summary.host)})"
    )
    return f"{line}  {say('needs_password', lang)}" if summary.password else line
