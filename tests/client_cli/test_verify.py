"""The log of a real race agrees; one that was tampered with, in whatever way, does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client_cli.log_file import EVENTS_MAX
from client_cli.report import DIFFERENCES_MAX, NotALogError, Report
from client_cli.verify import verify
from client_cli.verify_texts import SENTENCES, finding_text
from server.engine.texts import LANGUAGES
from tests.client_cli.race_logs import CODE, KINDS

Map = dict[str, Any]


class Log:
    """A log taken apart, to be tampered with."""

    def __init__(self, log: bytes) -> None:
        self.head, *lines = (json.loads(line) for line in log.splitlines())
        self.lines: list[Map] = lines

    @property
    def events(self) -> list[Map]:
        return list[Map](self.head["events"])

    def all(self, kind: str, **fields: Any) -> list[Map]:
        found = [event for event in self.events if event["kind"] == kind]
        return [event for event in found if all(event.get(name) == v for name, v in fields.items())]

    def one(self, kind: str, **fields: Any) -> Map:
        return self.all(kind, **fields)[0]

    def line(self, name: str) -> Map:
        return next(line for line in self.lines if line["name"] == name)

    def row(self, name: str) -> Map:
        return next(row for row in self.head["board"] if row["name"] == name)

    def remove(self, event: Map) -> None:
        self.head["events"].remove(event)
        self.number()

    def insert(self, before: Map, event: Map) -> None:
        """Put in an event at the moment of the one that it comes before."""
        self.head["events"].insert(self.events.index(before), {"at": before["at"], **event})
        self.number()

    def number(self) -> None:
        for v, event in enumerate(self.events, start=1):
            event["v"] = v

    def swap(self, one: Map, other: Map) -> None:
        events = self.head["events"]
        i, j = events.index(one), events.index(other)
        events[i], events[j] = events[j], events[i]
        self.number()

    def text(self) -> bytes:
        return b"\n".join(json.dumps(value).encode() for value in (self.head, *self.lines))


def check(log: bytes) -> Report:
    return verify(log.splitlines(keepends=True))


def codes(report: Report) -> set[str]:
    return {finding.code for finding in report.differs}


def sentences(report: Report) -> list[str]:
    return [finding_text(finding, "en") for finding in report.differs]


@pytest.mark.parametrize("kind", KINDS)
def test_a_real_race_agrees(logs: dict[str, bytes], kind: str) -> None:
    report = check(logs[kind])
    assert sentences(report) == []
    assert {finding.code for finding in report.confirmed} >= {"events", "board", "actions"}
    assert check(Log(logs[kind]).text()) == report


Tamper = Callable[[Log], None]


def _end_all_at(log: Log, reason: str) -> None:
    log.one("closed")["reason"] = reason


def _move_all_moments(log: Log, name: str, ms: int) -> None:
    for action in log.line(name)["log"]:
        action[0] += ms


def _play_on(log: Log, name: str, later_ms: int) -> None:
    """One legal action more, and the board as if it had been."""
    line = log.line(name)
    line["log"].append([line["log"][-1][0] + later_ms, "R"])
    log.row(name)["redeals"] -= 1
    log.row(name)["ms"] += later_ms


def _swap_rows(log: Log) -> None:
    board = log.head["board"]
    board[0], board[1] = board[1], board[0]


def _join_again(log: Log, **fields: Any) -> None:
    closed = log.one("closed")
    log.insert(closed, {"kind": "joined", "role": "player", **fields})


def _set(target: Callable[[Log], Map], **fields: Any) -> Tamper:
    def tamper(log: Log) -> None:
        target(log).update(fields)

    return tamper


def _remove(kind: str, **fields: Any) -> Tamper:
    return lambda log: log.remove(log.one(kind, **fields))


def _id(log: Log, name: str) -> str:
    return str(log.line(name)["player"])


# Of which race, what is done to its log, and what must be among that which differs.
TAMPERED: dict[str, tuple[str, Tamper, str]] = {
    # Actions
    "an action removed": ("by_ready", lambda log: log.line("A")["log"].pop(4), "illegal"),
    "the last action removed": ("by_ready", lambda log: log.line("A")["log"].pop(), "board_cell"),
    "an action added": ("by_ready", lambda log: log.line("A")["log"].append([10**6, "R"]), "board_cell"),
    "an action changed": ("by_ready", lambda log: log.line("A")["log"][2].__setitem__(1, "1>16"), "illegal"),
    "an action that is none": (
        "by_ready",
        lambda log: log.line("A")["log"][2].__setitem__(1, "leap"),
        "illegal",
    ),
    "the last time changed": (
        "by_ready",
        lambda log: log.line("A")["log"][-1].__setitem__(0, 3_000),
        "board_cell",
    ),
    "a time out of order": (
        "by_ready",
        lambda log: log.line("A")["log"][3].__setitem__(0, 10**7),
        "times_back",
    ),
    "a time before the start": (
        "by_ready",
        lambda log: log.line("A")["log"][0].__setitem__(0, -1),
        "times_back",
    ),
    "a winner's times made faster": (
        "by_host",
        lambda log: _move_all_moments(log, "A", -1),
        "event_impossible",
    ),
    "an undo in a room without": (
        "nobody_wins",
        lambda log: log.line("A")["log"].append([10**4, "U"]),
        "undo",
    ),
    "five thousand and one": (
        "by_ready",
        lambda log: log.line("A").update(log=[[1, "1>2"]] * 5001),
        "illegal",
    ),
    "too late for the limit": ("at_a_moment", lambda log: _play_on(log, "A", 4_000), "after"),
    "after the host's close": ("sealed", lambda log: log.line("B")["log"].append([60_000, "R"]), "after"),
    "after a forfeit": ("by_own_starts", lambda log: _play_on(log, "B", 1), "after"),
    "after a disqualification": ("put_out", lambda log: _play_on(log, "C", 60_000), "after"),
    "before they came": (
        "at_a_moment",
        lambda log: _postpone(log, log.one("joined", name="Bob"), 60_000),
        "before_start",
    ),
    # Players
    "a player's log removed": ("by_host", lambda log: log.lines.pop(), "player_missing"),
    "a stranger's log": (
        "by_host",
        lambda log: log.lines.append({"player": "X", "name": "X", "log": []}),
        "player_unknown",
    ),
    "a log twice": ("by_host", lambda log: log.lines.append(log.lines[0]), "player_twice"),
    "logs swapped": ("put_out", lambda log: _swap_logs(log, "A", "B"), "board_cell"),
    "a player's name": ("by_host", lambda log: log.line("A").update(name="Z"), "player_name"),
    # Events
    "an event's number": ("by_ready", _set(lambda log: log.events[3], v=99), "event_number"),
    "an event cut out": ("by_ready", lambda log: log.head["events"].pop(3), "event_number"),
    "a join removed": ("by_ready", _remove("joined"), "event_impossible"),
    "a countdown removed": ("by_ready", _remove("countdown"), "event_impossible"),
    "a hold removed": ("by_ready", _remove("held"), "event_impossible"),
    "the start removed": ("by_ready", _remove("started"), "event_impossible"),
    "the close removed": ("by_ready", _remove("closed"), "not_closed"),
    "a win removed": ("after_a_win", _remove("won"), "event_impossible"),
    "a win removed, of two": ("by_host", _remove("won"), "win_untold"),
    "an ending removed": ("after_a_win", _remove("ending"), "event_impossible"),
    "a forfeit removed": ("put_out", _remove("forfeited"), "event_impossible"),
    "a disqualification removed": ("put_out", _remove("disqualified"), "event_impossible"),
    "a reinstatement removed": ("put_out", _remove("reinstated"), "board_cell"),
    "a kick removed": ("put_out", _remove("kicked"), "event_impossible"),
    "a ban removed": ("put_out", _remove("banned"), "event_impossible"),
    "a referee removed": ("by_host", _remove("referee"), "event_impossible"),
    "options removed": ("by_host", _remove("options"), "event_impossible"),
    "the last options removed": ("by_host", lambda log: log.remove(log.all("options")[-1]), "option_differs"),
    "the room not created": ("by_host", _remove("created"), "event_impossible"),
    "events reordered": (
        "by_ready",
        lambda log: log.swap(log.one("countdown"), log.one("joined")),
        "event_impossible",
    ),
    "events reordered in time": (
        "by_ready",
        lambda log: log.swap(log.all("joined")[0], log.all("joined")[1]),
        "event_before",
    ),
    "an older event": ("by_ready", _set(lambda log: log.one("left"), at=1), "event_before"),
    "an unknown kind": ("by_ready", _set(lambda log: log.one("left"), kind="flew"), "event_malformed"),
    "a moment that is none": ("by_ready", _set(lambda log: log.one("left"), at="now"), "event_malformed"),
    "somebody else's forfeit": (
        "put_out",
        lambda log: log.one("forfeited", name="B").update(player=_id(log, "A")),
        "event_impossible",
    ),
    "a forfeit's length": ("by_own_starts", _set(lambda log: log.one("forfeited"), n=99), "forfeit_n"),
    "a forfeit's length, shorter": ("by_own_starts", _set(lambda log: log.one("forfeited"), n=2), "after"),
    "a forfeit taken back too late": (
        "put_out",
        lambda log: _postpone(log, log.one("unforfeited"), 60_000),
        "event_impossible",
    ),
    "a win's time": ("by_host", _set(lambda log: log.one("won"), ms=5), "event_impossible"),
    "a win's moves": ("by_host", _set(lambda log: log.one("won"), moves=5), "event_impossible"),
    "a win's length": ("by_own_starts", _set(lambda log: log.one("won"), n=5), "event_impossible"),
    "a win's moment": ("after_a_win", _set(lambda log: log.one("won"), at=5), "event_impossible"),
    "a win without figures": ("by_host", lambda log: log.one("won").pop("ms"), "event_malformed"),
    "a win that was none": (
        "by_ready",
        lambda log: log.insert(
            log.one("closed"), {"kind": "won", "player": _id(log, "A"), "n": 30, "ms": 1, "moves": 30}
        ),
        "event_impossible",
    ),
    "another end": ("after_a_win", _set(lambda log: log.one("ending"), ends_at=10**13), "event_impossible"),
    "the start's moment": ("by_ready", _set(lambda log: log.one("started"), start_at=5), "event_impossible"),
    "the start's end": ("by_ready", _set(lambda log: log.one("started"), ends_at=10**13), "event_impossible"),
    "a countdown too far": (
        "by_ready",
        _set(lambda log: log.all("countdown")[-1], start_at=10**13),
        "event_impossible",
    ),
    "an own start's end": (
        "by_own_starts",
        _set(lambda log: log.one("started"), ends_at=1),
        "event_impossible",
    ),
    "an own start's moment": (
        "by_own_starts",
        lambda log: log.one("started").update(
            start_at=log.one("started")["start_at"] - 60_000, ends_at=log.one("started")["ends_at"] - 60_000
        ),
        "event_impossible",
    ),
    "closed as finished": ("by_ready", lambda log: _unsigned_close(log, "finished"), "event_impossible"),
    "closed as nobody finished": (
        "by_host",
        lambda log: _end_all_at(log, "nobody_finished"),
        "event_impossible",
    ),
    "closed by a limit": ("by_host", lambda log: _end_all_at(log, "limit"), "event_impossible"),
    "closed as cancelled": ("by_ready", lambda log: _end_all_at(log, "cancelled"), "event_impossible"),
    "closed by nobody": ("by_ready", lambda log: _unsigned_close(log, "host"), "event_impossible"),
    "closed by a player": (
        "by_ready",
        lambda log: log.one("closed").update(by=_id(log, "Bob B")),
        "event_impossible",
    ),
    "closed at another moment": (
        "at_a_moment",
        lambda log: _postpone(log, log.one("closed"), 1),
        "event_impossible",
    ),
    "closed long after the limit": (
        "at_a_moment",
        lambda log: log.one("closed").update(
            reason="host", by=log.one("created")["by"], at=log.one("closed")["at"] + 10_000
        ),
        "event_impossible",
    ),
    "the banned one back": (
        "put_out",
        lambda log: _join_again(log, player=_id(log, "D"), name="D"),
        "event_impossible",
    ),
    "the kicked one playing": (
        "put_out",
        lambda log: _join_again(log, player=_id(log, "C"), name="C"),
        "event_impossible",
    ),
    "who watches, playing on": (
        "put_out",
        lambda log: log.insert(
            log.one("closed"), {"kind": "unforfeited", "player": _id(log, "B"), "name": "B"}
        ),
        "event_impossible",
    ),
    "a seat too many": ("by_ready", lambda log: _fill_seats(log), "event_impossible"),
    "in after the start": (
        "by_ready",
        lambda log: _join_again(log, player="X" * 12, name="X"),
        "event_impossible",
    ),
    "a name that is taken": (
        "by_ready",
        lambda log: log.all("joined")[1].update(name="A"),
        "event_impossible",
    ),
    "a role that is none": ("by_ready", _set(lambda log: log.one("joined"), role="king"), "event_impossible"),
    "a name in an event": ("by_ready", _set(lambda log: log.one("ready"), name="Z"), "event_name"),
    "kicked by a player": (
        "put_out",
        lambda log: log.one("kicked").update(by=_id(log, "B")),
        "event_impossible",
    ),
    "reinstated by nobody": ("put_out", _set(lambda log: log.one("reinstated"), by=""), "event_impossible"),
    "a host from nowhere": ("by_host", _set(lambda log: log.one("host"), player="X"), "event_impossible"),
    "following while playing": (
        "put_out",
        lambda log: log.insert(
            log.one("forfeited"), {"kind": "watching", "player": _id(log, "B"), "name": "B"}
        ),
        "event_impossible",
    ),
    "a rematch by a stranger": ("by_host", _set(lambda log: log.one("rematch"), by="X"), "event_impossible"),
    "options while it runs": (
        "by_ready",
        lambda log: log.insert(
            log.one("closed"), {"kind": "options", "by": log.one("created")["by"], "options": {"undo": False}}
        ),
        "event_impossible",
    ),
    "options out of range": (
        "by_ready",
        lambda log: log.one("created")["options"].update(max_players=0),
        "event_impossible",
    ),
    "an unknown option": (
        "by_host",
        lambda log: log.one("options")["options"].update(magic=True),
        "event_impossible",
    ),
    # The deal
    "the code": ("by_ready", lambda log: log.head.update(code="CR1-N-ZZZZZZZ"), "event_deal"),
    "the code everywhere": ("by_ready", lambda log: _recode(log, "CR1-N-ZZZZZZZ"), "illegal"),
    "the code in the start": ("by_ready", _set(lambda log: log.one("started"), code="CR1-N-B"), "event_deal"),
    "the code in the options": (
        "by_ready",
        lambda log: log.one("created")["options"].update(deal="CR1-N-ZZZZZZZ"),
        "option_differs",
    ),
    "the sealed code": ("sealed", lambda log: _recode(log, CODE), "no_commit"),
    "the nonce": ("sealed", lambda log: log.head.update(nonce="0" * 32), "no_commit"),
    "the commit": ("sealed", lambda log: log.head.update(commit="0" * 64), "no_commit"),
    "the commit at the start": (
        "sealed",
        _set(lambda log: log.one("started"), commit="0" * 64),
        "event_deal",
    ),
    "no commit at the start": ("sealed", lambda log: log.one("started").pop("commit"), "event_deal"),
    "no commit at all": ("sealed", lambda log: log.head.pop("commit"), "no_commit"),
    "no seal": ("sealed", lambda log: _unseal(log), "option_differs"),
    "a seal too many": ("by_ready", lambda log: log.head.update(commit="0" * 64), "commit_unsealed"),
    "an option in the head": (
        "by_ready",
        lambda log: log.head["options"].update(undo=False),
        "option_differs",
    ),
    # The board
    "a place": ("by_host", lambda log: log.head["board"][1].update(rank=7), "board_cell"),
    "a figure": ("by_ready", lambda log: log.row("A").update(moves=29), "board_cell"),
    "a status": ("put_out", lambda log: log.row("C").update(status="forfeited"), "board_cell"),
    "a time": ("by_own_starts", lambda log: log.row("A").update(ms=1), "board_cell"),
    "a name": ("by_ready", lambda log: log.row("A").update(name="Z"), "board_cell"),
    "rows swapped": ("by_ready", lambda log: _swap_rows(log), "board_cell"),
    "a row removed": ("by_ready", lambda log: log.head["board"].pop(), "board_rows"),
    "a row added": (
        "by_ready",
        lambda log: log.head["board"].append({**log.row("A"), "player": "X"}),
        "board_rows",
    ),
    "no board": ("by_ready", lambda log: log.head.pop("board"), "board_rows"),
}


def _swap_logs(log: Log, one: str, other: str) -> None:
    a, b = log.line(one), log.line(other)
    a["log"], b["log"] = b["log"], a["log"]


def _postpone(log: Log, event: Map, ms: int) -> None:
    """This event and all that come after it happen later."""
    for later in log.events[log.events.index(event) :]:
        later["at"] += ms


def _unsigned_close(log: Log, reason: str) -> None:
    closed = log.one("closed")
    closed["reason"] = reason
    del closed["by"]


def _unseal(log: Log) -> None:
    log.head["options"]["sealed"] = False
    del log.head["commit"], log.head["nonce"]


def _fill_seats(log: Log) -> None:
    ready = log.one("ready")
    for number in range(7):
        log.insert(
            ready, {"kind": "joined", "role": "player", "player": f"P{number}", "name": f"No {number}x"}
        )


def _recode(log: Log, code: str) -> None:
    told = log.head["code"]
    log.head = json.loads(json.dumps(log.head).replace(told, code))


@pytest.mark.parametrize("name", TAMPERED)
def test_tampering_is_seen(logs: dict[str, bytes], name: str) -> None:
    kind, tamper, code = TAMPERED[name]
    log = Log(logs[kind])
    tamper(log)
    report = check(log.text())
    assert not report.agrees
    assert code in codes(report), sentences(report)


NO_LOGS = [
    b"", b"\n \n", b"{}", b"[]", b"nonsense", b"\xff\xfe", b'{"room":"X"}', b"[" * 100_000, b"\x00" * 1000,
    b'{"room":"X","options":{},"code":"CR1-N-A","events":[]}',
    b'{"room":"X","options":{},"code":"CR1-N-AAAAAAB","events":[' + b"[" * 50_000,
    b'{"room":"X","options":{},"code":"CR1-N-AAAAAAB","events":[' + b"{}," * EVENTS_MAX + b"{}]}",
    b'{"room":"X","options":{},"code":"CR1-N-AAAAAAB","events":[' + b"1," * 5_000_000 + b"1]}",
    b'{"room":"X","options":{},"code":"CR1-N-AAAAAAB","events":[]}\n[]',
    b'{"room":"X","options":{},"code":"CR1-N-AAAAAAB","events":[]}\n' * 2,
    b'{"room":"X","options":{},"code":"CR1-N-AAAAAAB","events":[],"board":[{"rank":true}]}',
    b'{"room":"X","options":{},"code":"CR1-N-AAAAAAB","events":[]}\n'
    b'{"player":"X","name":"X","log":[' + b'[1,"R"],' * 100_000 + b'[1,"R"]]}',
    b'{"room":"X","options":{},"code":"CR1-N-AAAAAAB","events":[]}\n'
    + b'{"player":"X","name":"X","log":[]}\n' * 1001,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(NO_LOGS)))
def test_what_is_no_log_is_told_in_a_sentence(number: int) -> None:
    with pytest.raises(NotALogError) as error:
        check(NO_LOGS[number])
    for lang in LANGUAGES:
        sentence = finding_text(error.value, lang)  # type: ignore[arg-type]
        assert 0 < len(sentence) < 400
        assert "\n" not in sentence


def test_differences_have_an_end(logs: dict[str, bytes]) -> None:
    log = Log(logs["by_ready"])
    for _ in range(DIFFERENCES_MAX + 50):
        log.insert(log.one("closed"), {"kind": "left", "player": "X"})
    log.head["board"] *= 200
    report = check(log.text())
    assert len(report.differs) <= DIFFERENCES_MAX + 1


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(["", "player", "spectator", "R", "U", "1>F", CODE, "random", "won", "own", "at"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value in a log."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in _places(part, (*path, key)))]


def _mutate(whole: Any, path: tuple[Any, ...], how: str, junk: Any) -> None:
    for key in path[:-1]:
        whole = whole[key]
    key = path[-1]
    match how:
        case "replace":
            whole[key] = junk
        case "remove":
            del whole[key]
        case "copy" if isinstance(whole, list):
            whole.insert(key, json.loads(json.dumps(whole[key])))
        case "move" if isinstance(whole, list):
            whole.append(whole.pop(key))
        case "nudge" if isinstance(whole[key], int):
            whole[key] += 1
        case _:
            whole[key] = [whole[key]]


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_mutation_makes_it_fail(logs: dict[str, bytes], data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(KINDS)))
    whole = [json.loads(line) for line in logs[kind].splitlines()]
    for _ in range(data.draw(st.integers(1, 3))):
        places = [place for place in _places(whole) if place]
        if not places:
            break
        how = data.draw(st.sampled_from(["replace", "remove", "copy", "move", "nudge", "wrap"]))
        _mutate(whole, data.draw(st.sampled_from(places)), how, data.draw(JUNK))
    if data.draw(st.booleans()) and isinstance(whole[0], dict) and isinstance(whole[0].get("events"), list):
        for v, event in enumerate(whole[0]["events"], start=1):
            if isinstance(event, dict):
                event["v"] = v
    _never_fails(b"\n".join(json.dumps(value).encode() for value in whole))


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_change_of_bytes_makes_it_fail(logs: dict[str, bytes], data: st.DataObject) -> None:
    log = bytearray(logs[data.draw(st.sampled_from(sorted(KINDS)))])
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(log) - 1))
        log[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    _never_fails(bytes(log))


def _never_fails(log: bytes) -> None:
    """It comes to a report or to `NotALogError`, and either can be told in every language."""
    found: list[Any]
    try:
        report = check(log)
        found = [*report.confirmed, *report.differs]
    except NotALogError as error:
        found = [error]
    for finding in found:
        for lang in LANGUAGES:
            assert finding_text(finding, lang)  # type: ignore[arg-type]


def test_every_sentence_is_said_with_the_values_it_has() -> None:
    assert {code for _, _, code in TAMPERED.values()} <= set(SENTENCES)
