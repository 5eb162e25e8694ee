"""A line of the log is one write: those of several workers on one pipe stay apart."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest

SAYS = """
import logging
from server.node.logs import LogLevel, configure_logs
configure_logs(LogLevel.INFO)
import structlog
structlog.get_logger().info("one", about="x" * 3000)
logging.getLogger("a library").error("two")
"""


@pytest.mark.parametrize("unbuffered", ["1", ""])
def test_each_line_is_written_at_once(unbuffered: str) -> None:
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)  # each write is a message of its own
    with here, there:
        subprocess.run(
            [sys.executable, "-c", SAYS], stderr=there, env={"PYTHONUNBUFFERED": unbuffered}, check=True
        )
        there.close()
        here.settimeout(10)
        written = [here.recv(1 << 16).decode() for _ in range(2)]
    assert [json.loads(line)["event"] for line in written] == ["one", "two"]
    assert all(line.endswith("\n") for line in written)
