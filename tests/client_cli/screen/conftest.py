"""People at screens, and friends without one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from client_cli.client import RaceClient
from tests.client_cli.screen.seats import quick_client


@pytest.fixture
async def ada(race_server: Any) -> AsyncIterator[RaceClient]:
    async with quick_client(race_server.url) as client:
        yield client


@pytest.fixture
async def bo(race_server: Any) -> AsyncIterator[RaceClient]:
    async with quick_client(race_server.url) as client:
        yield client
