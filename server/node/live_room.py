"""A room on this node: the fold of its stored events, its players' games, and who is connected here.

One room write is under way at a time; commands that come meanwhile are decided together, on what is stored by
then. Nothing here cannot be rebuilt from the store, and nothing unstored is shown.
"""

import asyncio
from collections import deque
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, NamedTuple

import structlog
from msgspec.structs import replace

from protocol import messages as wire
from protocol.limits import BOARD_INTERVAL_MS, BOARD_ROWS_MAX, CLOSE_NEWER_CONNECTION
from server.engine.game import Game
from server.node import outbound
from server.node.conditions import NO_FENCES, extra_of
from server.node.live_game import LiveGame
from server.node.sequence import Sequence
from server.node.world import Timer
from server.rooms import commands as cmd
from server.rooms import events as ev
from server.rooms.decide import decide
from server.rooms.due import HOST_ABSENCE_MS, Due, successor, upcoming
from server.rooms.options import DAY_MS
from server.rooms.problems import RoomProblem
from server.rooms.room import Room, apply
from server.rooms.standings import Progress
from server.store import keys
from server.store.items import Answer, Append, Extra, Seen, Verdict
from server.store.records import Entry, next_tip, pack_event, unpack_event
from server.store.store import Head, Presence, StoreUnavailableError, is_online

if TYPE_CHECKING:
    from server.node.hub import Hub
    from server.node.session import Session

EARLY_RETRY_MS = 5
REDECIDED_MAX = 16  # other nodes wrote first so often in a row: more than contention, give up in words

log = structlog.get_logger()


class Order(NamedTuple):
    """A command that waits to be decided; the future gets the room's version that holds it."""

    command: cmd.Command
    received_ms: float
    future: asyncio.Future[int]


class Draft(NamedTuple):
    """An event decided upon and not stored yet, with what the script must know of it."""

    event: ev.RoomEvent
    item: Append


