"""A copy of the data taken while people play, put into a new place: rooms, games and identities are there."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from tests.support.golden import SHORTEST_WIN, Action
from tests.support.house import ROOT
from tests.support.peer import Peer
from tests.support.races import game_on_entering, play_well, start_race
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess, rewrite
from tests.support.web import fetch

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
PATIENCE_S = 60.0


class Place:
    """A server and where its data is."""

    def __init__(self, directory: Path, valkey: ValkeyProcess | None) -> None:
        self._valkey = valkey
        self.data = directory if valkey is None else valkey.directory
        self.socket = self.data / "valkey.sock"
        store = ("--data", str(directory)) if valkey is None else ("--redis", valkey.url)
        self.server = ServerProcess(*store)

    def start(self) -> None:
        if self._valkey is not None:
            self._valkey.start()
        self.server.start()

    def end(self) -> None:
        """End all of it."""
        if self.server.running:
            assert self.server.stop() == 0, self.server.errors
        if self._valkey is not None:
            self._valkey.close()


@pytest.fixture(params=["embedded", "external"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Place, Place]]:
    """Where people play, and where the copy will be restored."""
    external = request.param == "external"
    both = [Place(tmp_path / name, ValkeyProcess() if external else None) for name in ("first", "second")]
    yield both[0], both[1]
    for place in both:
        place.end()


async def backup(data: Path, copy: Path) -> None:
    """The command of the page on operations."""
    process = await asyncio.create_subprocess_exec(ROOT / "deploy" / "backup.sh", data, copy)
    assert await asyncio.wait_for(process.wait(), PATIENCE_S) == 0


@contextlib.asynccontextmanager
async def playing(peer: Peer, dones: list[dict[str, Any]]) -> AsyncIterator[None]:
    """Somebody plays to and fro all the while; their answers."""
    ended = False

    async def go_on() -> None:
        for n in itertools.count(len(dones) + 1):
            if ended:
                return
            dones.extend(await play_well(peer, [Action("u") if n % 2 else MOVES[9]], first=n))

    task = asyncio.create_task(go_on())
    try:
        yield
    finally:
        ended = True
        await task


async def rewritten_again_and_again(socket: Path) -> None:
    async with Redis(unix_socket_path=str(socket)) as client:
        while True:
            await rewrite(client)
            await asyncio.sleep(0.3)


async def test_a_copy_of_a_running_store_is_restored_elsewhere(
    meet: Any, places: tuple[Place, Place], tmp_path: Path
) -> None:
    first, second = places
    await asyncio.to_thread(first.start)
    ann, bob = await meet(url=first.server.url), await meet("json", url=first.server.url)
    room = await start_race(ann, bob, deal=CODE)
    won = await play_well(bob, MOVES)
    dones = await play_well(ann, MOVES[:10])
    rewriting = asyncio.create_task(rewritten_again_and_again(first.socket))
    async with playing(ann, dones):
        await ann.until(lambda: len(dones) > 30)
        confirmed = len(dones)
        await backup(first.data, tmp_path / "copy")
        await ann.until(lambda: len(dones) > confirmed + 20)
    rewriting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await rewriting
    await asyncio.to_thread(first.end)

    shutil.copytree(tmp_path / "copy", second.data, dirs_exist_ok=True)
    await asyncio.to_thread(second.start)
    ann = await meet("json", url=second.server.url, token=ann.token)
    bob = await meet(url=second.server.url, token=bob.token)
    stored = (await game_on_entering(ann, room))["n"]
    assert confirmed <= stored <= len(dones)
    (repeated,) = await play_well(ann, [Action("u") if stored % 2 else MOVES[9]], first=stored)
    assert repeated["ms"] == dones[stored - 1]["ms"]
    shown = await bob.ask("enter", room=room)
    assert {row["name"]: row["ms"] for row in shown["board"]["rows"]}["B"] == won[-1]["ms"]
    await play_well(ann, [MOVES[9] if stored % 2 else Action("u")], first=stored + 1)
    assert (await ann.ask("manage", action="close"))["t"] == "ok"
    await ann.next("event", kind="closed")
    lines = (await fetch(second.server.port, f"/api/rooms/{room}/log.jsonl")).lines
    logs = {line["name"]: [ms for ms, _ in line["log"]] for line in lines[1:]}
    assert logs["A"][:stored] == [done["ms"] for done in dones[:stored]]
    assert logs["B"] == [done["ms"] for done in won]
    await asyncio.to_thread(verify, room, second.server.http, tmp_path)
    await asyncio.to_thread(second.end)


def verify(room: str, server: str, tmp_path: Path) -> None:
    """`crescent verify` computes the whole race again, and agrees."""
    ended = subprocess.run(
        [sys.executable, "-m", "client_cli", "verify", room, "--server", server],
        cwd=ROOT,
        env={**os.environ, "CRESCENT_CONFIG_DIR": str(tmp_path / "config"), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.endswith("All of it agrees.\n")


@pytest.mark.parametrize("arguments", [(), ("nowhere", "copy")])
def test_what_is_no_data_directory_is_told_in_a_sentence(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ended = subprocess.run(
        [ROOT / "deploy" / "backup.sh", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("usage: ")
    assert list(tmp_path.iterdir()) == []


def test_a_rewrite_amid_the_copying_is_noticed_and_the_copy_made_again(tmp_path: Path) -> None:
    """`cp` is held up the first time, and meanwhile the files are replaced as a rewrite does it."""
    files = tmp_path / "data" / "appendonlydir"
    files.mkdir(parents=True)
    (files / "appendonly.aof.manifest").write_text("file old")
    (files / "old").write_text("old data")
    (tmp_path / "cp").write_text(
        f'#!/bin/sh\n{shutil.which("cp")} "$@"\ntest -e replaced && exit\ntouch replaced\n'
        "echo new data > data/appendonlydir/new; echo file new > data/appendonlydir/appendonly.aof.manifest\n"
        "rm data/appendonlydir/old\n"
    )
    (tmp_path / "cp").chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run([ROOT / "deploy" / "backup.sh", "data", "copy"], cwd=tmp_path, env=path, check=True)
    copied = {path.name: path.read_text() for path in (tmp_path / "copy" / "appendonlydir").iterdir()}
    assert copied == {"appendonly.aof.manifest": "file new\n", "new": "new data\n"}
    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["appendonlydir"]
