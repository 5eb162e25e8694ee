"""`appendfsync always` against `everysec`: the store's write of 1 to 200 moves, on this machine's disk."""

import tempfile
import time
from pathlib import Path

import uvloop

from bench.decisions.clocks import best_async
from server.rooms.standings import Progress
from server.store import keys
from server.store.embedded import EmbeddedValkey, Fsync
from server.store.items import Append, Extra
from server.store.records import ActionRecord, next_tip, pack_action, pack_row
from server.store.store import Store, connect

SIZES = {1: 600, 8: 300, 50: 120, 200: 60}
PLAYERS = 200
ROOM = "BENCH000"


class Writer:
    """200 games in one room, each a move longer with each call that it is in."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.tips = [""] * PLAYERS
        self.lengths = [0] * PLAYERS
        self.stored = 0
        self.row = pack_row(Progress())

    async def open_room(self) -> None:
        """Write the room's first event, which gives all of its keys their expiry."""
        extra = Extra(expire_at=int(time.time() * 1000) + 3_600_000)
        payload = b"\x01\x00"
        first = self._append(keys.ROOM_LOG, 1, "", payload, extra=extra)
        await self.store.write([first], time.monotonic() * 1000)

    async def write(self, count: int) -> None:
        """One call with a move of each of `count` players."""
        now_ms = time.monotonic() * 1000
        items = []
        for player in range(count):
            n = self.lengths[player] + 1
            payload = pack_action(ActionRecord("m", n % 16, (n + 1) % 16, (n + 1) % 16))
            log = keys.game_log(f"P{player:011}")
            items.append(self._append(log, n, self.tips[player], payload, row_of=f"P{player:011}"))
            self.tips[player], self.lengths[player] = items[-1].tip, n
        _, answers = await self.store.write(items, now_ms)
        assert all(answer.stored for answer in answers), answers

    def _append(
        self, log: str, n: int, before: str, payload: bytes, row_of: str = "", extra: Extra | None = None
    ) -> Append:
        return Append(
            ROOM, log, n, before, next_tip(before, payload), payload, time.monotonic() * 1000, ([], []),
            lambda item, answer: None,
            row_field=keys.row_field(row_of) if row_of else "", row=self.row if row_of else None, extra=extra,
        )  # fmt: skip


async def measure(fsync: Fsync) -> dict[int, tuple[float, float]]:
    """By items a call: node CPU microseconds an item, and milliseconds a call."""
    with tempfile.TemporaryDirectory(prefix="crescent-bench-") as folder:
        valkey = await EmbeddedValkey.start(Path(folder), fsync=fsync)
        store = Store(connect(valkey.url))
        try:
            writer = Writer(store)
            await writer.open_room()
            found = {}
            for count, times in SIZES.items():
                cpu_us, wall_ms = await best_async(lambda count=count: writer.write(count), times)  # type: ignore[misc]
                found[count] = cpu_us / count, wall_ms
            return found
        finally:
            await store.close()
            await valkey.stop()


async def main() -> None:
    """Measure and print."""
    everysec, always = await measure("everysec"), await measure("always")
    for count in SIZES:
        (cpu_e, ms_e), (cpu_a, ms_a) = everysec[count], always[count]
        print(
            f"{count:3} items: always takes {ms_a / ms_e:.1f} x the time of everysec "
            f"({ms_a:.2f} against {ms_e:.2f} ms a call; {ms_a / count * 1000:.0f} us an item), "
            f"node CPU {cpu_a:.1f} against {cpu_e:.1f} us an item"
        )


if __name__ == "__main__":
    uvloop.run(main())
