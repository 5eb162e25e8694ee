"""The game as it will be once the server has confirmed what was played: shown at once, mended by `done`."""

from dataclasses import dataclass
from typing import Final

from client_cli.position import Position
from protocol.messages import Done
from server.engine.actions import Action
from server.engine.cards import Card
from server.engine.game import Game
from server.engine.places import PILES

UNKNOWN: Final[Card] = "??"
"""A card that was never seen. It is of no suit and no rank, so the engine lets nothing be put on it."""


@dataclass(slots=True, eq=False)
class Pending:
    """An action that was played and is not yet acknowledged; `n` is its place in the log once it is sent."""

    action: Action
    n: int | None = None


class Forecast:
    """What the server has confirmed, with what is still on its way played on top of it.

    Both are games of the engine, whose buried cards are unknown until they have been seen once. So a move is
    judged here by the same rules as on the server, and shown before it answers.
    """

    def __init__(self, position: Position) -> None:
        self.position = position
        self.n = position.n
        self.pending: list[Pending] = []
        self._confirmed = seen_game(position)
        self.game = self._confirmed.copy()

    # What is shown

    @property
    def moves(self) -> int:
        """The move counter, with the moves on their way."""
        return self.position.moves + self._pending("m") - self._pending("u")

    @property
    def undoable(self) -> int:
        """How many moves can be undone, with those on their way (R11, R13)."""
        undoable = self.position.undoable
        for action in self._actions():
            undoable = 0 if action.op == "r" else undoable + (1 if action.op == "m" else -1)
        return undoable

    def places(self) -> frozenset[int]:
        """The places where what is not yet acknowledged would lie."""
        return frozenset(action.dst for action in self._actions() if action.op == "m")

    # What happens

    def add(self, action: Action) -> Pending:
        """Show an action before it is acknowledged."""
        pending = Pending(action)
        self.pending.append(pending)
        _play(self.game, action)
        return pending

    def confirm(self, done: Done, position: Position) -> None:
        """Take in a `done` that `position` holds already. A repeat changes nothing."""
        if done.n <= self.n:
            return
        next_one = done.n == self.n + 1 == position.n
        if next_one:
            _play(self._confirmed, Action(done.op, done.src or 0, done.dst or 0))
        self._take(position, self._confirmed.piles if next_one else None)

    def look(self, position: Position) -> None:
        """Take the server's word for the whole position, as a `game` tells it."""
        self._take(position, self._confirmed.piles if position.n == self.n else None)

    def _take(self, position: Position, remembered: list[list[Card]] | None) -> None:
        if remembered is None or not _reveal(self._confirmed, position):
            self._confirmed = seen_game(position, remembered)
        self.position, self.n = position, position.n
        self._show()

    def settle(self, pending: Pending) -> None:
        """An action was answered: it is pending no more."""
        if pending in self.pending:
            self.pending.remove(pending)
        self._show()

    def drop_all(self) -> None:
        """One was refused, and what was played after it was meant for another position: back to what is."""
        self.pending.clear()
        self._show()

    def _show(self) -> None:
        self.game = self._confirmed.copy()
        for action in self._actions():
            _play(self.game, action)

    def _actions(self) -> list[Action]:
        """What is not in the confirmed game yet, in order."""
        return [pending.action for pending in self.pending if pending.n is None or pending.n > self.n]

    def _pending(self, op: str) -> int:
        return sum(action.op == op for action in self._actions())


def seen_game(position: Position, remembered: list[list[Card]] | None = None) -> Game:
    """Return a game of the engine with what `position` shows; cards that nobody saw are `UNKNOWN`.

    `remembered` fills in buried cards, pile by pile, where the number of cards agrees.
    """
    piles = []
    for place in PILES:
        top, count = position.tops[place], position.counts[place]
        if position.piles is not None:
            pile = list(position.piles[place])
        elif remembered is not None and len(remembered[place]) == count:
            pile = remembered[place][:]
        else:
            pile = [UNKNOWN] * count
        if top is not None:
            pile[-1] = top
        piles.append(pile)
    return Game(piles, position.up[:], position.down[:], position.redeals)


def _reveal(game: Game, position: Position) -> bool:
    """Turn up the top cards that were unknown; False if `game` is not what `position` shows."""
    if (game.up, game.down, game.redeals) != (position.up, position.down, position.redeals):
        return False
    for pile, top, count in zip(game.piles, position.tops, position.counts, strict=True):
        if len(pile) != count or (pile and pile[-1] not in (UNKNOWN, top)):
            return False
    for pile, top in zip(game.piles, position.tops, strict=True):
        if top is not None:
            pile[-1] = top
    return True


def _play(game: Game, action: Action) -> None:
    """Play an action as far as it can be told what comes of it; else the answer will tell."""
    if action.op == "r":
        game.redeal()
    elif action.op == "u":
        if game.undoable:
            game.undo()
    elif game.top(action.src) not in (None, UNKNOWN):
        game.move(action.src, action.dst)
