"""The last message is lost: nothing comes after it that would show the gap, and all is told in the end."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.faults.nodes import Nodes
from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.proxy import Link, Proxy
from tests.support.races import game_on_entering, play_well, request, start_race
from tests.support.recount import COLUMNS, board_of
from tests.support.server import ServerProcess
from tests.support.valkey import ValkeyProcess
from tests.support.web import fetch

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions
WINNERS_DONE = b'"t":"done"', b'"status":"won"'
FINAL_BOARD = b'"t":"event"', b'"kind":"closed"'
HINTS = (b"smessage",)
HINT_OF_THE_CLOSE = b"smessage", b"closed"


class Losing:
    """Loses each piece in which all of these words stand, and may cut the line instead of going on."""

    def __init__(self, words: tuple[bytes, ...], *, cut: bool = False) -> None:
        self._words, self._cut = words, cut
        self.lost: list[bytes] = []

    def __call__(self, link: Link, piece: bytes) -> bool:
        if not all(word in piece for word in self._words):
            return True
        self.lost.append(piece)
        if self._cut:
            link.cut()
        return False


async def check_board(peer: Peer, port: int, room: str) -> None:
    """Who asks is told the board that follows from the log."""
    shown = await peer.ask("enter", room=room)
    lines = (await fetch(port, f"/api/rooms/{room}/log.jsonl")).lines
    board = [{column: row[column] for column in COLUMNS} for row in shown["board"]["rows"]]
    assert (shown["state"], board) == ("closed", board_of(lines))


@pytest.mark.parametrize("words", [WINNERS_DONE, FINAL_BOARD], ids=["the winner's done", "the final board"])
async def test_the_line_breaks_right_before(
    race_server: ServerProcess, tell: Callable[..., None], words: tuple[bytes, bytes]
) -> None:
    name = "the winner's `done`" if words is WINNERS_DONE else "the close with the final board"
    async with Proxy(("127.0.0.1", race_server.port)) as line:
        line.on_answer = losing = Losing(words, cut=True)
        ann = await Peer.hello(line.url, "json")
        room = await start_race(ann, deal=CODE)
        await play_well(ann, MOVES[:-1])
        await ann.send(**request(len(MOVES), MOVES[-1]))
        await ann.wait_closed()
        assert losing.lost
        assert "closed" not in {event["kind"] for event in ann.all("event")}
        told = [done["ms"] for done in ann.all("done") if done["status"] == "won"]
        # Before the final board it has mostly come, unless the two came in one piece.
        assert words is not WINNERS_DONE or told == []
        line.on_answer = None
        began = time.monotonic()
        async with await Peer.hello(line.url, "json", token=ann.token) as again:
            game = await game_on_entering(again, room)
            assert (game["n"], game["status"]) == (len(MOVES), "won")
            (done,) = await play_well(again, MOVES[-1:], first=len(MOVES))  # answered after the close as well
            assert [done["ms"]] == (told or [game["ms"]])
            if (await again.ask("enter", room=room))["state"] != "closed":
                await again.next("event", kind="closed")
            back_after_s = time.monotonic() - began
            await check_board(again, race_server.port, room)
        await ann.close()
    counts = {"acknowledged": len(MOVES), "lost": 0, "doubled": 0, "lines_lost": 1}
    tell("Real faults", fault=f"lost: {name}", times=1, back_after_s=back_after_s, **counts)


async def test_nodes_lose_their_last_hints(valkey: ValkeyProcess, tell: Callable[..., None]) -> None:
    """Pub/sub loses the end of a race; the other node finds it by its own look at the store."""
    async with (
        Proxy(valkey.socket_path) as link,
        Nodes(valkey.url, 1) as near,
        Nodes(link.store_url, 1) as far,
    ):
        for name, words, played in (
            ("all hints of a win", HINTS, len(MOVES)),
            ("the hint of a close", HINT_OF_THE_CLOSE, 5),
        ):
            async with await Peer.hello(near[0].url) as ann, await Peer.hello(far[0].url) as eve:
                room = await start_race(ann, deal=CODE)
                await eve.enter(room, "Eve", as_="spectator")
                await play_well(ann, MOVES[: played - 1])
                await eve.next("board", where=lambda board: board["rows"][0]["moves"] > 0)
                link.on_answer = losing = Losing(words)
                began = time.monotonic()
                (done,) = await play_well(ann, MOVES[played - 1 : played], first=played)
                if done["status"] != "won":
                    assert (await ann.ask("manage", action="close"))["t"] == "ok"
                boards = [(await p.next("event", kind="closed"))["board"]["rows"] for p in (ann, eve)]
                back_after_s = time.monotonic() - began
                link.on_answer = None
                assert losing.lost
                assert all(piece.endswith(b"\r\n") for piece in losing.lost), "nothing but whole messages"
                assert boards[0] == boards[1]
                for peer, node in ((ann, near), (eve, far)):
                    await check_board(peer, node[0].port, room)
            counts = {"acknowledged": played, "lost": 0, "doubled": 0, "lines_lost": 0}
            tell("Real faults", fault=f"lost: {name}", times=1, back_after_s=back_after_s, **counts)
