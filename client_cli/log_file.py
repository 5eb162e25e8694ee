"""The log of a closed race as it stands in its file: a line of the room, then a line a player."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, TypeVar

import msgspec

from client_cli.report import NotALogError
from server.engine.codes import CodeError, GameCode, parse_code
from server.rooms.options import PLAYERS_MAX

EVENTS_MAX = 100_000  # of a day in a lobby of a thousand people, and a race
# What a line may have of commas, which bound the values in it before they are read.
HEADER_COMMAS_MAX = 4_000_000
PLAYER_COMMAS_MAX = 20_000
WHOLE_MAX = 2**53 - 1

T = TypeVar("T")
Whole = Annotated[int, msgspec.Meta(ge=-WHOLE_MAX, le=WHOLE_MAX)]


class BoardRow(msgspec.Struct, kw_only=True):
    """A line of the board."""

    rank: Whole
    player: str
    name: str
    status: str
    moves: Whole
    undone: Whole
    redeals: Whole
    home: Whole
    ms: Whole


class Header(msgspec.Struct, kw_only=True):
    """The log's first line."""

    room: str
    options: dict[str, Any]
    code: str
    events: list[dict[str, Any]]
    board: list[BoardRow] = []
    nonce: str = ""
    commit: str = ""

    @property
    def game(self) -> GameCode:
        """The game everybody played."""
        return parse_code(self.code)


class PlayerLine(msgspec.Struct, kw_only=True):
    """The line of one player: actions with their times since the player's start."""

    player: str
    name: str
    log: list[tuple[Whole, str]]


def read_log(lines: Iterable[bytes]) -> tuple[Header, Iterator[PlayerLine]]:
    """Read the first line, and the players' lines as they are asked for. Raises `NotALogError`."""
    kept = (line for line in lines if line.strip())
    first = next(kept, None)
    if first is None:
        raise NotALogError("empty")
    header = _decode(first, Header, HEADER_COMMAS_MAX)
    try:
        parse_code(header.code)
    except CodeError as error:
        raise NotALogError("not_a_log", detail=error.texts) from None
    if len(header.events) > EVENTS_MAX:
        raise NotALogError("too_long")
    return header, _players(kept)


def _players(lines: Iterable[bytes]) -> Iterator[PlayerLine]:
    for number, line in enumerate(lines, start=1):
        if number > PLAYERS_MAX:
            raise NotALogError("too_long")
        yield _decode(line, PlayerLine, PLAYER_COMMAS_MAX)


def _decode(line: bytes, kind: type[T], commas_max: int) -> T:
    if line.count(b",") > commas_max:
        raise NotALogError("too_long")
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NotALogError("not_a_log", detail=str(error)) from None
