"""Plain HTTP requests to a server, without a client that would make them well-behaved."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple

PATIENCE_S = 15.0


class Page(NamedTuple):
    """An answer; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]


async def fetch(port: int, path: str, method: str = "GET", **headers: str) -> Page:
    """The page at `path` on the loopback address; `_` in a header's name stands for `-`."""
    fields = {"Host": f"127.0.0.1:{port}"} | {name.replace("_", "-"): text for name, text in headers.items()}
    head = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in fields.items())]
    async with asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write("\r\n".join([*head, "", ""]).encode())
            answer = await reader.read()
        finally:
            writer.close()
            await writer.wait_closed()
    head_part, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head_part.decode("latin-1").split("\r\n")
    parsed = dict(line.split(": ", 1) for line in lines)
    return Page(int(status.split(" ")[1]), {name.lower(): text for name, text in parsed.items()}, body)
