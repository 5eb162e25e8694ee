"""Frames cut at every byte, mutated, made up: each ends its own connection at most; nothing is half done."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.hostile.raw import (
    END,
    Heard,
    Map,
    converse,
    message_frame,
    opening,
    packed,
    resident_mib,
    script,
)
from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import bare, game_on_entering, play_well, start_race, told
from tests.support.server import FAST, ServerProcess
from tests.support.valkey import ValkeyProcess
from tests.transport.parts import BINARY, CONT, PING, TEXT, frame, handshake

ENCODINGS = ["msgpack", "json"]
IDENTITIES = 8
FRAMES_A_CONNECTION = 8
CODE = SHORTEST_WIN.code
MOVES = SHORTEST_WIN.actions

# One of each message, as a player in a race says it.
CORPUS: list[Map] = [
    {"t": "hello", "token": "x" * 22, "lang": "da", "client": "c"},
    {"t": "create", "options": {"name": "n", "limit_ms": 60000, "sealed": True, "x": [1, None]}, "key": "k"},
    {"t": "enter", "room": "AAAAAAAA", "as": "player", "name": "Ann", "password": "p"},
    {"t": "leave"},
    {"t": "ready", "ready": True},
    {"t": "start"},
    {"t": "hold"},
    {"t": "op", "n": 1, "op": "r"},
    {"t": "op", "n": 3, "op": "m", "src": 4, "dst": 16},
    {"t": "op", "n": 9007199254740991, "op": "u"},
    {"t": "forfeit"},
    {"t": "unforfeit"},
    {"t": "follow", "player": "PPPPPPPPPPPP"},
    {"t": "say", "text": "hæ"},
    {"t": "manage", "action": "referee", "player": "PPPPPPPPPPPP", "on": True},
    {"t": "manage", "action": "set", "options": {"listed": True}},
    {"t": "rematch"},
    {"t": "rooms"},
    {"t": "clock", "sent": 7},
]
# How a connection may end upon what is no honest message: never by a fault of the server.
MAY_CLOSE = {1000, 1002, 1007, 1008, 1009, 4400, 4401, 4409}


@pytest.fixture(scope="module")
def store() -> Iterator[ValkeyProcess]:
    with ValkeyProcess() as valkey:
        yield valkey


@pytest.fixture(scope="module")
def server(store: ValkeyProcess) -> Iterator[ServerProcess]:
    """High rates but for rooms: what is mutated must not fill the store with them."""
    rates = FAST.replace(",create=100000:100000", ",create=0.01:3")
    server = ServerProcess("--redis", store.url, "--connections-per-address", "100000", rates=rates).start()
    yield server
    assert server.stop() == 0, server.errors
    for level in ("error", "critical"):
        assert f'"level": "{level}"' not in server.errors, server.errors[-3000:]
    assert "Traceback" not in server.errors, server.errors[-3000:]


# Cut


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_a_conversation_cut_at_every_byte_plays_what_was_whole_and_no_more(
    server, encoding: str
) -> None:
    async with await Peer.hello(server.url) as peer:
        room = await start_race(peer, deal=CODE)
        frames = [
            message_frame(packed(message, encoding), encoding)
            for message in (
                {"t": "hello", "token": peer.token},
                {"t": "enter", "room": room},
                {"t": "op", "n": 1, "op": "m", "src": MOVES[0].src, "dst": MOVES[0].dst, "id": 5},
                {"t": "op", "n": 2, "op": "m", "src": MOVES[1].src, "dst": MOVES[1].dst, "id": 6},
            )
        ]
    ends = [len(opening(encoding))]
    for each in frames:
        ends.append(ends[-1] + len(each))
    whole = opening(encoding) + b"".join(frames)
    cuts = range(1, len(whole) + 1)
    scripts = [whole[:cut] for cut in cuts]
    answers = converse(server.port, scripts, encoding, half_close=True, at_once=1)
    for cut, answer in zip(cuts, answers, strict=True):
        frames_whole = sum(end <= cut for end in ends) - 1
        assert len(answer.of("welcome")) == (frames_whole >= 1), cut
        assert len(answer.of("room")) == (frames_whole >= 2), cut
        assert answer.code is None, (cut, answer)  # the client is gone: nobody is told anything
        assert {done["n"] for done in answer.of("done")} <= set(range(1, frames_whole - 1)), cut
    async with await Peer.hello(server.url, token=peer.token) as peer:
        assert bare(await game_on_entering(peer, room)) == told(CODE, MOVES[:2]).game()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_message_cut_at_every_byte_is_not_of_the_encoding(server, encoding: str) -> None:
    scripts = [
        script(encoding, {"t": "hello"}, packed(message, encoding)[:cut])
        for message in CORPUS
        for cut in range(len(packed(message, encoding)))
    ]
    assert len(scripts) > 400
    for heard in converse(server.port, scripts, encoding):
        assert heard.code == 1007, heard
        assert heard.reason
        assert [message["t"] for message in heard.messages] == ["welcome"]


def test_a_handshake_cut_at_every_byte_is_no_websocket(server) -> None:
    whole = handshake("crescent-race.v1.json", extra="Origin: http://elsewhere.example\r\nCookie: a=b\r\n")
    for heard in converse(server.port, [whole[:cut] for cut in range(len(whole))], "json", half_close=True):
        assert heard == Heard([], None, "")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_message_in_fragments_of_a_byte_with_pings_between_them_is_whole(server, encoding: str) -> None:
    kind = TEXT if encoding == "json" else BINARY

    def in_pieces(data: bytes) -> bytes:
        pieces = [frame(kind, data[:1], fin=False)]
        pieces += [frame(CONT, data[at : at + 1], fin=False) for at in range(1, len(data))]
        return frame(PING, b"?").join([*pieces, frame(CONT)])

    said = [packed(m, encoding) for m in ({"t": "hello"}, {"t": "clock", "sent": "pieces"})]
    one = opening(encoding) + b"".join(map(in_pieces, said)) + END
    (heard,) = converse(server.port, [one], encoding)
    assert [message["t"] for message in heard.messages] == ["welcome", "clock"]
    assert heard.messages[1]["sent"] == "pieces"
    assert heard.code == 1000


# Mutated and made up

INTERESTING = (
    b"\xd7\xff" + b"\xff" * 8, b"\xd6\xff\xff\xff\xff\xff", b"\xc7\x0c\xff" + b"\xff" * 12, b"\xc7\x00\x01",
    b"\x81\x80\x01", b"\x81\x91\x81\x01\x02\x03", b"\xcb\x7f\xf8\0\0\0\0\0\0", b"\xdf\xff\xff\xff\xff",
    b"\xdb\xff\xff\xff\xff", b"\xdd\xff\xff\xff\xff", b"\xc1", b"\xc0", b"\xa0", b"\x90" * 40, b"\x91" * 200,
    b"1e999", b"9" * 400, b"-0", b"NaN", b"\\ud800", b"\\u0000", b"\xed\xa0\x80", b"\xff\xfe", b"[" * 300,
    b'{"t":', b'"t":"op",', b'"id":-1,', b"null", b"\x00", b"\xf0\x9f\x82\xa1",
)  # fmt: skip


def mutated(chance: random.Random, data: bytes) -> bytes:
    """These bytes with one to eight things done to them."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(7):
            case 0 if changed:
                changed[at % len(changed)] ^= 1 << chance.randrange(8)
            case 1 if changed:
                changed[at % len(changed)] = chance.randrange(256)
            case 2:
                changed[at:at] = chance.choice(INTERESTING)
            case 3:
                del changed[at : at + chance.choice((1, 1, 2, 4, 16))]
            case 4:
                changed[at:at] = chance.randbytes(chance.randrange(12))
            case 5 if changed:
                begin = chance.randrange(len(changed))
                changed[at:at] = changed[begin : begin + chance.randrange(20)]
            case 6:
                changed[at:at] = (
                    bytes([changed[at % len(changed)]]) * chance.randrange(64) if changed else b""
                )
    return bytes(changed)


