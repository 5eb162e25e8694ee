"""What a player has chosen on the table: the cursor, the card that is held, and where it may go. Pure."""

from typing import Literal, NamedTuple, Protocol

from client_cli.screen.forecast import UNKNOWN
from client_cli.screen.horseshoe import GRID, Direction, neighbour
from server.engine.actions import Action
from server.engine.cards import Card
from server.engine.game import Game
from server.engine.places import FOUNDATION_AREA, FOUNDATIONS, ONLY_PLACE, PILES, PLACES
from server.engine.refusals import Refusal

Outcome = Action | Refusal | Literal["wait", "gone", "held"] | None
"""What comes of a gesture: an action to play, a refusal to tell, or nothing but another view. `wait`: nobody
knows the card yet, because the move that uncovered it is on its way. `gone`, `held`: it was meant for another
card, as it seems, and is done when it comes once more: the card went by itself just now, or another one is
still held whose place was refused."""

_FIRST_DIGIT = "1"  # the only digit with which two-digit pile numbers begin


class Table(Protocol):
    """Whoever knows the game as it is shown now."""

    @property
    def game(self) -> Game:
        """The game."""


class Went(NamedTuple):
    """A card that went to its only place by itself, and onto which card."""

    card: Card
    onto: Card | None
    dst: int


