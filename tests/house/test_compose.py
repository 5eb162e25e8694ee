"""The deployment files: what matters in them, and the topology they describe, run as plain processes.

No container engine is needed: the Valkey gets the settings that stand in `docker-compose.yml`, the nodes are
processes, and the balancer is a few lines of asyncio that deal connections out in turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, get_args, get_type_hints

import pytest
import yaml

from server.__main__ import run as server_command
from server.engine.codes import parse_code
from server.engine.game import Game
from server.node.door import parse_networks
from server.node.workers import ENDING_S
from server.transport.limits import Limits
from tests.support.golden import SHORTEST_WIN
from tests.support.house import ROOT, read
from tests.support.peer import Peer
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess

COMPOSE: dict[str, Any] = yaml.safe_load(read("docker-compose.yml"))
NODE, VALKEY, BALANCER = (COMPOSE["services"][name] for name in ("node", "valkey", "balancer"))
DOCKERFILE = read("Dockerfile")


def server_variables() -> dict[str, Any]:
    """The environment variables that the server reads, each with its parameter."""
    found = {}
    hints = get_type_hints(server_command, include_extras=True)
    for name, parameter in inspect.signature(server_command).parameters.items():
        for option in get_args(hints[name])[1:]:
            if option.envvar:
                found[option.envvar] = parameter
    return found


def valkey_settings() -> dict[str, str]:
    """The settings on Valkey's command line."""
    program, *words = VALKEY["command"]
    assert program == "valkey-server"
    assert all(name.startswith("--") for name in words[::2])
    return dict(zip((name.removeprefix("--") for name in words[::2]), words[1::2], strict=True))


# What stands in the files


def test_the_store_loses_nothing_it_has_confirmed() -> None:
    settings = valkey_settings()
    assert settings["appendonly"] == "yes"
    assert settings["appendfsync"] == "always"
    assert settings["no-appendfsync-on-rewrite"] == "no"
    assert settings["maxmemory-policy"] == "noeviction"
    assert VALKEY["volumes"] == ["valkey-data:/data"]
    assert "valkey-data" in COMPOSE["volumes"]
    assert re.fullmatch(r"valkey/valkey:[89][-.\w]*", VALKEY["image"])
    assert "ports" not in VALKEY  # nobody but the nodes speaks to it


def test_nodes_are_many_and_are_not_reached_but_through_the_balancer() -> None:
    assert NODE["deploy"]["replicas"] >= 2
    assert "ports" not in NODE
    assert "container_name" not in NODE  # there are several
    (published,) = BALANCER["ports"]
    assert published.endswith(":8000")
    assert "bind :8000" in read("deploy/haproxy.cfg")
    assert f"node:{NODE['environment']['CRESCENT_PORT']}" in read("deploy/haproxy.cfg")
    host_file, _, _ = BALANCER["volumes"][0].partition(":")
    assert (ROOT / host_file).is_file()


def test_what_a_part_needs_is_healthy_before_it_starts() -> None:
    assert NODE["depends_on"]["valkey"]["condition"] == "service_healthy"
    assert BALANCER["depends_on"]["node"]["condition"] == "service_healthy"
    assert VALKEY["healthcheck"]["test"][:2] == ["CMD", "valkey-cli"]
    assert "/readyz" in DOCKERFILE
    assert "httpchk GET /readyz" in read("deploy/haproxy.cfg")


def test_a_leaving_node_has_the_time_to_drain() -> None:
    grace_s = int(NODE["stop_grace_period"].removesuffix("s"))
    assert grace_s >= int(NODE["environment"]["CRESCENT_DRAIN"]) + ENDING_S


def test_every_variable_is_one_that_the_server_reads() -> None:
    known = server_variables().keys()
    named = set(NODE["environment"]) | set(re.findall(r"\b(CRESCENT_[A-Z]+)=", DOCKERFILE))
    assert named <= known
    assert {"CRESCENT_REDIS", "CRESCENT_HOST", "CRESCENT_PORT", "CRESCENT_DRAIN"} <= named


def test_limits_by_address_count_the_players_and_not_the_balancer() -> None:
    (network,) = COMPOSE["networks"]["default"]["ipam"]["config"]
    assert NODE["environment"]["CRESCENT_TRUSTED_PROXIES"] == network["subnet"]
    parse_networks([network["subnet"]])
    balancer = read("deploy/haproxy.cfg")
    assert "option forwardfor" in balancer
    assert "http-request del-header X-Forwarded-For" in balancer


def test_the_image_runs_as_nobody_in_particular() -> None:
    users = re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE)
    assert users == ["crescent"]
    assert re.search(r"^STOPSIGNAL SIGTERM$", DOCKERFILE, re.MULTILINE)
    for source in re.findall(r"^COPY ([^-].*) \S+$", DOCKERFILE, re.MULTILINE):
        for name in source.split():
            assert (ROOT / name).exists()
            assert f"!{name}" in read(".dockerignore").split()


def test_the_balancer_waits_for_no_request_that_does_not_come() -> None:
    assert re.search(r"^    timeout http-request \d+s$", read("deploy/haproxy.cfg"), re.MULTILINE)


def test_the_balancer_outwaits_a_nodes_pings() -> None:
    found = re.search(r"timeout tunnel (\d+)s", read("deploy/haproxy.cfg"))
    assert found is not None
    assert int(found[1]) > Limits().ping_every_seconds + Limits().pong_within_seconds


# The same topology, as processes


