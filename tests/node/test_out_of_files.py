"""No files left: whoever comes waits until there are some, and the operator is told, with TLS and without."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
import trustme

from tests.support.server import ServerProcess
from tests.support.web import fetch

FILES = 60
PATIENCE_S = 30.0
LIMITED = (
    f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES})); "
    "from server.__main__ import main; main()"
)


def certificate(folder: Path) -> list[str]:
    pair = trustme.CA().issue_cert("127.0.0.1")
    pair.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    pair.private_key_pem.write_to_path(folder / "key.pem")
    return ["--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem")]


def shortages(server: ServerProcess) -> list[dict[str, str]]:
    """The lines about it so far."""
    os.lseek(server._log.fileno(), 0, os.SEEK_CUR)
    text = os.pread(server._log.fileno(), 1 << 20, 0).decode()
    lines = [json.loads(line) for line in text.splitlines()]
    return [line for line in lines if line["event"] == "cannot accept connections"]


@pytest.mark.parametrize("scheme", ["ws", "wss"])
async def test_it_is_told_and_nobody_is_cut(valkey_url: str, tmp_path: Path, scheme: str) -> None:
    tls = certificate(tmp_path) if scheme == "wss" else []
    server = ServerProcess("--redis", valkey_url, *tls, program=("-c", LIMITED)).start()
    lines = []
    try:
        for _ in range(FILES + 20):
            lines.append(await asyncio.open_connection("127.0.0.1", server.port))
        async with asyncio.timeout(PATIENCE_S):
            while not shortages(server):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.05)
        assert not [reader for reader, _ in lines if reader.at_eof()], "they wait"
        for _, writer in lines:
            writer.transport.abort()
        if scheme == "ws":
            assert (await fetch(server.port, "/healthz")).status == 200, "and it goes on"
    finally:
        for _, writer in lines:
            writer.transport.abort()
        assert await asyncio.to_thread(server.stop) == 0, server.errors
    told = [json.loads(line) for line in server.errors.splitlines()]
    told = [line for line in told if line["event"] == "cannot accept connections"]
    assert {(line["level"], line["error"]) for line in told} == {("error", os.strerror(24))}
    assert len(told) <= PATIENCE_S, "one a second at most"
