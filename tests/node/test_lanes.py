"""A store of several lanes, each with a clock of its own, as the partitions of a cluster have."""

from __future__ import annotations

from typing import Any

import pytest

from server.store import keys
from server.store.store import Store
from tests.support.nodes import node_on
from tests.support.peer import Peer

HOUR_MS = 3_600_000


@pytest.fixture
def lanes(monkeypatch: pytest.MonkeyPatch) -> int:
    """Every store has as many lanes as a cluster, though they are all on one server."""
    begin = Store.__init__

    def begun(store: Any, *args: Any, **options: Any) -> None:
        begin(store, *args, **options)
        store.lanes = keys.PARTITIONS

    monkeypatch.setattr(Store, "__init__", begun)
    return keys.PARTITIONS


@pytest.mark.parametrize("moment", ["start_at", "close_at"])
async def test_the_moments_of_a_new_room_are_judged_by_the_clock_it_will_go_by(
    valkey_url: str, clocks: list[Any], lanes: int, moment: str
) -> None:
    async with node_on(valkey_url) as url, await Peer.hello(url) as ann:
        assert len(clocks) == lanes
        ahead = range(1, lanes, 2)
        for lane in ahead:  # by these an hour from now has passed
            clocks[lane].wrong_ms = 2 * HOUR_MS
        soon = int((await ann.ask("clock", sent=1))["now"]) + HOUR_MS
        options = {"start": "at", "start_at": soon} if moment == "start_at" else {"close_at": soon}
        made = [await ann.ask("create", options=options) for _ in range(24)]
        rooms = {keys.partition(answer["room"]) for answer in made if answer["t"] == "room"}
        assert rooms, "no room would do by the clock of its own lane"
        assert rooms.isdisjoint(ahead)
        refused = [answer for answer in made if answer["t"] == "error"]
        assert refused, "no room would be refused by the clock of its own lane"
        assert {answer["code"] for answer in refused} == {"bad_options"}