def payload(chance: random.Random, encoding: str, corpus: list[Map]) -> bytes:
    """A frame's content: mostly something that was a message, also of the other encoding, or just bytes."""
    kind = chance.randrange(20)
    if kind == 0:
        return chance.randbytes(chance.choice((0, 1, 2, 8, 60, 125, 126, 400, 4096, 4097)))
    other = {"msgpack": "json", "json": "msgpack"}[encoding]
    message = dict(chance.choice(corpus))
    if kind < 8:  # well-formed in its encoding, with a field that is not as stated
        field = chance.choice([*message, "id", "later"])
        message[field] = chance.choice(
            (None, True, -1, 0, 1, 2**63, 1.5, "", "x" * 70, [], {}, [[]], {"t": 1}, "player", "m", 25, 300)
        )
        return packed(message, encoding)
    data = packed(message, other if kind == 8 else encoding)
    return mutated(chance, data)


class Tally:
    """What came of it."""

    def __init__(self) -> None:
        self.frames = self.connections = 0
        self.answers: Counter[str] = Counter()
        self.closes: Counter[Any] = Counter()

    def count(self, heard: Heard, frames_sent: int) -> None:
        """Each frame was followed by a `clock`: as many came back as were survived; one more was judged."""
        survived = sum(str(m["sent"]).startswith("after ") for m in heard.of("clock"))
        closed = heard.code != 1000
        self.frames += survived + closed if survived < frames_sent else survived
        self.connections += 1
        self.closes[heard.code] += 1
        for message in heard.messages:
            label = (
                f"{message['t']} {message['code']}" if message["t"] in ("error", "refused") else message["t"]
            )
            self.answers[label] += 1
            if message["t"] in ("error", "refused"):
                assert message["text"], message

    @staticmethod
    def shown(counts: Counter[Any], kinds_max: int = 12) -> str:
        return ", ".join(f"{kind} {count:,}" for kind, count in counts.most_common(kinds_max))


