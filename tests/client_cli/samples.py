"""Messages for tests, made of a few words each."""

from __future__ import annotations

import random
from typing import Any

from client_cli.position import Position
from protocol import messages as wire
from server.engine.codes import parse_code
from server.engine.game import Game

ROOM = "7K3M9QXT"
CODE = "CR1-N-AAAAAAB"


def row(rank: int, name: str, **fields: Any) -> wire.Row:
    values: dict[str, Any] = {
        "rank": rank, "player": f"ID-{name}", "name": name, "status": "playing", "moves": 12, "undone": 0,
        "redeals": 3, "home": 20, "ms": 61_234, "online": True,
    }  # fmt: skip
    return wire.Row(**{**values, **fields})


def person(name: str, **fields: Any) -> wire.Person:
    values: dict[str, Any] = {
        "id": f"ID-{name}", "name": name, "role": "player", "referee": False, "ready": False, "online": True
    }  # fmt: skip
    return wire.Person(**{**values, **fields})


def room(v: int = 1, seq: int = 1, **fields: Any) -> wire.Room:
    values: dict[str, Any] = {
        "room": ROOM, "v": v, "options": {}, "state": "lobby", "host": "ID-Ada", "you": ["host", "player"],
        "players": [person("Ada"), person("Bo")], "now": 1000,
        "board": wire.BoardData(seq=seq, at=1, rows=[row(1, "Ada"), row(1, "Bo")]),
    }  # fmt: skip
    return wire.Room(**{**values, **fields})


def event(v: int, kind: str, **fields: Any) -> wire.Event:
    return wire.Event(**{"room": ROOM, "v": v, "at": 1, "kind": kind, **fields})


def game_message(game: Game, n: int = 0, *, full: bool = False) -> wire.GameState:
    piles: list[Any] = (
        [list(pile) for pile in game.piles]
        if full
        else [[pile[-1] if pile else None, len(pile)] for pile in game.piles]
    )
    return wire.GameState(
        n=n, piles=piles, up=list(game.up), down=list(game.down), redeals=game.redeals, moves=game.moves,
        undone=game.undone, undoable=game.undoable, status=game.status, start_at=1000,
    )  # fmt: skip


def position(game: Game | None = None, *, full: bool = False) -> Position:
    return Position.from_game(game_message(game or Game.deal(parse_code(CODE)), full=full))


class Table:
    """A game that answers actions as a server does, without one."""

    def __init__(self, game: Game | None = None, *, full: bool = False) -> None:
        self.game = game or Game.deal(parse_code(CODE))
        self.full = full
        self.n = 0

    def message(self) -> wire.GameState:
        return game_message(self.game, self.n, full=self.full)

    def do(self, op: wire.Op, src: int | None = None, dst: int | None = None) -> wire.Done:
        before = self._seen()
        if op == "m":
            place = self.game.move(src or 0, dst or 0)
            assert not isinstance(place, str), place
            dst = place
        elif op == "r":
            assert self.game.redeal() is None
        else:
            undone = self.game.undo()
            assert not isinstance(undone, str), undone
            src, dst = undone
        self.n += 1
        changed = [
            (at, *now) for at, (was, now) in enumerate(zip(before, self._seen(), strict=True)) if was != now
        ]
        return wire.Done(
            n=self.n, op=op, src=src, dst=dst, changed=changed, redeals=self.game.redeals,
            moves=self.game.moves, undone=self.game.undone, undoable=self.game.undoable,
            status=self.game.status, ms=self.n,
            piles=[list(pile) for pile in self.game.piles] if self.full and op == "r" else None,
        )  # fmt: skip

    def do_something(self, rng: random.Random) -> wire.Done | None:
        """An action at random of those that are legal, now and then one back; None: there is none."""
        moves = [(src, dst) for src in range(24) for dst in self.game.destinations(src)]
        if self.game.undoable and rng.random() < 0.2:
            return self.do("u")
        if moves and rng.random() < 0.95:
            return self.do("m", *rng.choice(moves))
        return self.do("r") if self.game.redeal_refusal() is None else None

    def _seen(self) -> list[tuple[str | None, int]]:
        return [(self.game.top(place), self.game.count(place)) for place in range(24)]
