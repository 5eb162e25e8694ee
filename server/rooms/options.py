"""The options of a room: defaults, ranges and what depends on what (`docs/protocol.md`, "Options")."""

from collections.abc import Mapping
from typing import Any

import msgspec

from server.engine.codes import CodeError, parse_code
from server.engine.texts import Texts, in_every_language
from server.rooms.names import is_printable
from server.rooms.problems import RoomProblem
from server.rooms.whys import Why

SECOND_MS = 1000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
AHEAD_MS_MAX = 30 * DAY_MS  # how far in the future `start_at` and `close_at` may lie
PLAYERS_MAX = 1000
RANDOM_DEAL = "random"

_AHEAD = Texts("now … now + 30 days", "nu … nu + 30 dage", "jetzt … jetzt + 30 Tage")
_NONE = "null"
_DRAWN = Texts(
    f"{RANDOM_DEAL}, where it is sealed",
    f"{RANDOM_DEAL}, når det er forseglet",
    f"{RANDOM_DEAL}, wo es versiegelt ist",
)
_NONE_OR_AHEAD = Texts(*(f"{_NONE}, {ahead}" for ahead in _AHEAD))


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """A room's options, complete. `deal` is `random` or a canonical game code; moments are race clock."""

    name: str = ""
    deal: str = RANDOM_DEAL
    variant: str = "N"
    visibility: str = "top"
    sealed: bool = False
    rank_by: str = "time"
    start: str = "host"
    start_at: int | None = None
    close_at: int | None = None
    min_players: int = 2
    max_players: int = 8
    countdown_ms: int = 5 * SECOND_MS
    limit_ms: int = 0
    after_win_ms: int = 0
    late: bool = False
    undo: bool = True
    spectators: str = "board"
    delay_ms: int = MINUTE_MS
    chat: bool = True
    listed: bool = False
    password: str | None = None


class Rule:
    """What values an option takes; `allowed` says so to people, with values as the wire writes them.

    `kind` names the type, for who sends a value of another.
    """

    allowed: Texts
    kind: Texts = Texts("a text", "en tekst", "ein Text")

    def has_type(self, value: Any) -> bool:
        """Whether the value, as it came from the wire, is of this rule's type, in its range or not."""
        return isinstance(value, str)

    def accepts(self, value: Any) -> bool:
        """Whether the value, as it came from the wire, is of this rule's type and range."""
        raise NotImplementedError


class Flag(Rule):
    """true or false."""

    allowed = in_every_language("true, false")
    kind = Texts("a boolean", "en boolsk værdi", "ein Wahrheitswert")

    def has_type(self, value: Any) -> bool:
        """See `Rule`."""
        return isinstance(value, bool)

    def accepts(self, value: Any) -> bool:
        """See `Rule`."""
        return isinstance(value, bool)


