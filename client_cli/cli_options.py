"""The options that commands share, and how they are read."""

import dataclasses
import os
import sys
from enum import StrEnum
from typing import Annotated, NoReturn

import typer

from client_cli import exits
from client_cli.address import AddressError, NoRoomError, parse_address, split_room
from client_cli.completing import known_identities, known_rooms
from client_cli.foreground import in_background
from client_cli.help_texts import help_text
from client_cli.json_lines import JsonScreen
from client_cli.output import Output
from client_cli.screen.look import Look, environment_theme
from client_cli.terminal import Settings
from client_cli.texts import environment_lang, say
from protocol.messages import Lang
from server.engine.codes import CodeError, parse_code


class LangName(StrEnum):
    """`--lang`."""

    en = "en"
    da = "da"
    de = "de"


class VariantName(StrEnum):
    """`--variant`."""

    N = "N"
    F = "F"


class VisibilityName(StrEnum):
    """`--visibility`."""

    top = "top"
    open = "open"


class StartName(StrEnum):
    """`--start`."""

    host = "host"
    ready = "ready"
    own = "own"
    at = "at"


class RankName(StrEnum):
    """`--rank-by`."""

    time = "time"
    moves = "moves"


class SpectatorsName(StrEnum):
    """`--spectators`."""

    none = "none"
    board = "board"
    delayed = "delayed"
    live = "live"


class ThemeName(StrEnum):
    """`--theme`."""

    dark = "dark"
    light = "light"


class SpeedName(StrEnum):
    """`--speed`."""

    human = "human"
    quick = "quick"
    fast = "fast"


class StrategyName(StrEnum):
    """`--strategy`, by the names of `client_cli.strategies.STRATEGIES`."""

    random = "random"
    greedy = "greedy"
    careful = "careful"


Server = Annotated[str, typer.Option("--server", envvar="CRESCENT_SERVER", help=help_text("server"))]
Name = Annotated[str | None, typer.Option("--name", help=help_text("name"))]
LangOption = Annotated[LangName | None, typer.Option("--lang", help=help_text("lang"))]
Json = Annotated[bool, typer.Option("--json", help=help_text("json"))]
Plain = Annotated[bool, typer.Option("--plain", help=help_text("plain"))]
IdentityOption = Annotated[
    str | None,
    typer.Option("--identity", "--as", help=help_text("identity"), autocompletion=known_identities),
]
Password = Annotated[
    str | None, typer.Option("--password", envvar="CRESCENT_PASSWORD", help=help_text("password"))
]
RoomArgument = Annotated[
    str, typer.Argument(metavar="ROOM", help=help_text("room_argument"), autocompletion=known_rooms)
]


Lines = Annotated[bool, typer.Option("--lines", help=help_text("lines"))]
Ascii = Annotated[bool, typer.Option("--ascii", help=help_text("ascii"))]
ThemeOption = Annotated[ThemeName | None, typer.Option("--theme", help=help_text("theme"))]
Explains = Annotated[
    bool, typer.Option("--interactive-rules/--no-interactive-rules", help=help_text("interactive_rules"))
]


def at_terminal() -> bool:
    """Whether the program is at a terminal that can show a screen."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def with_screen(
    given: Settings, lines: bool, ascii_only: bool, theme: ThemeName | None, explains: bool
) -> Settings:
    """Return settings with a screen, where the program is at a terminal and lines are not asked for."""
    if lines or given.plain or given.json or not at_terminal():
        return given
    if in_background():  # before there is an identity, or a room, that nobody would see
        complain(say("in_background", given.lang))
    look = Look(
        ascii_only=ascii_only or Output().ascii_only,
        theme=theme.value if theme is not None else environment_theme(),
        explains=explains,
    )
    return dataclasses.replace(given, look=look)


def language(option: LangName | None) -> Lang:
    """Return the language asked for, else the environment's."""
    return environment_lang() if option is None else option.value


def complain(text: str, json: bool = False) -> NoReturn:
    """Say what is wrong with what was typed, and end with exit 2."""
    output = Output()
    if json:
        JsonScreen(output.raw).error(text)
    else:
        output.complain(text)
    raise typer.Exit(exits.USAGE)


def settings(
    server: str,
    lang: LangName | None,
    json: bool,
    name: str | None = None,
    identity: str | None = None,
    password: str | None = None,
    *,
    plain: bool = False,
) -> Settings:
    """Return what every command is told; exit 2 for an address that is none."""
    chosen = language(lang)
    try:
        address = parse_address(server)
    except AddressError:
        complain(say("bad_address", chosen, text=server), json)
    return Settings(address, chosen, json, name, identity, password, plain=plain)


def deal_option(deal: str | None, given: Settings) -> str | None:
    """Return a typed deal in its canonical form; exit 2 for a code that is none, before a room is made."""
    if deal is None or deal.strip().lower() == "random":
        return None
    try:
        return str(parse_code(deal))
    except CodeError as error:
        complain(error.text(given.lang), given.json)


def start_option(start: StartName | None, start_at: str | None, given: Settings) -> StartName | None:
    """Return how the room starts: a moment implies `at`, and `at` needs a moment (exit 2)."""
    if start is StartName.at and start_at is None:
        complain(say("start_at_needed", given.lang), given.json)
    return StartName.at if start is None and start_at is not None else start


def with_room(given: Settings, room: str) -> tuple[Settings, str]:
    """Return settings and room's id, where the room was typed as an id or as a link that names its server."""
    try:
        address, room_id = split_room(room, given.server)
    except NoRoomError:
        complain(say("link_without_room", given.lang), given.json)
    except AddressError:
        complain(say("bad_address", given.lang, text=room), given.json)
    return dataclasses.replace(given, server=address, room=room_id), room_id
