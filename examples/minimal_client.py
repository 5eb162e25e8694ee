"""A whole race with nothing but `websockets` and `msgpack`: minimal_client.py [URL [ROOM]], or alone.

Cards go home if they can, else to another pile (never twice the same way), else a redeal, else it gives up.
"""

import sys
import time
from typing import Any

import msgpack
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

RANKS, SUITS = "A23456789TJQK", "SHDC"
Map = dict[str, Any]


def choose(tops: list[Any], counts: list[int], redeals: int, tried: set[Any]) -> Map | None:
    """Return the next action or None. Places: 0-15 piles, 16-19 ace foundations, 20-23 king foundations."""
    home, piles = [], []
    for src, (rank, suit) in [(pile, tops[pile]) for pile in range(16) if tops[pile]]:
        number, ace = RANKS.index(rank), 16 + SUITS.index(suit)
        home += [(src, ace)] * (number == counts[ace]) + [(src, ace + 4)] * (number == 12 - counts[ace + 4])
        beside = (RANKS[number - 1] + suit, RANKS[(number + 1) % 13] + suit)
        piles += [(src, dst) for dst in range(16) if tops[dst] in beside and counts[dst] < 13]
    for src, dst in home + [move for move in piles if (tops[move[0]], *move) not in tried]:
        tried.add((tops[src], src, dst))
        return {"op": "m", "src": src, "dst": dst}
    return {"op": "r"} if redeals and max(counts[:16]) > 1 else None


def ask(socket: ClientConnection, answer: str, **message: Any) -> Map:
    """Send a message and return the next one that is the answer; what comes between is skipped."""
    socket.send(msgpack.packb(message))
    while True:
        said: Map = msgpack.unpackb(socket.recv())
        if said["t"] == answer:
            return said
        if said["t"] in ("error", "refused"):
            sys.exit(said["text"])
        if answer == "game" and said["t"] == "event" and said["kind"] == "closed":
            sys.exit("The race was closed.")  # before it began: no game will come


def race(url: str = "ws://127.0.0.1:8000/ws", room: str = "") -> None:
    """Play one race to its end, in a room that shows top cards only, and print one's line of the board."""
    with connect(url, subprotocols=[Subprotocol("crescent-race.v1.msgpack")], compression=None) as socket:
        me = ask(socket, "welcome", t="hello")["player"]
        room = room or ask(socket, "room", t="create", options={"min_players": 1, "start": "ready"})["room"]
        ask(socket, "room", t="enter", room=room, name=f"minimal {me[:6]}", **{"as": "player"})
        state = ask(socket, "game", t="ready", ready=True)  # it comes once the race is on
        tried: set[Any] = set()
        tops, counts = map(list, zip(*state["piles"], strict=True))
        tops, counts = tops + [None] * 8, counts + state["up"] + state["down"]
        while state["status"] != "won" and (action := choose(tops, counts, state["redeals"], tried)):
            state = ask(socket, "done", t="op", n=state["n"] + 1, **action)
            for place, top, count in state["changed"]:
                tops[place], counts[place] = top, count
            time.sleep(0.06)  # the server takes 20 actions a second
        if state["status"] != "won":
            ask(socket, "ok", t="forfeit")
        told = ask(socket, "room", t="enter", room=room)
        print(*(row for row in told["board"]["rows"] if row["player"] == me))


if __name__ == "__main__":
    try:
        race(*sys.argv[1:3])
    except OSError as error:
        sys.exit(f"No server answers: {error}")
    except WebSocketException as error:  # the server has ended the connection, as it does with who is put out
        sys.exit(str(error))
