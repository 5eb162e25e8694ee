"""How a command's usage line is written."""

from typing import Any

from typer.core import TyperCommand


class UsageCommand(TyperCommand):
    """A command whose usage names a required argument as people know it from elsewhere: ROOM, not {ROOM}."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line, without braces."""
        return [piece.removeprefix("{").removesuffix("}") for piece in super().collect_usage_pieces(ctx)]
