"""Group commit: in order, once, and honest about what is not known."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any

import pytest

from server.node.clock import RaceClock
from server.node.journal import BATCH_ITEMS_MAX, COMPANY_MS, GIVE_UP_MS, RETRY_MS, Journal
from server.node.world import RealWorld, Timer
from server.store import keys
from server.store.items import Answer, Append, Item, Seen, Verdict
from server.store.store import Store, StoreUnavailableError, connect
from tests.support.items import Answers, Log, beat, fresh_room, running_room
from tests.support.valkey import ValkeyProcess

STORED, UNAVAILABLE = Answer(Verdict.STORED, 1, 1), Answer(Verdict.UNAVAILABLE)


class FakeTimer:
    def __init__(self, at_ms: float, callback: Callable[[], None]) -> None:
        self.at_ms, self.callback = at_ms, callback

    def cancel(self) -> None:
        self.callback = lambda: None


class FakeWorld:
    """Time goes on only when everybody waits for it: `pass_ms`."""

    def __init__(self) -> None:
        self.now_ms = 1000.0
        self.timers: list[FakeTimer] = []

    def monotonic_ms(self) -> float:
        return self.now_ms

    def call_later(self, delay_ms: float, callback: Callable[[], None]) -> Timer:
        timer = FakeTimer(self.now_ms + delay_ms, callback)
        self.timers.append(timer)
        return timer

    async def sleep_ms(self, delay_ms: float) -> None:
        woken = asyncio.Event()
        self.call_later(delay_ms, woken.set)
        await woken.wait()

    def spawn(self, work: Coroutine[Any, Any, None], name: str, **about: str) -> None:
        raise NotImplementedError

    def randbelow(self, bound: int) -> int:
        raise NotImplementedError

    def token_bytes(self, count: int) -> bytes:
        raise NotImplementedError

    async def settle(self) -> None:
        """Let all run that can."""
        for _ in range(8):
            await asyncio.sleep(0)

    async def pass_ms(self, delay_ms: float) -> None:
        end_ms = self.now_ms + delay_ms
        await self.settle()
        while due := [timer for timer in self.timers if timer.at_ms <= end_ms]:
            timer = min(due, key=lambda timer: timer.at_ms)
            self.timers.remove(timer)
            self.now_ms = max(self.now_ms, timer.at_ms)
            timer.callback()
            await self.settle()
        self.now_ms = end_ms


class ScriptedWriter:
    """A store that does as it is told: `replies` first, then it stores everything.

    A reply is a list of verdicts, an error, or a callable that makes one of the items.
    """

    def __init__(self, world: FakeWorld) -> None:
        self.world = world
        self.calls: list[list[Item]] = []
        self.replies: list[Any] = []
        self.default: Any = None
        self.hold: asyncio.Event | None = None

    async def write(self, items: list[Item], monotonic_ms: float) -> tuple[int, list[Answer]]:
        self.calls.append(list(items))
        if self.hold is not None:
            await self.hold.wait()
        reply = self.replies.pop(0) if self.replies else self.default
        if callable(reply):
            reply = reply(items)
        if isinstance(reply, Exception):
            raise reply
        verdicts = reply or [Verdict.STORED] * len(items)
        return int(monotonic_ms) + 5000, [Answer(verdict, 1, 1) for verdict in verdicts]


class Bench:
    """A journal in a world of its own."""

    def __init__(self) -> None:
        self.world = FakeWorld()
        self.writer = ScriptedWriter(self.world)
        self.clock = RaceClock(self.world.monotonic_ms)
        self.journal = Journal(self.writer, self.clock, self.world)
        self.answers = Answers()

    def log(self, room: str = "R", name: str = "game:a") -> Log:
        log = Log(room, name)
        log.answers = self.answers
        return log

    def submit(self, *items: Item) -> None:
        for item in items:
            self.journal.submit(item)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = Bench()
    task = asyncio.create_task(bench.journal.run())
    yield bench
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


# -- group commit


async def test_what_arrives_while_a_write_is_under_way_goes_with_the_next(bench: Bench) -> None:
    log = bench.log()
    bench.writer.hold = asyncio.Event()
    first = log.next()
    bench.submit(first)
    await bench.world.settle()
    later = [log.next(), bench.log("S").next(), log.next()]
    bench.submit(*later)
    await bench.world.pass_ms(100)
    assert bench.writer.calls == [[first]]
    assert bench.answers.all == []
    bench.writer.hold.set()
    await bench.world.pass_ms(COMPANY_MS)
    assert bench.writer.calls == [[first], later]
    assert bench.answers.all == [(item, STORED) for item in [first, *later]]
    assert (bench.journal.flushed_items.count, bench.journal.flushed_items.sum) == (2, 4)


async def test_a_call_that_follows_close_waits_for_company_and_a_lone_one_does_not(bench: Bench) -> None:
    log = bench.log()
    bench.submit(log.next())
    await bench.world.settle()
    assert len(bench.writer.calls) == 1
    bench.submit(log.next())
    await bench.world.pass_ms(COMPANY_MS / 2)
    assert len(bench.writer.calls) == 1
    bench.submit(log.next())
    await bench.world.pass_ms(COMPANY_MS / 2)
    assert [len(call) for call in bench.writer.calls] == [1, 2]
    await bench.world.pass_ms(10)
    bench.submit(log.next())
    await bench.world.settle()
    assert [len(call) for call in bench.writer.calls] == [1, 2, 1]


async def test_no_call_is_larger_than_it_may_be_and_the_order_is_kept(bench: Bench) -> None:
    log = bench.log()
    items = [log.next() for _ in range(2 * BATCH_ITEMS_MAX + 3)]
    bench.submit(*items)
    await bench.world.pass_ms(5)
    assert [len(call) for call in bench.writer.calls] == [BATCH_ITEMS_MAX, BATCH_ITEMS_MAX, 3]
    assert [item for call in bench.writer.calls for item in call] == items
    assert [item for item, _ in bench.answers.all] == items


async def test_an_answer_that_is_not_taken_stops_nobody(bench: Bench) -> None:
    def raising(item: Append, answer: Answer) -> None:
        bench.answers(item, answer)
        raise RuntimeError("a room's fault")

    log = bench.log()
    items = [log.next(), log.next(answered=raising), log.next()]
    bench.submit(*items)
    await bench.world.settle()
    assert bench.answers.all == [(item, STORED) for item in items]


async def test_refusals_are_told_and_not_tried_again(bench: Bench) -> None:
    verdicts = [Verdict.OTHER_TIP, Verdict.FENCED, Verdict.LATE, Verdict.EARLY, Verdict.STORED_BEFORE]
    bench.writer.replies = [[*verdicts, Verdict.TAKEN]]
    log = bench.log()
    bench.submit(*(log.next() for _ in verdicts), beat("R", "a", "c"))
    await bench.world.pass_ms(GIVE_UP_MS)
    assert [answer.verdict for _, answer in bench.answers.all] == verdicts
    assert len(bench.writer.calls) == 1


async def test_it_is_drained_when_nothing_waits_and_everything_is_answered(bench: Bench) -> None:
    await asyncio.wait_for(bench.journal.drained(), 1)
    log = bench.log()

    def more(item: Append, answer: Answer) -> None:
        bench.submit(log.next())

    bench.writer.hold = asyncio.Event()
    bench.submit(log.next(answered=more))
    drained = asyncio.create_task(bench.journal.drained())
    await bench.world.pass_ms(10)
    assert not drained.done()
    bench.writer.hold.set()
    await bench.world.settle()
    assert not drained.done()  # an answer asked for more
    await bench.world.pass_ms(COMPANY_MS)
    assert drained.done()
    assert len(bench.writer.calls) == 2


async def test_the_clock_is_told_by_every_answer(bench: Bench) -> None:
    bench.submit(bench.log().next())
    await bench.world.settle()
    assert bench.clock.now_ms() == int(bench.world.now_ms) + 5000


# -- an unknown outcome


async def test_what_is_not_known_is_written_again_the_same_and_answered_once(bench: Bench) -> None:
    error = StoreUnavailableError("TimeoutError: too late")
    bench.writer.replies = [error, error, [Verdict.STORED_BEFORE, Verdict.STORED]]
    log = bench.log()
    items = [log.next(), log.next()]
    bench.submit(*items)
    await bench.world.settle()
    assert bench.answers.all == []
    assert bench.journal.away_since_ms == 1000
    await bench.world.pass_ms(2 * (RETRY_MS + COMPANY_MS))
    assert bench.writer.calls == [items] * 3
    assert [answer.verdict for _, answer in bench.answers.all] == [Verdict.STORED_BEFORE, Verdict.STORED]
    assert [item for item, _ in bench.answers.all] == items
    assert bench.journal.away_since_ms is None
    assert (bench.journal.store_errors, bench.journal.flushed_items.count) == (2, 1)


async def test_what_comes_while_the_store_is_away_goes_with_the_next_try_behind(bench: Bench) -> None:
    bench.writer.replies = [StoreUnavailableError("away")] * 2
    log = bench.log()
    first, second = log.next(), log.next()
    bench.submit(first)
    await bench.world.settle()
    bench.submit(second)
    await bench.world.pass_ms(2 * (RETRY_MS + COMPANY_MS))
    assert bench.writer.calls == [[first], [first, second], [first, second]]
    assert [item for item, _ in bench.answers.all] == [first, second]


async def test_after_five_seconds_each_is_told_that_nothing_is_known(bench: Bench) -> None:
    bench.writer.default = StoreUnavailableError("away")
    log = bench.log()
    first, seen = log.next(), Seen("R", "a", "c", "here", bench.answers)
    bench.submit(first, seen)
    await bench.world.pass_ms(GIVE_UP_MS / 2)
    later = log.next()
    bench.submit(later)
    await bench.world.pass_ms(GIVE_UP_MS / 2 - RETRY_MS - 1)
    assert bench.answers.all == []
    await bench.world.pass_ms(2 * RETRY_MS)
    assert bench.answers.all == [(first, UNAVAILABLE), (seen, UNAVAILABLE)]
    await bench.world.pass_ms(GIVE_UP_MS / 2)
    assert bench.answers.all[2:] == [(later, UNAVAILABLE)]
    await asyncio.wait_for(bench.journal.drained(), 1)
    bench.writer.default = None
    after = bench.log("S").next()
    bench.submit(after)
    await bench.world.pass_ms(RETRY_MS)
    assert bench.answers.of(after) == [STORED]


async def test_nobody_waits_longer_because_many_wait(bench: Bench) -> None:
    """More than go in one call: all are told after the same time, not batch after batch."""
    bench.writer.default = StoreUnavailableError("away")
    items = [bench.log(name=f"game:{n}").next() for n in range(3 * BATCH_ITEMS_MAX)]
    bench.submit(*items)
    await bench.world.pass_ms(GIVE_UP_MS + 2 * RETRY_MS)
    assert bench.answers.all == [(item, UNAVAILABLE) for item in items]


# -- items that fail by themselves


def failing(*bad: Item) -> Callable[[list[Item]], list[Verdict]]:
    """What the script says when these cannot be written: those behind them on their logs miss them."""
    logs = {item.log for item in bad if isinstance(item, Append)}

    def verdict(item: Item) -> Verdict:
        if item in bad:
            return Verdict.FAILED
        behind = isinstance(item, Append) and item.log in logs
        return Verdict.OTHER_TIP if behind else Verdict.STORED

    return lambda items: [verdict(item) for item in items]


async def test_a_failed_item_is_tried_again_with_those_behind_it_on_its_log(bench: Bench) -> None:
    log, other = bench.log(), bench.log(name="game:b")
    before, bad, behind, beside = log.next(), log.next(), log.next(), other.next()
    bench.writer.replies = [
        lambda items: [Verdict.STORED, Verdict.FAILED, Verdict.OTHER_TIP, Verdict.STORED],
        failing(bad),
    ]
    bench.submit(before, bad, behind, beside)
    await bench.world.settle()
    assert bench.answers.all == [(before, STORED), (beside, STORED)]
    await bench.world.pass_ms(2 * RETRY_MS)
    assert bench.writer.calls[1:] == [[bad, behind]] * 2
    assert bench.answers.all[2:] == [(bad, STORED), (behind, STORED)]


async def test_what_was_stored_before_behind_a_failed_item_is_told_after_it(bench: Bench) -> None:
    """The first try came through and its answer was lost; now the first of two fails by itself. Told at once,
    the second would be an answer out of turn, which nobody waits for."""
    log = bench.log()
    bad, behind = log.next(), log.next()
    bench.writer.replies = [
        lambda items: [Verdict.FAILED, Verdict.STORED_BEFORE],
        lambda items: [Verdict.STORED_BEFORE, Verdict.STORED_BEFORE],
    ]
    bench.submit(bad, behind)
    await bench.world.settle()
    assert bench.answers.all == []
    await bench.world.pass_ms(RETRY_MS)
    assert [item for item, _ in bench.answers.all] == [bad, behind]
    assert {answer.verdict for _, answer in bench.answers.all} == {Verdict.STORED_BEFORE}


async def test_others_are_written_while_one_fails_and_what_comes_behind_it_waits(bench: Bench) -> None:
    log, other = bench.log(), bench.log(name="game:b")
    bad = log.next()
    bench.writer.default = failing(bad)
    bench.submit(bad)
    await bench.world.pass_ms(RETRY_MS / 2)
    behind, beside = log.next(), other.next()
    bench.submit(behind, beside)
    await bench.world.settle()
    assert bench.answers.all == [(beside, STORED)]
    await bench.world.pass_ms(RETRY_MS / 2 + 1)
    last = log.next()
    bench.submit(last, beside2 := other.next())
    await bench.world.pass_ms(COMPANY_MS)
    assert bench.answers.all == [(beside, STORED), (beside2, STORED)]
    bench.writer.default = None
    await bench.world.pass_ms(RETRY_MS)
    assert bench.writer.calls[-1] == [bad, behind, last]
    assert bench.answers.all[2:] == [(bad, STORED), (behind, STORED), (last, STORED)]
    await asyncio.wait_for(bench.journal.drained(), 1)


async def test_one_that_never_can_be_written_is_given_up_in_time(bench: Bench) -> None:
    log = bench.log()
    bad, behind = log.next(), log.next()
    bench.writer.default = failing(bad)
    bench.submit(bad, behind)
    await bench.world.pass_ms(GIVE_UP_MS - RETRY_MS)
    assert bench.answers.all == []
    await bench.world.pass_ms(3 * RETRY_MS)
    assert bench.answers.all == [(bad, UNAVAILABLE), (behind, Answer(Verdict.OTHER_TIP, 1, 1))]
    await asyncio.wait_for(bench.journal.drained(), 1)


async def test_more_than_a_batch_of_failed_ones_keep_their_order(bench: Bench) -> None:
    log = bench.log()
    items = [log.next() for _ in range(BATCH_ITEMS_MAX + 10)]
    bench.writer.default = lambda batch: [
        Verdict.FAILED if item is items[0] else Verdict.OTHER_TIP for item in batch
    ]
    bench.submit(*items)
    await bench.world.pass_ms(5 * RETRY_MS)
    assert bench.answers.all == []
    bench.writer.default = None
    await bench.world.pass_ms(2 * RETRY_MS)
    assert bench.answers.all == [(item, STORED) for item in items]


async def test_a_store_that_goes_away_while_some_have_failed_mixes_nothing_up(bench: Bench) -> None:
    log, other = bench.log(), bench.log(name="game:b")
    bad, behind = log.next(), log.next()
    bench.writer.replies = [failing(bad)]
    bench.submit(bad, behind)
    await bench.world.settle()
    bench.writer.default = StoreUnavailableError("away")
    bench.submit(log.next(), other.next(), last := log.next())
    await bench.world.pass_ms(5 * RETRY_MS)
    assert bench.answers.all == []
    bench.writer.default = None
    await bench.world.pass_ms(2 * RETRY_MS)
    told = [item for item, _ in bench.answers.all if isinstance(item, Append) and item.log == log.name]
    assert [item.n for item in told] == [1, 2, 3, 4]
    assert told[-1] is last
    assert all(answer == STORED for _, answer in bench.answers.all)


async def test_a_batch_that_cannot_even_be_asked_for_ends_nothing(bench: Bench) -> None:
    log, other = bench.log(), bench.log("S")
    odd, beside = log.next(), other.next()
    bench.writer.replies = [ValueError("cannot be packed")]
    bench.submit(odd)
    await bench.world.settle()
    assert bench.answers.all == [(odd, UNAVAILABLE)]
    bench.submit(beside)
    await bench.world.pass_ms(COMPANY_MS)
    assert bench.answers.of(beside) == [STORED]


@pytest.mark.parametrize("seed", range(15))
async def test_at_random_every_log_is_answered_in_order_and_nothing_twice(bench: Bench, seed: int) -> None:
    """A store that keeps logs, loses answers, fails items and goes away: what it acknowledges, it has."""
    chance = random.Random(seed)
    stored: dict[str, list[Append]] = {}

    def reply(items: list[Item]) -> Any:
        mood = chance.random()
        if mood < 0.2:
            return StoreUnavailableError("before it was asked")
        verdicts = []
        for item in items:
            assert isinstance(item, Append)
            entries = stored.setdefault(item.log, [])
            if item in entries:
                verdicts.append(Verdict.STORED_BEFORE)
            elif len(entries) != item.n - 1:
                verdicts.append(Verdict.OTHER_TIP)
            elif chance.random() < 0.1:
                verdicts.append(Verdict.FAILED)
            else:
                entries.append(item)
                verdicts.append(Verdict.STORED)
        return StoreUnavailableError("the answer is lost") if mood < 0.4 else verdicts

    bench.writer.default = reply
    logs = [bench.log(name=f"game:{n}") for n in range(5)]
    submitted: list[Append] = []
    for _ in range(40):
        for _ in range(chance.randrange(6)):
            submitted.append(chance.choice(logs).next())
            bench.submit(submitted[-1])
        await bench.world.pass_ms(chance.choice([0, 1, 5, RETRY_MS]))
    await bench.world.pass_ms(GIVE_UP_MS)
    assert sorted(map(id, (item for item, _ in bench.answers.all))) == sorted(map(id, submitted))
    for log in logs:
        told = [(item, answer) for item, answer in bench.answers.all if item in stored.get(log.name, [])]
        assert [item for item, _ in told] == stored.get(log.name, [])
        assert all(answer.stored for _, answer in told)
    assert all(answer.stored for _, answer in bench.answers.all)


# -- against a real store


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyProcess]:
    with ValkeyProcess() as process:
        yield process


class Live:
    """A journal on a real store, and games that players play on it as fast as they are answered."""

    def __init__(self, valkey: ValkeyProcess) -> None:
        self.store = Store(connect(valkey.url))
        self.world = RealWorld()
        self.journal = Journal(self.store, RaceClock(self.world.monotonic_ms), self.world)
        self.games: list[Log] = []
        self.acknowledged: dict[str, list[Append]] = {}
        self.others: list[Verdict] = []
        self.submitted = self.told = 0
        self.playing = True

    async def begin(self, rooms: int, players: int) -> None:
        for _ in range(rooms):
            room = await running_room(self.store)
            self.games += [room.game(f"p{n}") for n in range(players)]
        for game in self.games:
            for _ in range(2):  # ahead of its answers by one
                self.play(game)

    def play(self, game: Log) -> None:
        def answered(item: Append, answer: Answer) -> None:
            self.told += 1
            if not answer.stored:
                self.others.append(answer.verdict)
                return
            self.acknowledged.setdefault(game.key, []).append(item)
            if self.playing:
                self.play(game)

        self.submitted += 1
        received_ms = self.world.monotonic_ms()
        self.journal.submit(game.next(b"\x01%d" % self.submitted, received_ms=received_ms, answered=answered))

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():  # noqa: ASYNC110
                await asyncio.sleep(0.005)

    async def until_told(self, more: int) -> None:
        told = self.told
        await self.until(lambda: self.told >= told + more)

    async def stop(self) -> None:
        self.playing = False
        async with asyncio.timeout(20):
            await self.journal.drained()

    async def check(self) -> None:
        """All is answered once; each log is what was acknowledged, in order, and no more."""
        assert self.told == self.submitted
        assert self.others == []
        for game in self.games:
            entries = await self.store.load_log(game.room, game.name)
            assert [entry.tip for entry in entries] == [item.tip for item in self.acknowledged[game.key]]
            assert [entry.stamp for entry in entries] == sorted(entry.stamp for entry in entries)
            assert await self.store.redis.hget(keys.head(game.room), game.tip_field)


@pytest.fixture
async def live(valkey: ValkeyProcess) -> AsyncIterator[Live]:
    live = Live(valkey)
    task = asyncio.create_task(live.journal.run())
    yield live
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await live.world.close()
    await live.store.close()


async def test_many_games_on_a_real_store(live: Live) -> None:
    await live.begin(rooms=4, players=8)
    await live.until_told(200)
    await live.stop()
    await live.check()
    assert live.journal.flushed_items.sum > 2 * live.journal.flushed_items.count


async def test_a_store_that_is_held_for_two_seconds_loses_and_doubles_nothing(
    live: Live, valkey: ValkeyProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    await live.begin(rooms=2, players=4)
    await live.until_told(200)
    errors = live.journal.store_errors
    valkey.pause()
    try:
        # The two seconds after which a call is given up; it is carried out all the same, later.
        await live.until(lambda: live.journal.store_errors > errors)
    finally:
        valkey.resume()
    await live.until_told(100)
    await live.stop()
    await live.check()


async def test_a_killed_and_restarted_store_has_all_that_was_acknowledged(
    live: Live, valkey: ValkeyProcess
) -> None:
    await live.begin(rooms=2, players=4)
    for _ in range(2):
        await live.until_told(100)
        valkey.kill()
        await asyncio.sleep(0.1)
        valkey.start()
    await live.until_told(100)
    await live.stop()
    await live.check()
    assert live.journal.store_errors > 0


async def test_a_full_store_stores_on_when_there_is_room_again(live: Live) -> None:
    await live.begin(rooms=2, players=2)
    await live.until_told(200)
    writes = live.journal.flushed_items.count
    await live.store.redis.config_set("maxmemory", 1)
    try:
        await live.until(lambda: live.journal.flushed_items.count >= writes + 5)
        told = live.told
        await asyncio.sleep(0.1)
        assert live.told == told  # nothing is acknowledged
    finally:
        await live.store.redis.config_set("maxmemory", 0)
    await live.stop()
    await live.check()


async def test_a_bad_room_holds_up_nobody(live: Live) -> None:
    bad = Log(fresh_room(), "game:a")
    await live.store.redis.set(keys.head(bad.room), "not a hash")
    await live.begin(rooms=1, players=4)
    spoiled = [bad.next(), bad.next()]
    live.world.call_later(0, lambda: [live.journal.submit(item) for item in spoiled] and None)
    await live.until_told(200)
    assert bad.answers.all == []
    await live.store.redis.delete(keys.head(bad.room))
    await live.stop()
    assert [answer.verdict for _, answer in bad.answers.all] == [Verdict.OTHER_TIP] * 2
    await live.check()
