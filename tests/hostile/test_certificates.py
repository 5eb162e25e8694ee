"""`--tls-cert` and `--tls-key`: pages and races over TLS, pairs that cannot be, and a renewed one."""

from __future__ import annotations

import asyncio
import os
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
import structlog
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from server.node import tls
from server.node.door import DoorRules
from server.node.errors import SettingsError
from server.node.serve import running_node
from server.node.settings import Settings, parse_rates
from tests.hostile.conftest import Certificate, Start, make_certificate
from tests.hostile.measure import until
from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import play_well, start_race
from tests.support.server import FAST, ServerProcess
from tests.support.valkey import ValkeyProcess

PATIENCE_S = 60
Wrong = dict[str, tuple[list[str], list[str]]]


def run(module: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command of ours until it ends by itself."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith("CRESCENT_")}
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=clean | environment,
        check=False,
    )


# Pairs that cannot be


def encrypted(key: Path) -> bytes:
    """The same key with a passphrase."""
    plain = load_pem_private_key(key.read_bytes(), None)
    return plain.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))


@pytest.fixture
def wrong(tmp_path: Path) -> Wrong:
    """Arguments, and words that the one line must have."""
    good = make_certificate(tmp_path)
    (tmp_path / "other").mkdir()
    other = make_certificate(tmp_path / "other")
    (tmp_path / "nonsense").write_text("no PEM")
    (tmp_path / "locked").write_bytes(encrypted(good.key))

    def pair(cert: Path, key: Path) -> list[str]:
        return ["--tls-cert", str(cert), "--tls-key", str(key)]

    nowhere = tmp_path / "nowhere"
    return {
        "half a pair": (["--tls-cert", str(good.cert)], ["--tls-cert", "--tls-key", "both"]),
        "the other half": (["--tls-key", str(good.key)], ["--tls-cert", "--tls-key", "both"]),
        "no certificate": (pair(nowhere, good.key), ["nowhere", "--tls-cert", "No such file"]),
        "no key": (pair(good.cert, nowhere), ["nowhere", "--tls-key", "No such file"]),
        "a directory": (pair(tmp_path, good.key), [str(tmp_path), "--tls-cert"]),
        "not a pair": (pair(good.cert, other.key), ["cert.pem", "other/key.pem", "together"]),
        "no PEM": (pair(tmp_path / "nonsense", good.key), ["nonsense", "PEM"]),
        "a key that is none": (pair(good.cert, tmp_path / "nonsense"), ["nonsense", "PEM"]),
        "changed over": (pair(good.key, good.cert), ["key.pem", "PEM"]),
        "a passphrase": (pair(good.cert, tmp_path / "locked"), ["locked", "passphrase"]),
    }


def test_a_pair_that_cannot_be_used_is_told_in_one_line(
    wrong: Wrong,
) -> None:
    for kind, (arguments, words) in wrong.items():
        cert, key = (
            Path(arguments[arguments.index(option) + 1]) if option in arguments else None
            for option in ("--tls-cert", "--tls-key")
        )
        with pytest.raises(SettingsError) as raised:
            tls.tls_files(cert, key)
        said = str(raised.value)
        assert "\n" not in said, kind
        for word in words:
            assert word in said, kind


def test_a_server_with_such_a_pair_does_not_start(wrong: Wrong, tmp_path: Path) -> None:
    (_, cert, _, key), words = wrong["not a pair"]
    # By the environment, as in a container; and with workers, which would each say it again.
    ended = run(
        "server", "--port", "0", "--workers", "2", "--data", str(tmp_path / "data"),
        CRESCENT_TLS_CERT=cert, CRESCENT_TLS_KEY=key,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.strip().splitlines()
    assert line.startswith("crescent-server: ")
    assert all(word in line for word in words)
    assert not (tmp_path / "data").exists(), "it was tried before anything was begun"


# Served


async def test_races_pages_and_the_client(
    start_server: Start, race_server: ServerProcess, certificate: Certificate, tmp_path: Path
) -> None:
    server = await asyncio.to_thread(start_server, "--workers", "2", *certificate.arguments)
    assert server.url.startswith("wss://")
    async with await Peer.hello(server.url) as ann, await Peer.hello(server.url, "json") as bob:
        room = await start_race(ann, bob, deal=SHORTEST_WIN.code, listed=True)
        await play_well(ann, SHORTEST_WIN.actions)
        await bob.next("event", kind="won", player=ann.player)
        assert await page(server.port, f"/api/rooms/{room}") == 200
    listed = await client(f"https://127.0.0.1:{server.port}", certificate)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert room in listed.stdout
    # And what the client says where the other side speaks otherwise.
    (tmp_path / "other").mkdir()
    stranger = make_certificate(tmp_path / "other")
    for url, trusted, words in (
        (server.url, stranger, ["not trusted", "SSL_CERT_FILE"]),
        (server.url.replace("wss:", "ws:"), certificate, ["wss://", "--server"]),
        (race_server.url.replace("ws:", "wss:"), certificate, ["no TLS", "ws://"]),
    ):
        said = await client(url, trusted)
        assert said.returncode == 3, said
        (line,) = said.stderr.strip().splitlines()
        assert all(word in line for word in [*words, url]), line
        assert "_ssl.c" not in line


async def client(url: str, trusted: Certificate) -> subprocess.CompletedProcess[str]:
    """What `crescent rooms` says, where one authority is trusted."""
    environment = {"SSL_CERT_FILE": str(trusted.authority), "LC_ALL": "C.UTF-8"}
    environment["CRESCENT_CONFIG_DIR"] = str(trusted.cert.parent / "config")
    return await asyncio.to_thread(run, "client_cli", "rooms", "--server", url, **environment)


async def page(port: int, path: str) -> int:
    """The status of a page, by https."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=ssl.create_default_context())
    writer.write(f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
    answer = await reader.read()
    writer.transport.abort()
    return int(answer.split(b" ")[1])


# Renewed


async def test_a_renewed_pair_is_taken_and_half_a_one_is_not(
    certificate: Certificate, store: ValkeyProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls, "LOOKED_AT_EVERY_S", 0.02)
    rates, door = parse_rates(FAST), DoorRules(connections_max=100)
    files = tls.tls_files(certificate.cert, certificate.key)
    settings = Settings(port=0, rates=rates, door=door, drain_s=0, tls=files)
    (tmp_path / "new").mkdir()
    new = make_certificate(tmp_path / "new")
    async with running_node(store.url, settings) as listener:
        url = f"wss://127.0.0.1:{listener.address[1]}/ws"
        old = await Peer.hello(url)
        new.cert.replace(certificate.cert)  # the key is not there yet
        with structlog.testing.capture_logs() as logged:
            await until(lambda: "the certificate is kept as it was" in {line["event"] for line in logged})
        async with await Peer.hello(url) as peer:
            assert peer.player, "the old one serves on"
        new.key.replace(certificate.key)
        monkeypatch.setenv("SSL_CERT_FILE", str(new.authority))
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    async with await Peer.hello(url) as peer:
                        assert peer.player
                        break
                except ssl.SSLCertVerificationError:
                    await asyncio.sleep(0.01)
        assert (await old.ask("clock", sent=1))["sent"] == 1, "who is there stays"
        await old.close()
