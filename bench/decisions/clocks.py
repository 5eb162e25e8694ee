"""How these measurements count: CPU, not wall time, and the best of several rounds."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

ROUNDS = 5


def best_us(work: Callable[[], object], times: int) -> float:
    """Microseconds of CPU of this process for one call, in the best round: the one others disturbed least."""
    rounds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(times):
            work()
        rounds.append((time.process_time() - began) / times)
    return min(rounds) * 1e6


async def best_async(work: Callable[[], Awaitable[object]], times: int) -> tuple[float, float]:
    """CPU microseconds and wall milliseconds of one awaited call, each in its best round."""
    cpu, wall = [], []
    for _ in range(ROUNDS):
        cpu_began, wall_began = time.process_time(), time.perf_counter()
        for _ in range(times):
            await work()
        cpu.append((time.process_time() - cpu_began) / times)
        wall.append((time.perf_counter() - wall_began) / times)
        await asyncio.sleep(0.05)
    return min(cpu) * 1e6, min(wall) * 1e3


def cpu_s(pid: int) -> float:
    """Seconds of CPU that another process has used in its main thread, the only one of ours."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def resident_kib(pid: int) -> int:
    """Resident memory of another process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise LookupError(f"process {pid} has no VmRSS")
