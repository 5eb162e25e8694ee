"""A closed race from its log, at any moment: every player's table, and how far they all were.

A moment is milliseconds since the start, each player's own: in a room of own starts all run side by side,
as if they had started together. Pure: lines of a log go in, and the rest is looked up.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from client_cli.log_file import PlayerLine, read_log
from client_cli.position import Position
from client_cli.replayed import play_action, read_text, replay
from client_cli.report import Report
from client_cli.story import Narrator, Story
from protocol.messages import RowStatus
from server.engine.actions import Action
from server.engine.codes import GameCode
from server.engine.game import Game
from server.engine.places import PILES
from server.engine.texts import Texts

CHECKPOINT_ACTIONS = 64
"""Every so many actions a game's table is kept, so that a jump plays no more than these again."""

_OUT: dict[str, RowStatus] = {"forfeit": "forfeited", "disqualification": "disqualified"}


@dataclass(frozen=True, slots=True)
class Standing:
    """How far one player is at a moment.

    `n`: actions played; `action`: the latest, as people type it, "" before the first; `ms`: when that was.
    """

    player: str
    name: str
    status: RowStatus
    n: int
    action: str
    home: int
    moves: int
    undone: int
    redeals: int
    ms: int


class Step(NamedTuple):
    """One action: when, and whose."""

    ms: int
    player: str


class _Out(NamedTuple):
    """From when to when a player was out of the race; `end_ms` None: to its end."""

    begin_ms: int
    end_ms: int | None
    status: RowStatus


