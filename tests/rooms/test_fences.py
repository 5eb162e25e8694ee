"""Which events change who may play, and so are what an action must have been judged under."""

from __future__ import annotations

import pytest

from server.rooms import events as ev


@pytest.mark.parametrize(
    ("event", "whose"),
    [
        (ev.Started(start_at=1), ""),
        (ev.Held(), ""),
        (ev.Closed(reason="host"), ""),
        (ev.Joined(player="ann", name="Ann", role="player"), "ann"),
        (ev.Started(start_at=1, player="ann"), "ann"),
        (ev.Forfeited(player="ann", n=1), "ann"),
        (ev.Unforfeited(player="ann"), "ann"),
        (ev.Kicked(player="ann", by="host"), "ann"),
        (ev.Banned(player="ann", by="host"), "ann"),
        (ev.Disqualified(player="ann", by="host"), "ann"),
        (ev.Reinstated(player="ann", by="host"), "ann"),
        (ev.Won(player="ann", n=1, ms=1, moves=1), None),
        (ev.Watching(player="ann"), None),
        (ev.Muted(player="ann", by="host", on=True), None),
        (ev.Ending(ends_at=1), None),
    ],
)
def test_the_fence_that_an_event_moves(event: ev.RoomEvent, whose: str | None) -> None:
    assert ev.fence_moved(event) == whose
