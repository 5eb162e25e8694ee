"""Checks a closed race from its log alone: the rules, the room's rules, the sealed deal, and the board.

It replays every action through the engine and folds every event with the room's own rules, asks of each event
whether it could happen where it stands, computes the board again, and compares it with the one in the log.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from client_cli.replayed import ReplayedGame, replay
from server.engine.codes import CodeError, parse_code
from server.rooms import events as ev
from server.rooms.due import final_at, upcoming
from server.rooms.options import RULES, Options
from server.rooms.room import Room, apply, board_entry
from server.rooms.standings import Progress, ranked

COMPARED = ("rank", "player", "name", "status", "moves", "undone", "redeals", "home", "ms")
# What happens by itself at a moment the room's rules name, and nowhere else.
DERIVED = (ev.Won, ev.Ending)
NOT_OF_THE_EVENT = {"v", "at", "code", "commit", "board"}  # of the log, or told beside the event


class NotALogError(Exception):
    """The file is no log of a race: one sentence, what is wrong."""


class Report(msgspec.Struct):
    """What was checked: sentences of what holds, and of what does not."""

    confirmed: list[str] = []
    differs: list[str] = []

    @property
    def agrees(self) -> bool:
        """Whether nothing differs."""
        return not self.differs


class Header(msgspec.Struct, kw_only=True):
    """The log's first line."""

    room: str
    options: dict[str, Any]
    code: str
    events: list[dict[str, Any]]
    board: list[dict[str, Any]] = []
    nonce: str = ""
    commit: str = ""


class PlayerLine(msgspec.Struct, kw_only=True):
    """The line of one player."""

    player: str
    name: str
    log: list[tuple[int, str]]


def verify(lines: Iterable[bytes]) -> Report:
    """Check a log. Raises `NotALogError` for what is none."""
    header, players = _parse(lines)
    report = Report()
    _check_deal(header, report)
    games = {line.player: replay(parse_code(header.code), line.log) for line in players}
    for line in players:
        _check_game(line, games[line.player], header, report)
    room = _check_events(header, games, report)
    if room is not None:
        for line in players:
            _check_times(line, room, report)
        _check_board(header, room, games, report)
    return report


def _parse(lines: Iterable[bytes]) -> tuple[Header, list[PlayerLine]]:
    kept = [line for line in lines if line.strip()]
    if not kept:
        raise NotALogError("the file is empty; a log begins with a line that names the room")
    try:
        header = msgspec.json.decode(kept[0], type=Header)
        players = [msgspec.json.decode(line, type=PlayerLine) for line in kept[1:]]
        parse_code(header.code)
    except (msgspec.DecodeError, CodeError) as error:
        raise NotALogError(f"this is no log of a race ({error})") from None
    return header, players


def _check_deal(header: Header, report: Report) -> None:
    if not header.commit:
        report.confirmed.append(f"the deal is {header.code}, not sealed")
        return
    digest = hashlib.sha256(f"{header.code}:{header.nonce}".encode()).hexdigest()
    told = [event["commit"] for event in header.events if event.get("commit")]
    if digest != header.commit or any(commit != header.commit for commit in told):
        report.differs.append(f"the commit told at the start is not that of {header.code}")
    else:
        report.confirmed.append(f"the commit told at the start is that of {header.code}")


def _check_game(line: PlayerLine, game: ReplayedGame, header: Header, report: Report) -> None:
    name = line.name or line.player
    if game.fault:
        report.differs.append(f"{name}: {game.fault}")
        return
    times = [ms for ms, _ in line.log]
    if any(ms < 0 for ms in times) or times != sorted(times):
        report.differs.append(f"{name}: the times of the actions go back")
        return
    if not header.options.get("undo", True) and any(text == "U" for _, text in line.log):
        report.differs.append(f"{name}: an undo in a room without")
        return
    report.confirmed.append(f"{name}: {len(line.log)} actions, all by the rules")