class ReplayedPlayer:
    """One player's game, at any moment.

    `actions` as people write them, `plays` as values, `times_ms` when each was; `starts`: ever began.
    """

    def __init__(self, line: PlayerLine, dealt: Game) -> None:
        self.player, self.name = line.player, line.name or line.player
        self.times_ms: list[int] = []
        self.actions: list[str] = []
        self.plays: list[Action] = []
        self.starts = False
        self.out: list[_Out] = []
        self._standings = [_standing(self, dealt, 0, "", 0)]
        self._tables = [dealt]
        game = dealt.copy()
        for ms, action in line.log:
            play = read_text(game, action)
            if isinstance(play, Texts) or play_action(game, play) is not None:
                break  # what is wrong with it, `crescent verify` says
            self.plays.append(play)
            self.times_ms.append(max(ms, self.last_ms))
            self.actions.append(action)
            self._standings.append(_standing(self, game, len(self.actions), action, self.last_ms))
            if len(self.actions) % CHECKPOINT_ACTIONS == 0:
                self._tables.append(game.copy())

    @property
    def last_ms(self) -> int:
        """When the latest action was, 0 without one."""
        return self.times_ms[-1] if self.times_ms else 0

    def at(self, ms: int) -> Standing:
        """Return how far they were."""
        standing = self._standings[self.count(ms)]
        if not self.starts:
            return replace(standing, status="waiting")
        if standing.status != "won":
            for out in self.out:
                if out.begin_ms <= ms and (out.end_ms is None or ms < out.end_ms):
                    return replace(standing, status=out.status)
        return standing

    def count(self, ms: int) -> int:
        """Return how many actions were played by then."""
        return bisect_right(self.times_ms, ms)

    def game(self, ms: int) -> Game:
        """Return the table as it was then; it is the caller's own."""
        n = self.count(ms)
        game = self._tables[n // CHECKPOINT_ACTIONS].copy()
        for play in self.plays[n - n % CHECKPOINT_ACTIONS : n]:
            play_action(game, play)
        return game


class Replay:
    """A race that can be looked at, at any moment of it.

    `players` come in the order of the final board. `end_ms`: when the last thing happened in any game.
    """

    def __init__(self, room: str, code: GameCode, players: list[ReplayedPlayer]) -> None:
        self.room = room
        self.code = code
        self.players = players
        self._steps = sorted(Step(ms, player.player) for player in players for ms in player.times_ms)
        ends = [step.ms for step in self._steps[-1:]]
        ends += [out.begin_ms for player in players for out in player.out]
        self.end_ms = max(ends, default=0)

    @classmethod
    def read(cls, lines: Iterable[bytes]) -> "Replay":
        """Return the race of a log, given a line at a time. NotALogError for what is none."""
        header, lines_of_players = read_log(lines)
        dealt = Game.deal(header.game)
        told = list(lines_of_players)
        players = {line.player: ReplayedPlayer(line, dealt) for line in told}
        games = {line.player: replay(dealt, line.name, line.log) for line in told}
        story = Narrator(header, games, Report()).fold()
        for player in players.values():
            _take_story(player, story)
        order = [row.player for row in header.board if row.player in players]
        order += [player for player in players if player not in order]
        return cls(header.room, header.game, [players[player] for player in order])

    def player(self, player: str) -> ReplayedPlayer:
        """Return a player by id; KeyError for nobody's."""
        for found in self.players:
            if found.player == player:
                return found
        raise KeyError(player)

    def named(self, text: str) -> ReplayedPlayer | None:
        """Return who has this name (in any case) or id, None if nobody does."""
        folded = text.strip().casefold()
        return next(
            (found for found in self.players if folded in (found.name.casefold(), found.player.casefold())),
            None,
        )

    def at(self, ms: int) -> list[Standing]:
        """Return how far everybody was, in the order of the final board: the bars side by side."""
        return [player.at(ms) for player in self.players]

    def position(self, player: str, ms: int, *, full: bool = False) -> Position:
        """Return a player's table as it was then; `full`: with every card of the piles."""
        found = self.player(player)
        return _position(found.game(ms), found.at(ms), full=full)

    def steps(self, after_ms: int, until_ms: int) -> list[Step]:
        """Return the actions after one moment, until and with another."""
        first = bisect_right(self._steps, after_ms, key=lambda step: step.ms)
        last = bisect_right(self._steps, until_ms, key=lambda step: step.ms)
        return self._steps[first:last]

    def next_ms(self, ms: int) -> int:
        """Return the moment of the next action, the end after the last one."""
        at = bisect_right(self._steps, ms, key=lambda step: step.ms)
        return self._steps[at].ms if at < len(self._steps) else self.end_ms

    def previous_ms(self, ms: int) -> int:
        """Return the moment of the action before this moment, 0 before the first."""
        at = bisect_left(self._steps, ms, key=lambda step: step.ms)
        return self._steps[at - 1].ms if at else 0

    def within(self, ms: int) -> int:
        """Return the moment of the race that is nearest."""
        return min(max(ms, 0), self.end_ms)


def _standing(player: ReplayedPlayer, game: Game, n: int, action: str, ms: int) -> Standing:
    return Standing(
        player=player.player,
        name=player.name,
        status=game.status,
        n=n,
        action=action,
        home=game.home,
        moves=game.moves,
        undone=game.undone,
        redeals=game.redeals,
        ms=ms,
    )


def _take_story(player: ReplayedPlayer, story: Story | None) -> None:
    """Note whether they started and when they were out, of which a log that does not agree says nothing."""
    person = story.room.people.get(player.player) if story is not None else None
    player.starts = person is None or person.game is not None or bool(player.actions)
    if story is None or person is None:
        return
    for span in story.barred.get(player.player, []):
        end_ms = span.end_ms - person.start_at if span.end_ms is not None else None
        player.out.append(_Out(span.begin_ms - person.start_at, end_ms, _OUT[span.what]))


def _position(game: Game, standing: Standing, *, full: bool) -> Position:
    return Position(
        n=standing.n,
        tops=[game.top(pile) for pile in PILES],
        counts=[game.count(pile) for pile in PILES],
        piles=[pile[:] for pile in game.piles] if full else None,
        up=game.up[:],
        down=game.down[:],
        redeals=game.redeals,
        moves=game.moves,
        undone=game.undone,
        undoable=game.undoable,
        status="playing" if standing.status == "waiting" else standing.status,
        start_at=0,
        ms=standing.ms,
    )
