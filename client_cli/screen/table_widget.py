"""The table: the horseshoe of piles with the foundations in its middle (R2), and the mouse on it."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from client_cli.screen import gestures
from client_cli.screen.horseshoe import Horseshoe
from client_cli.screen.paint import FELT, STYLES, Span, TableView, paint
from protocol.messages import Lang


class TableWidget(Widget):
    """Draws a view of a game and says what the mouse means."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(STYLES)

    class Gestured(Message):
        """The mouse did something to the table."""

        def __init__(self, gesture: gestures.Gesture) -> None:
            super().__init__()
            self.gesture = gesture

    class Lifted(Message):
        """A card is being dragged off its place, or, with None, no longer."""

        def __init__(self, place: int | None) -> None:
            super().__init__()
            self.place = place

    def __init__(self, lang: Lang, *, ascii_only: bool = False) -> None:
        super().__init__(id="table")
        self._lang = lang
        self._ascii_only = ascii_only
        self._view: TableView | None = None
        self._lines: list[list[Span]] = []
        self._mouse = gestures.Mouse()
        self._drag: tuple[int, int] | None = None
        self._styles_made: dict[tuple[str, tuple[str, ...]], Style] = {}

    def show(self, view: TableView) -> None:
        """Draw this from now on."""
        self._view = view
        self._paint()

    @property
    def layout_now(self) -> Horseshoe:
        """Where everything lies at the present size."""
        return Horseshoe(self.size.width, self.size.height)

    def _paint(self) -> None:
        if self._view is None:
            return
        self._view.drag = self._drag
        before = self._lines
        self._lines = paint(self._view, self.layout_now, self._lang, ascii_only=self._ascii_only)
        if len(before) != len(self._lines):
            self.refresh()
            return
        width = self.size.width
        changed = [y for y, line in enumerate(self._lines) if line != before[y]]
        if changed:
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def render_line(self, y: int) -> Strip:
        """Return one line of the table."""
        if y >= len(self._lines):
            return Strip.blank(self.size.width, self._style((FELT,)))
        return Strip(
            [Segment(span.text, self._style(span.styles)) for span in self._lines[y]], self.size.width
        )

    def _style(self, names: tuple[str, ...]) -> Style:
        """Return component styles laid over each other: of each, what it says itself."""
        key = (self.app.theme, names)
        if key not in self._styles_made:
            color, background, text_style = Color.parse("white"), Color.parse("black"), Style()
            for name in names:
                styles = self.get_component_styles(name)
                color = styles.color if styles.has_rule("color") else color
                background = styles.background if styles.has_rule("background") else background
                text_style += styles.text_style
            self._styles_made[key] = text_style + Style(color=color.rich_color, bgcolor=background.rich_color)
        return self._styles_made[key]

    def on_resize(self) -> None:
        """Draw it anew at the new size."""
        self._lines = []
        self._paint()

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A click or a drag begins."""
        if event.button == 1:
            self._mouse.down(self._place(event))
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """A dragged card follows the mouse."""
        was_dragging = self._drag is not None
        self._mouse.move(self._place(event))
        if not (self._mouse.dragging or was_dragging) or self._mouse.pressed is None:
            return
        self._drag = (event.x, event.y)
        if not was_dragging:
            self.post_message(self.Lifted(self._mouse.pressed))
        self._paint()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """It ends: as a click, a double click or a drop."""
        self.release_mouse()
        self._drag = None
        gesture = self._mouse.up(self._place(event), event.time)
        if gesture is not None:
            self.post_message(self.Gestured(gesture))
        self._paint()

    def _place(self, event: events.MouseEvent) -> int | None:
        return self.layout_now.place_at(event.x, event.y)