def _check_times(line: PlayerLine, room: Room, report: Report) -> None:
    """No action at or past the end of one's game."""
    person = room.people.get(line.player)
    if person is None or person.game is None:
        if line.log:
            report.differs.append(f"{line.name or line.player}: a log, and no game in the events")
        return
    if not line.log:
        return
    last_at = person.start_at + line.log[-1][0]
    end = person.ends_at if room.own_starts else room.ends_at
    ends = (
        ("the close", room.closed_at),
        ("the forfeit", person.forfeited_at),
        ("the disqualification", person.disqualified_at),
        ("the limit", end - 1 if end is not None else None),
    )
    after = [what for what, moment in ends if moment and last_at > moment]
    if after:
        report.differs.append(f"{line.name or line.player}: played after {after[0]}")


def _check_events(header: Header, games: dict[str, ReplayedGame], report: Report) -> Room | None:
    """Fold the events, and ask of each whether it could happen there. None: they cannot be folded."""
    room = Room(id=header.room)
    for number, told in enumerate(header.events, start=1):
        where = f"event {number} ({told.get('kind')})"
        if told.get("v") != number:
            report.differs.append(f"{where}: its number is {told.get('v')}")
            return None
        event = _event(told, header, report, where)
        if event is None:
            return None
        at = int(told.get("at", 0))
        problem = _problem(room, event, at, games)
        if problem:
            report.differs.append(f"{where}: {problem}")
        try:
            room = apply(room, event, at)
        except KeyError:
            report.differs.append(f"{where}: of somebody who is not in the room")
            return None
    if room.state != "closed":
        report.differs.append("the race is not closed")
        return None
    report.confirmed.append(f"{len(header.events)} events, each possible where it stands")
    return room


def _event(told: dict[str, Any], header: Header, report: Report, where: str) -> ev.RoomEvent | None:
    """An event as the log tells it, as the room folds it."""
    fields = {name: value for name, value in told.items() if name not in NOT_OF_THE_EVENT}
    if told.get("kind") == "created":
        fields |= {"deal": header.code, "nonce": header.nonce}
        fields["options"] = _unshown(fields.get("options", {}))
    elif told.get("kind") == "options":
        fields["options"] = _unshown(fields.get("options", {}))
    try:
        event: ev.RoomEvent = msgspec.convert(fields, ev.AnyEvent)
    except msgspec.ValidationError as error:
        report.differs.append(f"{where}: {error}")
        return None
    return event


def _unshown(options: dict[str, Any]) -> dict[str, Any]:
    """Options as they are kept: a password is told as `true` only."""
    return {**options, "password": "told to nobody"} if options.get("password") is True else options


def _problem(room: Room, event: ev.RoomEvent, at: int, games: dict[str, ReplayedGame]) -> str:
    """Why this event could not happen in this room; "" if it could."""
    if (room.v == 0) != isinstance(event, ev.Created):
        return "a room begins by being created, once"
    if isinstance(event, ev.Created):
        return _options_problem(event.options)
    if type(event) not in POSSIBLE[room.state]:
        return f"it cannot happen while the room is {room.state}"
    if isinstance(event, ev.Joined):
        return _join_problem(room, event)
    if isinstance(event, ev.Started):
        return _start_problem(room, event)
    if isinstance(event, DERIVED):
        return _derived_problem(room, event, at, games)
    if isinstance(event, ev.Unforfeited) and not _may_take_back(room, event, at):
        return "the forfeit could not be taken back any more"
    if isinstance(event, ev.Closed):
        return _close_problem(room, event, at, games)
    return ""


def _options_problem(options: Options) -> str:
    shown = msgspec.structs.asdict(options)
    bad = [name for name, rule in RULES.items() if not rule.accepts(shown[name])]
    return f"option {bad[0]} is out of its range" if bad else ""


def _join_problem(room: Room, event: ev.Joined) -> str:
    if event.role != "player" or event.player in room.people:
        return ""
    if len(room.players) >= room.options.max_players:
        return "there was no seat"
    late = room.options.late or room.own_starts
    return "" if room.state != "running" or late else "late entry is not allowed in this room"


def _start_problem(room: Room, event: ev.Started) -> str:
    if event.player:
        person = room.people.get(event.player)
        return "" if person is not None and person.game is None else "they had started before"
    due = upcoming(room, {})
    expected = due.event if due is not None else None
    return "" if expected == event else "not at the moment, or not with the end, that the room names"


