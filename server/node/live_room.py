"""A room on this node: the fold of its stored events and its players' games, and who is connected here.

Nothing here cannot be rebuilt from the store, and nothing unstored is shown. Deciding and writing is in
`room_writer`, who is here in `attendance`, what is told in `teller`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import structlog

from protocol.limits import CLOSE_BANNED
from server.engine.game import Game
from server.node.attendance import Attendance
from server.node.feed import Feed
from server.node.live_game import LiveGame
from server.node.load_once import LoadOnce
from server.node.room_writer import RoomWriter
from server.node.sequence import Sequence
from server.node.teller import Teller
from server.rooms import commands as cmd
from server.rooms import events as ev
from server.rooms.room import Room, apply
from server.rooms.standings import Progress
from server.store.heads import Head, Presence
from server.store.records import Entry, NewerFormatError, next_tip, unpack_event
from server.store.store import StoreUnavailableError

if TYPE_CHECKING:
    from server.node.hub import Hub
    from server.node.session import Session

SET_BACK_MS = 1_000  # a clock so far behind what it has stamped was set back; less is this node's estimate

log = structlog.get_logger()


class Known(NamedTuple):
    """What was stored of a room when it began to be read on."""

    seqs: Sequence
    seq: int
    v: int
    tip: str
    progress: dict[str, Progress]

    def is_lost_in(self, head: Head) -> bool:
        """Whether the store has not kept it: a failover went to a replica that was behind."""
        if (
            head.seq < self.seq
            or head.room.n < self.v
            or (head.room.n == self.v and head.room.tip != self.tip)
        ):
            return True
        for player, known in self.progress.items():
            now = head.progress.get(player)
            if now is None or now.n < known.n or (now.n == known.n and now.stamp != known.stamp):
                return True
        return False


class LiveRoom:
    """See the module. Made and kept by the hub."""

    def __init__(self, hub: "Hub", room_id: str) -> None:
        self.hub, self.id = hub, room_id
        self.store, self.journal = hub.store, hub.journals.of(room_id)
        self.world, self.clock, self.counts = hub.world, self.journal.clock, hub.counts
        self.room = Room(id=room_id)
        self.tip = ""
        self.room_fence = ""
        self.fences: dict[str, str] = {}  # by player
        self.progress: dict[str, Progress] = {}
        self.latest_ms = 0  # the last stamp of what is stored, as far as it is known
        self.seqs = Sequence()
        self.members: dict[str, Session] = {}  # connected here, by player
        self.games: dict[str, LiveGame] = {}
        self._feeds: dict[tuple[str, int], Feed] = {}  # by player and delay
        self.attendance = Attendance(self)
        self.teller = Teller(self)
        self.writer = RoomWriter(self)
        self.idle_since_ms = hub.world.monotonic_ms()
        self._deal: tuple[str, Game] | None = None
        self._loading: LoadOnce[LiveGame] = LoadOnce(self.world, "load game")

    @property
    def open(self) -> bool:
        """Whether every card is shown."""
        return self.room.options.visibility == "open"

    @property
    def busy(self) -> bool:
        """Whether somebody is here, or something is under way that must end before the room is let go."""
        games_busy = any(not game.idle for game in self.games.values())
        return bool(self.members) or self.writer.busy or self.teller.telling or games_busy

    def now_ms(self) -> int:
        """The room's clock: the store's, but never before what it has stamped already. It stands still when
        another server with an earlier clock has taken over, till that has caught up."""
        return max(self.clock.now_ms(), self.latest_ms)

    def least_stamp_ms(self) -> int:
        """Of what comes next: nothing is stamped before what it followed, by whichever clock."""
        return self.latest_ms if self.clock.now_ms() < self.latest_ms - SET_BACK_MS else 0

    def stop(self) -> None:
        """Let go of timers and games: the room is no longer kept here."""
        self.writer.stop()
        self.teller.stop()
        self.games.clear()
        self._stop_feeds()

    def _stop_feeds(self) -> None:
        for feed in self._feeds.values():
            feed.stop()
        self._feeds.clear()

    def gone(self) -> None:
        """The store has the room no longer: its time is over."""
        self.stop()
        for session in list(self.members.values()):
            session.room_gone()
        self.members.clear()

    async def submit(self, command: cmd.Command, received_ms: float) -> int:
        """See `RoomWriter.submit`."""
        return await self.writer.submit(command, received_ms)

    # What the store says

    def begin(self, head: Head, entries: list[Entry]) -> None:
        """Become what the store says: the head and all events. Raises `NewerFormatError`."""
        room = Room(id=self.id)
        for entry in entries:
            room = apply(room, unpack_event(entry.payload), entry.stamp)
        self.room, self.tip = room, entries[-1].tip if entries else ""
        self.latest_ms = entries[-1].stamp if entries else 0
        self._take_head(head)
        self.writer.look()

    def _take_head(self, head: Head) -> None:
        """Take over what a room's head says, where it is newer than what is known here."""
        if self.room.v == head.room.n:  # else events have come since that moved them further
            self.room_fence, self.fences = head.room_fence, head.fences
        for player, progress in head.progress.items():
            known = self.progress.get(player)
            if known is None or known.n <= progress.n:  # the same n of a store that lost writes is another
                self.progress[player] = progress
                self.latest_ms = max(self.latest_ms, progress.stamp)
        self.attendance.take(head.seen)
        self.seqs.at_least(head.seq)

    def advance(self, n: int, before: str, tip: str, stamp: int, payload: bytes, seq: int) -> bool:
        """Fold in an event that is stored. False: it does not follow on what is known; read on."""
        if n <= self.room.v:
            self.note(seq)
            return True
        if n != self.room.v + 1 or before != self.tip:
            return False
        event = unpack_event(payload)
        old = self.room
        self.room, self.tip = apply(old, event, stamp), tip
        self.latest_ms = max(self.latest_ms, stamp)
        fenced = ev.fence_moved(event)
        if fenced:
            self.fences[fenced] = tip
        elif fenced is not None:
            self.room_fence = tip
        self.seqs.note(seq)
        self.teller.event_stored(old, self.room, event, stamp)
        if old.host != self.room.host:
            self.attendance.look_for_host()
        self.teller.board_changed()
        self.writer.look()
        return True

    def note(self, seq: int) -> None:
        """This change of the room is known (0: there was none). It may be the one that was missing, and what
        came after it is told with it."""
        if seq:
            self.seqs.note(seq)
            self.teller.board_changed()

    async def read_on(self) -> bool:
        """Take what the store has beyond what is known here. False: the room is gone, or the store away."""
        known = Known(self.seqs, self.seqs.last, self.room.v, self.tip, dict(self.progress))
        try:
            head, entries = await self.store.load_room(self.id, self.room.v)
            if head is None:
                return False
            if known.seqs is self.seqs and known.is_lost_in(head):
                await self._begin_again()
            for entry in entries:
                if entry.n <= self.room.v:
                    continue  # heard of while this was read
                if next_tip(self.tip, entry.payload) != entry.tip:
                    break
                self.advance(entry.n, self.tip, entry.tip, entry.stamp, entry.payload, 0)
            if self.room.v <= head.room.n and self.tip != head.room.tip:
                await self._begin_again()
        except StoreUnavailableError:
            return False
        self._take_head(head)
        self.teller.board_changed()
        return True

    async def in_step(self) -> None:
        """Read on, if something is stored that was not heard of. Raises `StoreUnavailableError`."""
        (glance,) = await self.store.glance([(self.id, ())])
        if glance is not None and glance.tip != self.tip and not await self.read_on():
            raise StoreUnavailableError("the room cannot be read")

    async def _begin_again(self) -> None:
        """The store is not where it was (it lost writes): load the room anew, and tell everyone here."""
        head, entries = await self.store.load_room(self.id)
        if head is None:
            return
        log.warning("room read again from its beginning", room=self.id)
        self.hub.doubt(self)  # what was lost may yet be told by a node that has not found out
        self.seqs, self.progress = Sequence(), {}
        self.teller.begin_again()
        self._stop_feeds()
        for game in list(self.games.values()):
            self.game_unavailable(game)
        self.begin(head, entries)
        for session in list(self.members.values()):
            session.resync()

    # Games

    def dealt(self) -> Game:
        """A game of the room's deal, at its beginning."""
        if self._deal is None or self._deal[0] != self.room.deal:
            self._deal = (self.room.deal, Game.deal(self.room.code))
        return self._deal[1].copy()

    def begin_games(self, players: Iterable[str]) -> None:
        """These players' games begin, this moment: there is no log to be read."""
        for player in players:
            session = self.members.get(player)
            if session is not None and player not in self.games and player not in self._loading:
                self.games[player] = LiveGame(self, player)
                session.began(self.games[player])

    async def game(self, player: str) -> LiveGame:
        """The player's game, which has begun, read from its log if it is not here yet.

        Raises `StoreUnavailableError`.
        """
        assert self._plays(player), "what is played is settled at the start"
        game = self.games.get(player)
        if game is not None:
            return game
        return await self._loading.get(player, lambda: self._load_game(player), room=self.id, player=player)

    async def _load_game(self, player: str) -> LiveGame:
        game = LiveGame(self, player)
        entries = await self.store.load_log(self.id, game.log)
        if not self._plays(player):
            raise StoreUnavailableError("the store has lost the start of this game")
        game.rebuild(entries)
        self.games[player] = game
        return game

    def _plays(self, player: str) -> bool:
        """Whether this player's game has begun."""
        person = self.room.people.get(player)
        return person is not None and person.game is not None

    async def current_game(self, player: str) -> LiveGame | None:
        """The player's game with nothing under way, and no older than the store: they may have played on
        another node. None: they have none, perhaps no more, where the store has lost the start.

        Raises `StoreUnavailableError`.
        """
        while self._plays(player):
            game = await self.game(player)
            await game.until_idle()
            if self.games.get(player) is not game or not game.idle:
                continue
            if await self.store.log_length(self.id, game.log) == game.stored_n:
                if game.idle and self.games.get(player) is game:
                    return game
            elif game.idle:
                await game.read_on()
        return None

    async def read_on_with(self, game: LiveGame) -> bool:
        """Read on the room and one game's log. False: the room is gone, the store away, or what was written
        is for a node of a newer version to read."""
        try:
            if not await self.read_on():
                return False
            game.rebuild(await self.store.load_log(self.id, game.log))
        except (StoreUnavailableError, NewerFormatError):
            return False
        return True

    def game_unavailable(self, game: LiveGame) -> None:
        """Nothing is known of what is under way in this game: tell those who asked, and forget the copy."""
        if self.games.get(game.player) is game:
            del self.games[game.player]
        game.give_up()

    def progressed(self, player: str, progress: Progress, seq: int, row: bytes) -> None:
        """An action of this player is stored, by this node; `row` is the progress as the store has it."""
        self.hub.tell_progress(self.id, player, progress, seq, row)
        self._take_progress(player, progress, seq)

    def heard_progress(self, player: str, progress: Progress, seq: int) -> None:
        """An action of this player is stored, says another node. If that change of the room is known, and
        was something else, the action was lost since, by a failover, and the word of it comes late."""
        known = self.progress.get(player)
        if not 0 < seq <= self.seqs.whole or (known is not None and progress.n <= known.n):
            self._take_progress(player, progress, seq)

    def _take_progress(self, player: str, progress: Progress, seq: int) -> None:
        self.note(seq)
        known, person = self.progress.get(player), self.room.people.get(player)
        if known is not None and known.n >= progress.n:
            return
        if person is not None and progress.stamp < person.start_at:
            return  # of a start that the store has lost, and told late
        self.progress[player] = progress
        self.latest_ms = max(self.latest_ms, progress.stamp)
        if self._feeds:
            self._poke_feeds(player)
        if progress.status != "playing" or (known is not None and known.status != "playing"):
            self.writer.look()

    # Following

    async def follow(self, session: "Session", player: str, delay_ms: int) -> Feed:
        """Have this connection shown another's game from now on. Raises `StoreUnavailableError`."""
        feed = self._feeds.get((player, delay_ms))
        if feed is None:
            feed = Feed(self, player, delay_ms)
            await feed.begin()
            feed = self._feeds.setdefault((player, delay_ms), feed)
        feed.followers[session] = None
        feed.poke()  # for what was stored while it began
        return feed

    def unfollow(self, session: "Session", feed: Feed) -> None:
        """Have it shown no longer."""
        feed.followers.pop(session, None)
        if not feed.followers:
            feed.stop()
            if self._feeds.get((feed.player, feed.delay_ms)) is feed:
                del self._feeds[feed.player, feed.delay_ms]

    def _poke_feeds(self, player: str) -> None:
        for feed in list(self._feeds.values()):
            if feed.player == player:
                feed.poke()

    # Who is here

    def come_in(self, session: "Session", came_at: int, before: Presence | None) -> bool:
        """This connection, which asked at that moment of the store's (microseconds) and after that presence,
        is in the room now, and an older one of the same identity is closed. False: it is the older one."""
        self.teller.flush()  # what was told before is part of the room that the newcomer is shown
        other = self.members.get(session.player)
        if other is not session:
            # A later one sorts after, on whichever node: a node's own clock could not say which is the later.
            if before is not None:  # by a clock that may have been set back since
                came_at = max(came_at, _came_at(before.connection) + 1)
            session.connection_id = f"{came_at:016d}-{self.world.token_bytes(6).hex()}"
            if other is not None and other.connection_id > session.connection_id:
                session.replaced()
                return False
            self.members[session.player] = session
            if other is not None:
                other.replaced()
        self.attendance.tell_store(session, "here")
        return True

    def put_out(self, player: str) -> None:
        """The player was kicked or banned: their connection, if it is here, is closed."""
        session = self.members.get(player)
        if session is not None:
            session.close(CLOSE_BANNED, "kicked or banned from the room")

    def go_out(self, session: "Session") -> None:
        """This connection is in the room no longer; the seat is another matter."""
        if self.members.get(session.player) is session:
            self.teller.flush()
            del self.members[session.player]
            self.attendance.tell_store(session, "gone")
            if not self.members:
                self.idle_since_ms = self.world.monotonic_ms()


def _came_at(connection: str) -> int:
    """When this connection came into its room, by its name."""
    return int(connection.partition("-")[0])
