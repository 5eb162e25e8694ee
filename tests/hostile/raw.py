"""Many clients at once that send bytes, whatever these are, and keep what comes back: plain sockets, no loop.

Each sends its whole script and reads to the end of the connection, so a script ends with a close frame, or
with what the server closes upon, or the connection is half-closed behind it (`half_close`).
"""

from __future__ import annotations

import json
import os
import random
import selectors
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgpack

from tests.transport.parts import BINARY, CLOSE, PING, PONG, TEXT, close_frame, frame, handshake

PATIENCE_S = 60.0
AT_ONCE = 32
PAUSE_S = 0.5, 3.0  # before one that was sent away comes again
END = close_frame(1000)
Map = dict[str, Any]


class Heard(NamedTuple):
    """What a client was told: messages, and how the server closed (None: without a close frame)."""

    messages: list[Map]
    code: int | None
    reason: str

    def of(self, t: str) -> list[Map]:
        return [message for message in self.messages if message["t"] == t]


def packed(message: Any, encoding: str) -> bytes:
    """A message's payload, by libraries that the server does not use for it."""
    if encoding == "json":
        return json.dumps(message, ensure_ascii=False).encode()
    data: bytes = msgpack.packb(message)
    return data


def message_frame(payload: bytes, encoding: str) -> bytes:
    return frame(TEXT if encoding == "json" else BINARY, payload)


def opening(encoding: str) -> bytes:
    return handshake(f"crescent-race.v1.{encoding}")


def script(encoding: str, *messages: Any) -> bytes:
    """A whole conversation: the handshake, these messages (bytes: a payload as it is), and the close."""
    payloads = (m if isinstance(m, bytes) else packed(m, encoding) for m in messages)
    return opening(encoding) + b"".join(message_frame(p, encoding) for p in payloads) + END


def converse(
    port: int,
    scripts: Sequence[bytes],
    encoding: str,
    *,
    half_close: bool = False,
    at_once: int = AT_ONCE,
) -> list[Heard]:
    """Run all scripts, some at a time; what each heard, in their order."""
    answers: list[bytearray] = [bytearray() for _ in scripts]
    with selectors.DefaultSelector() as selector:
        waiting = list(enumerate(scripts))[::-1]
        end_s = time.monotonic() + PATIENCE_S + len(scripts) / 100
        while waiting or selector.get_map():
            while waiting and len(selector.get_map()) < at_once:
                index, data = waiting.pop()
                sock = socket.create_connection(("127.0.0.1", port))
                sock.settimeout(PATIENCE_S)
                try:
                    sock.sendall(data)
                    if half_close:
                        sock.shutdown(socket.SHUT_WR)
                except ConnectionError:
                    pass  # closed upon the first part of it; what the server said is still to be read
                selector.register(sock, selectors.EVENT_READ, index)
            for key, _ in selector.select(PATIENCE_S):
                sock = key.fileobj  # type: ignore[assignment]
                try:
                    data = sock.recv(65536)
                except ConnectionError:
                    data = b""
                answers[key.data] += data
                if not data:
                    selector.unregister(sock)
                    sock.close()
            assert time.monotonic() < end_s, "a connection was not ended"
    return [heard(bytes(answer), encoding) for answer in answers]


def frames_of(data: bytearray) -> Iterator[tuple[int, bytes]]:
    """Take the whole frames of the server that `data` begins with out of it: opcode and payload."""
    at = 0
    while len(data) - at >= 2:
        opcode, length, start = data[at] & 15, data[at + 1], at + 2
        if length >= 126:
            size = 2 if length == 126 else 8
            length, start = int.from_bytes(data[start : start + size], "big"), start + size
        if len(data) < start + length:
            break
        at = start + length
        yield opcode, bytes(data[start:at])
    del data[:at]


def heard(answer: bytes, encoding: str) -> Heard:
    """Read all of a server's bytes: the answer to the handshake, whole frames, and perhaps a close frame."""
    head, _, rest = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 101 "):
        return Heard([], None, answer.decode("latin-1"))
    messages: list[Map] = []
    code, reason = None, ""
    for opcode, payload in frames_of(bytearray(rest)):
        # RFC 6455, 5.5.1: no "data frames after sending a Close frame"; a ping may still be answered.
        assert code is None or opcode == PONG, "the server sent something behind its close frame"
        if opcode == CLOSE:
            code, reason = int.from_bytes(payload[:2], "big"), payload[2:].decode()
        elif opcode in (TEXT, BINARY):
            messages.append(json.loads(payload) if encoding == "json" else msgpack.unpackb(payload))
    return Heard(messages, code, reason)


class Flood(NamedTuple):
    """What became of a flood: how often it was said, the codes of the errors that came, the close code."""

    sent: int
    codes: Counter[str]
    closed_with: int | None


