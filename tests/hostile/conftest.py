"""Servers of a test's own that must come through it without a fault."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import trustme

from tests.support.server import FAST, ServerProcess
from tests.support.valkey import ValkeyProcess

Start = Callable[..., ServerProcess]


class Certificate(NamedTuple):
    """Files in PEM: a certificate for 127.0.0.1, its key, and the authority that made it."""

    cert: Path
    key: Path
    authority: Path

    @property
    def arguments(self) -> tuple[str, ...]:
        return "--tls-cert", str(self.cert), "--tls-key", str(self.key)


def make_certificate(folder: Path) -> Certificate:
    """A new authority and what it has made, in files of this folder; those that are there are replaced."""
    files = Certificate(folder / "cert.pem", folder / "key.pem", folder / "authority.pem")
    authority = trustme.CA()
    made = authority.issue_cert("127.0.0.1", "localhost")
    files.cert.write_bytes(b"".join(blob.bytes() for blob in made.cert_chain_pems))
    made.private_key_pem.write_to_path(files.key)
    authority.cert_pem.write_to_path(files.authority)
    return files


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Certificate:
    """A certificate that this process, and those it starts, trust."""
    made = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.authority))
    return made


@pytest.fixture
async def start_server(tmp_path: Path) -> AsyncIterator[Start]:
    """`start_server("--redis", url, rates=…)`; without a store: one of its own. At the end each must leave in
    good order, and have logged no error."""
    servers: list[ServerProcess] = []

    def start(*arguments: str, rates: str = FAST) -> ServerProcess:
        if "--redis" not in arguments:
            arguments += ("--data", str(tmp_path / f"data-{len(servers)}"))
        servers.append(ServerProcess(*arguments, rates=rates))
        return servers[-1].start()

    try:
        yield start
        for server in servers:
            await asyncio.to_thread(end, server)
    finally:
        for server in servers:
            server.close()


def end(server: ServerProcess) -> None:
    """End it, and look at what it said."""
    if server.running:
        assert server.stop() == 0, server.errors
    for word in ('"level": "error"', '"level": "critical"', "Traceback"):
        assert word not in server.errors, server.errors[-3000:]


@pytest.fixture
def store() -> Iterator[ValkeyProcess]:
    """A Valkey of the test's own."""
    with ValkeyProcess() as valkey:
        yield valkey
