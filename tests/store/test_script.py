"""Compare-and-append and presence, against a real Valkey: one case a test, then histories at random."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from redis.asyncio import Redis

from server.rooms.standings import Progress
from server.store import keys
from server.store.heads import is_online
from server.store.items import PRESENCE_LEASE_MS, Extra, Verdict
from server.store.records import pack_row
from server.store.store import Store, StoreUnavailableError, connect
from tests.support.items import DAY_MS, Log, Room, answers, beat, fresh_room, running_room, write
from tests.support.valkey import ValkeyProcess, rewrite

STORED, BEFORE, OTHER_TIP, FENCED, LATE, EARLY, TAKEN, FAILED = list(Verdict)[:8]


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyProcess]:
    with ValkeyProcess() as process:
        yield process


@pytest.fixture
async def store(valkey: ValkeyProcess) -> AsyncIterator[Store]:
    store = Store(connect(valkey.url))
    yield store
    await store.close()


async def consistent(store: Store, room: str, presences: int = 0) -> None:
    """The head tells what the logs hold, and everything of the room has one expiry.

    `presences`: how many comings and goings were told.
    """
    head, entries = await store.load_room(room)
    assert head is not None
    logs = {keys.ROOM_LOG: head.room} | {keys.game_log(player): tip for player, tip in head.games.items()}
    expiries = {await store.redis.pexpiretime(keys.head(room))}
    stored = 0
    for name, tip in logs.items():
        entries = await store.load_log(room, name)
        assert [entry.n for entry in entries] == list(range(1, len(entries) + 1))
        assert (entries[-1].n, entries[-1].tip, entries[-1].stamp) == (tip.n, tip.tip, tip.stamp)
        expiries.add(await store.redis.pexpiretime(keys.log(room, name)))
        stored += len(entries)
    assert len(expiries) == 1
    assert expiries.pop() > 0
    found = {key.decode() async for key in store.redis.scan_iter(f"{keys.prefix(room)}:*", count=10_000)}
    assert found == {keys.head(room)} | {keys.log(room, name) for name in logs}
    assert head.seq == stored + presences


# -- appending


async def test_entries_are_appended_in_order_and_each_raises_seq_by_one(store: Store) -> None:
    room = await running_room(store)
    game, other = room.game("a"), room.game("b")
    first = await answers(store, game.next(b"\x01m1"), game.next(b"\x01m2"), other.next(b"\x01m1"))
    second = await answers(store, game.next(b"\x01m3"), room.event())
    assert [answer.verdict for answer in first + second] == [STORED] * 5
    assert [answer.seq for answer in first + second] == [3, 4, 5, 6, 7]
    assert await game.stored(store) == [
        b"\x01m1",
        b"\x01m2",
        b"\x01m3",
    ]
    assert await store.redis.hget(room.head_key, "row:a") == pack_row(Progress(moves=3))
    await consistent(store, room.id)


async def test_payloads_are_kept_byte_for_byte(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    payloads = [bytes(range(256)), b"", b"\x01", b"\x00" * 40, b"\xff" * 70_000, b"1", b"1e3"]
    items = [game.next(payload) for payload in payloads]
    items[-1].row = bytes(range(256))  # nobody reads it here
    assert await write(store, *items) == [STORED] * len(payloads)
    assert await game.stored(store) == payloads
    assert (await store.redis.hget(room.head_key, "row:a")) == bytes(range(256))


async def test_two_hundred_and_fifty_six_items_of_many_rooms_go_in_one_call(store: Store) -> None:
    rooms = [await running_room(store) for _ in range(4)]
    games = [room.game(f"p{n}") for room in rooms for n in range(32)]
    items = [game.next() for game in games] + [game.next() for game in games]
    assert await write(store, *items) == [STORED] * 256
    await consistent(store, rooms[0].id)


async def test_a_game_may_be_very_long(store: Store) -> None:
    """Numbers keep their digits: 10 000 and 100 000 are no `1e+05`."""
    room = await running_room(store)
    game = room.game("a")
    game.n, game.tip = 99_999, "0123456789abcdef"
    await store.redis.hset(room.head_key, "log:game:a", "0123456789abcdef:1790000000000:99999")
    await store.redis.hset(room.head_key, keys.SEQ, 999_999)
    [answer] = await answers(store, game.next())
    assert (answer.verdict, answer.seq) == (STORED, 1_000_000)
    assert (await store.redis.hget(room.head_key, keys.SEQ)) == b"1000000"
    [entry] = await store.load_log(room.id, game.name)
    assert entry.n == 100_000
    assert (await store.load_room(room.id))[0].games["a"].n == 100_000  # type: ignore[union-attr]


# -- refusing


async def test_a_gap_is_refused(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    game.next()
    assert await write(store, game.item()) == [OTHER_TIP]
    # With the right tip an entry's number still cannot go back or be taken twice.
    log = Log(room.id, "game:a", game.fences)
    assert await write(store, log.next(), log.next()) == [STORED] * 2
    assert await write(store, log.item(n=2), log.item(n=4), log.item(n=1), log.item()) == [OTHER_TIP] * 3 + [
        STORED
    ]
    await consistent(store, room.id)


async def test_a_stale_tip_is_refused_and_changes_nothing(store: Store) -> None:
    room = await running_room(store)
    mine, theirs = room.game("a"), room.game("a")
    assert await write(store, theirs.next(b"\x01theirs")) == [STORED]
    before = await store.redis.hgetall(room.head_key)
    assert await write(store, mine.next(b"\x01mine"), mine.next(b"\x01more")) == [OTHER_TIP] * 2
    assert await store.redis.hgetall(room.head_key) == before
    assert await mine.stored(store) == [b"\x01theirs"]


async def test_a_lost_answer_is_given_again(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    two = [game.next(b"\x01m1"), game.next(b"\x01m2")]
    first = await answers(store, *two, at_ms=50)
    await asyncio.sleep(0.003)
    again = await answers(store, *two, at_ms=90)
    assert [answer.verdict for answer in again] == [BEFORE] * 2
    assert [answer.stamp for answer in again] == [answer.stamp for answer in first]
    assert [answer.seq for answer in again] == [0, 0]
    assert all(answer.stored for answer in first + again)
    await consistent(store, room.id)


async def test_the_second_of_two_is_stored_when_the_first_was_stored_before(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    two = [game.next(b"\x01m1"), game.next(b"\x01m2")]
    assert await write(store, two[0]) == [STORED]
    assert await write(store, *two) == [BEFORE, STORED]
    assert await write(store, *two) == [BEFORE, BEFORE]
    await consistent(store, room.id)


async def test_an_old_action_is_known_again_after_a_thousand_more(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    items = [game.next(b"\x01%d" % n) for n in range(1000)]
    assert set(await write(store, *items)) == {STORED}
    assert await write(store, items[0], items[499], items[999]) == [BEFORE] * 3


async def test_the_same_number_with_another_payload_is_refused(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    one, other = game.item(b"\x01m1"), game.item(b"\x01m2")
    assert await write(store, one, other, one) == [STORED, OTHER_TIP, BEFORE]
    await consistent(store, room.id)


async def test_a_repeat_is_known_again_whatever_has_changed_since(store: Store) -> None:
    """The tip is looked at before fences, limits and the clock."""
    room = await running_room(store)
    game = room.game("a")
    item = game.next()
    assert await write(store, item) == [STORED]
    now_ms = await store.now_ms()
    assert await write(
        store, room.event(b"\x01closed", fences=(keys.ROOM_FENCE,), ends_at=now_ms - 5000)
    ) == [STORED]
    assert await write(store, item, game.item(b"\x01next")) == [BEFORE, FENCED]


# -- fences


@pytest.mark.parametrize("field", [keys.ROOM_FENCE, keys.fence_field("a")])
async def test_no_move_slips_in_behind_an_event_that_changes_who_may_play(store: Store, field: str) -> None:
    room = await running_room(store)
    game, other = room.game("a"), room.game("b")
    before, behind, others = game.next(), game.next(), other.next()
    event = room.event(b"\x01held", fences=(field,))
    for_all = FENCED if field == keys.ROOM_FENCE else STORED
    assert await write(store, before, event, behind, others) == [STORED, STORED, FENCED, for_all]
    game.n, game.tip = before.n, before.tip
    game.fences[field] = event.tip
    assert await write(store, game.next()) == [STORED]
    await consistent(store, room.id)


async def test_won_moves_no_fence(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    assert await write(store, room.event(b"\x01won"), game.next()) == [STORED] * 2


async def test_a_forfeit_and_a_last_move_are_ordered(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    assert await write(store, game.next(b"\x01m1")) == [STORED]

    def forfeit(tip: str) -> object:
        item = room.log.item(b"\x01forfeited", extra=Extra(fences=(keys.fence_field("a"),)))
        item.fences = ([keys.tip_field(game.name)], [tip])
        return item

    early, move = forfeit(game.tip), game.next(b"\x01win")
    assert await write(store, move, early) == [STORED, FENCED]  # type: ignore[arg-type]
    # It is decided again, on the game as it is now; and a move judged before is refused behind it.
    late, behind = forfeit(game.tip), game.next(b"\x01m3")
    assert await write(store, late, behind) == [STORED, FENCED]  # type: ignore[arg-type]
    await consistent(store, room.id)


async def test_a_forfeit_before_the_first_move_names_an_empty_game(store: Store) -> None:
    room = await running_room(store)
    item = room.log.item(b"\x01forfeited", extra=Extra(fences=(keys.fence_field("a"),)))
    item.fences = ([keys.tip_field("game:a")], [""])
    assert await write(store, room.game("a").next(), item) == [STORED, FENCED]
    item.fences = ([keys.tip_field("game:b")], [""])
    assert await write(store, item) == [STORED]


async def test_many_fences_can_be_named_at_once(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    game.fences |= {f"fence:{n}": "" for n in range(500)}
    assert await write(store, game.next()) == [STORED]


# -- stamps and limits


async def test_stamps_are_the_stores_clock_less_the_items_age(store: Store) -> None:
    room = await running_room(store)
    before_ms = await store.now_ms()
    game = room.game("a")
    [young] = await answers(store, game.next(received_ms=700.9), at_ms=700.9)
    game = room.game("b")
    [old] = await answers(store, game.next(received_ms=300.9), at_ms=700.9)
    after_ms = await store.now_ms()
    assert before_ms <= young.stamp <= after_ms
    assert before_ms - 400 <= old.stamp <= after_ms - 400


async def test_stamps_of_a_log_never_go_back(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    ages = [0, 300, 0, 9000, 1]
    found = await answers(store, *(game.next(received_ms=-age) for age in ages))
    stamps = [answer.stamp for answer in found]
    assert stamps == sorted(stamps)
    # Nor when the store's clock is set back: the last stamp stands in the head.
    tip, _, n = (await store.redis.hget(room.head_key, "log:game:a")).decode().split(":")
    ahead_ms = await store.now_ms() + 60_000
    await store.redis.hset(room.head_key, "log:game:a", f"{tip}:{ahead_ms}:{n}")
    [answer] = await answers(store, game.next())
    assert answer.stamp == ahead_ms


async def test_no_action_is_stamped_before_the_start(store: Store) -> None:
    room = await running_room(store)
    floor_ms = await store.now_ms() + 2500
    game = room.game("a")
    [answer] = await answers(store, game.next(floor_ms=floor_ms))
    assert answer.stamp == floor_ms
    [answer] = await answers(store, game.next(floor_ms=0))
    assert answer.stamp == floor_ms


async def test_what_came_at_or_past_the_end_is_late_and_what_came_before_is_not(store: Store) -> None:
    now_ms = await store.now_ms()
    ends_at = now_ms - 1000
    room = await running_room(store, ends_at=ends_at)
    assert await write(store, room.game("a").next(received_ms=0), at_ms=900) == [LATE]
    [in_time] = await answers(store, room.game("b").next(received_ms=0), at_ms=3000)
    assert in_time.verdict == STORED
    assert in_time.stamp < ends_at
    # The exact moment is past the end.
    assert await write(store, room.game("c").next(received_ms=0, floor_ms=ends_at), at_ms=3000) == [LATE]
    assert await write(store, room.game("d").next(received_ms=0, floor_ms=ends_at - 1), at_ms=3000) == [
        STORED
    ]
    # A room's events know no such end, and an end can be moved.
    assert await write(store, room.event(b"\x01ending", ends_at=now_ms + 9000)) == [STORED]
    assert await write(store, room.game("a").next()) == [STORED]
    await consistent(store, room.id)


async def test_an_event_can_be_too_early_or_too_late(store: Store) -> None:
    room = await running_room(store, age_ms=20_000)
    now_ms = await store.now_ms()
    early = room.log.item(extra=Extra(from_ms=now_ms + 5000))
    assert await write(store, early) == [EARLY]
    late = room.log.item(extra=Extra(till_ms=now_ms - 5000))
    assert await write(store, late) == [LATE]
    assert await write(store, late, at_ms=6000) == [STORED]
    assert await write(store, late, early) == [BEFORE, BEFORE]  # the same bytes
    room.log.next()
    assert await write(store, room.event(from_ms=now_ms, till_ms=now_ms + 60_000)) == [STORED]


async def test_a_derived_event_has_the_stamp_of_its_moment(store: Store) -> None:
    room = await running_room(store)
    now_ms = await store.now_ms()
    twice = room.log.item(b"\x01won", extra=Extra(stamp=now_ms - 700, from_ms=now_ms - 500))
    first, second = await answers(store, twice, twice)
    assert (first.verdict, first.stamp) == (STORED, now_ms - 700)
    assert (second.verdict, second.stamp) == (BEFORE, now_ms - 700)


async def test_an_event_can_ask_that_somebody_is_away(store: Store) -> None:
    room = await running_room(store)
    await write(store, beat(room.id, "host", "c1"))
    item = room.log.item(b"\x01host", extra=Extra(absent="host"))
    assert await write(store, item) == [FENCED]
    moment = await store.now_ms() - PRESENCE_LEASE_MS - 1
    await store.redis.hset(room.head_key, "seen:host", f"c1:{moment}")
    assert await write(store, item, room.log.item(extra=Extra(absent="never seen"))) == [STORED, OTHER_TIP]


# -- errors


async def test_one_bad_log_fails_alone(store: Store) -> None:
    good, bad = await running_room(store), await running_room(store)
    await store.redis.set(keys.log(bad.id, "game:a"), "not a stream")
    game, spoiled, beside = good.game("a"), bad.game("a"), bad.game("b")
    found = await answers(store, game.next(), spoiled.next(), spoiled.next(), beside.next(), game.next())
    assert [answer.verdict for answer in found] == [STORED, FAILED, FAILED, STORED, STORED]
    assert "WRONGTYPE" in found[1].error
    await consistent(store, good.id)
    await store.redis.delete(keys.log(bad.id, "game:a"))
    spoiled.n, spoiled.tip = 0, ""
    assert await write(store, spoiled.next(), spoiled.next()) == [STORED] * 2
    await consistent(store, bad.id)


async def test_one_bad_head_fails_alone(store: Store) -> None:
    good, bad = await running_room(store), Room()
    await store.redis.set(bad.head_key, "not a hash")
    game = good.game("a")
    expire_at = await store.now_ms() + DAY_MS
    items = [
        game.next(),
        bad.create(expire_at),
        beat(bad.id, "a", "c1"),
        game.next(),
        beat(good.id, "a", "c1"),
    ]
    found = await answers(store, *items)
    assert [answer.verdict for answer in found] == [STORED, FAILED, FAILED, STORED, STORED]
    assert "WRONGTYPE" in found[1].error
    assert [entry.n for entry in await store.load_log(good.id, game.name)] == [1, 2]


async def test_an_item_of_the_wrong_shape_fails_alone(store: Store) -> None:
    room = await running_room(store)
    game, other = room.game("a"), room.game("b")
    odd = game.item(floor_ms={})  # type: ignore[arg-type]
    assert await write(store, odd, other.next()) == [FAILED, STORED]
    assert await write(store, game.next()) == [STORED]
    await consistent(store, room.id)


async def test_a_full_store_stores_nothing_and_acknowledges_nothing(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    items = [game.next(b"\x01m1"), game.next(b"\x01m2"), room.event(), beat(room.id, "a", "c1")]
    await store.redis.config_set("maxmemory", 1)
    try:
        full = await answers(store, *items)
    finally:
        await store.redis.config_set("maxmemory", 0)
    assert [answer.verdict for answer in full] == [FAILED, OTHER_TIP, FAILED, FAILED]
    assert "OOM" in full[0].error
    assert await store.load_log(room.id, game.name) == []
    await consistent(store, room.id)
    assert await write(store, *items) == [STORED] * 4


async def test_a_replica_stores_nothing_and_acknowledges_nothing(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    items = [game.next(b"\x01m1"), game.next(b"\x01m2"), beat(room.id, "a", "c1")]
    await store.redis.replicaof("127.0.0.1", "1")  # nobody listens there
    try:
        found = await answers(store, *items)
    finally:
        await store.redis.replicaof("NO", "ONE")
    assert [answer.verdict for answer in found] == [FAILED, OTHER_TIP, FAILED]
    assert "READONLY" in found[0].error
    assert await write(store, *items) == [STORED] * 3


async def test_a_forgotten_script_is_told_again(store: Store) -> None:
    room = await running_room(store)
    game = room.game("a")
    await store.redis.script_flush()
    assert await write(store, game.next()) == [STORED]
    assert await write(store, game.next()) == [STORED]
    await consistent(store, room.id)


async def test_a_store_that_loads_its_data_is_unavailable() -> None:
    with ValkeyProcess(aof_use_rdb_preamble="yes") as slow:
        store = Store(connect(slow.url))
        room = await running_room(store)
        async with slow.client() as client:
            pipe = client.pipeline(transaction=False)
            for n in range(2000):
                pipe.set(f"ballast:{n}", "x" * 64)
            await pipe.execute()
            await rewrite(client)
        game = room.game("a")
        item = game.next()
        slow.stop()
        slow.start(wait=False, key_load_delay=1000, loading_process_events_interval_bytes=1024)
        with pytest.raises(StoreUnavailableError, match="Connection lost"):  # that of before
            await store.write([item], 0.0)
        with pytest.raises(StoreUnavailableError, match="BusyLoading"):
            await store.write([item], 0.0)
        slow.kill()
        slow.start(key_load_delay=0)
        assert await write(store, item) == [STORED]
        await store.close()


async def test_a_script_that_is_interrupted_is_unavailable(store: Store, valkey: ValkeyProcess) -> None:
    """A server that does not answer in time: the outcome is unknown, and a repeat finds it stored."""
    room = await running_room(store)
    impatient = Store(Redis.from_url(valkey.url, socket_timeout=0.5, retry=store.redis.get_retry()))
    game = room.game("a")
    items = [game.next(b"\x01m1"), game.next(b"\x01m2")]
    assert await impatient.now_ms() > 0
    await impatient.write([beat(room.id, "x", "c")], 0.0)
    valkey.pause()
    try:
        with pytest.raises(StoreUnavailableError, match="Timeout"):
            await impatient.write(items, 0.0)
        # No reply of the first call may be taken for that of another.
        with pytest.raises(StoreUnavailableError):
            await impatient.now_ms()
    finally:
        valkey.resume()
    assert await write(store, *items) == [BEFORE, BEFORE]
    assert await impatient.load_log(room.id, game.name) == await store.load_log(room.id, game.name)
    await impatient.close()
    calls = (await store.redis.info("commandstats"))["cmdstat_evalsha"]["calls"]
    assert await write(store, *items) == [BEFORE, BEFORE]
    assert (await store.redis.info("commandstats"))["cmdstat_evalsha"]["calls"] == calls + 1
    await consistent(store, room.id, presences=1)


async def test_a_cancelled_call_leaves_no_reply_for_the_next(store: Store, valkey: ValkeyProcess) -> None:
    room = await running_room(store)
    await asyncio.gather(*(store.now_ms() for _ in range(4)))  # as many connections
    valkey.pause()
    try:
        tasks = [asyncio.create_task(store.load_room(room.id)) for _ in range(4)]
        await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        valkey.resume()
    found = await asyncio.gather(*(store.identity(f"nobody {n}") for n in range(8)))
    assert found == [None] * 8


# -- lifetimes


async def test_all_of_a_room_has_one_expiry_which_events_move(store: Store) -> None:
    room = Room()
    now_ms = await store.now_ms()

    async def moments() -> set[int]:
        names = [keys.head(room.id), room.log.key, keys.log(room.id, "game:a"), keys.log(room.id, "game:b")]
        return {moment for name in names if (moment := await store.redis.pexpiretime(name)) != -2}

    await write(store, room.create(now_ms + DAY_MS))
    assert await moments() == {now_ms + DAY_MS}
    await write(store, room.event(b"\x01joined"))
    assert await moments() == {now_ms + DAY_MS}
    await write(store, room.start(expire_at=now_ms + 7 * DAY_MS))
    await write(store, room.game("a").next(), beat(room.id, "a", "c1"))
    assert await moments() == {now_ms + 7 * DAY_MS}
    await write(store, room.event(b"\x01closed", expire_at=now_ms + 30 * DAY_MS))
    assert await moments() == {now_ms + 30 * DAY_MS}
    await write(store, room.game("b").next())
    assert await moments() == {now_ms + 30 * DAY_MS}
    assert await store.redis.exists(keys.log(room.id, "game:b")) == 1


async def test_nothing_of_a_room_that_is_gone_comes_back(store: Store) -> None:
    room = Room()
    now_ms = await store.now_ms()
    await write(store, room.create(now_ms + DAY_MS), room.start())
    game = room.game("a")
    assert await write(store, game.next()) == [STORED]
    await write(store, room.event(expire_at=now_ms - 1))
    assert await store.load_room(room.id) == (None, [])
    fresh, unfenced = room.game("b"), Log(room.id, "game:c")
    items = [
        game.next(), fresh.next(), unfenced.next(), room.event(), room.event(expire_at=now_ms + DAY_MS),
        *(beat(room.id, "a", "c1", mode) for mode in ("here", "gone")),
    ]  # fmt: skip
    expected = [OTHER_TIP, FENCED, OTHER_TIP, OTHER_TIP, OTHER_TIP, OTHER_TIP, OTHER_TIP]
    assert await write(store, *items) == expected
    assert [key async for key in store.redis.scan_iter(f"{keys.prefix(room.id)}:*")] == []


# -- presence


async def test_presence_is_claimed_kept_and_given_up(store: Store) -> None:
    room = await running_room(store)
    steps = [
        ("here", STORED, 3),
        ("here", STORED, 0),
        ("gone", STORED, 4),
        ("gone", STORED, 0),
    ]
    for mode, verdict, seq in steps:
        [answer] = await answers(store, beat(room.id, "a", "c:1", mode))
        assert (answer.verdict, answer.seq) == (verdict, seq)
        head, _ = await store.load_room(room.id)
        assert head is not None
        if mode == "gone":
            assert head.seen == {}
        else:
            assert head.seen["a"] == ("c:1", answer.stamp)
            assert is_online(head.seen["a"], answer.stamp + PRESENCE_LEASE_MS - 1)
            assert not is_online(head.seen["a"], answer.stamp + PRESENCE_LEASE_MS)


async def test_the_newest_connection_wins_whatever_an_older_one_says_later(store: Store) -> None:
    room = await running_room(store)
    old_here, old_gone = (beat(room.id, "a", "1-x", mode) for mode in ("here", "gone"))
    new_here, new_gone = (beat(room.id, "a", "2-a", mode) for mode in ("here", "gone"))
    found = await answers(store, old_here, new_here, old_here, old_gone, new_here)
    assert [answer.verdict for answer in found] == [STORED, STORED, TAKEN, TAKEN, STORED]
    assert [answer.seq for answer in found] == [3, 4, 0, 0, 0]  # each that takes the lease is told
    head, _ = await store.load_room(room.id)
    assert head is not None
    assert head.seen["a"].connection == "2-a"
    assert await write(store, new_gone, old_here) == [STORED, STORED]


async def test_a_lease_that_ran_out_is_free(store: Store) -> None:
    room = await running_room(store)
    await write(store, beat(room.id, "a", "c1"))

    async def run_out() -> None:
        moment = await store.now_ms() - PRESENCE_LEASE_MS - 1
        holder = (await store.redis.hget(room.head_key, "seen:a")).decode().rpartition(":")[0]
        await store.redis.hset(room.head_key, "seen:a", f"{holder}:{moment}")

    await run_out()
    # A connection's farewell takes nothing from another; its beat takes what nobody holds.
    assert await write(store, beat(room.id, "a", "c2", "gone")) == [TAKEN]
    [back] = await answers(store, beat(room.id, "a", "c2"))
    assert (back.verdict, back.seq) == (STORED, 4)
    await run_out()
    [again] = await answers(store, beat(room.id, "a", "c2"))
    assert (again.verdict, again.seq) == (STORED, 5)  # back online: told to everyone
    await run_out()
    [gone] = await answers(store, beat(room.id, "a", "c2", "gone"))
    assert (gone.verdict, gone.seq) == (STORED, 0)  # nobody thought them here
    assert (await store.load_room(room.id))[0].seen == {}  # type: ignore[union-attr]


# -- what a crash leaves


async def test_every_acknowledged_entry_is_there_after_a_kill() -> None:
    with ValkeyProcess() as valkey:
        store = Store(connect(valkey.url))
        rooms = [await running_room(store) for _ in range(3)]
        games = [room.game(f"p{n}") for room in rooms for n in range(4)]
        stored: list[str] = []
        enough = asyncio.Event()

        async def play() -> None:
            while True:
                items = [game.next() for game in games for _ in range(3)]
                found = await write(store, *items)
                assert set(found) == {STORED}
                stored.extend(item.tip for item in items)
                if len(stored) >= 500:
                    enough.set()

        task = asyncio.create_task(play())
        await enough.wait()
        valkey.kill()
        with pytest.raises(StoreUnavailableError):
            await task
        valkey.start()
        there: set[str] = set()
        for game in games:
            there |= {entry.tip for entry in await store.load_log(game.room, game.name)}
        assert there >= set(stored)
        for room in rooms:
            await consistent(store, room.id)
        await store.close()


async def test_a_fresh_room_id_is_free(store: Store) -> None:
    assert await store.load_room(fresh_room()) == (None, [])


# -- listing


async def test_a_listed_room_is_listed_until_it_expires_or_is_not(store: Store) -> None:
    now_ms = await store.now_ms()
    listed, withdrawn, plain, closed = rooms = [Room() for _ in range(4)]
    for room in rooms:
        await write(store, room.create(now_ms + DAY_MS, listed=None if room is plain else True))
    await write(
        store, withdrawn.event(listed=False), closed.event(expire_at=now_ms + 30 * DAY_MS, listed=False)
    )
    found = await store.listed_rooms(now_ms)
    assert listed.id in found
    assert not {withdrawn.id, plain.id, closed.id} & set(found)
    # A race may last longer than its lobby would have: the list knows.
    await write(
        store, listed.start(expire_at=now_ms + 7 * DAY_MS), plain.start(expire_at=now_ms + 7 * DAY_MS)
    )
    assert listed.id in await store.listed_rooms(now_ms + 2 * DAY_MS)
    assert plain.id not in await store.listed_rooms(now_ms)
    assert listed.id not in await store.listed_rooms(now_ms + 7 * DAY_MS)
    assert listed.id not in await store.listed_rooms(now_ms)  # swept
