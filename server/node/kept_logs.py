"""The logs of closed races, kept as they were sent last: made once however many ask, and one at a time."""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from server.node.live_room import LiveRoom
from server.node.load_once import LoadOnce
from server.node.race_log import Mark, log_lines
from server.node.world import World
from server.store.store import Store

BYTES_MAX = 64 * 1024 * 1024  # a log of ten players who all played long has half a MiB
WAITING_MAX = 8  # logs that are made or wait for it: a large one takes a second or two
PATIENCE_S = 4.0  # with a wait at the password within the transport's ten; it is made nevertheless


class BusyError(Exception):
    """Too many logs are asked for, or this one is not ready yet: ask again in a few seconds."""


class KeptLog(NamedTuple):
    """A log as it was in this state; where in it each player's actions are."""

    state: str
    text: bytes
    actions: Mapping[Mark, tuple[int, int]]

    def made(self) -> dict[Mark, bytes]:
        """The actions, which stay as they are whatever else changes."""
        return {mark: self.text[begin:end] for mark, (begin, end) in self.actions.items()}


class KeptLogs:
    """One node's; those that were asked for least lately go first."""

    def __init__(self, store: Store, world: World) -> None:
        self._store = store
        self._kept: dict[str, KeptLog] = {}  # by room, the last asked for at the end
        self._bytes = 0
        self._making: LoadOnce[bytes] = LoadOnce(world, "make the log of a race")
        self._one_at_a_time = asyncio.Semaphore(1)

    async def get(self, live: LiveRoom) -> bytes:
        """The log of this room, which is closed. Raises `BusyError` and `StoreUnavailableError`."""
        kept, state = self._kept.get(live.id), _state_of(live)
        if kept is not None and kept.state == state:
            self._kept[live.id] = self._kept.pop(live.id)
            return kept.text
        key = f"{live.id} {state}"
        if key not in self._making and len(self._making) >= WAITING_MAX:
            raise BusyError
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self._making.get(key, lambda: self._make(live), room=live.id)
        except TimeoutError:
            raise BusyError from None

    async def _make(self, live: LiveRoom) -> bytes:
        async with self._one_at_a_time:
            state, before = _state_of(live), self._kept.get(live.id)
            text = bytearray()
            actions: dict[Mark, tuple[int, int]] = {}
            made = before.made() if before is not None else {}
            async for line in log_lines(live, self._store, made):
                if line.mark is not None:
                    actions[line.mark] = (len(text) + line.begin, len(text) + line.end)
                text += line.text
            log = KeptLog(state, bytes(text), actions)
            self._keep(live.id, log)
            return log.text

    def _keep(self, room_id: str, log: KeptLog) -> None:
        """This one stays for now, however large; others go until all have room."""
        self._let_go(room_id)
        self._kept[room_id] = log
        self._bytes += len(log.text)
        while self._bytes > BYTES_MAX and len(self._kept) > 1:
            self._let_go(next(iter(self._kept)))

    def _let_go(self, room_id: str) -> None:
        log = self._kept.pop(room_id, None)
        if log is not None:
            self._bytes -= len(log.text)


def _state_of(live: LiveRoom) -> str:
    """What a log is made of. The same close may come again after moves that a failover lost: the tip of the
    room's log alone does not tell which were played."""
    games = hash(frozenset((player, game.n, game.stamp) for player, game in live.progress.items()))
    return f"{live.tip} {games}"
