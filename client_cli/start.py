"""What `crescent` does first: at a terminal it says its name, for what it needs takes a moment to load."""

import sys

_WITH_SCREEN = ("lobby", "host", "play", "watch", "replay", "solo")
_WITHOUT_SCREEN = frozenset(("--json", "--plain", "--lines", "--help", "--version"))
_COMPLETION = ("--install-completion", "--show-completion")


def main() -> None:
    """Run `crescent`."""
    if _opens_screen(sys.argv[1:]) and sys.stdin.isatty() and sys.stdout.isatty():
        sys.stdout.write("Crescent ...\n")
        sys.stdout.flush()
    from client_cli.__main__ import main as run  # the moment that it takes

    run()


def _opens_screen(arguments: list[str]) -> bool:
    """Whether what was typed leads to a screen; a command may follow its options."""
    if not _WITHOUT_SCREEN.isdisjoint(arguments):
        return False
    first = arguments[0] if arguments else "lobby"
    return first in _WITH_SCREEN or (first.startswith("-") and not first.startswith(_COMPLETION))
