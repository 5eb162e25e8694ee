"""What an attentive player remembers of a game whose buried cards are not shown."""

from client_cli.position import Position
from protocol.messages import Done
from server.engine.cards import Card
from server.engine.places import PILES


class Memory:
    """The piles as lists of cards, bottom to top, None for what was never seen."""

    def __init__(self, position: Position) -> None:
        self.piles: list[list[Card | None]] = []
        self._look(position)

    def _look(self, position: Position) -> None:
        self.piles = []
        for place in PILES:
            top, count = position.tops[place], position.counts[place]
            unknown: list[Card | None] = [None] * max(count - 1, 0)
            known: list[Card | None] = [top] if count else []
            self.piles.append(unknown + known)
        if position.piles is not None:
            self.piles = [[*pile] for pile in position.piles]

    def play(self, done: Done, position: Position) -> None:
        """Carry on with an action that was just done; `position` is the one after it."""
        if done.op == "r":
            self.piles = [pile[1:] + pile[:1] for pile in self.piles]
        elif done.src is not None and done.dst is not None:
            src, dst = (done.dst, done.src) if done.op == "u" else (done.src, done.dst)
            card = self.piles[src].pop() if src in PILES else position.top(dst)
            if dst in PILES:
                self.piles[dst].append(card)
        if [len(pile) for pile in self.piles] != position.counts:
            self._look(position)  # something was missed; what is seen now is certain
        for pile, top in zip(self.piles, position.tops, strict=True):
            if pile:
                pile[-1] = top

    def below(self, pile: int) -> Card | None:
        """Return the card under the top card of `pile`, None if it was never seen or there is none."""
        return self.piles[pile][-2] if len(self.piles[pile]) > 1 else None

    def key(self) -> tuple[tuple[Card | None, ...], ...]:
        """Return what tells this state from others: never to be in it twice is never to go in circles."""
        return tuple(tuple(pile) for pile in self.piles)
