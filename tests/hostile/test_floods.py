"""Far more messages than the rates allow: the flooder is told and closed, and the others do not notice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.hostile.conftest import Start
from tests.hostile.measure import racers
from tests.hostile.raw import flood, message_frame, opening, packed
from tests.support.peer import Peer
from tests.support.server import FAST
from tests.transport.parts import CONT, PING, TEXT, frame

FLOODERS = 4
RATES = FAST.replace("other=100000:100000", "other=5:20").replace("say=100000:100000", "say=1:5")


def said(message: dict[str, object]) -> bytes:
    return message_frame(packed(message, "json"), "json")


FLOODS = {
    "clock": (said({"t": "clock", "sent": 1}), {"too_many"}),
    "say": (said({"t": "say", "text": "x" * 300}), {"too_many"}),
    "ping": (frame(PING, b"p"), set()),
    "fragment": (frame(TEXT, fin=False) + frame(CONT, fin=False) * 600, set()),
}


# A flood takes ten seconds to be closed.
@pytest.mark.soak
@pytest.mark.parametrize("kind", FLOODS)
async def test_a_flood_is_told_and_closed_while_the_others_race_on(
    start_server: Start, kind: str, tell: Callable[..., None]
) -> None:
    again, codes = FLOODS[kind]
    server = start_server("--connections-per-address", "1000", rates=RATES)
    async with racers(server.url) as honest:
        alone = await honest.during(asyncio.sleep(0), rounds_min=20)
        starts = []
        for number in range(FLOODERS):
            async with await Peer.hello(server.url) as peer:
                await peer.enter(honest.room, f"flooder {number}")
                hello = said({"t": "hello", "token": peer.token})
                starts.append(opening("json") + hello + said({"t": "enter", "room": honest.room}))
        flooding = asyncio.gather(*(asyncio.to_thread(flood, server.port, start, again) for start in starts))
        beside = await honest.during(flooding, rounds_min=20)
    floods = flooding.result()
    for each in floods:
        assert each.closed_with == 1008, each
        assert set(each.codes) == codes, each
        # What is too much is not answered as fast as it is said: that would be the others' time.
        assert each.codes.total() < 2000, each
    tell(
        "Floods",
        flooders=FLOODERS,
        of=kind,
        said_each=f"{sum(each.sent for each in floods) / FLOODERS:,.0f}",
        told_each=f"{sum(each.codes.total() for each in floods) / FLOODERS:,.0f}",
        closed_with="1008",
        others_alone_ms=alone.shown,
        others_meanwhile_ms=beside.shown,
    )
