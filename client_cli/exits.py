"""How the program ends: its exit codes."""

from typing import Final

from client_cli.failures import Denied, Ended

OK: Final = 0
REFUSED: Final = 1
"""The race said no: refused, banned, an unknown room …"""
USAGE: Final = 2
"""What was typed cannot be used."""
NO_CONNECTION: Final = 3
INTERRUPTED: Final = 130
"""Ctrl-C, as shells have it."""

_TYPED_BADLY = frozenset(("bad_options", "bad_name"))


def exit_of_denied(denied: Denied) -> int:
    """Return the exit code for a request that was answered with an error."""
    if denied.code == "store_unavailable":
        return NO_CONNECTION
    return USAGE if denied.code in _TYPED_BADLY else REFUSED


def exit_of_ended(ended: Ended) -> int:
    """Return the exit code for a connection that is over."""
    if ended.kind == "done":
        return OK
    return NO_CONNECTION if ended.kind == "away" else REFUSED
