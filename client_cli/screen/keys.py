"""The one table of keys: the bindings, the line of keys at the bottom, and the help are made from it."""

from dataclasses import dataclass
from typing import Literal

Group = Literal["playing", "mouse", "race", "people", "lobby", "form", "result", "replay", "screen"]
GROUPS: tuple[Group, ...] = (
    "playing", "mouse", "race", "people", "lobby", "form", "result", "replay", "screen",
)  # fmt: skip
Where = Literal["race", "lobby", "form", "people", "result", "replay"]
"""On which screen a key means something."""


@dataclass(frozen=True, slots=True)
class Key:
    """What one can press: `keys` as textual names them, `shown` as people read it.

    `name` is the action, and in `words` there are `key_<name>` (what it does) and, where it is `short`,
    `short_<name>` for the bottom line. Without `keys` it is done with the mouse, or by the list or field that
    has the focus.
    """

    name: str
    keys: tuple[str, ...]
    shown: str
    group: Group
    short: bool = False
    where: tuple[Where, ...] = ("race",)


KEYS: tuple[Key, ...] = (
    Key("arrow", ("left", "right", "up", "down"), "←↑↓→", "playing"),
    Key("choose", ("enter", "space"), "Enter", "playing"),
    Key("digit", tuple("0123456789"), "2 … 16", "playing"),
    Key("home", ("f",), "f", "playing", short=True),
    Key("show", ("h",), "h", "playing", short=True),
    Key("release", ("escape",), "Esc", "playing"),
    Key("undo", ("u", "backspace"), "u", "playing", short=True),
    Key("redeal", ("r",), "r", "playing", short=True),
    Key("click", (), "●", "mouse"),
    Key("double_click", (), "●●", "mouse"),
    Key("drag", (), "●→", "mouse"),
    Key("start", ("s",), "s", "race", short=True),
    Key("ready", ("y",), "y", "race", short=True),
    Key("forfeit", ("g",), "g", "race", short=True),
    Key("again", ("n",), "n", "race", short=True),
    Key("talk", ("t",), "t", "race", short=True),
    Key("command", ("slash",), "/", "race"),
    Key("follow", ("v",), "v", "race", short=True),
    Key("manage", ("m",), "m", "race", short=True),
    Key("result", ("b",), "b", "race", short=True),
    Key("pick", (), "↑↓", "people", where=("people",)),
    Key("pick_action", ("right", "tab"), "→", "people", short=True, where=("people",)),
    Key("do_it", (), "Enter", "people", short=True, where=("people",)),
    Key("pick_room", (), "↑↓", "lobby", where=("lobby",)),
    Key("enter_room", (), "Enter", "lobby", short=True, where=("lobby",)),
    Key("watch", ("w",), "w", "lobby", short=True, where=("lobby",)),
    Key("join", ("j",), "j", "lobby", short=True, where=("lobby",)),
    Key("open", ("o",), "o", "lobby", short=True, where=("lobby",)),
    Key("resume", ("g",), "g", "lobby", short=True, where=("lobby",)),
    Key("name", ("a",), "a", "lobby", short=True, where=("lobby",)),
    Key("field", ("up", "down"), "↑↓", "form", where=("form",)),
    Key("value", (), "←→", "form", where=("form",)),
    Key("submit", ("enter", "f10"), "Enter", "form", short=True, where=("form",)),
    Key("rematch", ("n",), "n", "result", short=True, where=("result",)),
    Key("replay", ("p",), "p", "result", short=True, where=("result",)),
    Key("check", ("c",), "c", "result", short=True, where=("result",)),
    Key("save", ("l",), "l", "result", short=True, where=("result",)),
    Key("scroll", (), "↑↓", "result", where=("result",)),
    Key("play", ("space",), "Space", "replay", short=True, where=("replay",)),
    Key("step", ("left", "right"), "←→", "replay", where=("replay",)),
    Key("speed", ("plus", "minus", "equals_sign"), "+ -", "replay", where=("replay",)),
    Key("tenth", tuple("0123456789"), "0 … 9", "replay", where=("replay",)),
    Key("ends", ("home", "end"), "Home", "replay", where=("replay",)),
    Key("jump", ("j",), "j", "replay", short=True, where=("replay",)),
    Key("whose", ("up", "down", "tab"), "↑↓", "replay", where=("replay",)),
    Key("bar", (), "●", "replay", where=("replay",)),
    Key("piles", ("o",), "o", "replay", short=True, where=("replay",)),
    Key("explains", ("i",), "i", "screen"),
    Key("theme", ("d",), "d", "screen", where=("race", "lobby", "result", "replay")),
    Key(
        "help",
        ("question_mark", "f1"),
        "?",
        "screen",
        short=True,
        where=("race", "lobby", "people", "result", "replay"),
    ),
    Key("field_help", ("f1", "question_mark"), "F1", "screen", short=True, where=("form",)),
    Key("suspend", (), "Ctrl-Z", "screen", where=("race", "lobby", "replay")),
    Key("back", ("escape",), "Esc", "screen", short=True, where=("form", "people", "result", "replay")),
    Key("quit", ("q", "ctrl+c"), "q", "screen", short=True, where=("race", "result")),
    Key("leave", ("q", "ctrl+c"), "q", "screen", short=True, where=("lobby", "replay")),
)

BY_NAME = {key.name: key for key in KEYS}


NOT_ALONE = frozenset(("start", "ready", "talk", "follow", "manage"))
"""Keys for which it takes others: in practice nobody is shown them."""


def keys_on(where: Where) -> tuple[Key, ...]:
    """Return the keys of one screen, in the order of the table."""
    return tuple(key for key in KEYS if where in key.where)
