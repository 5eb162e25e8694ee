"""Real races of many kinds on a real server, and their logs as it serves them."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import Callable, Coroutine
from typing import Any

from tests.support.golden import BLOCKED, SHORTEST_WIN, Action, Golden
from tests.support.peer import Peer
from tests.support.races import gather_room, play_well, start_race

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
REDEALS = [Action("r")] * 3
STUCK = min(BLOCKED, key=lambda game: len(game.actions))


def without_undos(golden: Golden) -> list[Action]:
    kept: list[Action] = []
    for action in golden.actions:
        if action.op == "u":
            kept.pop()
        else:
            kept.append(action)
    return kept


class Club:
    """Peers of one race."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.peers: list[Peer] = []

    async def meet(self, count: int) -> list[Peer]:
        new = [await Peer.hello(self.url) for _ in range(count)]
        self.peers += new
        return new

    async def close(self) -> None:
        for peer in self.peers:
            await peer.close()


async def ok(peer: Peer, t: str, **fields: Any) -> None:
    answer = await peer.ask(t, **fields)
    assert answer["t"] in ("ok", "view", "room"), answer


async def end(host: Peer) -> None:
    await ok(host, "manage", action="close", text="that is all")
    await host.next("event", kind="closed")


async def clock(peer: Peer) -> int:
    return int((await peer.ask("clock", sent=1))["now"])


async def by_host(club: Club) -> str:
    """Options set, chat rights, a referee, a new host, a spectator; both win."""
    ann, bob, cid = await club.meet(3)
    room = await gather_room(ann, [bob], deal="CR1-F-AAAAAAA", limit_ms=60_000)
    await ok(ann, "manage", action="set", options={"deal": CODE, "name": "Club", "rank_by": "moves"})
    await ok(ann, "manage", action="set", options={"undo": True, "listed": True, "password": "x"})
    await ok(cid, "enter", room=room, as_="spectator", password="x")
    await ok(ann, "manage", action="referee", player=cid.player, on=True)
    await ok(ann, "manage", action="mute", player=bob.player, on=True)
    await ok(ann, "manage", action="host", player=bob.player)
    await ok(bob, "ready", ready=True)
    await ok(bob, "ready", ready=False)
    await ok(bob, "start")
    await ok(bob, "manage", action="set", options={"password": None})
    for peer in (ann, bob):
        await peer.next("game")
    await ok(cid, "follow", player=ann.player)
    await play_well(ann, MOVES)
    await play_well(bob, MOVES)
    await ann.next("event", kind="closed")
    await ok(ann, "rematch")
    return room


async def by_ready(club: Club) -> str:
    """A start that is called off, one who leaves and comes back, one kicked; the host ends it."""
    ann, bob, cid = await club.meet(3)
    room = await gather_room(ann, [bob, cid], start="ready", countdown_ms=400, deal=CODE, variant="N")
    for peer in (ann, bob, cid):
        await ok(peer, "ready", ready=True)
    await ok(cid, "ready", ready=False)
    await ok(bob, "leave")
    await ok(bob, "enter", room=room, as_="player", name="Bob B")
    await ok(ann, "manage", action="kick", player=cid.player)
    await ok(bob, "ready", ready=True)
    await ok(ann, "ready", ready=True)
    for peer in (ann, bob):
        await peer.next("game")
    await play_well(ann, MOVES[:30])
    await play_well(bob, [*MOVES[:9], Action("u")])
    await end(ann)
    return room


async def by_own_starts(club: Club) -> str:
    """Each starts alone; one wins, one gives up, one never starts."""
    ann, bob, cid = await club.meet(3)
    room = await gather_room(ann, [bob, cid], start="own", deal=CODE, limit_ms=600_000)
    await ok(ann, "ready", ready=True)
    await ann.next("game")
    await play_well(ann, MOVES)
    await ok(bob, "ready", ready=True)
    await bob.next("game")
    await play_well(bob, MOVES[:12])
    await ok(bob, "forfeit")
    await end(ann)
    return room


