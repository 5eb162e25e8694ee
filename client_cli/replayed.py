"""A game played again from its log, as people write it."""

from array import array
from collections.abc import Callable, Sequence

import msgspec

from protocol.limits import ACTIONS_MAX
from server.engine.actions import Action
from server.engine.game import Game
from server.engine.notation import NotationError, parse_action
from server.engine.refusals import Refusal, text
from server.engine.texts import LANGUAGES, Texts
from server.rooms.standings import Progress


class ReplayedGame(msgspec.Struct, kw_only=True):
    """Where a replayed game stands at its end; `fault` says why the action after its last one cannot be.

    `times` are those of the actions played, `undo_n` the place of the first undo in the log, 0 without.
    """

    name: str
    times: "array[int]"
    status: str
    moves: int
    undone: int
    redeals: int
    home: int
    undoable: int
    undo_n: int = 0
    fault: Texts | None = None
    fault_text: str = ""

    @property
    def actions(self) -> int:
        """How many actions were played."""
        return len(self.times)

    @property
    def last_ms(self) -> int:
        """The time of the latest action, 0 before the first."""
        return self.times[-1] if self.times else 0

    @property
    def won(self) -> bool:
        """Whether the game is won."""
        return self.status == "won"

    def progress(self, start_at: int) -> Progress | None:
        """How far it had come at its end, as a board has it; None without an action."""
        if not self.times:
            return None
        return Progress(
            self.actions,
            start_at + self.last_ms,
            self.status,
            self.moves,
            self.undone,
            self.redeals,
            self.home,
            self.undoable,
        )


def replay(dealt: Game, name: str, log: Sequence[tuple[int, str]]) -> ReplayedGame:
    """Play a log of `(ms, action)` from the deal on, as far as it goes by the rules."""
    game = dealt.copy()
    times = array("q")
    fault, fault_text, undo_n = None, "", 0
    for ms, action in log:
        fault = _TOO_LONG if len(times) >= ACTIONS_MAX else _play(game, action)
        if fault is not None:
            fault_text = action
            break
        times.append(ms)
        if not undo_n and game.undone:
            undo_n = len(times)
    return ReplayedGame(
        name=name,
        times=times,
        status=game.status,
        moves=game.moves,
        undone=game.undone,
        redeals=game.redeals,
        home=game.home,
        undoable=game.undoable,
        undo_n=undo_n,
        fault=fault,
        fault_text=fault_text,
    )


_PLAY: dict[str, Callable[[Game, int, int], object]] = {
    "m": lambda game, src, dst: game.move(src, dst),
    "r": lambda game, src, dst: game.redeal(),
    "u": lambda game, src, dst: game.undo(),
}


def read_text(game: Game, text: str) -> Action | Texts:
    """Return the action that a text of a log means in a game, or why it means none."""
    try:
        return parse_action(game, text)
    except NotationError as error:
        return error.texts


def play_action(game: Game, action: Action) -> Texts | None:
    """Play one action: None, or why it cannot be played."""
    outcome: object = _PLAY[action.op](game, action.src, action.dst)
    if isinstance(outcome, Refusal):
        return Texts(*(text(outcome, lang) for lang in LANGUAGES))
    return None


def _play(game: Game, written: str) -> Texts | None:
    action = read_text(game, written)
    return play_action(game, action) if isinstance(action, Action) else action


_TOO_LONG = Texts(
    f"a game has {ACTIONS_MAX} actions at most",
    f"et spil har højst {ACTIONS_MAX} handlinger",
    f"eine Partie hat höchstens {ACTIONS_MAX} Aktionen",
)
