"""What was typed, and the environment, made fit to be written and sent: what is no UTF-8 becomes U+FFFD."""

import os
from collections.abc import Sequence

from typer.core import TyperGroup, TyperOption

ENVIRONMENT = ("CRESCENT_SERVER", "CRESCENT_PASSWORD")
"""The variables that are sent or shown. Those that name files are left as they are."""


def readable(text: str) -> str:
    """Return `text` without the surrogates that stand for bytes that are no UTF-8."""
    return os.fsencode(text).decode("utf-8", "replace") if not _is_unicode(text) else text


def readable_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a program made readable; its environment is made so in place."""
    for variable in ENVIRONMENT:
        if variable in os.environ:
            os.environ[variable] = readable(os.environ[variable])
    return [readable(argument) for argument in arguments]


def with_command(program: object, arguments: Sequence[str], command: str) -> list[str]:
    """Return the arguments of a program with the command in front, whether it was typed after its options or
    left out, which means `command`. Options of the program itself stay where they are."""
    assert isinstance(program, TyperGroup)
    own = {"--help", *(name for option in program.params for name in option.opts)}
    if arguments and (not arguments[0].startswith("-") or arguments[0].partition("=")[0] in own):
        return list(arguments)
    flags = {
        name
        for known in program.commands.values()
        for option in known.params
        if isinstance(option, TyperOption) and option.is_flag
        for name in (*option.opts, *option.secondary_opts)
    }
    takes_value = False
    for at, argument in enumerate(arguments):
        if takes_value:
            takes_value = False
        elif argument.startswith("-"):
            takes_value = "=" not in argument and argument not in flags
        elif argument in program.commands:
            return [argument, *arguments[:at], *arguments[at + 1 :]]
        else:
            break
    return [command, *arguments]


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
