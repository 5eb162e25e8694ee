"""Passwords of rooms: kept as Argon2id hashes, made and checked in a thread, for they take their time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from server.rooms.options import RULES, check_value
from server.rooms.problems import RoomProblem

PASSWORD_CHARACTERS_MAX = 60

# OWASP's second choice for Argon2id: 19 MiB, two passes. More memory would let strangers exhaust ours.
_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_one_at_a_time = asyncio.Semaphore(1)
WAITING_MAX = 20  # a second's worth; who comes then is told to wait
_waiting = 0


@asynccontextmanager
async def _turn() -> AsyncIterator[None]:
    """One's turn at the hasher. Raises `RoomProblem` `too_many`."""
    global _waiting
    if _waiting >= WAITING_MAX:
        raise RoomProblem("too_many")
    _waiting += 1
    try:
        async with _one_at_a_time:
            yield
    finally:
        _waiting -= 1


async def hashed(password: Any) -> str:
    """The hash of a new password. Raises `RoomProblem`: `bad_options` for what can be none, `too_many`."""
    check_value("password", password)
    if len(password) > PASSWORD_CHARACTERS_MAX:
        raise RoomProblem("bad_options", option="password", allowed=RULES["password"].allowed)
    async with _turn():
        return await asyncio.to_thread(_hasher.hash, password)


async def fits(hash: str, password: str) -> bool:
    """Whether this is the password that was hashed. Raises `RoomProblem` `too_many`."""
    async with _turn():
        return await asyncio.to_thread(_fits, hash, password)


def _fits(hash: str, password: str) -> bool:
    try:
        return _hasher.verify(hash, password)
    except (VerificationError, InvalidHashError):
        return False
