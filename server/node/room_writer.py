"""The writes to a room's log: what people command and what is due by itself, decided and stored.

One write is under way at a time. What comes meanwhile is decided together, on what is stored by then; nothing
is decided on an event that is not stored, but those of the same write.
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import structlog
from msgspec.structs import replace

from server.node.conditions import NO_FENCES, extra_of
from server.node.world import Timer
from server.rooms import commands as cmd
from server.rooms import events as ev
from server.rooms.decide import decide
from server.rooms.due import HOST_ABSENCE_MS, Due, successor, upcoming
from server.rooms.options import DAY_MS
from server.rooms.problems import RoomProblem
from server.rooms.room import Room, apply
from server.rooms.whys import Why
from server.store import keys
from server.store.items import Answer, Append, Extra, Verdict
from server.store.records import next_tip, pack_event
from server.store.store import StoreUnavailableError

if TYPE_CHECKING:
    from server.node.live_room import LiveRoom

log = structlog.get_logger()

EARLY_RETRY_MS = 5
AWAY_RETRY_MS = 500  # what is due is tried again so long after the store was away
REDECIDED_MAX = 16  # other nodes wrote first so often in a row: more than contention, give up in words


class Order(NamedTuple):
    """A command that waits to be decided; the future gets the room's version that holds it."""

    command: cmd.Command
    received_ms: float
    future: asyncio.Future[int]


Outcome = int | RoomProblem  # of an order: how many drafts must be stored to hold it, or its problem


class Draft:
    """Events decided upon and not stored yet, as items that build on one another."""

    def __init__(self, writer: "RoomWriter", room: Room, tip: str, floor_ms: int) -> None:
        self._writer, self.room, self._tip, self._floor_ms = writer, room, tip, floor_ms
        self.items: list[Append] = []
        self.events: list[ev.RoomEvent] = []  # those of the items

    def add(
        self,
        event: ev.RoomEvent,
        at: int,
        received_ms: float,
        extra: Extra,
        fences: tuple[list[str], list[str]],
    ) -> None:
        """One event more."""
        payload = pack_event(event)
        tip = next_tip(self._tip, payload)
        item = Append(
            self.room.id, keys.ROOM_LOG, self.room.v + 1, self._tip, tip, payload,
            received_ms, fences, self._writer.answered, floor_ms=self._floor_ms, extra=extra,
        )  # fmt: skip
        self.items.append(item)
        self.events.append(event)
        self.room, self._tip = apply(self.room, event, at), tip


