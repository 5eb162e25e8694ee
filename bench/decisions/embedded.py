"""What an embedded store costs: the time to its first answer, and its memory, empty."""

import tempfile
import time
from pathlib import Path

import uvloop

from bench.decisions.clocks import resident_kib
from server.store.embedded import EmbeddedValkey

STARTS = 5


async def main() -> None:
    """Start it some times, and print the best."""
    took, memory = [], []
    for _ in range(STARTS):
        with tempfile.TemporaryDirectory(prefix="crescent-bench-") as folder:
            began = time.perf_counter()
            valkey = await EmbeddedValkey.start(Path(folder))
            took.append((time.perf_counter() - began) * 1000)
            assert valkey.pid is not None
            memory.append(resident_kib(valkey.pid))
            await valkey.stop()
    print(f"Embedded store: {min(took):.0f} ms to its first answer, {min(memory) / 1024:.0f} MiB of memory")


if __name__ == "__main__":
    uvloop.run(main())
