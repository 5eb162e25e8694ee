"""The options that commands share, and how they are read."""

import dataclasses
from enum import StrEnum
from typing import Annotated, NoReturn

import typer

from client_cli import exits
from client_cli.address import AddressError, NoRoomError, parse_address, split_room
from client_cli.help_texts import help_text
from client_cli.json_lines import JsonScreen
from client_cli.output import Output
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


class SpeedName(StrEnum):
    """`--speed`."""

    human = "human"
    fast = "fast"


Server = Annotated[str, typer.Option("--server", envvar="CRESCENT_SERVER", help=help_text("server"))]
Name = Annotated[str | None, typer.Option("--name", help=help_text("name"))]
LangOption = Annotated[LangName | None, typer.Option("--lang", help=help_text("lang"))]
Json = Annotated[bool, typer.Option("--json", help=help_text("json"))]
IdentityOption = Annotated[str | None, typer.Option("--identity", "--as", help=help_text("identity"))]
Password = Annotated[
    str | None, typer.Option("--password", envvar="CRESCENT_PASSWORD", help=help_text("password"))
]
RoomArgument = Annotated[str, typer.Argument(metavar="ROOM", help=help_text("room_argument"))]


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
) -> Settings:
    """Return what every command is told; exit 2 for an address that is none."""
    chosen = language(lang)
    try:
        address = parse_address(server)
    except AddressError:
        complain(say("bad_address", chosen, text=server), json)
    return Settings(address, chosen, json, name, identity, password)


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
