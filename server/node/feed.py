"""Another player's game, as it is shown to those who follow it: now, or some time ago.

One feed serves all who follow the same player at the same delay; it replays the player's log by itself, so
that following costs the player's own moves nothing but a word.
"""

from collections import deque
from typing import TYPE_CHECKING

import msgspec
import structlog

from protocol import messages as wire
from server.engine.refusals import Refusal
from server.node import outbound
from server.node.live_game import play, progress_of
from server.node.world import Timer
from server.store import keys
from server.store.records import Entry, unpack_action
from server.store.store import StoreUnavailableError

if TYPE_CHECKING:
    from server.node.live_room import LiveRoom
    from server.node.session import Session

log = structlog.get_logger()


class Feed:
    """The game of `player`, `delay_ms` ago."""

    def __init__(self, live: "LiveRoom", player: str, delay_ms: int) -> None:
        self._live, self.player, self.delay_ms = live, player, delay_ms
        self.followers: dict[Session, None] = {}  # in the order in which they came
        self._game = live.dealt()
        self._n = self._stamp = 0  # of the last action shown
        self._read_n = 0  # of the last action read
        self._read: deque[Entry] = deque()  # read and not shown yet
        self._reading = self._read_again = False
        self._timer: Timer | None = None

    async def begin(self) -> None:
        """Read the log so far. Raises `StoreUnavailableError`."""
        await self._read_on()
        self._show(silently=True)

    def view(self) -> wire.View:
        """The game as it stands in this feed."""
        progress = progress_of(self._game, self._n, self._stamp)
        fields = outbound.game_fields(self._live.room, self.player, self._game, progress)
        return wire.View(player=self.player, **fields)

    def poke(self) -> None:
        """The player has done something, or the clock has come round: show what is to be shown."""
        if self._reading:
            self._read_again = True
        elif self.followers:
            self._reading = True
            self._live.world.spawn(self._catch_up(), "feed", room=self._live.id, player=self.player)

    async def _catch_up(self) -> None:
        try:
            await self._read_on()
        except StoreUnavailableError:
            log.warning("feed waits for the store")
            self._live.world.call_later(500, self.poke)
        finally:
            self._reading = False
        self._show()
        if self._read_again:
            self._read_again = False
            self.poke()

    async def _read_on(self) -> None:
        for entry in await self._live.store.load_log(self._live.id, keys.game_log(self.player), self._read_n):
            if entry.n == self._read_n + 1:
                self._read.append(entry)
                self._read_n = entry.n

    def _show(self, *, silently: bool = False) -> None:
        """Play what is old enough, and tell the followers of each action; then wait for the next."""
        shown_till = self._live.now_ms() - self.delay_ms
        while self._read and self._read[0].stamp <= shown_till:
            seen = self._play(self._read.popleft())
            if not silently:
                self._tell(seen)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._read:
            self._timer = self._live.world.call_later(self._read[0].stamp - shown_till, self._show)

    def _play(self, entry: Entry) -> wire.Seen:
        record = unpack_action(entry.payload)
        before = outbound.tops(self._game) if record.op == "r" else None
        if isinstance(play(self._game, record.op, record.src, record.dst), Refusal):
            raise RuntimeError(f"stored action {entry.n} of {self.player} breaks the rules")
        self._n, self._stamp = entry.n, entry.stamp
        done = outbound.done(self._game, entry.n, record, before, self._live.open)
        done.ms = entry.stamp - self._live.room.people[self.player].start_at
        return wire.Seen(player=self.player, **msgspec.structs.asdict(done))

    def _tell(self, seen: wire.Seen) -> None:
        self._live.teller.send_all(seen, list(self.followers))

    def stop(self) -> None:
        """Nobody follows any more."""
        self.followers.clear()
        if self._timer is not None:
            self._timer.cancel()
