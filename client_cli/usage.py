"""How a command's usage line is written, and what is said of a value that an option cannot have."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, get_args

import typer
from typer.core import TyperCommand

from client_cli.cli_options import complain
from client_cli.texts import environment_lang, say
from protocol.messages import Lang

_ONE_OF = " is not one of "
_NUMBERS = ("valid integer", "valid number")


class UsageCommand(TyperCommand):
    """A command whose usage names a required argument as people know it from elsewhere: ROOM, not {ROOM}."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line, without braces."""
        return [piece.removeprefix("{").removesuffix("}") for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what was typed; exit 2, in the player's language, for a value that an option cannot have."""
        typed = list(args)
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            sentence = _not_allowed(error, _lang_of(typed))
            if sentence is None:
                raise
            complain(sentence, "--json" in typed)


def _not_allowed(error: typer.BadParameter, lang: Lang) -> str | None:
    """Return which values the option takes; None where the library's own words must do."""
    option = error.param.opts[0] if error.param is not None else ""
    _, is_choice, values = error.message.partition(_ONE_OF)
    if is_choice:
        return say("out_of_range", lang, text=option, allowed=values.rstrip(".").replace("'", ""))
    if any(kind in error.message for kind in _NUMBERS):
        return say("no_number", lang, text=option)
    return None


def _lang_of(typed: Sequence[str]) -> Lang:
    """Return the language that was typed, if one was, else the environment's."""
    words = [word for argument in typed for word in argument.split("=", 1)]
    asked = [value for option, value in pairwise(words) if option == "--lang"]
    return next((lang for lang in get_args(Lang) if asked and lang == asked[-1]), environment_lang())
