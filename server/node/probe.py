"""Whether hints between nodes come through: a message to itself that a node sends once a second a lane.

A subscription whose server has failed, or whose slot has moved, looks like a quiet one.
"""

from collections.abc import Callable

from server.node.world import World
from server.store.store import Store, StoreUnavailableError

PROBE_MS = 1_000
PROBE_SILENT_MS = 4_000


class Probe:
    """`channels` are one a lane. `renew(channel)` is called when what is sent there does not come back."""

    def __init__(self, store: Store, world: World, node: str, renew: Callable[[str], None]) -> None:
        self._store, self._world, self._renew = store, world, renew
        self.channels = [f"cr:{{{lane}}}:probe:{node}" for lane in range(store.lanes)]
        self._heard_ms: dict[str, float] = {}
        self.all_heard()

    def heard(self, channel: str) -> bool:
        """A message has come on this channel: whether it is a probe."""
        if channel not in self._heard_ms:
            return False
        self._heard_ms[channel] = self._world.monotonic_ms()
        return True

    def all_heard(self) -> None:
        """What was silent is made anew: give it time."""
        self._heard_ms = dict.fromkeys(self.channels, self._world.monotonic_ms())

    @property
    def age_ms(self) -> float:
        """How long ago any of the probes came back, or the subscription was made anew."""
        return self._world.monotonic_ms() - max(self._heard_ms.values())

    async def run(self) -> None:
        """Send until cancelled."""
        while True:
            for channel in self.channels:
                self._world.spawn(self._send(channel), "probe")
            await self._world.sleep_ms(PROBE_MS)
            silent_since_ms = self._world.monotonic_ms() - PROBE_SILENT_MS
            for channel, heard_ms in self._heard_ms.items():
                if heard_ms < silent_since_ms:
                    self._heard_ms[channel] = self._world.monotonic_ms()
                    self._renew(channel)

    async def _send(self, channel: str) -> None:
        try:
            await self._store.publish([(channel, b"")])
        except StoreUnavailableError:
            return  # it does not come back, then