class Choosing:
    """One player's hand over the table. Every gesture is a method and returns its outcome.

    `tried`: from where to where the latest gesture wanted a card; `went`: what it sent off by itself.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self.cursor = 4
        self.held: int | None = None
        self.targets: tuple[int, ...] = ()
        self.tried = (4, ONLY_PLACE)
        self.went: Went | None = None
        self._first_digit = False
        self._clicked_away: int | None = None
        self._guard: Literal["gone", "held"] | None = None

    # Gestures

    def click(self, place: int) -> Outcome:
        """Choose with the mouse: the foundation area takes what is held, and is nothing otherwise."""
        self._clicked_away = None
        if place not in PLACES and self.held is None:
            return None
        outcome = self.choose(place)
        if isinstance(outcome, Action) and outcome.src == place:
            self._clicked_away = place
        return outcome

    def double_click(self, place: int) -> Outcome:
        """Send a card home; where the first of the two clicks has moved it already, that was all."""
        moved, self._clicked_away = self._clicked_away == place, None
        return None if moved or place not in PLACES else self.home(place)

    def choose(self, place: int) -> Outcome:
        """Take the card of `place`, or put the held one there.

        A pile's card with one place to go goes there. A foundation's never goes by itself: nothing is taken
        off a foundation by accident.
        """
        self._begin()
        if self.held is not None:
            return self._put(place)
        self.cursor = place
        refusal = self._take(place)
        if refusal is not None:
            return refusal
        if len(self.targets) == 1 and place in PILES:
            return self._go(place, self.targets[0])
        return None

    def confirm(self) -> Outcome:
        """Choose the place under the cursor."""
        return self._begin() or self.choose(self.cursor)

    def show(self) -> Outcome:
        """Hold the card under the cursor, if none is held, so that its places light up; nothing moves."""
        self._begin()
        return self._take(self.cursor) if self.held is None else None

    def home(self, place: int | None = None) -> Outcome:
        """Send home the card of `place`, else the held one, else the one under the cursor."""
        guard = self._begin()
        if guard is not None and place is None:
            return guard
        src = place if place is not None else self.held if self.held is not None else self.cursor
        self.cursor = src
        return self.drop(src, FOUNDATION_AREA)

    def drop(self, src: int, dst: int | None) -> Outcome:
        """Put the card of `src` where it was dropped. Anywhere on the foundations the right one takes it."""
        game = self._table.game
        self.release()
        if dst is None or dst == src:
            return None
        self.tried = (src, dst)
        if _is_unknown(game, src):
            return "wait"
        refusal = game.refusal(src, dst)
        if refusal is not None and dst in FOUNDATIONS and game.refusal(src, FOUNDATION_AREA) is None:
            dst, refusal = FOUNDATION_AREA, None
        if refusal is not None:
            return refusal
        place = game.resolve(src, dst)
        assert not isinstance(place, Refusal)
        return self._move(src, place)

    def arrow(self, direction: Direction) -> None:
        """Move the cursor: over all places, or while a card is held over its legal ones only."""
        self._begin()
        if self.held is None:
            self.cursor = neighbour(self.cursor, direction)
        elif self.targets:
            reached = neighbour(self.cursor, direction, self.targets)
            self.cursor = reached if reached != self.cursor else self._next_target(direction)

    def digit(self, digit: str) -> Outcome:
        """Choose a pile by its number. A 1 waits for what follows: 10 to 16, or `confirm` for pile 1."""
        number, is_second = int(digit), self._first_digit
        self._begin()
        if is_second:
            if number <= len(PILES) - 10:
                return self.choose(10 + number - 1)
            return None
        if digit == _FIRST_DIGIT:
            self.cursor, self._first_digit = 0, True
            return None
        return self.choose(number - 1) if number else None

    def lift(self, src: int) -> None:
        """Begin to drag the card of `src`: hold it, so that its places light up. Whether it may go is judged
        where it is dropped."""
        self.release()
        self._take(src)
        self.cursor = src

    def release(self) -> None:
        """Hold nothing any more."""
        if self.held is not None:
            self.cursor = self.held
        self._begin()
        self.held, self.targets = None, ()

    def settle(self) -> None:
        """Something else was pressed: what comes next is meant as it is."""
        self._guard = self.went = None

    def look_again(self) -> None:
        """The table has changed: a held card that is not there, or can go nowhere, is let go."""
        if self.held is None:
            return
        game = self._table.game
        self.targets = () if _is_unknown(game, self.held) else _ordered(game.destinations(self.held))
        if not self.targets:
            self.release()
        elif self.cursor not in self.targets:
            self.cursor = self.targets[0]

    @property
    def waits_for_digit(self) -> bool:
        """Whether a 1 was typed, which may be the first of two digits."""
        return self._first_digit

    # What they come to

    def _begin(self) -> Literal["gone", "held"] | None:
        """Begin a gesture; return what the one before it leaves to be said first."""
        guard, self._guard = self._guard, None
        self._first_digit = False
        return guard

    def _take(self, place: int) -> Refusal | Literal["wait"] | None:
        game = self._table.game
        self.tried = (place, ONLY_PLACE)
        if _is_unknown(game, place):
            return "wait"
        if game.won:
            return Refusal.GAME_OVER
        if game.top(place) is None:
            return Refusal.EMPTY_SOURCE
        if place in FOUNDATIONS and game.count(place) == 1:
            return Refusal.BASE_LOCKED
        targets = _ordered(game.destinations(place))
        if not targets:
            return Refusal.NO_DESTINATION
        self.held, self.targets = place, targets
        self.cursor = targets[0]
        return None

    def _put(self, place: int) -> Outcome:
        assert self.held is not None
        if place == self.held:
            self.release()
            return None
        game, held = self._table.game, self.held
        self.tried = (held, place)
        if place in PLACES and place in self.targets:
            return self._move(held, place)
        refusal = game.refusal(held, place)  # the foundation area is no place, but may take the card
        if refusal is not None:
            self._guard = "held"
            if self.cursor not in self.targets and self.targets:
                self.cursor = self.targets[0]  # the first digit of a number may have led it astray
            return refusal
        resolved = game.resolve(held, place)
        assert not isinstance(resolved, Refusal)
        return self._move(held, resolved)

    def _go(self, src: int, dst: int) -> Action:
        """Send a card to its only place. What is pressed next may have been meant for it still."""
        game = self._table.game
        action = self._move(src, dst)
        self.went = Went(game.top(src) or "", game.top(dst), dst)
        self._guard = "gone"
        return action

    def _move(self, src: int, dst: int) -> Action:
        self.release()
        self.cursor, self.went = src, None
        return Action("m", src, dst)

    def _next_target(self, direction: Direction) -> int:
        """Return the next legal place in turn, where none lies in the arrow's direction."""
        step = 1 if direction in ("right", "down") else -1
        at = self.targets.index(self.cursor) if self.cursor in self.targets else 0
        return self.targets[(at + step) % len(self.targets)]


def _is_unknown(game: Game, place: int) -> bool:
    """Whether nobody can say yet which card lies there: the move that uncovered it is on its way."""
    return place in PILES and game.top(place) == UNKNOWN


def _ordered(places: list[int]) -> tuple[int, ...]:
    """Return places as one goes round: from the top left, row by row; foundations first."""
    return tuple(sorted(places, key=lambda place: (place not in FOUNDATIONS, GRID[place])))
