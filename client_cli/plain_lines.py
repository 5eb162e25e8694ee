"""A race for a screen reader: sentences, in the order in which things happen, of what has changed."""

from collections.abc import Iterator

from client_cli.lines import LineScreen
from client_cli.move_words import MoveWords, spoken_words
from client_cli.plain_words import card_words, holds_words, place_words, sentence, table_words, time_words
from client_cli.position import Position
from client_cli.safe_text import safe_text
from client_cli.texts import TEXTS, say, status_text
from protocol.messages import Done, GameState, Lang, Message, Row, Said, Seen, View
from server.engine.places import PLACES


class PlainScreen(LineScreen):
    """Shows a race as sentences. Nothing is drawn, and nothing is told twice.

    The whole table is told when a game begins, and when it is asked for; after that, what an action changed.
    """

    STANDINGS_S = 5.0  # somebody else's news interrupts one's own no more often than that
    ROOM_KEY, HEAD_KEY = "plain_room", "plain_head"
    BETWEEN = ", "

    _told: tuple[object, ...] = ()

    def message(self, message: Message) -> None:
        """Tell a message."""
        if isinstance(message, Said):
            who = safe_text(message.name) or say("somebody", self._lang)
            self._output.line(say("plain_says", self._lang, who=who, text=message.text))
            return
        super().message(message)

    def tell(self, key: str, **values: object) -> None:
        """Tell a sentence of the catalogue, without the dots that set its parts apart for the eye."""
        self._output.line(say(key, self._lang, **values).replace(" · ", "; "))

    # How it is put

    def _time(self, ms: int) -> str:
        return time_words(ms, self._lang)

    def _sentence(self, text: str) -> str:
        return sentence(text)

    def _words(self) -> MoveWords:
        return spoken_words(self._lang)

    def _visibility(self, visibility: str) -> str:
        key = f"visibility_{visibility}"
        return say(key, self._lang) if key in TEXTS else visibility

    def _table_lines(self, position: Position) -> list[str]:
        return list(table_words(position, self._lang))

    def _board_lines(self, rows: list[Row], rank_by: str) -> list[str]:
        return [self._row_line(row) for row in rows]

    def _row_line(self, row: Row) -> str:
        line = say(
            "plain_row",
            self._lang,
            rank=row.rank,
            who=row.name,
            status=status_text(row.status, self._lang, closed=self._is_closed),
            home=row.home,
            moves=row.moves,
            time=self._time(row.ms),
        )
        return sentence(line if row.online else f"{line}, {say('mark_offline', self._lang)}")

    def _standings_line(self, rows: list[Row]) -> str:
        """Who leads alone, and one's own place; without their cards, or it would be told for each of them."""
        leaders = [row for row in rows if row.rank == rows[0].rank]
        if len(leaders) > 1 or len(rows) == 1:
            return ""
        own = next((row for row in rows if row.player == self._state.me), None)
        if own is None:
            return say("plain_leader", self._lang, who=leaders[0].name)
        if own is leaders[0]:
            return say("plain_leads", self._lang, players=len(rows))
        return say("plain_place_in", self._lang, rank=own.rank, players=len(rows), who=leaders[0].name)

    # What happens

    def _game(self, game: GameState) -> None:
        """Another's game is named, one's own told; one that comes again has changed only where it says so."""
        if isinstance(game, View):
            self.tell("following", who=self._name_of(game.player))
            return
        position = self._state.position
        if position is None:
            return
        now = _seen_of(position)
        if not self._told or not position.n:
            self.tell("plain_goes_on" if position.n else "plain_begins")
            self.table()
        else:
            for place in PLACES:
                if self._told[place] != now[place]:
                    self._output.line(_holds(position, place, self._lang))
        self._told = now

    def _done(self, done: Done) -> None:
        position = self._state.position
        if position is None:
            return
        for line in done_lines(done, position, self._lang):
            self._output.line(line)
        self._told = _seen_of(position)
        self._tell_end_of_game(done)

    def _seen(self, seen: Seen) -> None:
        position = self._state.followed.get(seen.player)
        if position is None:
            return
        first = next(done_lines(seen, position, self._lang))
        self.tell("plain_by", who=self._name_of(seen.player), what=first)


def _seen_of(position: Position) -> tuple[object, ...]:
    return tuple((position.top(place), position.count(place)) for place in PLACES)


def _holds(position: Position, place: int, lang: Lang) -> str:
    return sentence(holds_words(position, place, place_words(place, lang), lang))


def done_lines(done: Done, position: Position, lang: Lang) -> Iterator[str]:
    """Yield what an action did, in sentences: what went where, then what now lies on the places it changed.

    `position` is the one after it.
    """
    if done.op == "r" or done.src is None or done.dst is None:
        yield say("plain_redealt", lang, redeals=done.redeals)
        landed = None
    else:
        landed = done.dst if done.op == "m" else done.src
        card = card_words(position.top(landed) or "", lang)
        src, dst = place_words(done.src, lang), place_words(done.dst, lang)
        key = "plain_moved" if done.op == "m" else "plain_undone"
        yield sentence(say(key, lang, card=card, src=src, dst=dst))
    for place, _, _ in done.changed:
        if place != landed:
            yield _holds(position, place, lang)
