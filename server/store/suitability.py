"""Whether a store can keep the promises: looked at once, at start, before anybody is let in."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from redis.asyncio import ConnectionPool, Redis
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    NoPermissionError,
    RedisError,
    ResponseError,
)
from redis.exceptions import TimeoutError as RedisTimeoutError

# Sharded pub/sub came with Redis 7. Valkey began as Redis 7.2; 8 is the first release of its own making.
REDIS_VERSION_MIN = (7,)
VALKEY_VERSION_MIN = (8,)

ANSWER_S = 10.0
# A store that has just been started again may be reading a file of gigabytes.
LOADING_S = 60.0
POLL_S = 0.05
CLOCKS_APART_S = 1.0  # NTP keeps them within milliseconds, and an answer may be late by some tenths

Info = Mapping[str, Any]

_SETTINGS = ("appendonly", "appendfsync", "no-appendfsync-on-rewrite", "maxmemory-policy")


class UnsuitableStoreError(Exception):
    """The store cannot be used. The message is one sentence: what is wrong, and what to do."""


async def read_info(client: Redis, *, loading_s: float = LOADING_S) -> Info:
    """What a server says of itself; waits at most `loading_s` while it loads its data.

    Raises `UnsuitableStoreError` when it is out of reach.
    """
    where = where_is(client)
    with _refused_in_words(where):
        await _until_loaded(client, where, loading_s)
        try:
            async with asyncio.timeout(ANSWER_S):
                return await client.info()
        except ResponseError as error:
            raise _not_let_in(where, error) from error


def is_cluster(info: Info) -> bool:
    """Whether this is a server of a cluster."""
    return str(info.get("cluster_enabled", 0)) == "1" or info.get("redis_mode") == "cluster"


async def check_store(client: Redis, info: Info) -> list[str]:
    """Warnings about a server, alone or a cluster's primary, of which `info` was just read, each a sentence.

    Raises `UnsuitableStoreError` when it is out of reach, too old, a replica, or set up to lose what it has
    confirmed.
    """
    where = where_is(client)
    _refuse_by_info(info, where)
    with _refused_in_words(where):
        settings = await _read_settings(client)
    warnings = []
    unread = [name for name in _SETTINGS if name not in settings]
    if unread:
        warnings.append(
            f"The store at {where} does not let its settings be read: see to it yourself that "
            f"{_listed(unread)} {'is' if len(unread) == 1 else 'are'} as the documentation asks."
        )
    # What CONFIG withholds INFO tells in part.
    settings.setdefault("maxmemory-policy", str(info.get("maxmemory_policy", "noeviction")))
    settings.setdefault("appendonly", "no" if str(info.get("aof_enabled")) == "0" else "yes")
    _refuse_by_settings(settings, where)
    return warnings + _durability_warnings(settings, where)


async def check_password(client: Redis) -> list[str]:
    """A warning if a store lets us in without the password that we have for it."""
    options = dict(client.connection_pool.connection_kwargs)
    if not options.pop("password", None):
        return []
    options.pop("username", None)
    pool = ConnectionPool(connection_class=client.connection_pool.connection_class, **options)
    stranger = Redis.from_pool(pool)
    try:
        await stranger.ping()
    except (RedisError, OSError, TimeoutError):
        return []
    finally:
        await stranger.aclose()
    return [
        f"The store at {where_is(client)} lets in whoever comes, with the password of its URL or without: "
        "set one there (requirepass), or see that only this server reaches it."
    ]


def check_replicas(client: Redis, info: Info, wanted: int) -> list[str]:
    """A warning if a server, of which `info` was just read, has fewer replicas than a write must reach."""
    there = int(info.get("connected_slaves", 0))
    if there >= wanted:
        return []
    return [
        f"The store at {where_is(client)} has {there} of the {wanted} replicas that --wait-replicas wants, "
        "so nothing is confirmed until they are there: attach them, or ask for fewer."
    ]


async def check_clocks(clients: Sequence[Redis]) -> list[str]:
    """A warning if the clocks of these servers of a cluster are apart; who does not answer is passed over."""
    ahead_s: dict[str, float] = {}
    for client in clients:
        asked_s = time.monotonic()
        try:
            seconds, microseconds = await client.time()
        except (RedisError, OSError, TimeoutError):
            continue
        ahead_s[where_is(client)] = seconds + microseconds / 1e6 - (asked_s + time.monotonic()) / 2
    if not ahead_s:
        return []
    first, last = min(ahead_s, key=ahead_s.__getitem__), max(ahead_s, key=ahead_s.__getitem__)
    apart_s = ahead_s[last] - ahead_s[first]
    if apart_s < CLOCKS_APART_S:
        return []
    return [
        f"The clock of the store at {last} is {apart_s:.0f} s ahead of that at {first}, so a failover would "
        "make the times of races stand still or leap: keep these clocks together, as NTP does."
    ]


@contextmanager
def _refused_in_words(where: str) -> Iterator[None]:
    try:
        yield
    except (TimeoutError, RedisTimeoutError) as error:
        raise UnsuitableStoreError(
            f"The store at {where} does not answer: see that it runs, and that nothing between here and "
            "there swallows its packets."
        ) from error
    except ResponseError as error:
        raise UnsuitableStoreError(
            f"The store at {where} is not in order ({_one_line(error)}): put that right there first."
        ) from error
    except (RedisError, OSError) as error:
        # The client wraps what goes wrong while it connects.
        if isinstance(error.__cause__, AuthenticationError):
            raise _not_let_in(where, error) from error
        raise UnsuitableStoreError(
            f"The store at {where} cannot be reached ({_one_line(error)}): "
            "see that it runs, and that its URL is right."
        ) from error


def where_is(client: Redis) -> str:
    """The store's address as people write it, without its password."""
    target: Mapping[str, Any] = client.connection_pool.connection_kwargs
    return str(target.get("path") or f"{target.get('host', 'localhost')}:{target.get('port', 6379)}")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


