"""Of two connections of one player the later stays, whatever the clocks of their nodes say."""

from __future__ import annotations

from typing import Any

from tests.support.golden import SHORTEST_WIN
from tests.support.nodes import node_on
from tests.support.peer import Peer
from tests.support.races import game_on_entering, play_well, start_race

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions


async def test_a_node_with_a_slow_clock_takes_over_from_another(valkey_url: str, clocks: list[Any]) -> None:
    async with node_on(valkey_url) as right, node_on(valkey_url) as slow:
        clocks[-1].wrong_ms = -3_000
        ann = await Peer.hello(right)
        room = await start_race(ann, deal=CODE)
        for turn in range(6):
            newer = await Peer.hello((slow, right)[turn % 2], token=ann.token)
            await game_on_entering(newer, room)
            assert (await ann.wait_closed())[0] == 4409
            await play_well(newer, MOVES[turn : turn + 1], first=turn + 1)
            await ann.close()
            ann = newer
        await ann.close()


async def test_who_enters_again_is_not_taken_for_older_when_the_nodes_clock_is_set_right(
    valkey_url: str, clocks: list[Any]
) -> None:
    """As between a `create` and the `enter` after it: the first write tells the node the time."""
    async with node_on(valkey_url) as fast, await Peer.hello(fast) as ann:
        clocks[-1].wrong_ms = 3_000
        room = await ann.create(min_players=1, countdown_ms=0, deal=CODE)
        clocks[-1].wrong_ms = 0
        await ann.enter(room, "Ann")
        assert (await ann.ask("start"))["t"] == "ok"
        assert (await ann.next("game"))["n"] == 0
        await play_well(ann, MOVES[:5])
