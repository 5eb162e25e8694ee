"""`crescent-server` as a command: what it says at the start, and why it does not start."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys

import pytest

from server.node.errors import SettingsError
from server.node.rates import Rate, Rates
from server.node.settings import format_rates, parse_rates
from tests.support.peer import Peer
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess

PATIENCE_S = 40


def start(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run it until it ends by itself."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CRESCENT_")}
    return subprocess.run(
        [sys.executable, "-m", "server", "--port", "0", *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=clean | environment,
        check=False,
    )


def assert_one_clear_line(ended: subprocess.CompletedProcess[str], *words: str) -> None:
    """Exit 2, and one line that says what is wrong, without a traceback."""
    assert ended.returncode == 2, ended
    assert ended.stdout == ""
    assert len(ended.stderr.strip().splitlines()) == 1, ended.stderr
    assert ended.stderr.startswith("crescent-server: ")
    assert "Traceback" not in ended.stderr
    for word in words:
        assert word in ended.stderr, ended.stderr


def test_a_port_in_use_is_told(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = start("--port", port, "--data", str(tmp_path / "data"))
    assert_one_clear_line(ended, port, "--port")


def test_a_port_in_use_is_told_with_workers_as_well(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = start("--port", port, "--workers", "2", "--data", str(tmp_path / "data"))
    assert_one_clear_line(ended, port, "--port")


def test_an_unreachable_redis_is_told():
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    assert_one_clear_line(start("--redis", f"redis://127.0.0.1:{port}/0"), str(port))


def test_a_url_that_is_none_is_told():
    assert_one_clear_line(start("--redis", "nonsense"), "nonsense", "redis://")


def test_a_url_that_is_none_is_told_without_its_password():
    ended = start("--redis", "redis://:se/53cret@127.0.0.1:6379/0")
    assert_one_clear_line(ended, "redis://***@127.0.0.1:6379/0", "%2F")
    assert "53cret" not in ended.stderr


def test_an_option_of_a_url_that_is_none_of_ours_is_told():
    assert_one_clear_line(start("--redis", "redis://127.0.0.1/0?foo=bar"), "foo")


def test_an_unsuitable_redis_is_told():
    with ValkeyProcess(maxmemory_policy="allkeys-lru") as valkey:
        assert_one_clear_line(start("--redis", valkey.url), "maxmemory-policy", "noeviction")


def test_a_data_directory_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    assert_one_clear_line(start("--data", str(tmp_path / "file" / "data")), str(tmp_path / "file"))


def test_a_data_directory_in_use_is_told(race_server):
    data = race_server.arguments[race_server.arguments.index("--data") + 1]
    assert_one_clear_line(start("--data", data), data, "in use")


def test_a_rate_that_is_none_is_told():
    assert_one_clear_line(start("--rates", "op=fast"), "op=fast", "op=20:40")


def test_a_network_that_is_none_is_told():
    assert_one_clear_line(start("--trusted-proxy", "10.0.0.0/99"), "10.0.0.0/99", "10.0.0.0/8")


def test_what_a_variable_names_may_have_commas_between():
    ended = start(CRESCENT_TRUSTED_PROXIES="10.0.0.0/8,192.0.2.1, 10.0.0.0/99")
    assert_one_clear_line(ended, "'10.0.0.0/99'")
    ended = start(CRESCENT_ORIGINS="https://race.example,https://other.example/")
    assert_one_clear_line(ended, "`https://other.example/`", "no origin")


def test_a_setting_may_come_from_the_environment():
    assert_one_clear_line(start(CRESCENT_RATES="op=fast"), "op=fast")


def test_the_rates_of_a_setting_are_read_and_written_alike():
    rates = parse_rates("op=100:200,say=0.5:1")
    assert rates == Rates(op=Rate(100, 200), say=Rate(0.5, 1))
    assert parse_rates(format_rates(rates)) == rates


NO_RATES = (
    "op",
    "op=",
    "op=1",
    "op=0:1",
    "op=1:0",
    "walk=1:1",
    "op=a:b",
    "op=-1:2",
    "op=nan:40",
    "op=inf:40",
)


@pytest.mark.parametrize("text", NO_RATES)
def test_what_is_no_rate(text):
    with pytest.raises(SettingsError, match="is no rate"):
        parse_rates(text)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_server_asked_to_end_closes_with_1012_and_exits_with_0(tmp_path, number):
    server = ServerProcess("--data", str(tmp_path / "data")).start()
    peer = await Peer.hello(server.url)
    assert server.process is not None
    server.process.send_signal(number)
    assert (await peer.wait_closed())[0] == 1012
    assert server.process.wait(timeout=PATIENCE_S) == 0
    server.kill()  # reads what it said
    assert "Traceback" not in server.errors


def test_the_start_says_the_address_to_open_and_how_to_join(tmp_path):
    command = [sys.executable, "-m", "server", "--port", "0", "--data", str(tmp_path / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = "".join(iter(process.stdout.readline, "  stop: Ctrl-C; rooms and games are kept\n"))
        process.terminate()
    assert "http://127.0.0.1:" in said
    assert "for this machine only" in said
    assert "crescent host --server ws://127.0.0.1:" in said
    assert "crescent play ROOM --server ws://127.0.0.1:" in said


def test_without_data_the_platforms_data_directory_is_used(tmp_path):
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "server", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.terminate()
    (files,) = tmp_path.rglob("appendonlydir")
    assert "crescent-race" in files.parts
