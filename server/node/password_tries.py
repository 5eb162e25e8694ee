"""Who says a room's password: let in, or refused; five wrong tries a minute for a room and address.

A right one costs nothing: it is no try. One that was right lately is known by a keyed digest in this node's
memory, and those that are said at the same time are judged once. What could be wrong is counted in the store
before it is judged, so that no more than five are, over all nodes; those beyond wait for their turn, and are
refused only once five were wrong.
"""

import asyncio
from hashlib import blake2b
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from server.node import passwords
from server.node.load_once import LoadOnce
from server.node.world import World
from server.rooms.problems import RoomProblem
from server.store.store import PASSWORD_TRIES_MAX, Store

if TYPE_CHECKING:
    from server.node.live_room import LiveRoom

RIGHT_KEPT = 1_000  # rooms, mostly: each has one password
WAIT_MS = 5_000  # for a turn; a page is waited for ten seconds
AGAIN_MS = 50  # between two looks whether tries on other nodes are over


class PasswordTries:
    """One node's."""

    def __init__(self, store: Store, world: World) -> None:
        self._store, self._world = store, world
        self._key = world.token_bytes(32)  # of this process alone: a digest is of no use to anybody else
        self._right: dict[bytes, None] = {}  # digests, the latest last
        self._judging: LoadOnce[bool] = LoadOnce(world, "judge a password")
        self._trying: LoadOnce[bool] = LoadOnce(world, "try a password")
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def check(self, room: "LiveRoom", address: str, password: str) -> None:
        """Return if it is the password of the room, which has one.

        Raises `RoomProblem` (`wrong_password`, `too_many`) and `StoreUnavailableError`.
        """
        till_ms = self._world.monotonic_ms() + WAIT_MS
        turn = self._turns.setdefault(f"{room.id} {address}", asyncio.Lock())
        id = self._world.token_bytes(8).hex()

        async def in_turn() -> bool:
            # In the order of coming, the right as well: else who says a hundred at once would find it among
            # them.
            async with turn:
                hash = room.room.options.password  # as it is now: it may have been changed meanwhile
                return hash is None or await self._fits(room.id, address, id, hash, password, till_ms)

        # It goes on without who asked: a try that nobody ends would count on, and the next begin beside it.
        if not await self._trying.get(id, in_turn):
            raise RoomProblem("wrong_password")

    async def _fits(
        self, room_id: str, address: str, id: str, hash: str, password: str, till_ms: float
    ) -> bool:
        if self._world.monotonic_ms() > till_ms:
            raise RoomProblem("too_many")
        tries = await self._store.password_tries(room_id, address)
        if tries.wrong >= PASSWORD_TRIES_MAX:
            raise RoomProblem("too_many")
        digest = blake2b(f"{hash}\0{password}".encode(), key=self._key, digest_size=16).digest()
        if digest in self._right:
            self._note_right(digest)
            return True
        await self._begin(room_id, address, id, till_ms)
        return await self._judged(room_id, address, id, digest, hash, password)

    async def _begin(self, room_id: str, address: str, id: str, till_ms: float) -> None:
        """Have a try counted, once it is among the first few."""
        while True:
            tries = await self._store.password_try(room_id, address, id)
            if sum(tries) <= PASSWORD_TRIES_MAX:
                return
            await self._store.password_tried(room_id, address, id, False)
            if tries.wrong >= PASSWORD_TRIES_MAX or self._world.monotonic_ms() > till_ms:
                raise RoomProblem("too_many")
            await self._world.sleep_ms(AGAIN_MS + self._world.randbelow(AGAIN_MS))

    async def _judged(
        self, room_id: str, address: str, id: str, digest: bytes, hash: str, password: str
    ) -> bool:
        wrong = False
        try:
            fits = await self._judging.get(digest.hex(), lambda: passwords.fits(hash, password))
            wrong = not fits
            if fits:
                self._note_right(digest)
            return fits
        finally:
            await self._store.password_tried(room_id, address, id, wrong)

    def _note_right(self, digest: bytes) -> None:
        self._right.pop(digest, None)
        self._right[digest] = None
        if len(self._right) > RIGHT_KEPT:
            del self._right[next(iter(self._right))]
