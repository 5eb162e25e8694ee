"""A game played again from its log, as people write it."""

from collections.abc import Sequence

import msgspec

from server.engine.codes import GameCode
from server.engine.game import Game
from server.engine.notation import NotationError, parse_action
from server.engine.refusals import Refusal


class ReplayedGame(msgspec.Struct, kw_only=True):
    """Where a replayed game stands at its end; `fault` says which action breaks the rules, and how."""

    actions: int
    last_ms: int
    status: str
    moves: int
    undone: int
    redeals: int
    home: int
    undoable: int
    fault: str = ""

    @property
    def won(self) -> bool:
        """Whether the game is won."""
        return self.status == "won"


def replay(code: GameCode, log: Sequence[tuple[int, str]]) -> ReplayedGame:
    """Play a log of `(ms, action)` from the deal on, as far as it goes by the rules."""
    game = Game.deal(code)
    fault, played, last_ms = "", 0, 0
    for ms, text in log:
        fault = _play(game, text)
        if fault:
            fault = f"action {played + 1} ({text}): {fault}"
            break
        played, last_ms = played + 1, ms
    return ReplayedGame(
        actions=played,
        last_ms=last_ms,
        status=game.status,
        moves=game.moves,
        undone=game.undone,
        redeals=game.redeals,
        home=game.home,
        undoable=game.undoable,
        fault=fault,
    )


def _play(game: Game, text: str) -> str:
    """Play one action: "" or why it cannot be played."""
    try:
        op, src, dst = parse_action(game, text)
    except NotationError as error:
        return str(error)
    if op == "m":
        outcome = game.move(src, dst)
        return str(outcome) if isinstance(outcome, Refusal) else ""
    if op == "r":
        refusal = game.redeal()
        return str(refusal) if refusal is not None else ""
    undone = game.undo()
    return str(undone) if isinstance(undone, Refusal) else ""
