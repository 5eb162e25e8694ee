"""The events of a log, folded from first to last, each asked whether it could happen."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from client_cli.log_file import WHOLE_MAX, Header
from client_cli.possible import Games, is_derived, progress_in, untold, why_not
from client_cli.report import Report, Value
from client_cli.verify_texts import WHY
from server.rooms import events as ev
from server.rooms.names import NO_NAME
from server.rooms.options import RANDOM_DEAL, shown_options
from server.rooms.room import Room, apply
from server.rooms.sight import may_know_code

NOT_OF_THE_EVENT = {"v", "at", "code", "commit", "nonce", "board"}  # of the log, or told beside the event
SECRET = "told to nobody"
OF_THE_DEAL = ("code", "nonce", "commit")


@dataclass(slots=True)
class Span:
    """A time in which a player could not play; `end_ms` None: to the end of the race."""

    what: str
    begin_ms: int
    end_ms: int | None = None
    n: int | None = None  # of a forfeit: the actions before it


@dataclass(slots=True)
class Story:
    """What the events come to: the room, since when each player could play, and when they could not."""

    room: Room
    since_ms: dict[str, int] = field(default_factory=dict)
    barred: dict[str, list[Span]] = field(default_factory=dict)

    def note(self, event: ev.RoomEvent, at: int, before: Room) -> None:
        """Note what an event, just folded in, says of when people could play."""
        match event:
            case ev.Started():
                players = [event.player] if event.player else [person.id for person in self.room.players]
                self.since_ms.update(dict.fromkeys(players, event.start_at))
            case ev.Joined() if self.room.people[event.player].game is not None:
                self.since_ms.setdefault(event.player, at)  # came in late
            case ev.Forfeited():
                self._bar(event.player, Span("forfeit", at, n=event.n))
            case ev.Disqualified() | ev.Kicked() | ev.Banned() if before.state == "running":
                self._bar(event.player, Span("disqualification", at))
            case ev.Unforfeited():
                self._let(event.player, at, "forfeit")
            case ev.Reinstated():
                self._let(event.player, at, "disqualification")

    def _bar(self, player: str, span: Span) -> None:
        self.barred.setdefault(player, []).append(span)

    def _let(self, player: str, at: int, what: str) -> None:
        for span in self.barred.get(player, []):
            if span.what == what and span.end_ms is None:
                span.end_ms = at


class Narrator:
    """Folds the events of one log and reports what could not be."""

    def __init__(self, header: Header, games: Games, report: Report) -> None:
        self._header, self._games, self._report = header, games, report
        self._forgotten = {
            str(told.get("player")) for told in header.events if told.get("kind") == "forgotten"
        }
        self._code = str(header.game)
        self._number, self._kind = 0, ""

    def fold(self) -> Story | None:
        """The events' story. None: they do not come to a race that is closed."""
        story = Story(Room(id=self._header.room))
        previous: ev.RoomEvent | None = None
        last_at = 0
        for told in self._header.events:
            self._number += 1
            self._kind = str(told.get("kind"))
            event, at = self._read(told, story.room), told.get("at")
            if event is None or not isinstance(at, int):
                return None
            if at < last_at and not is_derived(event):
                self._differ("event_before")
            if not self._take(story, event, at, previous):
                return None
            self._check_told(story.room, event, told)
            previous, last_at = event, at
        if story.room.state != "closed":
            self._report.differ("not_closed")
            return None
        return story

    def _differ(self, code: str, /, **values: Value) -> None:
        self._report.differ(code, number=self._number, kind=self._kind, **values)

    def _read(self, told: dict[str, Any], room: Room) -> ev.RoomEvent | None:
        """An event as the log tells it, as the room folds it. None: it is none, or not the next."""
        if told.get("v") != self._number:
            self._differ("event_number", told=str(told.get("v")))
            return None
        at = told.get("at")
        if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= WHOLE_MAX:
            self._differ("event_malformed", detail=f"at: {at}")
            return None
        fields = {name: value for name, value in told.items() if name not in NOT_OF_THE_EVENT}
        self._complete(fields, room)
        try:
            event: ev.RoomEvent = msgspec.convert(fields, ev.AnyEvent)
        except msgspec.ValidationError as error:
            self._differ("event_malformed", detail=str(error))
            return None
        return event

    def _complete(self, fields: dict[str, Any], room: Room) -> None:
        """Put in what a log leaves out of an event, because it is secret or said elsewhere."""
        kind, player, options = fields.get("kind"), str(fields.get("player")), fields.get("options")
        if isinstance(options, dict) and options.get("password") is True:
            fields["options"] = {**options, "password": SECRET}
        if kind == "created":
            fields |= {"deal": self._code, "nonce": self._header.nonce}
        if fields.get("name") == NO_NAME and player in self._forgotten:
            fields["name"] = f"{NO_NAME}{player}"  # a name that nobody else has
        game = self._games.get(player)
        if kind == "won" and room.own_starts and game is not None:
            # With own starts a win is told without its figures, and the log tells it as it was told.
            fields |= {"ms": fields.get("ms", game.last_ms), "moves": fields.get("moves", game.moves)}

    def _take(self, story: Story, event: ev.RoomEvent, at: int, previous: ev.RoomEvent | None) -> bool:
        """Judge an event and fold it in. False: the room after it cannot be told."""
        before = story.room
        why = why_not(before, event, at, self._games, previous)
        if why:
            self._differ("event_impossible", why=WHY.get(why, WHY["not_so"]))
            if isinstance(event, ev.Created | ev.OptionsSet) or before.v == 0:
                return False
        if isinstance(event, ev.Closed) and before.state == "running":
            for player in untold(before, progress_in(before, self._games)):
                self._report.differ("win_untold", name=self._games[player].name or player)
        try:
            story.room = apply(before, event, at)
        except KeyError:
            return False  # of somebody who is not there, which was said
        story.note(event, at, before)
        return True

    def _check_told(self, room: Room, event: ev.RoomEvent, told: dict[str, Any]) -> None:
        """What is told beside an event: of the deal, and the name of whom it is about."""
        expected: dict[str, str] = {}
        if isinstance(event, ev.Started | ev.Closed) and may_know_code(room, ""):
            expected["code"] = self._code
        if isinstance(event, ev.Started) and room.options.sealed:
            expected["commit"] = self._header.commit
        if isinstance(event, ev.Closed) and self._header.nonce:
            expected["nonce"] = self._header.nonce
        for what in OF_THE_DEAL:
            if (told.get(what) or "") != expected.get(what, ""):
                self._differ("event_deal", what=what, told=str(told.get(what)))
        person = room.people.get(str(told.get("player", "")))
        if person is None or isinstance(event, ev.Joined | ev.Kicked | ev.Banned):
            return  # gone again; or the name is the event's own, and was judged with it
        name = NO_NAME if person.id in self._forgotten else person.name
        if told.get("name", name) != name:
            self._differ("event_name", told=str(told.get("name")))

    def check_options(self, room: Room) -> None:
        """The options in the log's head are those that the events come to, and the deal is of them."""
        shown, told = shown_options(room.options), self._header.options
        for option in sorted({*shown, *told}):
            same = shown.get(option) == told.get(option) and type(shown.get(option)) is type(told.get(option))
            if not same:
                self._report.differ("option_differs", option=option)
        code, options = self._header.game, room.options
        drawn = options.deal == RANDOM_DEAL
        of_them = code.long == options.sealed if drawn else options.deal == self._code
        if code.variant != options.variant or not of_them:
            self._report.differ("deal_not_of_options", code=self._code)
