"""The store's calls other than the script: reading, identities, hints, and what the client library does."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable

import msgpack
import pytest

from server.rooms.standings import Progress
from server.store import keys
from server.store.heads import Glance, LogTip, Presence, is_online
from server.store.items import PRESENCE_LEASE_MS, Verdict
from server.store.store import (
    CONNECTIONS_MAX,
    IDENTITY_LIFE_MS,
    LISTED_MAX,
    TOLD_UNKNOWN_LIFE_MS,
    Store,
    StoreUnavailableError,
    connect,
)
from tests.support.items import Room, answers, beat, fresh_room, running_room, write

REPLY = b"$%d\r\n%s\r\n"


@pytest.fixture
async def store(valkey_url: str) -> AsyncIterator[Store]:
    store = Store(connect(valkey_url))
    yield store
    await store.close()


# -- reading


async def test_a_room_is_read_whole_or_from_where_one_has_it(store: Store) -> None:
    room = await running_room(store)
    events = [room.event(b"\x01e%d" % n) for n in range(3)]
    await write(store, *events, room.game("a").next(), beat(room.id, "a", "c:1"))
    head, entries = await store.load_room(room.id)
    assert [entry.n for entry in entries] == [1, 2, 3, 4, 5]
    assert [entry.payload for entry in entries[2:]] == [b"\x01e0", b"\x01e1", b"\x01e2"]
    assert [entry.tip for entry in entries[2:]] == [event.tip for event in events]
    assert head is not None
    assert head.seq == 7
    assert head.room == LogTip(entries[-1].tip, entries[-1].stamp, 5)
    assert head.room_fence == room.started
    assert head.fences == {}
    assert head.progress == {"a": Progress(1, head.games["a"].stamp, "playing", moves=1)}
    assert head.seen["a"].connection == "c:1"
    assert [entry.n for entry in (await store.load_room(room.id, 3))[1]] == [4, 5]
    assert (await store.load_room(room.id, 5))[1] == []


async def test_a_game_is_read_whole_or_from_where_one_has_it(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    found = await answers(store, *(game.next(b"\x01%d" % n) for n in range(5)))
    entries = await store.load_log(room.id, game.name)
    assert [(entry.n, entry.stamp) for entry in entries] == list(enumerate([a.stamp for a in found], start=1))
    assert await store.load_log(room.id, game.name, 3) == entries[3:]
    assert await store.log_length(room.id, game.name) == 5
    assert await store.load_log(room.id, "game:nobody") == []
    assert await store.log_length(room.id, "game:nobody") == 0


async def test_a_glance_tells_of_many_rooms_in_one_call(store: Store) -> None:
    here, quiet = await running_room(store), await running_room(store)
    await write(store, beat(here.id, "a", "c:1"))
    first, gone, second = await store.glance([(here.id, ["a", "b"]), (fresh_room(), ["a"]), (quiet.id, [])])
    assert first is not None
    assert (first.seq, first.tip, set(first.seen)) == (3, here.log.tip, {"a"})
    assert first.seen["a"].connection == "c:1"
    assert gone is None
    assert second == Glance(2, quiet.log.tip, {})


def test_a_presence_lives_as_long_as_its_lease() -> None:
    presence = Presence("c", 1000)
    assert is_online(presence, 1000 + PRESENCE_LEASE_MS - 1)
    assert not is_online(presence, 1000 + PRESENCE_LEASE_MS)
    assert not is_online(None, 0)


# -- identities


async def test_an_identity_is_kept_and_its_life_begins_anew_with_each_use(store: Store) -> None:
    token_hash = fresh_room()
    assert await store.identity(fresh_room()) is None
    await store.save_identity(token_hash, "p1", "Ærø \x00 B")
    await store.redis.pexpire(keys.identity(token_hash), 60_000)
    assert await store.identity(token_hash) == ("p1", "Ærø \x00 B")
    assert await store.redis.pttl(keys.identity(token_hash)) > IDENTITY_LIFE_MS - 60_000
    assert await store.rename_identity(token_hash, "p1", "")
    assert await store.identity(token_hash) == ("p1", "")
    assert await store.redis.pttl(keys.identity(token_hash)) > IDENTITY_LIFE_MS - 60_000


async def test_an_identity_is_not_kept_behind_the_back_of_who_was_told_that_nobody_has_the_token(
    store: Store,
) -> None:
    early, late = fresh_room(), fresh_room()
    assert await store.save_identity(early, "p1", "A")
    assert await store.identity(early) == ("p1", "A")
    assert await store.redis.exists(keys.told_unknown(early)) == 0, "who is known costs no note"
    assert await store.identity(late) is None
    assert not await store.save_identity(late, "p2", "B")
    assert await store.identity(late) is None, "nobody holds its token any more"
    assert 0 < await store.redis.pttl(keys.told_unknown(late)) <= TOLD_UNKNOWN_LIFE_MS


async def test_a_forgotten_identity_stays_forgotten_when_another_connection_renames_it(store: Store) -> None:
    token_hash = fresh_room()
    await store.save_identity(token_hash, "p1", "A")
    await store.forget_identity(token_hash, "p1")
    assert not await store.rename_identity(token_hash, "p1", "B")
    assert await store.identity(token_hash) is None


# -- hints


async def test_events_and_presence_are_published_and_actions_are_not(store: Store) -> None:
    room = await running_room(store)
    pubsub = store.redis.pubsub()
    await pubsub.ssubscribe(keys.prefix(room.id))
    before = room.log.tip
    event = room.event(b"\x01\xff\x00payload", fences=(keys.fence_field("a"),))
    refused = room.log.item(before="0123456789abcdef")
    items = [room.game("b").next(), event, refused, event]
    items += [beat(room.id, "a", "c:1", mode) for mode in ("here", "gone")]  # type: ignore[misc]
    found = await answers(store, *items)
    await store.publish([(keys.prefix(room.id), b"the last")])
    heard: list[bytes] = []
    while not heard or heard[-1] != b"the last":
        message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=5)
        if message is not None:
            assert message["type"] == "smessage"
            assert message["channel"] == keys.prefix(room.id).encode()
            heard.append(message["data"])
    await pubsub.aclose()  # type: ignore[no-untyped-call]
    told = [msgpack.unpackb(message, raw=True) for message in heard[:-1]]
    stamps = [str(found[n].stamp).encode() for n in (1, 4, 5)]
    assert told == [
        [b"event", 3, before.encode(), event.tip.encode(), stamps[0], b"\x01\xff\x00payload", 4],
        [b"seen", b"a", b"c:1", True, stamps[1], 5],
        [b"seen", b"a", b"c:1", False, stamps[2], 6],
    ]


async def test_many_listed_rooms_are_told_up_to_a_limit(store: Store) -> None:
    now_ms = await store.now_ms()
    rooms = [Room() for _ in range(40)]
    await write(store, *(room.create(now_ms + 60_000 + n, listed=True) for n, room in enumerate(rooms)))
    found = await store.listed_rooms(now_ms)
    assert {room.id for room in rooms} <= set(found)
    assert max(Counter(found).values()) == 1
    assert not {room.id for room in rooms} & set(await store.listed_rooms(now_ms + 120_000))


async def test_a_partition_full_of_listed_rooms_hides_none_of_another(store: Store) -> None:
    now_ms = await store.now_ms()
    spam = {f"SPAM{n:04d}": now_ms + 90_000 + n for n in range(LISTED_MAX + 50)}
    await store.redis.zadd(keys.listed(0), spam)
    await store.redis.zadd(keys.listed(15), {"HONEST01": now_ms + 90_000})
    found = await store.listed_rooms(now_ms)
    await store.redis.delete(keys.listed(0), keys.listed(15))
    assert found.index("HONEST01") < 2 * keys.PARTITIONS


# -- the client library


async def test_more_calls_at_once_than_connections_wait_their_turn(store: Store) -> None:
    room = await running_room(store)
    calls = [store.load_log(room.id, keys.ROOM_LOG) for _ in range(4 * CONNECTIONS_MAX)]
    found = await asyncio.gather(*calls)
    assert all(len(entries) == 2 for entries in found)


def test_what_is_no_url_is_refused() -> None:
    for url in ("nonsense", "http://localhost"):
        with pytest.raises(ValueError, match=r"[Rr]edis"):
            connect(url)


async def test_a_store_that_is_not_there_is_unavailable() -> None:
    store = Store(connect("unix:///nonexistent/valkey.sock"))
    calls: list[Callable[[], object]] = [
        store.now_ms,
        lambda: store.write([beat("R", "a", "c")], 0.0),
        lambda: store.load_room("R"),
        lambda: store.load_log("R", "room"),
        lambda: store.log_length("R", "room"),
        lambda: store.glance([("R", [])]),
        lambda: store.publish([("c", b"")]),
        lambda: store.listed_rooms(0),
        lambda: store.identity("h"),
        lambda: store.save_identity("h", "p", "n"),
        lambda: store.rename_identity("h", "p", "n"),
    ]
    for call in calls:
        with pytest.raises(StoreUnavailableError, match="ConnectionError"):
            await call()  # type: ignore[misc]
    await store.close()


class Pretender:
    """Takes commands as a store does; `answer` is what it says to EVALSHA: bytes, or nothing and hangs up."""

    def __init__(self, answer: bytes | None) -> None:
        self.answer = answer
        self.commands: Counter[bytes] = Counter()
        self.connections = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while command := await self.command(reader):
                self.commands[command[0].upper()] += 1
                if command[0].upper() == b"EVALSHA":
                    if self.answer is None:
                        break
                    writer.write(self.answer)
                elif command[0].upper() == b"SCRIPT":
                    writer.write(REPLY % (40, b"a" * 40))
                elif command[0].upper() == b"HELLO":
                    writer.write(b"%1\r\n$5\r\nproto\r\n:3\r\n")
                else:
                    writer.write(b"+OK\r\n")
        finally:
            writer.close()

    async def command(self, reader: asyncio.StreamReader) -> list[bytes]:
        line = await reader.readline()
        words = []
        for _ in range(int(line[1:] or 0)):
            length = int((await reader.readline())[1:])
            words.append((await reader.readexactly(length + 2))[:-2])
        return words


@pytest.mark.parametrize(
    "answer",
    [
        None,  # hangs up
        b"",  # never answers
        b"$40\r\nhalf of the ans",
        b"-OOM command not allowed when used memory > 'maxmemory'.\r\n",
        b"-READONLY You can't write against a read only replica.\r\n",
        b"-LOADING Valkey is loading the dataset in memory\r\n",
        b"-MISCONF Errors writing to the AOF file\r\n",
        b"-BUSY Valkey is busy running a script.\r\n",
        b"-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
        b"-CLUSTERDOWN The cluster is down\r\n",
        b"-MASTERDOWN Link with MASTER is down\r\n",
    ],
)
async def test_the_library_sends_nothing_twice_by_itself(
    answer: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if answer is not None and not answer.startswith(b"-"):
        monkeypatch.setattr("server.store.store.CALL_TIMEOUT_S", 1.0)  # it is waited for in vain
    pretender = Pretender(answer)
    server = await asyncio.start_server(pretender.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    store = Store(connect(f"redis://127.0.0.1:{port}/0"))
    with pytest.raises(StoreUnavailableError):
        await store.write([beat("R", "a", "c")], 0.0)
    assert pretender.commands[b"EVALSHA"] == 1
    # What came half, or too late, is not taken for an answer to something else.
    pretender.answer = REPLY % (3, msgpack.packb([7, []]))
    assert await store.write([], 0.0) == (7, [])
    assert pretender.commands[b"EVALSHA"] == 2
    await store.close()
    server.close()


async def test_a_script_that_is_forgotten_again_and_again_is_unavailable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pretender = Pretender(b"-NOSCRIPT No matching script.\r\n")
    server = await asyncio.start_server(pretender.serve, "127.0.0.1", 0)
    store = Store(connect(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"))
    for _ in range(2):
        with pytest.raises(StoreUnavailableError, match="NoScript"):
            await store.write([beat("R", "a", "c")], 0.0)
    await store.close()
    server.close()


async def test_the_verdicts_are_those_of_the_script(store: Store) -> None:
    """The names on both sides, by their numbers."""
    script = store._script
    names = script.partition("local STORED")[2].partition("\n")[0]
    words, _, numbers = ("STORED" + names).partition(" = ")
    told = dict(zip(words.split(", "), map(int, numbers.split(", ")), strict=True))
    assert told.pop("BEFORE") == Verdict.STORED_BEFORE
    assert all(Verdict[name] == number for name, number in told.items())
