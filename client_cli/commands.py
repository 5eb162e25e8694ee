"""What people type, as values: a command by its name, or else a move."""

from dataclasses import dataclass
from typing import Literal

from protocol.limits import SAY_CHARACTERS_MAX

Takes = Literal["nothing", "text", "maybe"]

COMMANDS: dict[str, Takes] = {
    "ready": "nothing",
    "unready": "nothing",
    "start": "nothing",
    "hold": "nothing",
    "forfeit": "nothing",
    "unforfeit": "nothing",
    "say": "text",
    "table": "nothing",
    "board": "nothing",
    "look": "text",
    "places": "text",
    "clock": "nothing",
    "rooms": "nothing",
    "follow": "text",
    "unfollow": "nothing",
    "kick": "text",
    "ban": "text",
    "disqualify": "text",
    "reinstate": "text",
    "mute": "text",
    "unmute": "text",
    "referee": "text",
    "unreferee": "text",
    "host": "text",
    "set": "text",
    "close": "maybe",
    "rematch": "nothing",
    "next": "nothing",
    "leave": "nothing",
    "forget": "maybe",
    "help": "maybe",
    "quit": "nothing",
}

LINE_CHARACTERS_MAX = 1000


@dataclass(frozen=True, slots=True)
class Command:
    """A command and what stands after it; `move` for a line that is to be read as a move."""

    name: str
    argument: str = ""


class CommandError(Exception):
    """A line that is no command: `key` and `values` name the sentence that says why."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


def _move_in_words(name: str, argument: str) -> Command:
    """Return the move that is typed as a word: `redeal`, `undo`, `home 5`."""
    if name == "home":
        if not argument:
            raise CommandError("home_which")
        return Command("move", f"{argument}>F")
    if argument:
        raise CommandError("takes_no_argument", command=name)
    return Command("move", name[0])


def parse_line(line: str) -> Command | None:
    """Return the command that a line is, None for an empty one; CommandError where it is none.

    Whether a move is well written is not looked at: that takes the game.
    """
    text = line.strip()
    if not text:
        return None
    if len(text) > LINE_CHARACTERS_MAX:
        raise CommandError("too_long", most=LINE_CHARACTERS_MAX)
    if ">" in text.split()[0] or text.upper() in ("R", "U") or (">" in text and text[0].isdigit()):
        return Command("move", text)
    name, _, argument = text.partition(" ")
    name, argument = name.lower(), argument.strip()
    if name in ("redeal", "undo", "home"):
        return _move_in_words(name, argument)
    takes = COMMANDS.get(name)
    if takes is None:
        if ">" in text and len(text) <= 12:
            return Command("move", text)  # such as “A S > K”, whose spaces do not matter
        raise CommandError("unknown_command", text=text[:40])
    if takes == "text" and not argument:
        raise CommandError("needs_argument", command=name)
    if takes == "nothing" and argument:
        raise CommandError("takes_no_argument", command=name)
    if len(argument) > SAY_CHARACTERS_MAX:
        raise CommandError("too_long", most=SAY_CHARACTERS_MAX)
    return Command(name, argument)
