"""How far everybody was, side by side as bars: the chosen one's is marked, and a click chooses another."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text

from client_cli.replay_bars import bar
from client_cli.replay_model import Standing
from client_cli.safe_text import safe_text
from client_cli.screen.drawn_widget import DrawnWidget
from client_cli.texts import status_text
from protocol.messages import Lang

_NAME_CELLS_MAX = 16
_BAR_CELLS_MIN, _BAR_CELLS_MAX = 8, 52
_HOME_CELLS = 5
_WIDE = 40
"""From this width on there is room for words; before, only for those that say more than the bar."""


def bar_texts(
    standings: Sequence[Standing], lang: Lang, width: int, *, ascii_only: bool = False
) -> list[str]:
    """Return a line a player, of at most `width` columns: name, bar, cards at home, and in what state."""
    names = [safe_text(standing.name) for standing in standings]
    states = [status_text(standing.status, lang) for standing in standings]
    wide = width >= _WIDE
    state_cells = 1 + max(map(cell_len, states), default=0) if wide else 0
    name_cells = min(_NAME_CELLS_MAX if wide else 9, max(map(cell_len, names), default=0))
    cells = width - name_cells - 1 - _HOME_CELLS - state_cells
    cells = max(_BAR_CELLS_MIN, min(_BAR_CELLS_MAX, cells))
    return [
        f"{set_cell_size(name, name_cells)} {bar(standing.home, cells, ascii_only)}"
        f"{standing.home:>{_HOME_CELLS}}{f' {state}' if wide else ''}"
        for name, state, standing in zip(names, states, standings, strict=True)
    ]


class BarsWidget(DrawnWidget):
    """Shows as many as there is room for, the chosen one among them."""

    def __init__(self, lang: Lang, *, ascii_only: bool) -> None:
        super().__init__("bars")
        self._lang, self._ascii_only = lang, ascii_only
        self._standings: Sequence[Standing] = ()
        self._chosen = 0

    def show(self, standings: Sequence[Standing], chosen: int) -> None:
        """Show these from now on."""
        self._standings, self._chosen = standings, chosen
        self.redraw()

    def drawn(self) -> Text:
        """Return the lines for the present size."""
        width, height = self.content_size
        first = max(0, self._chosen - height + 1)
        lines = bar_texts(self._standings, self._lang, max(1, width - 1), ascii_only=self._ascii_only)
        text = Text(no_wrap=True, overflow="crop")
        for at, line in list(enumerate(lines))[first : first + height]:
            mine, status = at == self._chosen, self._standings[at].status
            out = status in ("forfeited", "disqualified")
            style = "bold" if mine or status == "won" else "dim" if out else ""
            part = Text(f"{'>' if mine else ' '}{line}\n", style)
            part.stylize(Style(meta={"@click": f"screen.do('bar', '{at}')"}))
            text.append_text(part)
        return text
