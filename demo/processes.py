"""The processes of the demo: a real server, and real clients that connect to it."""

import asyncio
import contextlib
import os
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

START_S = 30.0
GRACE_S = 10.0  # from asking a process to end to killing it


class ProcessFailed(Exception):
    """A process that did not do its part: one sentence, and what it said last."""


@asynccontextmanager
async def server(data: Path) -> AsyncIterator[str]:
    """A server with its own store in `data`, on a free port; gives its WebSocket address."""
    async with _running("server", "--port", "0", "--data", str(data), "--drain", "0", home=data) as process:
        assert process.stdout is not None
        line = b""
        with contextlib.suppress(TimeoutError):
            line = await asyncio.wait_for(process.stdout.readline(), START_S)
        found = re.search(r"http://([^/ ]+)/", line.decode())
        if found is None:
            raise ProcessFailed(f"The server did not start.\n{_last_words(data)}")
        yield f"ws://{found[1]}/ws"


@asynccontextmanager
async def bot(url: str, room: str, name: str, seed: int, home: Path) -> AsyncIterator[Process]:
    """A bot that plays in `room`, with its identity and what it says in `home`."""
    await asyncio.to_thread(home.mkdir, parents=True, exist_ok=True)
    manner = ("--strategy", "greedy", "--speed", "fast", "--seed", str(seed))
    arguments = (room, "--server", url, "--name", name, *manner, "--json")
    async with _running("client_cli", "bot", *arguments, home=home) as process:
        yield process


@asynccontextmanager
async def _running(module: str, *arguments: str, home: Path) -> AsyncIterator[Process]:
    """A Python module as a process, ended with this context, whatever ends it."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CRESCENT_")}
    with (home / "stderr").open("wb") as errors:
        # In a session of its own: a Ctrl-C is ours to pass on, once and in order.
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, *arguments,
            stdin=DEVNULL, stdout=PIPE if module == "server" else DEVNULL, stderr=errors,
            env={**clean, "CRESCENT_CONFIG_DIR": str(home)}, start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        # Another Ctrl-C meanwhile does not leave it running.
        await asyncio.shield(_end(process))


async def _end(process: Process) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), GRACE_S)
    except TimeoutError:
        process.kill()
        await process.wait()


def _last_words(home: Path) -> str:
    return (home / "stderr").read_text(errors="replace")[-1000:].strip()


async def check_bots(bots: dict[str, tuple[Process, Path]]) -> None:
    """Wait for the bots' own ends. Raises `ProcessFailed` for one that did not end well."""
    for name, (process, home) in bots.items():
        try:
            code = await asyncio.wait_for(process.wait(), GRACE_S)
        except TimeoutError:
            raise ProcessFailed(f"{name}'s client did not end with the race.\n{_last_words(home)}") from None
        if code != 0:
            raise ProcessFailed(f"{name}'s client ended with {code}.\n{_last_words(home)}")