class RoundRobin:
    """Deals TCP connections out to nodes in turn; one that does not answer is passed over."""

    def __init__(self, ports: list[int]) -> None:
        self.ports, self.dealt, self.turn = ports, [0] * len(ports), 0
        self.url = ""
        self._pipes: set[asyncio.Task[None]] = set()

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        for _ in self.ports:
            index, self.turn = self.turn % len(self.ports), self.turn + 1
            with contextlib.suppress(OSError):
                streams = await asyncio.open_connection("127.0.0.1", self.ports[index])
                self.dealt[index] += 1
                return streams
        raise OSError("no node answers")

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            node_reader, node_writer = await self.connect()
        except OSError:
            writer.close()
            return
        for source, target in ((reader, node_writer), (node_reader, writer)):
            task = asyncio.create_task(self.pipe(source, target))
            self._pipes.add(task)
            task.add_done_callback(self._pipes.discard)

    async def pipe(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                target.write(data)
                await target.drain()
        target.close()
        with contextlib.suppress(OSError):
            await target.wait_closed()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[RoundRobin]:
        server = await asyncio.start_server(self.client, "127.0.0.1", 0)
        self.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        try:
            yield self
        finally:
            server.close()
            for task in list(self._pipes):
                task.cancel()
            await asyncio.gather(*self._pipes, return_exceptions=True)


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyProcess]:
    """A Valkey as compose sets it, but on a socket of its own."""
    settings = {name.replace("-", "_"): value for name, value in valkey_settings().items()}
    with ValkeyProcess(**settings) as running:
        yield running


@pytest.fixture
def nodes(valkey: ValkeyProcess) -> Iterator[list[ServerProcess]]:
    running: list[ServerProcess] = []
    try:
        for _ in range(2):
            running.append(ServerProcess("--redis", valkey.url).start())
        yield running
    finally:
        for node in running:
            node.kill()


def frames(first: int, last: int) -> list[dict[str, Any]]:
    """Golden actions as fields of `op`."""
    actions = SHORTEST_WIN.actions[first:last]
    return [
        {"n": n, "op": a.op, "src": a.src if a.op == "m" else None, "dst": a.dst if a.op == "m" else None}
        for n, a in enumerate(actions, start=first + 1)
    ]


async def test_two_race_through_the_balancer_and_a_node_leaves_meanwhile(nodes: list[ServerProcess]) -> None:
    async with contextlib.AsyncExitStack() as stack:
        balancer = await stack.enter_async_context(RoundRobin([node.port for node in nodes]).running())
        ada = await stack.enter_async_context(await Peer.hello(balancer.url))
        bob = await stack.enter_async_context(await Peer.hello(balancer.url, "json"))
        assert balancer.dealt == [1, 1]
        room = await ada.create(
            deal=SHORTEST_WIN.code, start="ready", countdown_ms=200, after_win_ms=1000, min_players=2
        )
        await ada.enter(room, "Ada")
        await bob.enter(room, "Bob")
        assert (await ada.ask("ready", ready=True))["t"] == "ok"
        assert (await bob.ask("ready", ready=True))["t"] == "ok"
        await ada.next("game")
        await bob.next("game")
        half = len(SHORTEST_WIN.actions) // 2
        for fields in frames(0, half):
            assert (await ada.op(**fields))["t"] == "done"
        for fields in frames(0, 3):
            assert (await bob.op(**fields))["t"] == "done"
        # Each sees on its own node what the other did on another.
        await bob.next("board", lambda board: moves(board) == {"Ada": played(half), "Bob": played(3)})

        nodes[0].stop()
        code, _ = await ada.wait_closed()
        assert code in (1001, 1012)
        ada = await stack.enter_async_context(await Peer.hello(balancer.url, token=ada.token))
        assert balancer.dealt == [1, 2]
        assert (await ada.ask("enter", room=room))["t"] == "room"
        assert (await ada.next("game"))["n"] == half
        for fields in frames(half, len(SHORTEST_WIN.actions)):
            answer = await ada.op(**fields)
            assert answer["t"] == "done"
        assert answer["status"] == "won"
        ends = [await peer.next("event", kind="closed") for peer in (ada, bob)]
        assert json.dumps(ends[0]["board"]["rows"]) == json.dumps(ends[1]["board"]["rows"])
        winner, other = ends[0]["board"]["rows"]
        assert (winner["name"], winner["status"], winner["ms"]) == ("Ada", "won", answer["ms"])
        assert (other["name"], other["home"]) == ("Bob", home_after(3))


def moves(board: dict[str, Any]) -> dict[str, int]:
    return {row["name"]: row["moves"] for row in board["rows"]}


def replayed(count: int) -> Game:
    game = Game.deal(parse_code(SHORTEST_WIN.code))
    for action in SHORTEST_WIN.actions[:count]:
        if action.op == "m":
            game.move(action.src, action.dst)
        elif action.op == "r":
            game.redeal()
        else:
            game.undo()
    return game


def played(count: int) -> int:
    return replayed(count).moves


def home_after(count: int) -> int:
    return replayed(count).home


def test_the_images_health_check_tells_a_ready_node_from_none(nodes: list[ServerProcess]) -> None:
    found = re.search(r"^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert found is not None
    program, *arguments = json.loads(found[1])
    assert program == "python"

    def healthy() -> bool:
        environment = {"CRESCENT_PORT": str(nodes[0].port), "PATH": "/usr/bin"}
        command = [sys.executable, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0

    assert healthy()
    nodes[0].stop()
    assert not healthy()