async def at_a_moment(club: Club) -> str:
    """One who is late; the limit ends it."""
    ann, bob = await club.meet(2)
    start_at = await clock(ann) + 1500
    options = {"start": "at", "start_at": start_at, "close_at": start_at + 2500, "late": True, "deal": CODE}
    room = await gather_room(ann, **options)
    await ann.next("game")
    await ok(bob, "enter", room=room, as_="player", name="Bob")
    await bob.next("game")
    await play_well(ann, MOVES[:20])
    await play_well(bob, MOVES[:25])
    await ann.next("event", kind="closed")
    return room


async def sealed(club: Club) -> str:
    ann, bob = await club.meet(2)
    room = await start_race(ann, bob, sealed=True, variant="F")
    await play_well(ann, REDEALS)
    await end(ann)
    return room


async def after_a_win(club: Club) -> str:
    ann, bob = await club.meet(2)
    room = await start_race(ann, bob, deal=CODE, after_win_ms=1000, limit_ms=60_000)
    await play_well(bob, MOVES[:50])
    await play_well(ann, MOVES)
    await bob.next("event", kind="closed")
    return room


async def put_out(club: Club) -> str:
    """Disqualified and let back, kicked, banned, given up and not, watching; the rest win."""
    ann, bob, cid, dan, eve, fay = await club.meet(6)
    room = await start_race(ann, bob, cid, dan, eve, fay, deal=CODE)
    for peer in (bob, cid, dan, eve, fay):
        await play_well(peer, MOVES[:15])
    await ok(ann, "manage", action="disqualify", player=bob.player, reason="a mistake")
    await ok(ann, "manage", action="reinstate", player=bob.player)
    await play_well(bob, MOVES[15:20], first=16)
    await ok(ann, "manage", action="kick", player=cid.player)
    await ok(ann, "manage", action="ban", player=dan.player)
    await ok(eve, "forfeit")
    await ok(eve, "unforfeit")
    await play_well(eve, MOVES[15:], first=16)
    await ok(fay, "forfeit")
    await ok(fay, "follow", player=ann.player)
    await ok(bob, "forfeit")
    await ok(bob, "follow", player=ann.player)
    await play_well(ann, MOVES)
    await ann.next("event", kind="closed")
    return room


async def nobody_wins(club: Club) -> str:
    (ann,) = await club.meet(1)
    room = await start_race(ann, deal=STUCK.code, rank_by="moves")
    await play_well(ann, without_undos(STUCK))
    await ann.next("event", kind="closed")
    return room


async def cancelled(club: Club) -> str:
    ann, bob = await club.meet(2)
    room = await gather_room(ann, [bob])
    await end(ann)
    return room


async def missed(club: Club) -> str:
    """A moment that came with too few players, and a close that came with nobody playing."""
    (ann,) = await club.meet(1)
    start_at = await clock(ann) + 1500
    options = {"start": "at", "start_at": start_at, "close_at": start_at + 300, "min_players": 2}
    room = await gather_room(ann, **options)
    await ann.next("event", kind="held")
    await ann.next("event", kind="closed")
    return room


async def forgotten(club: Club) -> str:
    ann, bob, cid = await club.meet(3)
    room = await start_race(ann, bob, cid, deal=CODE)
    await play_well(bob, MOVES[:10])
    await end(ann)
    await ok(bob, "forget")
    await ok(cid, "forget")
    await ann.next("event", kind="forgotten")
    await ann.next("event", kind="forgotten")
    return room


KINDS: dict[str, Callable[[Club], Coroutine[Any, Any, str]]] = {
    race.__name__: race
    for race in (
        by_host, by_ready, by_own_starts, at_a_moment, sealed, after_a_win, put_out, nobody_wins, cancelled,
        missed, forgotten,
    )
}  # fmt: skip


async def _log(url: str, http: str, race: Callable[[Club], Coroutine[Any, Any, str]]) -> bytes:
    club = Club(url)
    try:
        room = await race(club)
        page = f"{http}/api/rooms/{room}/log.jsonl"
        answer = await asyncio.to_thread(lambda: urllib.request.urlopen(page, timeout=30).read())
    finally:
        await club.close()
    return bytes(answer)


def race_logs(url: str, http: str) -> dict[str, bytes]:
    """The log of a race of each kind."""

    async def all_of_them() -> list[bytes]:
        return await asyncio.gather(*(_log(url, http, race) for race in KINDS.values()))

    return dict(zip(KINDS, asyncio.run(all_of_them()), strict=True))
