"""`crescent-server` as it is, with a window: what it holds is told on a Unix socket.

`looked_into.py SOCKET KEPT_IDLE_MS ...`: where to look in, for how long a room that nobody is in is kept, and
then what `crescent-server` takes.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import socket
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import server.node.hub
from server.__main__ import main
from server.node.node import Node

KINDS = ("Session", "Connection", "LiveRoom", "LiveGame", "Feed", "Attempt", "Room", "TimerHandle", "Append")
node: Any = None


def remember(self: Node, *arguments: Any) -> None:
    global node
    node, self_loop = self, asyncio.get_running_loop()
    original(self, *arguments)
    self.looked_into_loop = self_loop  # type: ignore[attr-defined]


original = Node.__init__
Node.__init__ = remember  # type: ignore[method-assign]


def census() -> dict[str, int]:
    """How many of what there are, after what is garbage has been collected."""
    gc.collect()
    objects = gc.get_objects()
    kinds = Counter(type(found).__name__ for found in objects)
    hub, door = node.hub, node.door
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        **{f"objects: {kind}": kinds[kind] for kind in KINDS},
        "objects in all": len(objects),
        "garbage": len(gc.garbage),
        "sessions": len(node.sessions),
        "rooms": len(hub.rooms),
        "rooms being loaded": len(hub._loading),
        "channels": len(hub.subscription._channels),
        "tasks": len(asyncio.all_tasks(node.looked_into_loop)),
        "files": len(os.listdir("/proc/self/fd")),
        "items waiting": node.journals.waiting,
        "buckets of identities": len(node._buckets),
        "buckets of addresses": len(door._hellos._buckets) + len(door._creates._buckets),
        "addresses connected": len(door._connections),
        "resident KiB": pages * os.sysconf("SC_PAGE_SIZE") // 1024,
    }


def tell(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        while True:
            with listening.accept()[0] as asking:
                asking.sendall(json.dumps(census()).encode())


if __name__ == "__main__":
    window, kept_idle_ms = sys.argv[1], int(sys.argv[2])
    del sys.argv[1:3]
    server.node.hub.KEPT_IDLE_MS = kept_idle_ms
    threading.Thread(target=tell, args=[window], daemon=True).start()
    main()
