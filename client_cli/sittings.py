"""What the commands do once they are connected: host, play, watch, list rooms."""

from client_cli import exits
from client_cli.failures import Denied
from client_cli.names import enter_as_player
from client_cli.refusal_hints import at_the_door
from client_cli.room_options import RoomOptions, SettingError
from client_cli.room_terms import first_hint
from client_cli.safe_text import safe_text
from client_cli.screen.display import ScreenDisplay
from client_cli.screen.typed import ScreenLines
from client_cli.session import Session
from client_cli.terminal import Terminal
from client_cli.texts import say
from protocol.messages import Rooms, RoomsAnswer, RoomSummary
from server.rooms.names import clean_name


async def host(terminal: Terminal, options: RoomOptions, playing: bool) -> int:
    """Create a room, tell how a friend joins, and play in it (or not)."""
    client, screen, settings = terminal.client, terminal.screen, terminal.settings
    if playing:
        _check_name(terminal)  # before there is a room that nobody enters
    # The moments are typed by a person's clock but kept by the race's: `welcome` has told it.
    room = (await client.create(options.to_wire(client.state.clock.now_ms()))).room
    if playing:
        await enter_as_player(
            client, room, terminal.name, chosen=settings.name is not None, password=options.password
        )
        _tell_name(terminal, known=False)
    more = " --password …" if options.password else ""
    screen.tell("invite", room=room, url=settings.server.url, more=more)
    if settings.server.loopback:
        screen.tell("invite_loopback")
    _tell_hint(terminal)
    return await _sit(terminal, options.password)


async def play(terminal: Terminal, room: str) -> int:
    """Enter a room as a player, or resume, and play."""
    client, settings = terminal.client, terminal.settings
    _check_name(terminal)
    known = terminal.was_in(room)
    await enter_as_player(
        client, room, terminal.name, chosen=settings.name is not None, password=settings.password
    )
    _tell_name(terminal, known=known)
    _tell_hint(terminal)
    return await _sit(terminal, settings.password)


async def watch(terminal: Terminal, room: str) -> int:
    """Enter a room as a spectator and look on."""
    client, password = terminal.client, terminal.settings.password
    try:
        await client.enter(room, "spectator", None, password)
    except Denied as denied:
        denied.text = at_the_door(denied, "spectator", room, client.url, password, client.lang)
        raise
    _tell_hint(terminal)
    return await _sit(terminal, password)


def _check_name(terminal: Terminal) -> None:
    """Raise SettingError for what can be no player's name."""
    if clean_name(terminal.name) is None:
        raise SettingError("bad_name", terminal.name)


def _tell_name(terminal: Terminal, *, known: bool) -> None:
    """Say under which name one plays, where that is not the one that was typed, or none was."""
    terminal.keep_name()
    state, typed = terminal.client.state, terminal.settings.name
    name = state.room.name_of(state.me) if state.room is not None else ""
    if typed is not None and name and name != clean_name(typed):
        terminal.screen.tell("not_renamed", name=name)
    elif typed is None and name:
        terminal.screen.tell("you_are_known" if known else "you_are", name=name)


def _tell_hint(terminal: Terminal) -> None:
    hint = first_hint(terminal.client.state)
    if hint is not None:
        key, values = hint
        terminal.screen.tell(key, **values)


async def _sit(terminal: Terminal, password: str | None) -> int:
    """Sit in the room that was entered until the session ends."""
    lines = terminal.typed_lines()
    session = Session(terminal.client, terminal.screen, lines, terminal.name, password)
    code = await terminal.sit(session, lines)
    if session.forgotten:
        terminal.forget_identity()
    return code


async def lobby(terminal: Terminal) -> int:
    """Look at the public rooms on the screen, and play in them."""
    from client_cli.screen.app import run_app  # they take a moment, which lines need not wait
    from client_cli.screen.lobby_app import LobbyApp

    display, look = terminal.screen, terminal.settings.look
    lines = terminal.typed_lines()
    assert look is not None
    assert isinstance(display, ScreenDisplay)
    assert isinstance(lines, ScreenLines)
    app = LobbyApp(
        terminal.client,
        display,
        lines,
        look,
        terminal.name,
        terminal.unfinished,
        terminal.keep_name,
        terminal.forget_identity,
    )
    return await run_app(app, display)


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
        f"{say(f'state_{summary.state}', lang)}  {safe_text(summary.name)}"
    )
    if summary.host:  # one who has forgotten their identity, or never had a name, has none
        line += f"  ({safe_text(summary.host)})"
    return f"{line}  {say('needs_password', lang)}" if summary.password else line
