"""A player who plays anything that may be played."""

from client_cli.moves import legal_moves
from client_cli.position import Position
from client_cli.strategies.strategy import Strategy
from server.engine.actions import Action


class RandomLegal(Strategy):
    """Any legal move, each as likely; a redeal when there is none, or when nothing comes of it."""

    def _action(self, position: Position) -> Action | None:
        moves = legal_moves(position)
        return Action("m", *self._rng.choice(moves)) if moves and not self._tired else None

    def look_again(self, position: Position) -> None:
        """Nothing was remembered."""
