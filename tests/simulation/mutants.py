"""The server with one of its promises taken out: for each, what is replaced, and where to look for it.

A simulation that finds nothing may be blind. `tests/simulation/test_mutants.py` shows that it sees these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from protocol.codec import MSGPACK
from server.engine.refusals import Refusal
from server.node.live_game import Attempt, LiveGame
from server.node.live_room import LiveRoom
from server.rooms import events as ev
from server.store.items import Answer, Append, Verdict
from server.store.records import unpack_event
from tests.simulation.store import EPOCH_MS, StoreServer

Patch = tuple[type, str, Callable[..., Any]]

_judge, _play, _answered = LiveGame._judge, LiveGame._play, LiveGame._answered
_advance, _take_head = LiveRoom.advance, LiveRoom._take_head
_server_init = StoreServer.__init__


def acknowledged_before_it_is_stored(game: LiveGame, attempt: Attempt) -> None:
    _judge(game, attempt)
    if attempt.item is not None and attempt.done is not None:
        attempt.done.ms = game.room.clock.now_ms() - game.start_at
        attempt.asker.done(attempt.request, attempt.done, MSGPACK.encode(attempt.done))


def no_repeat(game: LiveGame, request: Any) -> bool:
    return False


def stamped_by_the_node(game: LiveGame, attempt: Attempt) -> None:
    """The stamp is no less than the node's own clock says."""
    _play(game, attempt)
    if attempt.item is not None:
        world: Any = game.room.world
        own_ms = EPOCH_MS + int(world.monotonic_ms() - world._ahead_ms + world.wall_ahead_ms)
        attempt.item.floor_ms = max(game.start_at, own_ms)


def no_fences(game: LiveGame) -> tuple[list[str], list[str]]:
    return [], []


def shown_before_it_is_stored(game: LiveGame, attempt: Attempt) -> None:
    _play(game, attempt)
    if attempt.item is not None and attempt.progress is not None:
        game.room.progress[game.player] = attempt.progress.stamped(game.room.clock.now_ms())


def retry_taken_for_a_refusal(game: LiveGame, item: Append, answer: Answer) -> None:
    """What was stored before is told as refused; the node takes it over all the same."""
    if answer.verdict == Verdict.STORED_BEFORE and game.waiting and game.waiting[0].item is item:
        attempt = game.waiting[0]
        done, attempt.asker = attempt.asker, _Deaf()  # type: ignore[assignment]
        _answered(game, item, answer)
        done.refused(attempt.request, game.stored_n, Refusal.RANK)
        return
    _answered(game, item, answer)


class _Deaf:
    def done(self, *_: Any) -> None: ...


def _fence_of(item: Append) -> str:
    return f"{item.n}"


def store_with_fences_by_v(server: StoreServer, *args: Any) -> None:
    _server_init(server, *args)
    server.model.fence_of = _fence_of


def room_with_fences_by_v(
    room: LiveRoom, n: int, before: str, tip: str, stamp: int, payload: bytes, seq: int
) -> bool:
    known = room.room.v
    advanced = _advance(room, n, before, tip, stamp, payload, seq)
    if advanced and n == known + 1:
        fenced = ev.fence_moved(unpack_event(payload))
        if fenced:
            room.fences[fenced] = f"{n}"
        elif fenced is not None:
            room.room_fence = f"{n}"
    return advanced


class Mutant(NamedTuple):
    """What is replaced, the kind of scenario that shows it, and within how many seeds it must be seen."""

    patches: list[Patch]
    kind: str
    seeds: int
    first: int = 0


MUTANTS = {
    "acknowledge before the store": Mutant(
        [(LiveGame, "_judge", acknowledged_before_it_is_stored)], "none", 10
    ),
    "no repeat check": Mutant([(LiveGame, "_is_repeat", no_repeat)], "contention", 10),
    "the node's clock trusted": Mutant([(LiveGame, "_play", stamped_by_the_node)], "none", 10),
    "no fence": Mutant([(LiveGame, "_fences", no_fences)], "fences", 20),
    "the fence by v instead of tip": Mutant(
        [(StoreServer, "__init__", store_with_fences_by_v), (LiveRoom, "advance", room_with_fences_by_v)],
        "set_back",
        40,
    ),
    "unstored rows shown": Mutant([(LiveGame, "_play", shown_before_it_is_stored)], "contention", 10),
    "a retry taken for a refusal": Mutant(
        [(LiveGame, "_answered", retry_taken_for_a_refusal)], "contention", 40
    ),
}


@contextmanager
def mutated(mutant: Mutant) -> Iterator[None]:
    """The server with this mutant in it."""
    kept = [(owner, name, owner.__dict__[name]) for owner, name, _ in mutant.patches]
    for owner, name, replacement in mutant.patches:
        setattr(owner, name, replacement)
    try:
        yield
    finally:
        for owner, name, original in kept:
            setattr(owner, name, original)
