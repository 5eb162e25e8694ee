"""The board: who is where, by which key, and who shares a rank (`docs/protocol.md`, "A row")."""

from collections.abc import Callable, Iterable

import msgspec


class Progress(msgspec.Struct, frozen=True, array_like=True):
    """How far a game has come: what the store keeps beside a game's log so that boards need not replay it.

    `stamp` is the race clock's moment of the latest action, 0 before the first; `n` the actions stored.
    """

    n: int = 0
    stamp: int = 0
    status: str = "playing"
    moves: int = 0
    undone: int = 0
    redeals: int = 3
    home: int = 8
    undoable: int = 0

    def stamped(self, stamp: int) -> "Progress":
        """The same, its latest action having this stamp."""
        return Progress(
            self.n, stamp, self.status, self.moves, self.undone, self.redeals, self.home, self.undoable
        )


class Entry(msgspec.Struct, frozen=True):
    """A player's line before it has a rank. `ms`: of the win, else of the latest action; 0 before."""

    player: str
    name: str
    status: str
    moves: int
    undone: int
    redeals: int
    home: int
    ms: int


GROUPS = {"won": 0, "playing": 1, "blocked": 1, "waiting": 1, "forfeited": 2, "disqualified": 3}

Key = tuple[int, ...]
WON_KEYS: dict[str, Callable[[Entry], Key]] = {
    "time": lambda entry: (entry.ms, entry.moves, entry.undone),
    "moves": lambda entry: (entry.moves, entry.undone, entry.ms),
}


def sort_key(entry: Entry, rank_by: str) -> Key:
    """What decides a place: the group, then the group's keys. Equal keys are equal ranks."""
    group = GROUPS[entry.status]
    if group == 0:
        return (group, *WON_KEYS[rank_by](entry))
    return (group, -entry.home, entry.moves, entry.ms)


def ranked(entries: Iterable[Entry], rank_by: str) -> list[tuple[int, Entry]]:
    """The entries in the order of display, each with its rank; equals share one (1 2 2 4).

    Names (then ids, so that the order is total) break the order of display only.
    """
    keyed = sorted(
        ((sort_key(entry, rank_by), entry) for entry in entries),
        key=lambda pair: (pair[0], pair[1].name, pair[1].player),
    )
    result: list[tuple[int, Entry]] = []
    rank, previous = 0, None
    for place, (key, entry) in enumerate(keyed, start=1):
        if key != previous:
            rank, previous = place, key
        result.append((rank, entry))
    return result
