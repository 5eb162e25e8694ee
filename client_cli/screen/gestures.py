"""What the mouse means: a click, a double click, or a card dragged from one place to another. Pure."""

from dataclasses import dataclass

DOUBLE_CLICK_S = 0.5


@dataclass(frozen=True, slots=True)
class Click:
    """One place was clicked."""

    place: int


@dataclass(frozen=True, slots=True)
class DoubleClick:
    """The same place was clicked again at once."""

    place: int


@dataclass(frozen=True, slots=True)
class Drop:
    """A card was dragged from `src` and let go over `dst`; None: over nothing."""

    src: int
    dst: int | None


Gesture = Click | DoubleClick | Drop


class Mouse:
    """The button's way from down to up, and what it was the time before."""

    def __init__(self) -> None:
        self.pressed: int | None = None
        self.over: int | None = None
        self._last: int | None = None
        self._last_s = 0.0

    @property
    def dragging(self) -> bool:
        """Whether the button is down and has left the place where it went down."""
        return self.pressed is not None and self.over != self.pressed

    def down(self, place: int | None) -> None:
        """The button went down over `place`."""
        self.pressed = self.over = place

    def move(self, place: int | None) -> None:
        """The mouse is over `place`."""
        self.over = place

    def up(self, place: int | None, now_s: float) -> Gesture | None:
        """The button came up over `place`; return what that was."""
        pressed, self.pressed = self.pressed, None
        self.over = place
        if pressed is None:
            return None
        if place != pressed:
            self._last = None
            return Drop(pressed, place)
        if self._last == place and now_s - self._last_s <= DOUBLE_CLICK_S:
            self._last = None  # a third click is a first one again
            return DoubleClick(place)
        self._last, self._last_s = place, now_s
        return Click(place)

    def cancel(self) -> None:
        """The drag is over without a drop."""
        self.pressed = None
