"""What was typed, and the environment, made fit to be written and sent: what is no UTF-8 becomes U+FFFD."""

import os
from collections.abc import Sequence

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


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