class Choice(Rule):
    """One of a few words."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.allowed = in_every_language(", ".join(words))

    def accepts(self, value: Any) -> bool:
        """See `Rule`."""
        return isinstance(value, str) and value in self.words


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class Whole(Rule):
    """A whole number in a range; `zero` is allowed besides it where it means "none"."""

    kind = Texts("a whole number", "et helt tal", "eine ganze Zahl")

    def __init__(self, low: int, high: int, *, zero: bool = False) -> None:
        self.low, self.high, self.zero = low, high, zero
        self.allowed = in_every_language(("0, " if zero else "") + f"{low}-{high}")

    def has_type(self, value: Any) -> bool:
        """See `Rule`."""
        return _is_whole(value)

    def accepts(self, value: Any) -> bool:
        """See `Rule`."""
        if not _is_whole(value):
            return False
        return self.low <= value <= self.high or (self.zero and value == 0)


class Moment(Rule):
    """A moment of the race clock, or null for none; the future part is asked in `check_moments`."""

    allowed = _NONE_OR_AHEAD
    kind = Texts("whole milliseconds", "hele millisekunder", "eine ganze Zahl von Millisekunden")

    def has_type(self, value: Any) -> bool:
        """See `Rule`."""
        return value is None or _is_whole(value)

    def accepts(self, value: Any) -> bool:
        """See `Rule`."""
        return value is None or (_is_whole(value) and value > 0)


class Text(Rule):
    """A text of so many characters, none of them a control, format or direction character."""

    def __init__(self, high: int) -> None:
        self.high = high
        self.allowed = Texts(
            f"0-{high} characters, none of them control characters",
            f"0-{high} tegn, ingen styretegn",
            f"0-{high} Zeichen, keine Steuerzeichen",
        )

    def accepts(self, value: Any) -> bool:
        """See `Rule`."""
        return isinstance(value, str) and len(value) <= self.high and is_printable(value)


class Password(Rule):
    """A text of 1 to 60 characters, or null for none; it is hashed before it comes into an option."""

    allowed = Texts(f"{_NONE}, 1-60 characters", f"{_NONE}, 1-60 tegn", f"{_NONE}, 1-60 Zeichen")

    def has_type(self, value: Any) -> bool:
        """See `Rule`."""
        return value is None or isinstance(value, str)

    def accepts(self, value: Any) -> bool:
        """See `Rule`."""
        return value is None or (isinstance(value, str) and len(value) >= 1 and "\x00" not in value)


class Deal(Rule):
    """`random` or a game code (R19, R21)."""

    allowed = in_every_language("random, CR1-N-AAAAAAA … CR1-F-ZZZZZZZ, CR2-…")

    def accepts(self, value: Any) -> bool:
        """See `Rule`."""
        return isinstance(value, str) and (value == RANDOM_DEAL or self.fault(value) is None)

    @staticmethod
    def fault(value: str) -> Texts | None:
        """What is wrong with a text that is no game code (R19); None for one that is."""
        try:
            parse_code(value)
        except CodeError as error:
            return error.texts
        return None


RULES: dict[str, Rule] = {
    "name": Text(60),
    "deal": Deal(),
    "variant": Choice("N", "F"),
    "visibility": Choice("top", "open"),
    "sealed": Flag(),
    "rank_by": Choice("time", "moves"),
    "start": Choice("host", "ready", "own", "at"),
    "start_at": Moment(),
    "close_at": Moment(),
    "min_players": Whole(1, PLAYERS_MAX),
    "max_players": Whole(1, PLAYERS_MAX),
    "countdown_ms": Whole(0, MINUTE_MS),
    "limit_ms": Whole(10 * SECOND_MS, 7 * DAY_MS, zero=True),
    "after_win_ms": Whole(SECOND_MS, DAY_MS, zero=True),
    "late": Flag(),
    "undo": Flag(),
    "spectators": Choice("none", "board", "delayed", "live"),
    "delay_ms": Whole(SECOND_MS, HOUR_MS),
    "chat": Flag(),
    "listed": Flag(),
    "password": Password(),
}

SET_ANY_TIME = frozenset({"name", "chat", "listed", "password"})
DECIDES_THE_DEAL = frozenset({"deal", "variant", "sealed"})


def check_value(option: str, value: Any) -> None:
    """Whether this option takes this value, as it came from the wire, by itself.

    Raises `RoomProblem` `bad_options`, naming the option and its range.
    """
    rule = RULES.get(option)
    if rule is None:
        known = in_every_language(", ".join(RULES))
        raise RoomProblem("bad_options", Why.UNKNOWN_OPTION, option=option[:40], allowed=known)
    if not rule.has_type(value):
        raise RoomProblem("bad_options", Why.WRONG_TYPE, option=option, allowed=rule.allowed, more=rule.kind)
    if rule.accepts(value):
        return
    fault = rule.fault(value) if isinstance(rule, Deal) else None
    if fault is not None:
        raise RoomProblem("bad_options", Why.BAD_DEAL, option=option, allowed=rule.allowed, more=fault)
    raise RoomProblem("bad_options", option=option, allowed=rule.allowed)


def change_options(base: Options, wanted: Mapping[str, Any], now_ms: int, present: int = 0) -> Options:
    """`base` with what is `wanted` of it, as it came from the wire, for a room with `present` players.

    Raises `RoomProblem` `bad_options`, naming the option and its range.
    """
    for option, value in wanted.items():
        check_value(option, value)
    changes = dict(wanted)
    if changes.get("deal", RANDOM_DEAL) != RANDOM_DEAL:
        code = parse_code(changes["deal"])
        changes["deal"], changes["variant"] = str(code), code.variant  # a code says its variant itself
    elif "variant" in changes and "deal" not in changes and base.deal != RANDOM_DEAL:
        code_says = in_every_language(base.variant)
        raise RoomProblem("bad_options", Why.VARIANT_OF_THE_DEAL, option="variant", allowed=code_says)
    if "rank_by" in changes and "undo" not in changes:
        changes["undo"] = changes["rank_by"] != "moves"
    if changes.get("start", base.start) != "at" and "start_at" not in changes:
        changes["start_at"] = None
    options = msgspec.structs.replace(base, **changes)
    check_relations(options, present)
    check_moments(options, wanted, now_ms)
    return options


def check_relations(options: Options, present: int) -> None:
    """What one option asks of another. Raises `RoomProblem` `bad_options`."""
    if options.sealed and options.deal != RANDOM_DEAL:
        raise RoomProblem("bad_options", option="deal", allowed=_DRAWN)
    if options.start == "at" and options.start_at is None:
        raise RoomProblem("bad_options", Why.START_AT_MISSING, option="start_at", allowed=_AHEAD)
    if options.start != "at" and options.start_at is not None:
        none = in_every_language(_NONE)
        raise RoomProblem("bad_options", Why.START_AT_UNUSED, option="start_at", allowed=none)
    if options.max_players < max(options.min_players, present):
        allowed = in_every_language(f"{max(options.min_players, present)}-{PLAYERS_MAX}")
        raise RoomProblem("bad_options", Why.TOO_FEW_SEATS, option="max_players", allowed=allowed)


def check_moments(options: Options, wanted: Mapping[str, Any], now_ms: int) -> None:
    """Moments that are set must lie ahead. Raises `RoomProblem` `bad_options`."""
    for option in ("start_at", "close_at"):
        moment = wanted.get(option)
        if moment is not None and not now_ms < moment <= now_ms + AHEAD_MS_MAX:
            allowed = in_every_language(f"{now_ms + 1}-{now_ms + AHEAD_MS_MAX}")
            raise RoomProblem("bad_options", option=option, allowed=allowed)
    if options.start_at is not None and options.close_at is not None and options.close_at <= options.start_at:
        allowed = in_every_language(f"> start_at ({options.start_at})")
        raise RoomProblem("bad_options", option="close_at", allowed=allowed)


def shown_options(options: Options) -> dict[str, Any]:
    """The options as everyone may see them, complete but for those that are none."""
    shown = shown_changes(msgspec.structs.asdict(options))
    return {name: value for name, value in shown.items() if value is not None}


def shown_changes(changes: dict[str, Any]) -> dict[str, Any]:
    """Some options as everyone may see them: a password is shown as `true`."""
    return {name: True if name == "password" and value else value for name, value in changes.items()}
