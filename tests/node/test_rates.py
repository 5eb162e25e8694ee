"""Rates: token buckets by kind, and when somebody has sent too many for too long; with a clock handed in."""

import pytest

from server.node.rates import Bucket, Buckets, Flood, Rate, Rates


def test_a_bucket_gives_its_burst_and_then_its_rate():
    bucket = Bucket(Rate(20, 40), 0)
    assert [bucket.take(0) for _ in range(41)] == [True] * 40 + [False]
    assert bucket.take(49) is False
    assert bucket.take(50) is True
    assert bucket.take(51) is False
    assert [bucket.take(1_000_000) for _ in range(41)] == [True] * 40 + [False], "never more than a burst"


def test_the_rates_of_the_page_are_the_default():
    rates = Rates()
    assert (rates.op, rates.say, rates.create, rates.other) == ((20, 40), (1, 5), (0.1, 3), (5, 20))
    assert (rates.address_hello, rates.address_create) == ((1, 60), (20 / 60, 20))
    assert rates.address_page == (20, 1200)


def test_kinds_are_counted_apart_and_all_others_together():
    buckets = Buckets(Rates(Rate(1, 1), Rate(1, 1), Rate(1, 1), Rate(1, 2)), 0)
    assert [buckets.take(kind, 0) for kind in ("op", "say", "create", "ready", "enter", "rooms")] == [
        True
    ] * 5 + [False]
    assert [buckets.take(kind, 0) for kind in ("op", "say", "create")] == [False] * 3


@pytest.mark.parametrize("every_ms", [1, 100, 500, 999])
def test_ten_seconds_with_no_second_free_of_it_are_a_flood(every_ms):
    flood = Flood()
    moments = range(0, 12_000, every_ms)
    first = next(moment for moment in moments if flood.too_many(moment))
    assert 10_000 <= first < 10_000 + every_ms


def test_a_second_free_of_it_begins_anew():
    flood = Flood()
    assert not any(flood.too_many(moment) for moment in range(0, 9_900, 100))
    assert not any(flood.too_many(moment) for moment in range(10_900, 20_800, 100))
    assert not flood.too_many(21_800)


def test_one_too_many_now_and_then_is_no_flood():
    flood = Flood()
    assert not any(flood.too_many(moment) for moment in range(0, 3_600_000, 1_000))