async def _until_loaded(client: Redis, where: str, loading_s: float) -> None:
    give_up_at = time.monotonic() + loading_s
    while True:
        try:
            async with asyncio.timeout(ANSWER_S):
                await client.ping()
            return
        except BusyLoadingError as error:
            if time.monotonic() > give_up_at:
                raise UnsuitableStoreError(
                    f"The store at {where} is still loading its data after {loading_s:.0f} s: "
                    "start this server again when it is done."
                ) from error
        except (AuthenticationError, NoPermissionError) as error:
            raise _not_let_in(where, error) from error
        await asyncio.sleep(POLL_S)


def _not_let_in(where: str, error: Exception) -> UnsuitableStoreError:
    return UnsuitableStoreError(
        f"The store at {where} does not let this server in ({_one_line(error)}): "
        "give the right user and password in its URL, and that user its rights."
    )


async def _read_settings(client: Redis) -> dict[str, str]:
    """The settings that matter, as far as they are told."""
    try:
        async with asyncio.timeout(ANSWER_S):
            told = await client.config_get(*_SETTINGS)
    except ResponseError:
        # Managed services forbid the command, or have none of that name.
        return {}
    return {str(name): str(value) for name, value in told.items() if name in _SETTINGS}


def _refuse_by_info(info: Info, where: str) -> None:
    valkey = info.get("valkey_version")
    # Valkey calls itself Redis 7.2.4 as well, for clients that look there.
    name, told = ("Valkey", valkey) if valkey else ("Redis", info.get("redis_version", ""))
    least = VALKEY_VERSION_MIN if valkey else REDIS_VERSION_MIN
    if _version(str(told)) < least:
        raise UnsuitableStoreError(
            f"The store at {where} is {name} {told or 'of an unknown version'}, which is too old: "
            "use Redis 7, Valkey 8 or later."
        )
    if info.get("role") != "master":
        raise UnsuitableStoreError(
            f"The store at {where} is a replica, which cannot be written to: "
            f"use its primary, {info.get('master_host', 'unknown')}:{info.get('master_port', 'unknown')}."
        )


def _version(told: str) -> tuple[int, ...]:
    match = re.match(r"\d+(?:\.\d+)*", told)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def _refuse_by_settings(settings: Mapping[str, str], where: str) -> None:
    policy = settings["maxmemory-policy"]
    if policy != "noeviction":
        raise UnsuitableStoreError(
            f"The store at {where} has maxmemory-policy {policy}, so it would throw races away when its "
            "memory is full: set maxmemory-policy noeviction."
        )
    if settings.get("no-appendfsync-on-rewrite") == "yes":
        raise UnsuitableStoreError(
            f"The store at {where} has no-appendfsync-on-rewrite yes, so a crash during a rewrite would lose "
            "confirmed moves: set no-appendfsync-on-rewrite no."
        )


def _durability_warnings(settings: Mapping[str, str], where: str) -> list[str]:
    if settings["appendonly"] != "yes":
        return [
            f"The store at {where} keeps no append-only file, so its end would lose confirmed moves: "
            "set appendonly yes and appendfsync always."
        ]
    fsync = settings.get("appendfsync", "always")
    if fsync != "always":
        return [
            f"The store at {where} has appendfsync {fsync}, so its end may lose confirmed moves: "
            "set appendfsync always."
        ]
    return []