class Mutants:
    """Players of one race whose frames are mutated, and a host who is away meanwhile."""

    def __init__(self, server: ServerProcess, host: Peer, room: str, tokens: list[str]) -> None:
        self.server, self.host, self.room, self.tokens = server, host, room, tokens
        self.corpus = [*CORPUS, {"t": "enter", "room": room}, {"t": "follow", "player": host.player}]
        self.tally = Tally()

    def send(self, chance: random.Random, frames: int, encoding: str) -> None:
        """So many frames, whole ones with anything in them."""
        end = self.tally.frames + frames
        while self.tally.frames < end:
            scripts = []
            for number in range(8 * IDENTITIES):
                messages: list[Any] = [{"t": "hello"}]
                if number % 8 == 0:  # to enter costs more than all the rest
                    token = self.tokens[number // 8]
                    messages = [{"t": "hello", "token": token}, {"t": "enter", "room": self.room}]
                for each in range(FRAMES_A_CONNECTION):
                    messages.append(payload(chance, encoding, self.corpus))
                    messages.append({"t": "clock", "sent": f"after {each}"})
                scripts.append(script(encoding, *messages))
            for heard in converse(self.server.port, scripts, encoding):
                assert heard.code in MAY_CLOSE, heard
                assert heard.of("welcome"), heard
                self.tally.count(heard, FRAMES_A_CONNECTION)

    def send_streams(self, chance: random.Random, streams: int, encoding: str) -> None:
        """So many byte streams: conversations that were mutated as such, their frames' headers too."""
        scripts = []
        for _ in range(streams):
            said = [message_frame(packed(m, encoding), encoding) for m in chance.sample(self.corpus, 4)]
            honest = message_frame(packed({"t": "hello"}, encoding), encoding) + b"".join(said) + END
            scripts.append(opening(encoding) + mutated(chance, honest))
        for heard in converse(self.server.port, scripts, encoding, half_close=True):
            # A close frame is answered in kind, also with a code that was mutated: only words tell ours.
            assert "fault" not in heard.reason, heard
            assert "internal" not in heard.reason, heard
            self.tally.connections += 1
            self.tally.frames += 1
            known = heard.code in MAY_CLOSE
            self.tally.closes[heard.code if known else "its own code" if heard.code else "none"] += 1


@pytest.fixture
async def mutants(server: ServerProcess) -> Mutants:
    async with await Peer.hello(server.url) as host:
        room = await start_race(host, deal=CODE, late=True, max_players=100, min_players=1)
        tokens = []
        for number in range(IDENTITIES):
            async with await Peer.hello(server.url) as peer:
                await peer.enter(room, f"m{number}")
                tokens.append(peer.token)
    return Mutants(server, host, room, tokens)


async def check_host(mutants: Mutants) -> None:
    """The host's race is as the host left it, and goes on."""
    async with await Peer.hello(mutants.server.url, token=mutants.host.token) as host:
        assert (await game_on_entering(host, mutants.room))["n"] == 0
        await play_well(host, MOVES[:20])
        assert bare(await game_on_entering(host, mutants.room)) == told(CODE, MOVES[:20]).game()


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_mutated_frames_end_their_own_connection_at_most(
    mutants: Mutants, encoding: str, tell: Callable[..., None]
) -> None:
    seed = 4
    mutants.send(random.Random(seed), 1000, encoding)
    mutants.send_streams(random.Random(seed), 300, encoding)
    await check_host(mutants)
    report(tell, mutants.tally, encoding, seed, {})


@pytest.mark.soak
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_half_a_million_frames_of_each_encoding(
    mutants: Mutants, store: ValkeyProcess, encoding: str, tell: Callable[..., None]
) -> None:
    assert mutants.server.process is not None
    seed = time.time_ns() % 1_000_000
    chance = random.Random(seed)
    mutants.send(chance, 10_000, encoding)  # what is loaded and cached once
    memory = resident_mib(mutants.server.process.pid)
    mutants.send(chance, 390_000, encoding)
    mutants.send_streams(chance, 100_000, encoding)
    await check_host(mutants)
    after = resident_mib(mutants.server.process.pid)
    report(tell, mutants.tally, encoding, seed, {"MiB before": f"{memory:.0f}", "MiB after": f"{after:.0f}"})
    assert after < 2 * memory


def report(tell: Callable[..., None], tally: Tally, encoding: str, seed: int, more: Map) -> None:
    assert tally.answers["welcome"]
    assert {1007, 4400, 1000} <= set(tally.closes)
    tell(
        "Mutated frames",
        encoding=encoding,
        seed=seed,
        frames=f"{tally.frames:,}",
        connections=f"{tally.connections:,}",
        closed_with=tally.shown(tally.closes),
        answered=tally.shown(tally.answers),
        **more,
    )
