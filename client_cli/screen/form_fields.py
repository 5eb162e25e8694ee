"""The form's one table, a field an option of the protocol, and how a filled form becomes options. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from client_cli.durations import clock_text
from client_cli.room_options import (
    MomentError,
    SettingError,
    allowed_text,
    read_setting,
    typed_name,
    typed_number,
)
from client_cli.screen.form_hints import HINTS
from client_cli.screen.words import WORDS, word
from client_cli.texts import say
from protocol.messages import Lang
from server.engine.codes import CodeError, parse_code
from server.engine.texts import Texts
from server.rooms.options import (
    RANDOM_DEAL,
    RULES,
    Choice,
    Deal,
    Flag,
    Moment,
    Options,
    Password,
    Text,
    Whole,
    change_options,
)
from server.rooms.problems import RoomProblem

Kind = Literal["flag", "choice", "number", "moment", "text", "password", "deal"]
YES, NO = "yes", "no"
_KINDS: dict[type, Kind] = {
    Flag: "flag", Choice: "choice", Whole: "number", Moment: "moment", Text: "text", Password: "password",
    Deal: "deal",
}  # fmt: skip
_SECRET_KEPT = "x"  # stands for a password that is set and not known


@dataclass(frozen=True, slots=True)
class Field:
    """One option in the form: `values` are those of a choice."""

    option: str
    kind: Kind
    values: tuple[str, ...] = ()

    def label(self, lang: Lang) -> str:
        """What it is called."""
        return word(f"label_{self.option}", lang)

    def hint(self, lang: Lang) -> str:
        """What it does to the race."""
        return HINTS[self.option].text(lang)

    def words(self, lang: Lang) -> tuple[str, ...]:
        """What the values of a choice are called."""
        if self.kind == "flag":
            return word("form_yes", lang), word("form_no", lang)
        return tuple(word(f"choice_{self.option}_{value}", lang) for value in self.values)

    def range(self, lang: Lang, *, changing: bool = False) -> str:
        """Which values it takes; "" for a choice, which shows them all."""
        rule = RULES[self.option]
        match self.kind:
            case "number":
                return allowed_text(self.option, lang)
            case "password" if changing:
                return word("form_password_kept", lang)
            case "text":
                assert isinstance(rule, Text)
                return word("form_text", lang, count=rule.high)
            case "moment" | "password" | "deal":
                return word(f"form_{self.kind}", lang)
        return ""

    def shown(self, options: Options, now_ms: int) -> str:
        """What stands in it for these options."""
        value = getattr(options, self.option)
        match self.kind:
            case "flag":
                return YES if value else NO
            case "number":
                return typed_number(self.option, value)
            case "moment":
                return "" if value is None else clock_text(value, now_ms)
            case "password":
                return ""
        return str(value)


def _field(option: str) -> Field:
    rule = RULES[option]
    kind = _KINDS[type(rule)]
    values = (YES, NO) if isinstance(rule, Flag) else rule.words if isinstance(rule, Choice) else ()
    return Field(option, kind, values)


FIELDS: tuple[Field, ...] = tuple(_field(option) for option in RULES)
"""Every option there is, in the order of the protocol's page."""

_BY_OPTION = {field.option: field for field in FIELDS}


def known_options(shown: Mapping[str, Any]) -> Options:
    """Return a room's options from its `room` message, without what this version does not know."""
    known = {name: value for name, value in shown.items() if name in RULES}
    if known.get("password"):
        known["password"] = _SECRET_KEPT
    return msgspec.structs.replace(Options(), **known)


def shown_fields(base: Options, now_ms: int) -> dict[str, str]:
    """Return what stands in every field for these options."""
    return {field.option: field.shown(base, now_ms) for field in FIELDS}


def read_form(
    typed: Mapping[str, str],
    shown: Mapping[str, str],
    base: Options,
    now_ms: int,
    lang: Lang,
    present: int = 0,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the options that were changed, as the wire takes them, and a sentence for each wrong field.

    `typed` is what stands in the fields now, and `shown` what stood there for `base`, by option. Where a
    sentence is returned, the options are not whole.
    """
    options: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for field in FIELDS:
        text = typed[field.option].strip()
        if text == shown[field.option]:
            continue
        try:
            options |= _read(field, text, now_ms)
        except SettingError as error:
            values = (
                {**error.values, "text": field.label(lang)} if error.key in _ABOUT_OPTION else error.values
            )
            wrong[field.option] = say(_AS_FIELD.get(error.key, error.key), lang, **values)
        except MomentError as error:
            wrong[field.option] = say("bad_moment", lang, text=str(error))
    _check_start(typed, options, wrong, lang)
    if "rank_by" in options and "undo" not in options:
        options["undo"] = typed["undo"] == YES  # as it is shown, not as the rank would have it
    try:
        change_options(base, options, now_ms, present)
    except RoomProblem as problem:
        wrong.setdefault(problem.option, problem_text(problem.option, problem.allowed, lang))
    return options, wrong


_ABOUT_OPTION = frozenset(("out_of_range", "no_number", "no_value", "no_flag"))
_AS_FIELD = {"no_value": "no_number"}


def _read(field: Field, text: str, now_ms: int) -> dict[str, Any]:
    """Return one field's option; a moment says nothing of how the race starts here, as another field does."""
    option = field.option
    match field.kind:
        case "flag":
            return {option: text == YES}
        case "choice":
            return {option: text}
        case "text":
            return {option: text}
        case "moment" if not text:
            return {option: None}
        case "password" if not text:
            return {}
        case "deal":
            return {option: _deal(text)}
    read = read_setting(typed_name(option), text, now_ms)
    return {option: read[option]}


def _deal(text: str) -> str:
    if text.casefold() in (RANDOM_DEAL, ""):
        return RANDOM_DEAL
    try:
        return str(parse_code(text))
    except CodeError:
        return text  # which `change_options` refuses


def _check_start(
    typed: Mapping[str, str], options: dict[str, Any], wrong: dict[str, str], lang: Lang
) -> None:
    """A race that starts at a moment has one, and no other has."""
    if "start_at" in wrong:
        return
    at, moment = typed["start"] == "at", typed["start_at"].strip()
    if at and not moment:
        wrong["start_at"] = word("form_start_at_needed", lang)
    elif moment and not at and "start" not in options:
        options["start"] = "at"  # to type a moment is to choose it
    elif moment and not at:
        wrong["start_at"] = word("form_start_at_alone", lang)


def problem_text(option: str, allowed: Texts, lang: Lang) -> str:
    """Return why a value of this option is not accepted, and which are."""
    if option == "deal":
        return word("form_sealed" if "sealed" in allowed.en else "form_no_deal", lang)
    if option == "close_at" and allowed.en.startswith(">"):
        return word("form_order", lang)
    label = _BY_OPTION[option].label(lang) if option in _BY_OPTION else option
    return say("out_of_range", lang, text=label, allowed=allowed.text(lang))


def option_named(text: str) -> str | None:
    """Return the option that a server's sentence is about, None where it names none."""
    found = [option for option in RULES if f" {option}:" in text or f" {typed_name(option)}:" in text]
    return found[0] if found else None


assert all(f"label_{option}" in WORDS and option in HINTS for option in RULES)
