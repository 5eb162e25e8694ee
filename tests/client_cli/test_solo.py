"""Practice, from nothing and on a server that is there: it ends, and so does its server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.client_cli.own_servers import servers
from tests.support.server import end_store

ROOT = Path(__file__).parents[2]
RUN_S = 60.0
CODE = "CR1-N-AAAAAAB"


async def solo(tmp_path: Path, *args: str, **more: str) -> asyncio.subprocess.Process:
    kept = {name: v for name, v in os.environ.items() if not name.startswith(("CRESCENT_", "LC_", "LANG"))}
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "client_cli", *args, cwd=ROOT,
        env={
            **kept, "CRESCENT_CONFIG_DIR": str(tmp_path / "config"), "XDG_DATA_HOME": str(tmp_path / "data"),
            "LANG": "C.UTF-8", **more,
        },
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def finish(process: asyncio.subprocess.Process, typed: str = "") -> tuple[int | None, str, str]:
    out, complaints = await asyncio.wait_for(process.communicate(typed.encode()), RUN_S)
    return process.returncode, out.decode(), complaints.decode()


async def until_playing(process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None
    while b"redeals 3" not in (line := await asyncio.wait_for(process.stdout.readline(), RUN_S)):
        assert line


def modes(path: str) -> tuple[int, ...]:
    """Who may read a file, and its folder."""
    return tuple(stat.S_IMODE(os.stat(name).st_mode) for name in (path, os.path.dirname(path)))


async def until_no_server(tmp_path: Path) -> None:
    async with asyncio.timeout(RUN_S):
        while servers(tmp_path):  # noqa: ASYNC110 - a process's end is told to its parent only
            await asyncio.sleep(0.05)


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks its processes up in /proc")


async def test_from_nothing_to_a_log_that_agrees(tmp_path: Path) -> None:
    process = await solo(tmp_path, "solo", CODE, "--name", "Ada")
    code, out, complaints = await finish(process, "R\nforfeit\n")
    assert (code, complaints) == (0, "")
    assert "R played." in out
    assert "gave up" in out
    assert servers(tmp_path) == []
    path = out.split("crescent verify ")[1].strip()
    assert modes(path) == (0o600, 0o700)
    checked = await solo(tmp_path, "verify", path, "--json")
    code, out, complaints = await finish(checked)
    assert (code, complaints) == (0, "")
    report = json.loads(out)
    assert report["agrees"] is True
    said = {"code": "actions", "text": "Ada: 1 action, by the rules.", "name": "Ada", "count": 1}
    assert said in report["confirmed"]


async def test_the_end_of_what_is_typed_is_the_end(tmp_path: Path) -> None:
    process = await solo(tmp_path, "solo", "--variant", "F", "--no-undo", "--visibility", "open", "--json")
    code, out, complaints = await finish(process, "R\n")
    assert (code, complaints) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    room = next(line for line in lines if line.get("t") == "room")
    options = {name: room["options"][name] for name in ("variant", "undo", "visibility", "max_players")}
    assert options == {"variant": "F", "undo": False, "visibility": "open", "max_players": 1}
    assert lines[-1]["notice"] == "solo_log"


async def test_two_practise_at_one_machine(tmp_path: Path) -> None:
    first = await solo(tmp_path, "solo")
    await until_playing(first)
    second = await solo(tmp_path, "solo")
    assert (await finish(second, "quit\n"))[0] == 0
    assert (await finish(first, "quit\n"))[0] == 0
    await until_no_server(tmp_path)


async def test_on_a_server_that_is_there(race_server: Any, tmp_path: Path) -> None:
    process = await solo(tmp_path, "solo", CODE, "--server", race_server.http, "--lang", "de")
    code, out, complaints = await finish(process, "R\nU\nquit\n")
    assert (code, complaints) == (0, "")
    assert servers(tmp_path) == []
    room, _, server = out.split("crescent verify ")[1].strip().partition(" --server ")
    for source in (room, f"{race_server.http}/api/rooms/{room}", f"{race_server.http}/#{room}"):
        checked = await solo(tmp_path, "verify", source, "--server", server)
        code, out, complaints = await finish(checked)
        assert (code, complaints) == (0, "")
        assert out.endswith("All of it agrees.\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_what_ends_the_client_ends_its_server_and_leaves_the_log(tmp_path: Path, number: int) -> None:
    process = await solo(tmp_path, "solo", PYTHONUNBUFFERED="1")
    await until_playing(process)
    assert servers(tmp_path)
    process.send_signal(number)
    code, out, complaints = await finish(process)
    assert (code, complaints) == (130, "")
    assert servers(tmp_path) == []
    path = Path(out.split("crescent verify ")[1].strip())
    log = await asyncio.to_thread(path.read_text)
    assert json.loads(log.splitlines()[0])["events"][-1]["kind"] == "closed"


async def test_a_killed_client_s_server_ends_as_well(tmp_path: Path) -> None:
    process = await solo(tmp_path, "solo", PYTHONUNBUFFERED="1")
    await until_playing(process)
    process.kill()
    await finish(process)
    await until_no_server(tmp_path)


async def test_a_server_that_dies_is_told_in_a_sentence(tmp_path: Path) -> None:
    process = await solo(tmp_path, "solo", PYTHONUNBUFFERED="1")
    await until_playing(process)
    for pid in servers(tmp_path, "server\0--port"):
        os.kill(pid, signal.SIGKILL)
    code, _, complaints = await finish_without_typing(process)
    assert code == 3
    assert complaints.startswith("The server for practice does not run (exit -9)")
    assert complaints.count("\n") == 1
    (record,) = (tmp_path / "data").rglob("valkey.pid")
    end_store(record.parent)
    await until_no_server(tmp_path)


async def finish_without_typing(process: asyncio.subprocess.Process) -> tuple[int | None, str, str]:
    """The same with standard input left open."""
    assert process.stdout is not None
    assert process.stderr is not None
    out, complaints = await asyncio.wait_for(
        asyncio.gather(process.stdout.read(), process.stderr.read()), RUN_S
    )
    return await process.wait(), out.decode(), complaints.decode()


async def test_a_server_that_cannot_start_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no directory")
    code, out, complaints = await finish(await solo(tmp_path, "solo"))
    assert (code, out) == (3, "")
    assert complaints.startswith("The server for practice does not run")
    assert "Traceback" not in complaints
