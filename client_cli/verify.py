"""Checks a closed race from its log alone: the rules, the room's rules, the sealed deal, and the board.

It replays every action through the engine and folds every event with the room's own rules, asks of each event
whether it could happen where it stands, computes the board again, and compares it with the one in the log.
A log is not signed: one that was changed throughout, so that it is the log of another possible race, agrees.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import pairwise

import msgspec

from client_cli.log_file import BoardRow, Header, PlayerLine, read_log
from client_cli.possible import SLACK_MS
from client_cli.replayed import ReplayedGame, replay
from client_cli.report import EnoughError, Finding, NotALogError, Report
from client_cli.story import Narrator, Story
from client_cli.verify_texts import WHAT
from server.engine.game import Game
from server.rooms.room import Person, Room, board_entry
from server.rooms.standings import Progress, ranked

__all__ = ["NotALogError", "Report", "verify"]


def verify(lines: Iterable[bytes]) -> Report:
    """Check a log, a line of bytes at a time. Raises `NotALogError` for what is none."""
    header, players = read_log(lines)
    report = Report(room=header.room)
    games = _replayed(header, players, report)
    with suppress(EnoughError):
        _check(header, games, report)
    return report


def _replayed(header: Header, players: Iterator[PlayerLine], report: Report) -> dict[str, ReplayedGame]:
    """Every game, by player, played again."""
    dealt = Game.deal(header.game)
    games: dict[str, ReplayedGame] = {}
    for line in players:
        if line.player in games:
            report.differs.append(Finding("player_twice", {"name": line.name}))
        games[line.player] = replay(dealt, line.name, line.log)
    return games


def _check(header: Header, games: dict[str, ReplayedGame], report: Report) -> None:
    _check_deal(header, report)
    for player, game in games.items():
        _check_game(game.name or player, game, report)
    narrator = Narrator(header, games, report)
    story = narrator.fold()
    if story is None:
        return
    if report.agrees:
        report.confirm("events", count=len(header.events))
    narrator.check_options(story.room)
    _check_players(story, games, report)
    _check_board(header.board, story.room, games, report)


def _check_deal(header: Header, report: Report) -> None:
    code = str(header.game)
    if not header.options.get("sealed"):
        if header.commit or header.nonce:
            report.differ("commit_unsealed")
        else:
            report.confirm("deal", code=code)
        return
    digest = hashlib.sha256(f"{code}:{header.nonce}".encode(errors="replace")).hexdigest()
    if digest == header.commit:
        report.confirm("commit", code=code)
    else:
        report.differ("no_commit", code=code)


def _check_game(name: str, game: ReplayedGame, report: Report) -> None:
    """The game by itself: its actions by the rules, its times in order."""
    if game.fault is not None:
        report.differ("illegal", name=name, number=game.actions + 1, action=game.fault_text, why=game.fault)
    back = next((n for n, (a, b) in enumerate(pairwise((0, *game.times)), start=1) if b < a), 0)
    if back:
        report.differ("times_back", name=name, number=back)
    if game.fault is None and not back:
        report.confirm("actions", name=name, count=game.actions)


def _check_players(story: Story, games: dict[str, ReplayedGame], report: Report) -> None:
    """The games against the room: whose there are, and that nobody played when they could not."""
    players = {person.id: person for person in story.room.players}
    for id, person in players.items():
        if id not in games:
            report.differ("player_missing", name=person.name or id)
    for id, game in games.items():
        name, found = game.name or id, players.get(id)
        if found is None or (found.game is None and game.actions):
            report.differ("player_unknown", name=name)
            continue
        if found.name != game.name:
            report.differ("player_name", name=name, told=found.name)
        if game.undo_n and not story.room.options.undo:
            report.differ("undo", name=name, number=game.undo_n)
        if game.actions:
            _check_times(story, found, game, report)


def _check_times(story: Story, person: Person, game: ReplayedGame, report: Report) -> None:
    """No action before one's start, past the end, or while one was out of the race."""
    room, start_at = story.room, person.start_at
    name = game.name or person.id

    def first_after(moment: int) -> int:
        """The place of the first action after a moment; past the last where there is none."""
        return bisect_right(game.times, moment - start_at) + 1

    since = story.since_ms.get(person.id, start_at)
    if first_after(since - SLACK_MS - 1) != 1:
        report.differ("before_start", name=name, number=1)
    ends_at = person.ends_at if room.own_starts else room.ends_at
    ends = [("close", (room.closed_at or 0) + SLACK_MS)]
    if ends_at is not None:
        ends.append(("limit", ends_at - 1))
    for what, moment in ends:
        if (number := first_after(moment)) <= game.actions:
            report.differ("after", name=name, number=number, what=WHAT[what])
    for span in story.barred.get(person.id, []):
        number = first_after(span.begin_ms + SLACK_MS) if span.n is None else span.n + 1
        till = first_after(span.end_ms - SLACK_MS - 1) if span.end_ms is not None else game.actions + 1
        if number < till:
            report.differ("after", name=name, number=number, what=WHAT[span.what])
        elif span.n is not None and (
            span.n > game.actions or first_after(span.begin_ms + SLACK_MS) <= span.n
        ):
            report.differ("forfeit_n", name=name, number=span.n)


def _check_board(told: list[BoardRow], room: Room, games: dict[str, ReplayedGame], report: Report) -> None:
    """The board as the server computes it, of what the log says."""
    unplayed = Progress(redeals=room.code.redeals)
    entries = []
    for person in room.players:
        game = games.get(person.id)
        progress = game.progress(person.start_at) if game is not None and person.game is not None else None
        entries.append(board_entry(person, progress or unplayed))
    computed = [
        BoardRow(rank=rank, **msgspec.structs.asdict(entry))
        for rank, entry in ranked(entries, room.options.rank_by)
    ]
    if len(computed) != len(told):
        report.differ("board_rows", told=len(told), computed=len(computed))
    for mine, theirs in zip(computed, told, strict=False):
        for column in BoardRow.__struct_fields__:
            here, there = getattr(mine, column), getattr(theirs, column)
            if here != there:
                report.differ(
                    "board_cell", name=theirs.name or theirs.player, column=column, told=there, computed=here
                )
    if computed == told:
        report.confirm("board", count=len(told))
