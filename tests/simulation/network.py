"""The lines between clients and nodes, as TCP makes them: in order each way, late, stalled, cut at any point.

A `Line` is, for the node, what the transport hands it (`server.transport.connection.Connection`); the client
at its other end is a `Caller`.
"""

from __future__ import annotations

import random
from collections import deque
from typing import Any, Protocol

from server.node.node import Node
from server.transport.http import Request
from tests.simulation.loop import Process, VirtualLoop

ABNORMAL = 1006
CLOSE_ANSWERED_MS = 10_000  # a node waits so long for the answer to its close


class Caller(Protocol):
    """The client's end."""

    def arrived(self, line: Line, payload: bytes) -> None: ...

    def ended(self, line: Line, code: int, reason: str) -> None: ...


class Tap(Protocol):
    """Sees what a node sends, the moment it does."""

    def sent(self, line: Line, payload: bytes) -> None: ...

    def fault(self, text: str) -> None: ...


class Line:
    """One connection. Its own randomness makes it independent of the order in which others are served."""

    def __init__(
        self, loop: VirtualLoop, process: Process, node: Node, caller: Caller, tap: Tap,
        rng: random.Random, delay_ms: tuple[float, float], subprotocol: str, address: str, name: str,
    ) -> None:  # fmt: skip
        self._loop, self.process, self._node = loop, process, node
        self._caller, self._tap, self._rng, self._delay_ms = caller, tap, rng, delay_ms
        self.name = name
        self.request = Request("GET", "/ws", peer=address)
        self.subprotocol = subprotocol
        self.binary = subprotocol.endswith("msgpack")
        self.remote_address = address
        self.open = True  # as the node sees it
        self.heard = True  # whether what the node sends still reaches the client
        self.client_open = True
        self._receiver: Any = None
        self._unread: deque[bytes] = deque()
        self._paused = self._scheduled = self._taken_leave = False
        self._down_s = self._up_s = 0.0  # the last arrivals: nothing overtakes
        self._up_cut_s = float("inf")
        self._stalled_till_s = 0.0

    def begin(self) -> None:
        """The handshake is done; in the node's process."""
        self._receiver = self._node.connected(self)  # type: ignore[arg-type]

    def _arrival(self, last_s: float) -> float:
        low, high = self._delay_ms
        at_s = self._loop.time() + self._rng.uniform(low, high) / 1000
        return max(at_s, last_s, self._stalled_till_s)

    # For the node

    def send(self, payload: bytes) -> None:
        if self.open:
            self._send(payload)

    def send_frame(self, frame: bytes) -> None:
        if self.open:
            for payload in payloads(frame):
                self._send(payload)

    def _send(self, payload: bytes) -> None:
        self._tap.sent(self, payload)
        self._down_s = self._arrival(self._down_s)
        self._loop.call_at(self._down_s, self._arrive_down, payload, context=self._loop.outside)

    def close(self, code: int, reason: str = "") -> None:
        if self.open:
            self.open = False
            self._down_s = self._arrival(self._down_s)
            outside = self._loop.outside
            self._loop.call_at(self._down_s, self._close_answered, code, reason, context=outside)
            self._loop.call_later(CLOSE_ANSWERED_MS / 1000, self._node_sees_end, ABNORMAL, context=outside)

    def _close_answered(self, code: int, reason: str) -> None:
        if self.heard:
            self._client_sees_end(code, reason)
            self._up_s = self._arrival(self._up_s)
            self._loop.call_at(self._up_s, self._node_sees_end, code, context=self._loop.outside)

    def abort(self) -> None:
        self.cut(0, 0, 0)

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        self._schedule()

    def _schedule(self) -> None:
        if self._unread and not self._scheduled and not self._paused:
            self._scheduled = True
            self.process.call(self._deliver)

    def _deliver(self) -> None:
        self._scheduled = False
        while self._unread and not self._paused and self.open:
            self._receiver.received(self._unread.popleft())

    def _node_sees_end(self, code: int) -> None:
        self.process.call(self._take_leave, code)

    def _take_leave(self, code: int) -> None:
        if not self._taken_leave:
            self._taken_leave, self.open = True, False
            self._unread.clear()
            self._receiver.disconnected(code)

    # For the client

    def ask(self, payload: bytes) -> None:
        """Send to the node."""
        if self.client_open:
            self._up_s = self._arrival(self._up_s)
            if self._up_s <= self._up_cut_s:
                self._loop.call_at(self._up_s, self._arrive_up, payload, context=self._loop.outside)

    def hang_up(self, code: int = 1000) -> None:
        """Close it from the client's side, after what was sent."""
        if self.client_open:
            self._client_sees_end(code, "")
            self._up_s = self._arrival(self._up_s)
            self._loop.call_at(self._up_s, self._node_sees_end, code, context=self._loop.outside)

    def _arrive_up(self, payload: bytes) -> None:
        if self._loop.time() <= self._up_cut_s and self.open:
            self._unread.append(payload)
            self._schedule()

    def _arrive_down(self, payload: bytes) -> None:
        if self.heard:
            self._caller.arrived(self, payload)

    def _client_sees_end(self, code: int, reason: str) -> None:
        if self.client_open:
            self.client_open = self.heard = False
            self._caller.ended(self, code, reason)

    # What befalls it

    def stall(self, ms: float) -> None:
        """Nothing arrives for so long, then all of it."""
        self._stalled_till_s = self._loop.time() + ms / 1000

    def cut(self, client_ms: float, node_ms: float, up_ms: float) -> None:
        """It breaks: each end notices in its own time, and what the client sent arrives up to a point."""
        now_s, outside = self._loop.time(), self._loop.outside
        self._up_cut_s = now_s + up_ms / 1000
        self._loop.call_at(now_s + client_ms / 1000, self._client_sees_end, ABNORMAL, "", context=outside)
        seen_s = max(now_s + node_ms / 1000, self._up_s if self._up_s <= self._up_cut_s else 0)
        self._loop.call_at(seen_s, self._node_sees_end, ABNORMAL, context=outside)


def payloads(frames: bytes) -> list[bytes]:
    """What unmasked frames carry, one after the other (RFC 6455, 5.2)."""
    found, at = [], 0
    while at < len(frames):
        length = frames[at + 1]
        begin = at + (2 if length < 126 else 4 if length == 126 else 10)
        if length >= 126:
            length = int.from_bytes(frames[at + 2 : begin], "big")
        at = begin + length
        found.append(frames[begin:at])
    return found
