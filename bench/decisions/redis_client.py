"""redis-py: a command by itself against commands in a pipeline, on an embedded Valkey by its Unix socket."""

import asyncio
import tempfile
from pathlib import Path

import uvloop

from bench.decisions.clocks import best_async
from server.store.embedded import EmbeddedValkey
from server.store.store import connect

PIPELINED = 50


async def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="crescent-bench-") as folder:
        valkey = await EmbeddedValkey.start(Path(folder))
        redis = connect(valkey.url)
        try:
            await redis.set("key", b"v" * 24)

            async def one() -> None:
                await redis.get("key")

            async def many() -> None:
                pipe = redis.pipeline(transaction=False)
                for _ in range(PIPELINED):
                    pipe.get("key")
                await pipe.execute()

            async def gathered() -> None:
                await asyncio.gather(*(redis.get("key") for _ in range(8)))

            single, _ = await best_async(one, 2000)
            piped, _ = await best_async(many, 100)
            each, _ = await best_async(gathered, 200)
        finally:
            await redis.aclose()
            await valkey.stop()
    piped /= PIPELINED
    print(f"A GET by redis-py, CPU of the node: {single / piped:.1f} x by itself")
    print(f"  {single:.0f} us; {PIPELINED} in a pipeline {piped:.0f} each; 8 at once {each / 8:.0f} each")


if __name__ == "__main__":
    uvloop.run(main())
