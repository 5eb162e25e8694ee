"""What a replay shows itself on: lines for people, or JSON for programs."""

from dataclasses import asdict
from typing import Protocol

from client_cli.output import Output
from client_cli.plain_words import action_words, holds_words, sentence, time_words, where_words
from client_cli.position import Position
from client_cli.replay_bars import bar_lines
from client_cli.replay_model import Replay, Standing
from client_cli.safe_text import safe_text
from client_cli.standings import time_text
from client_cli.table import table_lines
from client_cli.texts import say, status_text
from protocol.messages import Lang
from server.engine.actions import Action
from server.engine.places import PLACES


class ReplayDisplay(Protocol):
    """Where a race that is looked at again is shown. Moments are milliseconds since the start."""

    def opened(self, replay: Replay) -> None:
        """A race, before anything of it."""

    def step(self, standing: Standing, play: Action) -> None:
        """One action, by who was in this standing after it, while the race runs."""

    def moment(self, ms: int, standings: list[Standing], whose: Standing, table: Position) -> None:
        """A moment: everybody's bar, and one player's table."""

    def tell(self, key: str, **values: object) -> None:
        """A sentence of the client's own, by its key in `texts`."""


class ReplayLines:
    """Lines of text in the player's language."""

    def __init__(self, output: Output, lang: Lang) -> None:
        self._output, self._lang = output, lang

    def opened(self, replay: Replay) -> None:
        """Which race it is, and how long."""
        self.tell("replay_head", room=replay.room, code=replay.code, time=time_text(replay.end_ms))

    def step(self, standing: Standing, play: Action) -> None:
        """An action in a line."""
        name = safe_text(standing.name)
        self._output.line(f"{time_text(standing.ms)}  {name}  {standing.action}  {standing.home}/104")

    def moment(self, ms: int, standings: list[Standing], whose: Standing, table: Position) -> None:
        """The bars, and the table under them."""
        output, lang = self._output, self._lang
        self.tell("replay_moment", time=time_text(ms))
        output.table(bar_lines(standings, lang, output.width, output.ascii_only))
        self.tell("replay_table", who=whose.name, time=time_text(ms))
        output.table(table_lines(table, lang, output.width, output.ascii_only))

    def tell(self, key: str, **values: object) -> None:
        """A sentence."""
        self._output.line(say(key, self._lang, **values))


class ReplaySentences(ReplayLines):
    """Sentences for a screen reader: of a moment, what has changed since the last one that was told."""

    def __init__(self, output: Output, lang: Lang) -> None:
        super().__init__(output, lang)
        self._standings: list[Standing] = []
        self._table: tuple[object, ...] = ()

    def opened(self, replay: Replay) -> None:
        """Which race it is, and how long."""
        self.tell(
            "replay_head", room=replay.room, code=replay.code, time=time_words(replay.end_ms, self._lang)
        )

    def step(self, standing: Standing, play: Action) -> None:
        """An action in a sentence."""
        time, action = time_words(standing.ms, self._lang), action_words(play, self._lang)
        self.tell("plain_step", time=time, who=standing.name, action=action, home=standing.home)

    def moment(self, ms: int, standings: list[Standing], whose: Standing, table: Position) -> None:
        """Who has come on, and what is another on the table."""
        self.tell("replay_moment", time=time_words(ms, self._lang))
        for standing in standings:
            if standing not in self._standings:
                status = status_text(standing.status, self._lang)
                self.tell("plain_bar", who=standing.name, home=standing.home, status=status)
        now = (whose.player, *((table.top(place), table.count(place)) for place in PLACES))
        if self._table[:1] != now[:1]:
            self.tell("replay_table", who=whose.name, time=time_words(ms, self._lang))
        for place in PLACES:
            if self._table[:1] != now[:1] or self._table[place + 1] != now[place + 1]:
                name = where_words(place, self._lang)
                self._output.line(sentence(holds_words(table, place, name, self._lang)))
        self._standings, self._table = standings, now

    def tell(self, key: str, **values: object) -> None:
        """A sentence, without the dots that set its parts apart for the eye."""
        self._output.line(say(key, self._lang, **values).replace(" · ", "; "))


class ReplayJson:
    """One JSON object a line."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def opened(self, replay: Replay) -> None:
        """`replay`: room, code, players in the order of the final board, and the length."""
        players = [{"player": player.player, "name": player.name} for player in replay.players]
        told = {"room": replay.room, "code": str(replay.code), "end_ms": replay.end_ms, "players": players}
        self._output.json({"replay": told})

    def step(self, standing: Standing, play: Action) -> None:
        """`step`: the standing after an action."""
        self._output.json({"step": asdict(standing)})

    def moment(self, ms: int, standings: list[Standing], whose: Standing, table: Position) -> None:
        """`moment`: all standings, and a table as `game` has it."""
        piles: object = table.piles or list(zip(table.tops, table.counts, strict=True))
        shown = {"player": whose.player, "piles": piles, "up": table.up, "down": table.down}
        self._output.json(
            {"moment": {"at_ms": ms, "players": [asdict(standing) for standing in standings], "table": shown}}
        )

    def tell(self, key: str, **values: object) -> None:
        """`notice`: a sentence by its key."""
        self._output.json({"notice": key, **values})
