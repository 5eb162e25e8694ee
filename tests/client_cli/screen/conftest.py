"""People at screens, and friends without one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from client_cli.client import RaceClient
from tests.client_cli.screen.seats import quick_client


@pytest.fixture(autouse=True)
async def _without_debug() -> None:
    """A textual app makes callbacks by the thousand; debug keeps a stack for each, several times slower."""
    asyncio.get_running_loop().set_debug(False)


@pytest.fixture
async def ada(race_server: Any) -> AsyncIterator[RaceClient]:
    async with quick_client(race_server.url) as client:
        yield client


@pytest.fixture
async def bo(race_server: Any) -> AsyncIterator[RaceClient]:
    async with quick_client(race_server.url) as client:
        yield client