class LiveRoom:
    """See the module. Made and kept by the hub."""

    def __init__(self, hub: "Hub", room_id: str) -> None:
        self.hub, self.id = hub, room_id
        self.journal, self.world, self.clock = hub.journal, hub.world, hub.clock
        self.room = Room(id=room_id)
        self.tip = ""
        self.room_fence = ""
        self.fences: dict[str, str] = {}
        self.progress: dict[str, Progress] = {}
        self.seen: dict[str, Presence] = {}
        self._told_online: dict[str, bool] = {}
        self.host_away_since: int | None = None
        self.members: dict[str, Session] = {}
        self.games: dict[str, LiveGame] = {}
        self._deal: tuple[str, Game] | None = None
        self._loading_games: dict[str, asyncio.Future[LiveGame]] = {}
        self.seqs = Sequence()
        self._orders: deque[Order] = deque()
        self._working = False
        self._stored: asyncio.Event = asyncio.Event()
        self._answers: list[tuple[Append, Answer]] = []
        self._untold: deque[tuple[Room, Room, ev.RoomEvent, int]] = deque()
        self._telling = False
        self._waiting_for_close: list[asyncio.Future[None]] = []
        self._redecided = 0
        self._look_timer: Timer | None = None
        self._board_timer: Timer | None = None
        self._board_told_ms = float("-inf")
        self._board_seq = 0
        self.idle_since_ms = hub.world.monotonic_ms()

    @property
    def open(self) -> bool:
        """Whether every card is shown."""
        return self.room.options.visibility == "open"

    # What the store says

    def begin(self, head: Head, entries: list[Entry]) -> None:
        """Become what the store says: the head and all events. Raises `NewerFormatError`."""
        room = Room(id=self.id)
        for entry in entries:
            room = apply(room, unpack_event(entry.payload), entry.stamp)
        self.room, self.tip = room, entries[-1].tip if entries else ""
        self.take_head(head)
        self.look()

    def take_head(self, head: Head) -> None:
        """Take over what a room's head says, where it is newer than what is known here."""
        if self.room.v == head.room.n:  # else events have come since that moved them further
            self.room_fence, self.fences = head.room_fence, head.fences
        for player, progress in head.progress.items():
            known = self.progress.get(player)
            if known is None or known.n < progress.n:
                self.progress[player] = progress
        self.take_seen(head.seen)
        self.seqs.at_least(head.seq)

    def advance(self, n: int, before: str, tip: str, stamp: int, payload: bytes, seq: int) -> bool:
        """Fold in an event that is stored. False: it does not follow on what is known; read on."""
        if n <= self.room.v:
            self.seqs.note(seq)
            return True
        if n != self.room.v + 1 or before != self.tip:
            return False
        event = unpack_event(payload)
        old = self.room
        self.room, self.tip = apply(old, event, stamp), tip
        if isinstance(event, ev.MOVES_THE_ROOMS_FENCE):
            self.room_fence = tip
        if isinstance(event, ev.MOVES_A_PLAYERS_FENCE):
            self.fences[event.player] = tip
        self.seqs.note(seq)
        self._untold.append((old, self.room, event, stamp))
        self._tell_events()
        if old.host != self.room.host:
            self.host_changed_presence()
        self.board_changed()
        self.look()
        return True

    async def read_on(self) -> bool:
        """Take what the store has beyond what is known here. False: the room is gone, or the store away."""
        try:
            head, entries = await self.hub.store.load_room(self.id, self.room.v)
        except StoreUnavailableError:
            return False
        if head is None:
            return False
        for entry in entries:
            self.advance(entry.n, self.tip, entry.tip, entry.stamp, entry.payload, 0)
        if self.tip != head.room.tip and self.room.v >= head.room.n:
            await self.begin_again()
        else:
            self.take_head(head)
        self.board_changed()
        return True

    async def begin_again(self) -> None:
        """The store is not where it was (it lost writes): load the room anew, and tell everyone here."""
        head, entries = await self.hub.store.load_room(self.id)
        if head is None:
            return
        log.warning("room read again from its beginning", room=self.id)
        self.seqs, self.progress, self.seen = Sequence(), {}, {}
        self._board_seq = 0
        self._untold.clear()
        for game in list(self.games.values()):
            self.game_unavailable(game)
        self.begin(head, entries)
        for session in list(self.members.values()):
            session.resync()

    async def read_on_with(self, game: LiveGame) -> bool:
        """Read on the room and one game's log. False: the room is gone, or the store away."""
        if not await self.read_on():
            return False
        try:
            game.rebuild(await self.hub.store.load_log(self.id, game.log))
        except StoreUnavailableError:
            return False
        return True

    # Games

    async def game(self, player: str) -> LiveGame:
        """The player's game, read from its log if it is not here yet. Raises `StoreUnavailableError`."""
        game = self.games.get(player)
        if game is not None:
            return game
        loading = self._loading_games.get(player)
        if loading is None:
            loading = self._loading_games[player] = asyncio.get_running_loop().create_future()
            self.world.spawn(self._load_game(player, loading), f"load game {self.id} {player}")
        return await asyncio.shield(loading)

    async def _load_game(self, player: str, loading: asyncio.Future[LiveGame]) -> None:
        try:
            game = LiveGame(self, player)
            game.rebuild(await self.hub.store.load_log(self.id, game.log))
        except Exception as error:
            del self._loading_games[player]
            loading.set_exception(error)
            loading.exception()  # whoever waits raises it; nobody may be waiting any more
            return
        del self._loading_games[player]
        self.games[player] = game
        loading.set_result(game)

    def progressed(self, player: str, progress: Progress, seq: int, done: wire.Done) -> None:
        """An action of this player is stored."""
        before = self.progress.get(player)
        self.progress[player] = progress
        self.seqs.note(seq)
        self.hub.tell_progress(self.id, player, progress, seq)
        self.board_changed()
        if progress.status != "playing" or (before is not None and before.status != "playing"):
            self.look()

    def heard_progress(self, player: str, progress: Progress, seq: int) -> None:
        """Another node stored an action of this player."""
        known = self.progress.get(player)
        self.seqs.note(seq)
        if known is not None and known.n >= progress.n:
            return
        self.progress[player] = progress
        self.board_changed()
        self.look()

    def game_idle(self, game: LiveGame) -> None:
        """Nothing of this game is under way any more."""
        idlers, game.idlers = game.idlers, []
        for future in idlers:
            if isinstance(future, asyncio.Future) and not future.done():
                future.set_result(None)

    async def until_idle(self, game: LiveGame) -> None:
        """Wait until nothing of this game is under way."""
        while not game.idle:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            game.idlers.append(future)
            await future

    def game_unavailable(self, game: LiveGame) -> None:
        """Nothing is known of what is under way in this game: tell those who asked, and forget the copy."""
        self.games.pop(game.player, None)
        waiting, corrections = list(game.waiting), game.corrections
        game.waiting.clear()
        game.corrections = []
        for attempt in waiting:
            attempt.asker.unavailable(attempt.request)
        for asker in corrections:
            asker.unavailable(None)
        self.game_idle(game)

    # Commands

    async def submit(self, command: cmd.Command, received_ms: float) -> int:
        """Have a command decided and its events stored: the room's version that holds them.

        Raises `RoomProblem`, and `StoreUnavailableError` when the outcome is not known.
        """
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._orders.append(Order(command, received_ms, future))
        self._work()
        return await future

    def look(self) -> None:
        """See what is due by itself: do it now, or set the timer for it."""
        if self._look_timer is not None:
            self._look_timer.cancel()
            self._look_timer = None
        moments = [due.fires_at] if (due := upcoming(self.room, self.progress)) else []
        if self.host_away_since is not None and self.room.state != "closed":
            moments.append(self.host_away_since + HOST_ABSENCE_MS)
        if moments:
            delay_ms = min(moments) - self.clock.now_ms()
            self._look_timer = self.world.call_later(min(max(0, delay_ms), DAY_MS), self._look_fired)

    def _look_fired(self) -> None:
        self._look_timer = None
        self._work()

    def _work(self) -> None:
        if not self._working:
            self._working = True
            self.world.spawn(self._write_until_done(), f"room {self.id}")

    async def _write_until_done(self) -> None:
        try:
            while await self._write_once():
                pass
        except Exception as error:
            self._give_up(error)
            raise
        finally:
            self._working = False
        self.look()

    def _give_up(self, error: Exception) -> None:
        orders, self._orders = self._orders, deque()
        for order in orders:
            if not order.future.done():
                order.future.set_exception(StoreUnavailableError(str(error)))

    async def _write_once(self) -> bool:
        """Decide all that waits on what is stored, and store it. False: there was nothing."""
        now_ms = self.clock.now_ms()
        due = upcoming(self.room, self.progress)
        if due is not None and due.fires_at <= now_ms and isinstance(due.event, ev.Closed | ev.Ending):
            if not await self.read_on():  # an end is told from all rows, not from those heard of
                self._fail_orders()
                return False
            now_ms = self.clock.now_ms()
        orders, self._orders = list(self._orders), deque()
        drafts, outcomes = self._decide_all(orders, now_ms)
        if not drafts:
            self._settle(orders, outcomes, len(drafts))
            return bool(orders)
        answers = await self._store(drafts)
        stored = 0
        for draft, answer in zip(drafts, answers, strict=True):
            if not answer.stored:
                break
            item = draft.item
            self.advance(item.n, item.before, item.tip, answer.stamp, item.payload, answer.seq)
            stored += 1
        self._settle(orders, outcomes, stored)
        if stored == len(drafts):
            self._redecided = 0
            return True
        return await self._not_stored(orders, outcomes, stored, answers[stored])

    def _decide_all(self, orders: list[Order], now_ms: int) -> tuple[list[Draft], list[int | RoomProblem]]:
        """Drafts of all events, and for each order: how many drafts hold it, or its problem."""
        room, tip = self.room, self.tip
        drafts: list[Draft] = []

        def add(
            event: ev.RoomEvent, extra: Extra, fences: tuple[list[str], list[str]], at: int, ms: float
        ) -> None:
            nonlocal room, tip
            payload = pack_event(event)
            item = Append(
                self.id, keys.ROOM_LOG, room.v + 1, tip, next_tip(tip, payload), payload,
                ms, fences, self._answered, extra=extra,
            )  # fmt: skip
            drafts.append(Draft(event, item))
            room, tip = apply(room, event, at), item.tip

        monotonic_ms = self.world.monotonic_ms()
        for due in self._all_due(now_ms):
            add(due.event, extra_of(room, due.event, now_ms, due), NO_FENCES, due.at, monotonic_ms)
        outcomes: list[int | RoomProblem] = []
        for order in orders:
            command = self._completed(order.command)
            try:
                for event in decide(room, command, now_ms):
                    add(
                        event,
                        extra_of(room, event, now_ms, None),
                        self._fences_of(event),
                        now_ms,
                        order.received_ms,
                    )
            except RoomProblem as problem:
                outcomes.append(problem)
            else:
                outcomes.append(len(drafts))
        return drafts, outcomes

    def _all_due(self, now_ms: int) -> list[Due]:
        """What is due by now, in the order of its moments."""
        room = self.room
        all_due: list[Due] = []
        while (due := upcoming(room, self.progress)) is not None and due.fires_at <= now_ms:
            all_due.append(due)
            room = apply(room, due.event, due.at)
        away = self.host_away_since
        if away is not None and now_ms >= away + HOST_ABSENCE_MS and room.state != "closed":
            next_host = successor(room, self.online(now_ms))
            if next_host is not None:
                at = away + HOST_ABSENCE_MS
                all_due.append(Due(at=at, fires_at=at, event=ev.HostChanged(player=next_host)))
        return all_due

    def _completed(self, command: cmd.Command) -> cmd.Command:
        """A forfeit names the game's length as it is stored now."""
        if isinstance(command, cmd.Forfeit) and command.by in self.games:
            return replace(command, n=self.games[command.by].stored_n)
        return command

    def _fences_of(self, event: ev.RoomEvent) -> tuple[list[str], list[str]]:
        """An event about one player's game names that game's tip, which orders it against a last move."""
        if isinstance(event, ev.Forfeited) and event.player in self.games:
            field = keys.tip_field(keys.game_log(event.player))
            return [field], [self.games[event.player].stored_tip]
        return NO_FENCES

    async def _store(self, drafts: list[Draft]) -> list[Answer]:
        self._answers = []
        self._stored.clear()
        for draft in drafts:
            self.journal.submit(draft.item)
        while len(self._answers) < len(drafts):
            self._stored.clear()
            await self._stored.wait()
        return [answer for _, answer in self._answers]

    def _answered(self, item: Append, answer: Answer) -> None:
        self._answers.append((item, answer))
        self._stored.set()

    def _settle(self, orders: list[Order], outcomes: list[int | RoomProblem], stored: int) -> None:
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
                order.future.set_result(self.room.v)
            else:
                order.future.set_exception(outcome)

    async def _not_stored(
        self, orders: list[Order], outcomes: list[int | RoomProblem], stored: int, answer: Answer
    ) -> bool:
        """The store refused a draft: read on, and decide again what is not answered. False: given up."""
        unanswered = [order for order in orders if not order.future.done()]
        self._orders.extendleft(reversed(unanswered))
        if answer.verdict == Verdict.EARLY:  # by the store's clock it is not time yet
            await self.world.sleep_ms(EARLY_RETRY_MS)
            return True
        self._redecided += 1
        if answer.verdict == Verdict.LATE and unanswered:
            self._orders.popleft()
            unanswered[0].future.set_exception(RoomProblem("not_allowed"))
        if answer.verdict == Verdict.FENCED:
            for order in unanswered:
                if isinstance(order.command, cmd.Forfeit) and order.command.by in self.games:
                    await self._read_on_idle(self.games[order.command.by])
        unknown = answer.verdict == Verdict.UNAVAILABLE or self._redecided > REDECIDED_MAX
        if unknown or not await self.read_on():
            self._redecided = 0
            self._fail_orders()
            return False
        return True

    async def _read_on_idle(self, game: LiveGame) -> None:
        await self.until_idle(game)
        if self.games.get(game.player) is game and game.idle:
            game.reading = True
            if await self.read_on_with(game):
                game.reading = False
                game.judge_waiting(None)
            else:
                self.game_unavailable(game)

    def _fail_orders(self) -> None:
        self._give_up(StoreUnavailableError("the room's log cannot be read or written"))

    # People here

    def online(self, now_ms: int | None = None) -> dict[str, bool]:
        """Who is online, by the presence known here."""
        now = self.clock.now_ms() if now_ms is None else now_ms
        return {
            player: player in self.members or is_online(presence, now)
            for player, presence in self.seen.items()
        } | dict.fromkeys(self.members, True)

    def come_in(self, session: "Session") -> None:
        """This connection is in the room now; an older one of the same identity is closed."""
        older = self.members.get(session.player)
        self.members[session.player] = session
        if older is not None and older is not session:
            older.replaced()
        self._presence(session, "claim")

    def go_out(self, session: "Session") -> None:
        """This connection is in the room no longer; the seat is another matter."""
        if self.members.get(session.player) is session:
            del self.members[session.player]
            self._presence(session, "gone")
            if not self.members:
                self.idle_since_ms = self.world.monotonic_ms()

    def remote_players(self) -> list[str]:
        """Whose presence is kept by other nodes, as far as known here."""
        return [player for player in self.seen if player not in self.members]

    def gone(self) -> None:
        """The store has the room no longer: its time is over."""
        self.stop()
        for session in list(self.members.values()):
            session.room_gone()
        self.members.clear()

    def beat(self) -> None:
        """Renew the presence of everyone connected here."""
        for session in self.members.values():
            self._presence(session, "beat")

    def _presence(self, session: "Session", mode: str) -> None:
        self.journal.submit(
            Seen(self.id, session.player, session.connection_id, mode, self._seen_answered)  # type: ignore[arg-type]
        )

    def _seen_answered(self, item: Seen, answer: Answer) -> None:
        session = self.members.get(item.player)
        if answer.verdict == Verdict.TAKEN:
            if item.mode != "gone" and session is not None and session.connection_id == item.connection:
                del self.members[item.player]
                session.replaced()
        elif answer.stored:
            self.heard_seen(item.player, item.connection, item.mode != "gone", answer.stamp, answer.seq)

    def heard_seen(self, player: str, connection: str, online: bool, moment: int, seq: int) -> None:
        """A presence is stored: one came, or went."""
        self.seqs.note(seq)
        known = self.seen.get(player)
        was_online = known is not None and is_online(known, moment)
        if known is not None and known.moment > moment:
            return
        if online:
            self.seen[player] = Presence(connection, moment)
            session = self.members.get(player)
            if session is not None and session.connection_id != connection:
                del self.members[player]
                session.close(CLOSE_NEWER_CONNECTION, "this identity is in this room on a newer connection")
        elif known is not None and known.connection == connection:
            del self.seen[player]
        else:
            return
        if was_online != online or self._told_online.get(player, was_online) != online:
            self._tell_presence(player, online)
        if player == self.room.host:
            self.host_changed_presence()
            self.look()

    def take_seen(self, seen: Mapping[str, Presence]) -> None:
        """Presence as the store has it: beats of other nodes' connections, and leases that ran out."""
        now_ms = self.clock.now_ms()
        before = self.online(now_ms)
        for player, presence in seen.items():
            known = self.seen.get(player)
            if known is None or known.moment < presence.moment:
                self.seen[player] = presence
        for player, online in self.online(now_ms).items():
            if online != self._told_online.get(player, before.get(player, False)):
                self._tell_presence(player, online)
        self.host_changed_presence()

    def _tell_presence(self, player: str, online: bool) -> None:
        self._told_online[player] = online
        self.broadcast(wire.Presence(room=self.id, player=player, online=online))
        self.board_changed()

    def host_changed_presence(self) -> None:
        """Keep since when the host is away."""
        now_ms = self.clock.now_ms()
        presence = self.seen.get(self.room.host)
        if self.room.host in self.members or is_online(presence, now_ms):
            self.host_away_since = None
        elif self.host_away_since is None:
            self.host_away_since = now_ms

    # Telling

    def broadcast(self, message: wire.Message, players: Container[str] | None = None) -> None:
        """To everyone connected here, or to these of them: encoded once an encoding."""
        frames: dict[object, bytes] = {}
        for session in list(self.members.values()):
            if players is not None and session.player not in players:
                continue
            frame = frames.get(session.codec)
            if frame is None:
                frame = frames[session.codec] = session.frame(message)
            session.send_frame(frame)

    def _tell_events(self) -> None:
        """Tell the events that are stored, in order; the close only with its final board."""
        while self._untold and not self._telling:
            before, after, event, at = self._untold[0]
            if isinstance(event, ev.Closed):
                self._telling = True
                self.world.spawn(self._tell_close(), f"close {self.id}")
                return
            self._untold.popleft()
            self._tell(before, after, event, at, None)

    def _tell(
        self, before: Room, after: Room, event: ev.RoomEvent, at: int, board: wire.BoardData | None
    ) -> None:
        if isinstance(event, ev.Closed):
            self._board_seq = max(self._board_seq, board.seq if board else 0)
        self.broadcast(outbound.event_message(before, after, event, at, board))
        if isinstance(event, ev.Started):
            self._tell_first_games(after)

    def _tell_first_games(self, after: Room) -> None:
        """Everyone's game as it begins: the same for all."""
        players = {person.id for person in after.players}
        if players:
            message = outbound.game_state(after, next(iter(players)), self.dealt(), Progress())
            self.broadcast(message, players)

    def dealt(self) -> Game:
        """A game of the room's deal, at its beginning."""
        if self._deal is None or self._deal[0] != self.room.deal:
            self._deal = (self.room.deal, Game.deal(self.room.code))
        return self._deal[1].copy()

    async def _tell_close(self) -> None:
        """The final board is folded from what is stored after the close: no action can follow it."""
        try:
            head, _ = await self.hub.store.load_room(self.id, self.room.v)
            if head is not None:
                self.take_head(head)
        except StoreUnavailableError:
            log.warning("final board from the rows heard of", room=self.id)
        finally:
            self._telling = False
        if self._untold:
            before, after, event, at = self._untold.popleft()
            self._tell(before, after, event, at, self.board_data())
        self._tell_events()
        waiting, self._waiting_for_close = self._waiting_for_close, []
        for told in waiting:
            if not told.done():
                told.set_result(None)

    @property
    def telling(self) -> bool:
        """Whether a close is stored and its final board not yet told."""
        return bool(self._untold)

    async def settled(self) -> None:
        """Wait until a close that is stored is told: what is shown then is final."""
        while self._untold:
            told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting_for_close.append(told)
            await told

    def room_message(self, viewer: str) -> wire.Room:
        """The room as this person may see it."""
        now_ms = self.clock.now_ms()
        return outbound.room_message(self.room, viewer, self.online(now_ms), self.board_data(), now_ms)

    def game_message(self, game: LiveGame) -> wire.GameState:
        """A player's own game; only of an idle one."""
        return outbound.game_state(self.room, game.player, game.game, game.progress)

    # The board

    def board_data(self) -> wire.BoardData:
        """The board now, as part of another message."""
        now_ms = self.clock.now_ms()
        rows = outbound.rows(self.room, self.progress, self.online(now_ms))
        return wire.BoardData(seq=self.seqs.whole, at=now_ms, rows=rows[:BOARD_ROWS_MAX])

    def board_changed(self) -> None:
        """Have the board go out, at most ten times a second."""
        if self._board_timer is None and self.members:
            wait_ms = self._board_told_ms + BOARD_INTERVAL_MS - self.world.monotonic_ms()
            self._board_timer = self.world.call_later(max(0.0, wait_ms), self._tell_board)

    def _tell_board(self) -> None:
        self._board_timer = None
        if self.seqs.whole <= self._board_seq or not self.members or self.room.state == "closed":
            return
        self._board_told_ms = self.world.monotonic_ms()
        self._board_seq = self.seqs.whole
        now_ms = self.clock.now_ms()
        rows = outbound.rows(self.room, self.progress, self.online(now_ms))
        board = wire.Board(room=self.id, seq=self._board_seq, at=now_ms, rows=rows[:BOARD_ROWS_MAX])
        if len(rows) <= BOARD_ROWS_MAX:
            self.broadcast(board)
            return
        beyond = {row.player: row for row in rows[BOARD_ROWS_MAX:]}
        for session in list(self.members.values()):
            own = beyond.get(session.player)
            session.send(replace(board, own=own) if own is not None else board)

    def stop(self) -> None:
        """Let go of the timers: the room is no longer kept here."""
        for timer in (self._look_timer, self._board_timer):
            if timer is not None:
                timer.cancel()

    @property
    def busy(self) -> bool:
        """Whether something is under way that must end before the room may be let go."""
        games_busy = any(not game.idle for game in self.games.values())
        return bool(self.members or self._orders or self._working or self._untold or games_busy)