def flood(port: int, start: bytes, again: bytes) -> Flood:
    """Say `start` and then `again` (JSON) as fast as the server takes it, reading all, until it closes."""
    codes: Counter[str] = Counter()
    unread, sent, closed_with = bytearray(), 0, None
    many, end_s = again * 64, time.monotonic() + PATIENCE_S
    with socket.create_connection(("127.0.0.1", port)) as sock, selectors.DefaultSelector() as selector:
        sock.sendall(start)
        while b"\r\n\r\n" not in unread:
            unread += sock.recv(1)
        unread.clear()
        sock.setblocking(False)
        selector.register(sock, selectors.EVENT_READ | selectors.EVENT_WRITE)
        left = many
        while closed_with is None and time.monotonic() < end_s:
            for _, events in selector.select(PATIENCE_S):
                if events & selectors.EVENT_WRITE:
                    left = left[sock.send(left) :] or many
                    sent += 64 * (left is many)
                if events & selectors.EVENT_READ:
                    unread += sock.recv(1 << 20)
                    for opcode, payload in frames_of(unread):
                        if opcode == CLOSE:
                            closed_with = int.from_bytes(payload[:2], "big")
                        elif b'"error"' in payload:
                            codes[json.loads(payload)["code"]] += 1
    return Flood(sent, codes, closed_with)


def cpu_s(pid: int) -> float:
    """The processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int) -> float:
    """The memory that a process holds."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no VmRSS")


class Guest:
    """One of a crowd: what it says when it comes, and what it has heard."""

    def __init__(self, script: bytes) -> None:
        self.script = script
        self.messages: list[Map] = []
        self.times_come = 0
        self.took_s = 0.0
        self._unread = bytearray()
        self.sock = socket.socket()

    def connect(self, port: int) -> None:
        self.sock.close()
        self.sock = socket.socket()
        self.sock.setblocking(False)
        self.sock.connect_ex(("127.0.0.1", port))
        self.times_come += 1
        self.messages.clear()
        self._unread.clear()

    def read(self) -> bool:
        """Take what has come (MessagePack); False: the connection has ended."""
        try:
            data = self.sock.recv(65536)
        except ConnectionError:
            return False
        self._unread += data
        if self._unread.startswith(b"HTTP/"):
            assert self._unread.startswith(b"HTTP/1.1 101 "), self._unread
            head, end, _ = self._unread.partition(b"\r\n\r\n")
            if not end:
                return bool(data)
            del self._unread[: len(head) + 4]
        for opcode, payload in frames_of(self._unread):
            if opcode == BINARY:
                self.messages.append(msgpack.unpackb(payload))
            elif opcode == PING:
                self.sock.sendall(frame(PONG, payload))
        return bool(data)

    def has_heard(self, t: str) -> bool:
        return any(message["t"] == t for message in self.messages)


class Crowd:
    """Many clients that come at the same moment, and are there until the line breaks."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.guests: list[Guest] = []

    def come(self, scripts: Sequence[bytes], until: str) -> None:
        """All connect at once and say their scripts, until each has heard a message of the kind `until`. Who
        is sent away (1013) comes again after a random pause, as clients do."""
        newcomers = [Guest(script) for script in scripts]
        self.guests += newcomers
        with selectors.DefaultSelector() as selector:
            for guest in newcomers:
                guest.connect(self._port)
                selector.register(guest.sock, selectors.EVENT_WRITE, guest)
            self._listen(selector, until)

    def hear(self, until: str) -> None:
        """All listen until each has heard a message of the kind `until`."""
        with selectors.DefaultSelector() as selector:
            for guest in self.guests:
                selector.register(guest.sock, selectors.EVENT_READ, guest)
            self._listen(selector, until)

    def _listen(self, selector: selectors.BaseSelector, until: str) -> None:
        began_s = time.monotonic()
        end_s = began_s + PATIENCE_S + len(self.guests) / 10
        left = len(selector.get_map())
        pausing: list[tuple[float, Guest]] = []
        while left:  # who has heard it reads on, and answers pings
            assert time.monotonic() < end_s, f"no {until} came"
            for at_s, guest in [each for each in pausing if each[0] <= time.monotonic()]:
                pausing.remove((at_s, guest))
                guest.connect(self._port)
                selector.register(guest.sock, selectors.EVENT_WRITE, guest)
            for key, events in selector.select(0.05 if pausing else PATIENCE_S):
                guest = key.data
                if events & selectors.EVENT_WRITE:
                    guest.sock.sendall(guest.script)
                    selector.modify(guest.sock, selectors.EVENT_READ, guest)
                    continue
                had_heard = guest.has_heard(until)
                going_on = guest.read()
                if not had_heard and guest.has_heard(until):
                    guest.took_s = time.monotonic() - began_s
                    left -= 1
                elif not going_on:
                    selector.unregister(guest.sock)
                    assert not had_heard, f"closed after {until} came"
                    errors = {message["code"] for message in guest.messages if message["t"] == "error"}
                    assert errors <= {"store_unavailable"}, guest.messages
                    pausing.append((time.monotonic() + random.uniform(*PAUSE_S), guest))

    def say(self, frame: bytes) -> None:
        """All say this."""
        for guest in self.guests:
            guest.sock.sendall(frame)

    def break_lines(self) -> None:
        """End all connections at once, without a word."""
        for guest in self.guests:
            guest.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            guest.sock.close()
        self.guests = []