def _derived_problem(room: Room, event: ev.RoomEvent, at: int, games: dict[str, ReplayedGame]) -> str:
    if isinstance(event, ev.Won):
        person, game = room.people.get(event.player), games.get(event.player)
        if person is None or game is None or not game.won:
            return "the log of the game says otherwise"
        if (event.ms, event.moves) != (game.last_ms, game.moves) or at != person.start_at + event.ms:
            return "its time or its moves are not those of the log"
        return ""
    first = room.first_won_at
    expected = None if first is None else first + room.options.after_win_ms
    return "" if isinstance(event, ev.Ending) and event.ends_at == expected else "no win set this end"


def _may_take_back(room: Room, event: ev.Unforfeited, at: int) -> bool:
    person = room.people.get(event.player)
    return person is not None and person.game == "forfeited" and at < person.forfeited_at + 60_000


def _close_problem(room: Room, event: ev.Closed, at: int, games: dict[str, ReplayedGame]) -> str:
    if event.reason == "limit":
        return "" if at == room.ends_at else "it is not the moment of the limit"
    if event.reason in ("finished", "nobody_finished"):
        finals = [final_at(p, progress_of(games.get(p.id), p.start_at), room) for p in room.players]
        if None in finals:
            return "somebody could still play"
        somebody = any(person.game == "won" and not person.disqualified_at for person in room.players)
        return "" if somebody == (event.reason == "finished") else "the reason is not what the games say"
    if event.reason == "cancelled":
        return "" if room.state != "running" else "a race that runs is not cancelled"
    return "" if event.reason == "host" and event.by else "nobody closed it"


def progress_of(game: ReplayedGame | None, start_at: int) -> Progress | None:
    """How far a replayed game had come at its end; None for one without an action."""
    if game is None or game.actions == 0:
        return None
    return Progress(
        game.actions,
        start_at + game.last_ms,
        game.status,
        game.moves,
        game.undone,
        game.redeals,
        game.home,
        game.undoable,
    )


def _check_board(header: Header, room: Room, games: dict[str, ReplayedGame], report: Report) -> None:
    redeals = 4 if room.options.variant == "F" else 3
    entries = [
        board_entry(person, progress_of(games.get(person.id), person.start_at) or Progress(redeals=redeals))
        for person in room.players
    ]
    computed = [
        {"rank": rank, **msgspec.structs.asdict(entry)}
        for rank, entry in ranked(entries, room.options.rank_by)
    ]
    told = [{column: row.get(column) for column in COMPARED} for row in header.board]
    if not told:
        report.differs.append("the log has no board to compare with")
    for mine, theirs in zip(computed, told, strict=False):
        for column in COMPARED:
            if mine[column] != theirs[column]:
                what = f"{column} {theirs[column]}, computed {mine[column]}"
                report.differs.append(f"board, {theirs['name'] or theirs['player']}: {what}")
    if len(computed) != len(told):
        report.differs.append(f"the board has {len(told)} rows, computed {len(computed)}")
    elif told and computed == told:
        report.confirmed.append(f"the board of {len(told)} is what the log says")


_ALWAYS: tuple[type[ev.RoomEvent], ...] = (
    ev.Joined, ev.Left, ev.OptionsSet, ev.HostChanged, ev.Kicked, ev.Banned, ev.RefereeSet, ev.Muted,
    ev.Closed,
)  # fmt: skip
POSSIBLE: dict[str, tuple[type[ev.RoomEvent], ...]] = {
    "lobby": (*_ALWAYS, ev.ReadySet, ev.Countdown, ev.Held, ev.Started),
    "countdown": (*_ALWAYS, ev.ReadySet, ev.Held, ev.Started),
    "running": (
        *_ALWAYS, ev.Started, ev.Won, ev.Forfeited, ev.Unforfeited, ev.Disqualified, ev.Reinstated,
        ev.Watching, ev.Ending,
    ),
    "closed": (ev.Joined, ev.Left, ev.Muted, ev.Forgotten, ev.Rematch),
}  # fmt: skip
