"""`crescent`: the terminal client's commands."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from client_cli import bot as bots
from client_cli import cli_options as cli
from client_cli import exits, sittings
from client_cli.address import DEFAULT_SERVER
from client_cli.arguments import readable_arguments, with_command
from client_cli.completing import known_rooms
from client_cli.help_texts import help_text, with_default
from client_cli.identity import BOT_SLOT
from client_cli.output import Output, silence
from client_cli.replaying import ReplayStart, run_replay
from client_cli.room_options import RoomOptions
from client_cli.solo import practice_options, run_solo
from client_cli.table import face
from client_cli.terminal import run
from client_cli.texts import say
from client_cli.usage import UsageCommand, UsageGroup
from client_cli.verifying import run_verify
from server.engine.codes import CodeError, parse_code
from server.engine.deal import deal as deal_piles
from server.rooms.options import MINUTE_MS, SECOND_MS, Options

PROGRAM = "crescent"
"""What a shell completes, however it was started."""

_DEFAULTS = Options()

app = typer.Typer(
    cls=UsageGroup,
    help=help_text("crescent"),
    epilog=help_text("crescent_alone"),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _option(flag: str, key: str, default: object = None) -> typer.models.OptionInfo:
    text = help_text(key) if default is None else with_default(key, default)
    option: typer.models.OptionInfo = typer.Option(flag, help=text)
    return option


def _version(asked: bool) -> None:
    if asked:
        Output().line(f"crescent {version('crescent-race')}")
        raise typer.Exit


@app.callback()
def crescent(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help=help_text("version"))
    ] = False,
) -> None:
    """What stands before a command."""


@app.command(help=help_text("host"), cls=UsageCommand)
def host(
    server: cli.Server = DEFAULT_SERVER,
    name: cli.Name = None,
    lang: cli.LangOption = None,
    json: cli.Json = False,
    plain: cli.Plain = False,
    lines: cli.Lines = False,
    ascii_only: cli.Ascii = False,
    theme: cli.ThemeOption = None,
    explains: cli.Explains = True,
    identity: cli.IdentityOption = None,
    password: cli.Password = None,
    room_name: Annotated[str | None, _option("--room-name", "room_name")] = None,
    deal: Annotated[str | None, _option("--deal", "game", _DEFAULTS.deal)] = None,
    variant: Annotated[cli.VariantName | None, _option("--variant", "variant", _DEFAULTS.variant)] = None,
    visibility: Annotated[
        cli.VisibilityName | None, _option("--visibility", "visibility", _DEFAULTS.visibility)
    ] = None,
    start: Annotated[cli.StartName | None, _option("--start", "start", _DEFAULTS.start)] = None,
    start_at: Annotated[str | None, _option("--start-at", "start_at")] = None,
    close_at: Annotated[str | None, _option("--close-at", "close_at")] = None,
    min_players: Annotated[int | None, _option("--min-players", "min_players", _DEFAULTS.min_players)] = None,
    max_players: Annotated[int | None, _option("--max-players", "max_players", _DEFAULTS.max_players)] = None,
    countdown: Annotated[
        float | None, _option("--countdown", "countdown", _DEFAULTS.countdown_ms // SECOND_MS)
    ] = None,
    limit: Annotated[float | None, _option("--limit", "limit", _DEFAULTS.limit_ms // MINUTE_MS)] = None,
    after_win: Annotated[
        float | None, _option("--after-win", "after_win", _DEFAULTS.after_win_ms // MINUTE_MS)
    ] = None,
    rank_by: Annotated[cli.RankName | None, _option("--rank-by", "rank_by", _DEFAULTS.rank_by)] = None,
    undo: Annotated[bool | None, _option("--undo/--no-undo", "undo", _DEFAULTS.undo)] = None,
    listed: Annotated[bool | None, _option("--listed/--unlisted", "listed", _DEFAULTS.listed)] = None,
    late: Annotated[bool | None, _option("--late/--no-late", "late", _DEFAULTS.late)] = None,
    sealed: Annotated[bool | None, _option("--sealed/--not-sealed", "sealed", _DEFAULTS.sealed)] = None,
    spectators: Annotated[
        cli.SpectatorsName | None, _option("--spectators", "spectators", _DEFAULTS.spectators)
    ] = None,
    delay: Annotated[float | None, _option("--delay", "delay", _DEFAULTS.delay_ms // SECOND_MS)] = None,
    chat: Annotated[bool | None, _option("--chat/--no-chat", "chat", _DEFAULTS.chat)] = None,
    playing: Annotated[bool, _option("--play/--no-play", "playing")] = True,
    referee: Annotated[bool, _option("--referee", "referee")] = False,
) -> None:
    """Open a room, and play in it."""
    given = cli.settings(server, lang, json, name, identity, password, plain=plain)
    given = cli.with_screen(given, lines, ascii_only, theme, explains)
    options = RoomOptions(
        room_name=room_name,
        deal=cli.deal_option(deal, given),
        variant=variant,
        visibility=visibility,
        start=cli.start_option(start, start_at, given),
        start_at=start_at,
        close_at=close_at,
        min_players=min_players,
        max_players=max_players,
        countdown_s=countdown,
        limit_min=limit,
        after_win_min=after_win,
        rank_by=rank_by,
        undo=undo,
        listed=listed,
        late=late,
        sealed=sealed,
        spectators=spectators,
        delay_s=delay,
        chat=chat,
        password=password,
    )
    plays = playing and not referee
    raise typer.Exit(run(given, lambda terminal: sittings.host(terminal, options, plays)))


@app.command(help=help_text("play"), cls=UsageCommand)
def play(
    room: cli.RoomArgument,
    server: cli.Server = DEFAULT_SERVER,
    name: cli.Name = None,
    lang: cli.LangOption = None,
    json: cli.Json = False,
    plain: cli.Plain = False,
    lines: cli.Lines = False,
    ascii_only: cli.Ascii = False,
    theme: cli.ThemeOption = None,
    explains: cli.Explains = True,
    identity: cli.IdentityOption = None,
    password: cli.Password = None,
) -> None:
    """Enter a room and play, or go on where one was."""
    given, room_id = cli.with_room(
        cli.settings(server, lang, json, name, identity, password, plain=plain), room
    )
    given = cli.with_screen(given, lines, ascii_only, theme, explains)
    raise typer.Exit(run(given, lambda terminal: sittings.play(terminal, room_id)))


@app.command(help=help_text("watch"), cls=UsageCommand)
def watch(
    room: cli.RoomArgument,
    server: cli.Server = DEFAULT_SERVER,
    lang: cli.LangOption = None,
    json: cli.Json = False,
    plain: cli.Plain = False,
    lines: cli.Lines = False,
    ascii_only: cli.Ascii = False,
    theme: cli.ThemeOption = None,
    explains: cli.Explains = True,
    identity: cli.IdentityOption = None,
    password: cli.Password = None,
) -> None:
    """Look on in a room."""
    given, room_id = cli.with_room(
        cli.settings(server, lang, json, None, identity, password, plain=plain), room
    )
    given = cli.with_screen(given, lines, ascii_only, theme, explains)
    raise typer.Exit(run(given, lambda terminal: sittings.watch(terminal, room_id)))


@app.command(help=help_text("lobby"), cls=UsageCommand)
def lobby(
    server: cli.Server = DEFAULT_SERVER,
    name: cli.Name = None,
    lang: cli.LangOption = None,
    ascii_only: cli.Ascii = False,
    theme: cli.ThemeOption = None,
    explains: cli.Explains = True,
    identity: cli.IdentityOption = None,
) -> None:
    """Look at the public rooms on the screen, and play in them."""
    given = cli.settings(server, lang, json=False, name=name, identity=identity)
    given = cli.with_screen(given, lines=False, ascii_only=ascii_only, theme=theme, explains=explains)
    if given.look is None:
        cli.complain(say("lobby_needs_terminal", given.lang))
    raise typer.Exit(run(given, sittings.lobby))


@app.command(help=help_text("rooms"), cls=UsageCommand)
def rooms(server: cli.Server = DEFAULT_SERVER, lang: cli.LangOption = None, json: cli.Json = False) -> None:
    """List the public rooms."""
    raise typer.Exit(run(cli.settings(server, lang, json), sittings.rooms, slot=None))


@app.command(help=help_text("bot"), cls=UsageCommand)
def bot(
    room: cli.RoomArgument,
    server: cli.Server = DEFAULT_SERVER,
    name: cli.Name = None,
    lang: cli.LangOption = None,
    json: cli.Json = False,
    plain: cli.Plain = False,
    identity: cli.IdentityOption = None,
    password: cli.Password = None,
    strategy: Annotated[cli.StrategyName, _option("--strategy", "strategy")] = cli.StrategyName.careful,
    speed: Annotated[cli.SpeedName, _option("--speed", "speed")] = cli.SpeedName.human,
    seed: Annotated[int | None, _option("--seed", "seed")] = None,
) -> None:
    """Let a bot play in a room."""
    manner = bots.Manner(strategy.value, speed.value, seed)
    given, room_id = cli.with_room(
        cli.settings(server, lang, json, name, identity, password, plain=plain), room
    )
    raise typer.Exit(run(given, lambda terminal: bots.bot(terminal, room_id, manner), BOT_SLOT))


@app.command(help=help_text("solo"), cls=UsageCommand)
def solo(
    code: Annotated[str | None, typer.Argument(metavar="CODE", help=help_text("solo_argument"))] = None,
    server: Annotated[str | None, _option("--server", "solo_server")] = None,
    name: cli.Name = None,
    lang: cli.LangOption = None,
    json: cli.Json = False,
    plain: cli.Plain = False,
    lines: cli.Lines = False,
    ascii_only: cli.Ascii = False,
    theme: cli.ThemeOption = None,
    explains: cli.Explains = True,
    variant: Annotated[cli.VariantName | None, _option("--variant", "variant")] = None,
    visibility: Annotated[cli.VisibilityName | None, _option("--visibility", "visibility")] = None,
    undo: Annotated[bool, _option("--undo/--no-undo", "undo")] = True,
) -> None:
    """Practise alone."""
    given = cli.settings(server or DEFAULT_SERVER, lang, json, name, plain=plain)
    given = cli.with_screen(given, lines, ascii_only, theme, explains)
    options = practice_options(cli.deal_option(code, given), variant, visibility, undo=undo)
    raise typer.Exit(run_solo(given, options, own_server=server is None))


@app.command(help=help_text("verify"), cls=UsageCommand)
def verify(
    source: Annotated[str, typer.Argument(metavar="FILE|URL|ROOM", help=help_text("verify_argument"))],
    server: cli.Server = DEFAULT_SERVER,
    lang: cli.LangOption = None,
    json: cli.Json = False,
    password: cli.Password = None,
) -> None:
    """Check the log of a closed race."""
    raise typer.Exit(run_verify(cli.settings(server, lang, json, password=password), source))


@app.command(help=help_text("replay"), cls=UsageCommand)
def replay(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|URL|ROOM", help=help_text("verify_argument"), autocompletion=known_rooms
        ),
    ],
    server: cli.Server = DEFAULT_SERVER,
    lang: cli.LangOption = None,
    json: cli.Json = False,
    plain: cli.Plain = False,
    password: cli.Password = None,
    speed: Annotated[float | None, _option("--speed", "replay_speed")] = None,
    at: Annotated[str | None, _option("--at", "replay_at")] = None,
    player: Annotated[str | None, _option("--player", "replay_player")] = None,
    lines: cli.Lines = False,
    ascii_only: cli.Ascii = False,
    theme: cli.ThemeOption = None,
) -> None:
    """Look at a closed race again."""
    given = cli.settings(server, lang, json, password=password, plain=plain)
    given = cli.with_screen(given, lines, ascii_only, theme, explains=True)
    raise typer.Exit(run_replay(given, source, ReplayStart(speed, at, player)))


@app.command(help=help_text("deal"), cls=UsageCommand)
def deal(
    code: Annotated[str, typer.Argument(metavar="CODE", help=help_text("code_argument"))],
    lang: cli.LangOption = None,
    json: cli.Json = False,
) -> None:
    """Print the 16 piles of a game code, bottom to top, without a server."""
    chosen = cli.language(lang)
    try:
        parsed = parse_code(code)
    except CodeError as error:
        cli.complain(error.text(chosen), json)
    output = Output()
    piles = deal_piles(parsed)
    if json:
        output.json({"code": str(parsed), "piles": piles})
        return
    plain = output.ascii_only
    output.line(str(parsed), "bold")
    output.table(
        [f"{i:>2}: {' '.join(face(card, chosen, plain) for card in pile)}" for i, pile in enumerate(piles, 1)]
    )


def main() -> None:
    """Run `crescent`; however it ends, without a traceback."""
    sys.argv = readable_arguments(sys.argv)
    if len(sys.argv) > 1 or cli.at_terminal():  # elsewhere `crescent` alone tells what there is
        sys.argv[1:] = with_command(typer.main.get_command(app), sys.argv[1:], "lobby")
    try:
        app(prog_name=PROGRAM)
    except KeyboardInterrupt:
        raise SystemExit(exits.INTERRUPTED) from None
    except BrokenPipeError:
        silence()
        raise SystemExit(exits.OK) from None


if __name__ == "__main__":
    main()
