"""What several tests of the client use."""

from __future__ import annotations

from typing import Any

import pytest

from tests.client_cli.race_logs import race_logs


@pytest.fixture(scope="session")
def logs(race_server: Any) -> dict[str, bytes]:
    """The log of a real race of each kind."""
    return race_logs(race_server.url, race_server.http)