class RoomWriter:
    """See the module."""

    def __init__(self, live: "LiveRoom") -> None:
        self._live = live
        self._orders: deque[Order] = deque()
        self._working = False
        self._answers: list[Answer] = []
        self._answered = asyncio.Event()
        self._redecided = 0
        self._timer: Timer | None = None

    @property
    def busy(self) -> bool:
        """Whether something is being written, or waits to be."""
        return self._working or bool(self._orders)

    async def submit(self, command: cmd.Command, received_ms: float) -> int:
        """Have a command decided and its events stored: the room's version that holds them.

        `received_ms` is this node's monotonic clock when it came in. Raises `RoomProblem`, and
        `StoreUnavailableError` when the outcome is not known.
        """
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._orders.append(Order(command, received_ms, future))
        self._work()
        return await future

    # What is due

    def look(self, at_least_ms: int = 0) -> None:
        """Set the timer for what is due next by itself, `at_least_ms` from now."""
        self.stop()
        live = self._live
        due = upcoming(live.room, live.progress)
        delays_ms = [due.fires_at - live.now_ms()] if due is not None else []
        away = live.attendance.host_away_since
        if away is not None and live.room.state != "closed" and self._successor(live.room):
            delays_ms.append(away + HOST_ABSENCE_MS - live.clock.now_ms())
        if delays_ms:
            delay_ms = max(at_least_ms, min(delays_ms))
            self._timer = live.world.call_later(min(delay_ms, DAY_MS), self._fired)

    def stop(self) -> None:
        """Let go of the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _fired(self) -> None:
        self._timer = None
        self._work()

    def _all_due(self, now_ms: int) -> list[Due]:
        """What is due by now, in the order of its moments."""
        live, room = self._live, self._live.room
        all_due: list[Due] = []
        while (due := upcoming(room, live.progress)) is not None and due.fires_at <= now_ms:
            all_due.append(due)
            room = apply(room, due.event, due.at)
        away = live.attendance.host_away_since
        # Absence, as presence, is measured by the store's clock as it is, and not by the room's.
        if away is not None and live.clock.now_ms() >= away + HOST_ABSENCE_MS and room.state != "closed":
            next_host = self._successor(room)
            if next_host is not None:
                fires_at = away + HOST_ABSENCE_MS
                at = max(fires_at, live.least_stamp_ms())
                all_due.append(Due(at=at, fires_at=fires_at, event=ev.HostChanged(player=next_host)))
        return all_due

    def _successor(self, room: Room) -> str | None:
        return successor(room, self._live.attendance.online())

    # Writing

    def _work(self) -> None:
        if not self._working:
            self._working = True
            self._live.world.spawn(self._write_all(), "write room", room=self._live.id)

    async def _write_all(self) -> None:
        try:
            while await self._write():
                pass
        except StoreUnavailableError as error:
            self._give_up(error)
            again_ms = AWAY_RETRY_MS
        except Exception as error:
            self._give_up(StoreUnavailableError(f"a fault in room {self._live.id}: {error!r}"))
            raise
        else:
            again_ms = 0
        finally:
            self._working = False
        if self._orders:
            self._work()
        else:
            self.look(again_ms)

    def _give_up(self, error: StoreUnavailableError) -> None:
        orders, self._orders = self._orders, deque()
        self._redecided = 0
        for order in orders:
            if not order.future.done():
                order.future.set_exception(error)

    async def _write(self) -> bool:
        """Decide all that waits, on what is stored, and store it. False: there was nothing.

        Raises `StoreUnavailableError`; what was not answered waits on in `_orders`.
        """
        live = self._live
        await self._read_what_decides()
        now_ms = live.now_ms()
        orders = list(self._orders)
        draft, outcomes = self._decide(orders, now_ms)
        self._orders.clear()  # only now: should deciding fail, they are still there to be told
        answers = await self._store(draft.items)
        stored = 0
        while stored < len(answers) and answers[stored].stored:
            item, answer = draft.items[stored], answers[stored]
            live.advance(item.n, item.before, item.tip, answer.stamp, item.payload, answer.seq)
            _log(live.room, draft.events[stored])
            stored += 1
        self._settle(orders, outcomes, stored)
        if stored == len(answers):
            self._redecided = 0
            return bool(orders or answers)
        self._orders.extendleft(order for order in reversed(orders) if not order.future.done())
        await self._not_stored(answers[stored].verdict)
        return True

    async def _read_what_decides(self) -> None:
        """An end is told from all rows, not from those heard of; a forfeit names the game as stored."""
        live = self._live
        due = upcoming(live.room, live.progress)
        ends = due is not None and isinstance(due.event, ev.Closed | ev.Ending)
        ends = ends and due is not None and due.fires_at <= live.now_ms()
        ends = ends or any(isinstance(order.command, cmd.Close) for order in self._orders)
        if ends and not await live.read_on():
            raise StoreUnavailableError("the room cannot be read")
        # Asked until none lacks it: more may come while one is read, and nothing is awaited after the last.
        while (player := self._forfeits_unread()) is not None:
            await live.game(player)

    def _forfeits_unread(self) -> str | None:
        """Somebody who forfeits a game that is not here."""
        live = self._live
        for order in self._orders:
            person = live.room.people.get(order.command.by)
            plays = person is not None and person.game is not None
            if isinstance(order.command, cmd.Forfeit) and plays and order.command.by not in live.games:
                return order.command.by
        return None

    def _decide(self, orders: list[Order], now_ms: int) -> tuple[Draft, list[Outcome]]:
        """A draft of all events, what is due first; and what becomes of each order."""
        live = self._live
        draft = Draft(self, live.room, live.tip, live.least_stamp_ms())
        monotonic_ms = live.world.monotonic_ms()
        for due in self._all_due(now_ms):
            extra = extra_of(draft.room, due.event, now_ms, due)
            draft.add(due.event, due.at, monotonic_ms, extra, NO_FENCES)
        outcomes: list[Outcome] = []
        for order in orders:
            try:
                events = decide(draft.room, self._completed(order.command), now_ms)
            except RoomProblem as problem:
                outcomes.append(problem)
                continue
            for event in events:
                extra = extra_of(draft.room, event, now_ms, None)
                draft.add(event, now_ms, order.received_ms, extra, self._fences_of(event))
            outcomes.append(len(draft.items))
        return draft, outcomes

    def _completed(self, command: cmd.Command) -> cmd.Command:
        """A forfeit names the game's length as it is stored now."""
        if isinstance(command, cmd.Forfeit) and command.by in self._live.games:
            return replace(command, n=self._live.games[command.by].stored_n)
        return command

    def _fences_of(self, event: ev.RoomEvent) -> tuple[list[str], list[str]]:
        """An event about one player's game names that game's tip, which orders it against a last move."""
        if isinstance(event, ev.Forfeited):
            game = self._live.games.get(event.player)  # None: it starts in this very draft, with an empty log
            return [keys.tip_field(keys.game_log(event.player))], [game.stored_tip if game else ""]
        return NO_FENCES

    async def _store(self, items: list[Append]) -> list[Answer]:
        self._answers = []
        for item in items:
            self._live.journal.submit(item)
        while len(self._answers) < len(items):
            self._answered.clear()
            await self._answered.wait()
        return self._answers

    def answered(self, item: Append, answer: Answer) -> None:
        """The journal's answer to an item of the write under way; they come in order."""
        self._answers.append(answer)
        self._answered.set()

    def _settle(self, orders: list[Order], outcomes: list[Outcome], stored: int) -> None:
        """Answer the orders that are held by what is stored; a problem counts once all before it is."""
        needed = 0
        for order, outcome in zip(orders, outcomes, strict=True):
            if isinstance(outcome, int):
                needed = outcome
            if needed > stored:
                return
            if order.future.done():
                continue
            if isinstance(outcome, int):
                order.future.set_result(self._live.room.v)
            else:
                order.future.set_exception(outcome)

    async def _not_stored(self, verdict: Verdict) -> None:
        """The store refused an item: make ready to decide again what is not answered.

        Raises `StoreUnavailableError` when there is no sense in that.
        """
        if verdict == Verdict.EARLY:  # by the store's clock it is not time yet
            await self._live.world.sleep_ms(EARLY_RETRY_MS)
            return
        self._redecided += 1
        if verdict == Verdict.UNAVAILABLE or self._redecided > REDECIDED_MAX:
            raise StoreUnavailableError(f"the room's log cannot be written ({verdict.name})")
        if verdict == Verdict.LATE and self._orders:  # only to take a forfeit back has a moment till when
            self._orders.popleft().future.set_exception(RoomProblem("not_allowed", Why.FORFEIT_IS_OLD))
        if verdict == Verdict.FENCED:
            await self._read_forfeiters()
        if not await self._live.read_on():
            raise StoreUnavailableError("the room cannot be read")

    async def _read_forfeiters(self) -> None:
        """The games of those who forfeit have gone on: read them."""
        for order in list(self._orders):
            game = self._live.games.get(order.command.by)
            if isinstance(order.command, cmd.Forfeit) and game is not None:
                await game.until_idle()
                if game.idle:
                    await game.read_on()


def _log(room: Room, event: ev.RoomEvent) -> None:
    """The line that tells the operator of a race's start and end."""
    match event:
        case ev.Started(player=""):
            log.info("race started", room=room.id, players=len(room.players))
        case ev.Closed(reason=reason):
            log.info("race closed", room=room.id, players=len(room.players), reason=reason)
