"""How a command's usage line is written, and what is said of what was typed and cannot be used."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NoReturn, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from client_cli.cli_options import complain
from client_cli.texts import environment_lang, say
from protocol.messages import Lang

USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""What the command-line library raises for whatever cannot be used; it has no public name for it."""

_ONE_OF = " is not one of "
_NUMBERS = ("valid integer", "valid number")
_EXTRA = re.compile(r"extra arguments?(?:\(s\))? \((.*)\)")


class UsageCommand(TyperCommand):
    """A command whose usage names a required argument as people know it from elsewhere: ROOM, not {ROOM}."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line, without braces."""
        return [piece.removeprefix("{").removesuffix("}") for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what was typed; exit 2, in the player's language, for what cannot be used."""
        return _parsed(super().parse_args, ctx, args)


class UsageGroup(TyperGroup):
    """The program itself, which says in the player's language as well what it has not got."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what stands before a command."""
        return _parsed(super().parse_args, ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is typed; exit 2 for one that there is not."""
        typed = list(args)
        try:
            return super().resolve_command(ctx, args)
        except USAGE_ERROR:
            lang, names = _lang_of(typed), ", ".join(self.list_commands(ctx))
            complain(say("usage_no_command", lang, text=typed[0], names=names), "--json" in typed)


def _parsed(parse: Callable[[Any, list[str]], list[str]], ctx: Any, args: list[str]) -> list[str]:
    typed = list(args)  # the library takes them away as it reads
    try:
        return parse(ctx, args)
    except USAGE_ERROR as error:
        _refuse(error, ctx, typed)


def _refuse(error: Exception, ctx: Any, typed: Sequence[str]) -> NoReturn:
    """Say what cannot be used, and end with exit 2; raise what is no error but the help."""
    sentence = _sentence(error, ctx.command_path, _lang_of(typed))
    if sentence is None:
        raise error
    complain(sentence, "--json" in typed)


def _sentence(error: Any, command: str, lang: Lang) -> str | None:
    """Return what is wrong, and what can be done; None where it is the help that is raised.

    The library's errors are known by their names: where they are defined differs by its version.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    more = say("usage_help", lang, command=command)
    if "NoArgsIsHelpError" in kinds:
        return None
    if "MissingParameter" in kinds:
        return say("usage_missing", lang, name=_argument(error.param), more=more)
    if "NoSuchOption" in kinds:
        if error.possibilities:
            more = say("usage_meant", lang, names=", ".join(sorted(error.possibilities)))
        return say("usage_no_option", lang, command=command, option=error.option_name, more=more)
    if "BadOptionUsage" in kinds:
        key = "usage_takes_no_value" if "not take" in error.message else "usage_needs_value"
        return say(key, lang, option=error.option_name, more=more)
    if "BadParameter" in kinds:
        known = _not_allowed(error, lang)
        if known is not None:
            return known
    extra = _EXTRA.search(error.message)
    if extra is not None:
        return say("usage_extra", lang, command=command, text=extra[1], more=more)
    return say("usage_other", lang, text=error.format_message(), more=more)


def _argument(param: Any) -> str:
    """Return an argument as the usage line names it."""
    return str(param.metavar or param.name) if param is not None else "?"


def _not_allowed(error: Any, lang: Lang) -> str | None:
    """Return which values the option takes; None where that is not known."""
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
