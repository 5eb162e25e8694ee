"""What can be typed in a room, as who one is in it: what `help` and `help set` say. Pure."""

from client_cli.help_texts import HELP
from client_cli.room_options import allowed_text, typed_name
from client_cli.room_view import RoomView
from client_cli.texts import say
from protocol.messages import Lang
from server.rooms.options import RULES, Choice, Flag, Moment, Password, Whole

Told = tuple[str, dict[str, str]]
"""A sentence of the catalogue: its key and its values."""

_HELP_OF = {"name": "room_name", "deal": "game"}
"""Options whose help stands under another name than the one they are typed by."""


def help_told(topic: str, room: RoomView | None, lang: Lang) -> list[Told]:
    """Return the sentences of `help`; those of `help set` name every option with what it is and takes."""
    if topic.casefold() == "set":
        return [("help_set", {}), *(_option(name, lang) for name in RULES)]
    roles = room.roles if room is not None else set()
    told: list[Told] = [("help", {})]
    if "host" in roles:
        told.append(("help_host", {}))
    if not {"host", "referee"}.isdisjoint(roles):
        told.append(("help_managers", {}))
    return told


def help_rows(topic: str, room: RoomView | None, lang: Lang) -> list[tuple[str, bool]]:
    """Return the same in rows, with whether each is a heading."""
    told = help_told(topic, room, lang)
    lines = [line for key, values in told for line in say(key, lang, **values).split("\n")]
    rows: list[tuple[str, bool]] = []
    for line in lines:
        if line.startswith("  "):
            rows.append((line.strip(), False))
            continue
        head, _, rest = line.partition(": ")
        rows.append((head.rstrip(":"), True))
        rows += [(item, False) for item in rest.split(" · ") if item]
    return rows


def _option(name: str, lang: Lang) -> Told:
    typed, rule = typed_name(name), RULES[name]
    words = HELP[_HELP_OF.get(name, typed.replace("-", "_"))].text(lang).rstrip(".")
    values = ""
    said = isinstance(rule, Choice) and all(one in words for one in rule.words)
    if isinstance(rule, Flag):
        values = "yes, no"
    elif isinstance(rule, Choice | Whole) and not said:
        values = allowed_text(name, lang)
    elif isinstance(rule, Moment | Password):
        values = say("or_none", lang)
    return "help_option", {"option": typed, "words": f"{words} ({values})" if values else words}
