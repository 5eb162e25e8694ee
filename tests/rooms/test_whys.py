"""Every cause has its word: each comes where the page says, stands on it, and has its sentences."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from server.rooms import commands as cmd
from server.rooms.decide import FORFEIT_TAKE_BACK_MS, decide
from server.rooms.not_running import why_not_running
from server.rooms.options import Options, change_options
from server.rooms.problems import RoomProblem
from server.rooms.whys import TEXTS, Why
from tests.rooms.conftest import NOW, Desk

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
CODES = ("not_allowed", "not_running", "bad_options", "wrong_state")
# By whom they are given: the room of one is not asked, or another newer one writes.
ELSEWHERE = {Why.CHAT_IS_OFF, Why.EMPTY_TEXT, Why.PLAYERS_REMATCH, Why.TIME_IS_UP, Why.NEWER_VERSION}


def whys_of_the_page() -> list[str]:
    rows = PAGE.split("\n| code | `why` |\n")[1].split("\n\n")[0].splitlines()[1:]
    told: list[str] = []
    for row in rows:
        words = re.sub(r"\([^()]*\)", "", row.split("|")[2])  # explanations stand in brackets
        told += re.findall(r"`(\w+)`", words)
    return told


def test_the_page_lists_every_word_and_no_other():
    told = whys_of_the_page()
    assert set(told) == {str(why) for why in Why}
    assert sorted(told) == sorted([*set(told), Why.DISQUALIFIED]), "that one stands under two codes"


def name_of(case: object) -> str | None:
    """The same in every process: of a function not where it lies in memory."""
    return None if callable(case) else str(case)[:40]


@pytest.mark.parametrize("why", Why)
def test_every_word_has_a_sentence_of_its_own_in_each_language(why):
    texts = TEXTS[why]
    assert len({text.strip() for text in texts}) == 3
    assert all(texts)
    assert [other for other, its in TEXTS.items() if set(its) & set(texts)] == [why]
    assert len({frozenset(re.findall(r"{\w+}", text)) for text in texts}) == 1, "the same values"


def running(desk: Callable[..., Desk], **options: object) -> Desk:
    """A race of Ann and Bob, with Eve looking on, and Cid as a referee."""
    room = desk(countdown_ms=0, min_players=1, **options)
    room.join("ann", "bob")
    room.join("eve", "cid", role="spectator")
    room.do(cmd.SetReferee(by="host", player="cid", on=True))
    if room.room.own_starts:
        room.do(cmd.SetReady(by="bob", ready=True))
    else:
        room.start()
    return room


def done(room: Desk, *commands: cmd.Command, later_ms: int = 0) -> Desk:
    for command in commands:
        room.do(command)
    room.now += later_ms
    return room


def follow(by: str, player: str, *, done: bool = False) -> cmd.Watch:
    return cmd.Watch(by=by, player=player, done=done)


ANN_OUT = cmd.Kick(by="host", player="ann")
ANN_GIVES_UP = cmd.Forfeit(by="ann", n=0)
ANN_DISQUALIFIED = cmd.Disqualify(by="host", player="ann")
ANN_AGAIN = cmd.Join(by="ann", role="player")
ANN_TAKES_BACK = cmd.Unforfeit(by="ann")
START = cmd.StartCountdown(by="host")
REINSTATE = cmd.Reinstate(by="host", player="ann")

# What is asked, of which room, and what is wrong with it.
Case = tuple[Why, Callable[[Callable[..., Desk]], Desk], cmd.Command]
REFUSED: list[Case] = [
    (Why.NO_SEAT, lambda desk: desk(), cmd.SetReady(by="host", ready=True)),
    (Why.NO_SEAT, running, cmd.Forfeit(by="eve", n=0)),
    (Why.ROLE_MISSING, lambda desk: desk(), cmd.Join(by="ann", name="Ann")),
    (
        Why.HAS_WATCHED,
        lambda desk: done(running(desk, late=True, spectators="live"), follow("eve", "ann")),
        cmd.Join(by="eve", role="player"),
    ),
    (Why.WAS_PUT_OUT, lambda desk: done(running(desk, late=True), ANN_OUT), ANN_AGAIN),
    (Why.NO_SPECTATORS, lambda desk: desk(spectators="none"), cmd.Join(by="eve", role="spectator")),
    (Why.NOT_INSIDE, running, follow("somebody", "ann")),
    (Why.OWN_START_STAYS, lambda desk: running(desk, start="own"), cmd.SetReady(by="ann", ready=False)),
    (Why.TOO_FEW_PLAYERS, lambda desk: desk(), START),
    (Why.STARTS_WHEN_READY, lambda desk: desk(start="ready"), START),
    (Why.STARTS_AT_A_MOMENT, lambda desk: desk(start="at", start_at=NOW + 60_000), START),
    (Why.STARTS_EACH, lambda desk: desk(start="own"), START),
    (Why.NOT_FORFEITED, running, ANN_TAKES_BACK),
    (Why.DISQUALIFIED, lambda desk: done(running(desk), ANN_GIVES_UP, ANN_DISQUALIFIED), ANN_TAKES_BACK),
    (
        Why.FOLLOWED_SINCE,
        lambda desk: done(running(desk), ANN_GIVES_UP, follow("ann", "bob")),
        ANN_TAKES_BACK,
    ),
    (
        Why.FORFEIT_IS_OLD,
        lambda desk: done(running(desk), ANN_GIVES_UP, later_ms=FORFEIT_TAKE_BACK_MS),
        ANN_TAKES_BACK,
    ),
    (Why.HOST_STAYS, running, cmd.Kick(by="cid", player="host")),
    (Why.HOST_STAYS, running, cmd.Ban(by="cid", player="host")),
    (Why.HOST_SPEAKS, running, cmd.Mute(by="cid", player="host", on=True)),
    (Why.NOT_ONESELF, running, cmd.Kick(by="cid", player="cid")),
    (Why.NOT_ONESELF, running, cmd.Ban(by="host", player="host")),
    (Why.NO_GAME, running, cmd.Disqualify(by="host", player="eve")),
    (Why.NOT_DISQUALIFIED, running, REINSTATE),
    (Why.BANNED_FOR_GOOD, lambda desk: done(running(desk), cmd.Ban(by="host", player="ann")), REINSTATE),
    (
        Why.THEY_HAVE_WATCHED,
        lambda desk: done(running(desk), ANN_DISQUALIFIED, follow("ann", "bob")),
        REINSTATE,
    ),
    (
        Why.NOT_PRESENT,
        lambda desk: done(running(desk), cmd.Leave(by="ann")),
        cmd.SetHost(by="host", player="ann"),
    ),
    (Why.FOLLOWS_ONESELF, running, follow("ann", "ann")),
    (Why.STILL_RACING, running, follow("ann", "bob")),
    (Why.AFTER_THE_CLOSE, lambda desk: running(desk, start="own"), follow("eve", "bob")),
    (Why.AFTER_THE_CLOSE, lambda desk: running(desk, start="own"), follow("ann", "bob")),
    (Why.BOARD_ONLY, running, follow("eve", "ann")),
    (Why.HOST_SEES_NO_GAMES, running, follow("host", "ann")),
]


@pytest.mark.parametrize(("why", "made", "command"), REFUSED, ids=name_of)
def test_what_is_not_allowed_says_why(desk, why, made, command):
    room = made(desk).room
    with pytest.raises(RoomProblem) as caught:
        decide(room, command, made(desk).now)
    assert (caught.value.code, caught.value.why) == ("not_allowed", why)


NOT_RUNNING: list[tuple[Why, Callable[[Callable[..., Desk]], Desk]]] = [
    (Why.NOT_STARTED, lambda desk: desk()),
    (Why.OWN_START_MISSING, lambda desk: running(desk, start="own")),
    (Why.FORFEITED, lambda desk: done(running(desk), ANN_GIVES_UP)),
    (Why.DISQUALIFIED, lambda desk: done(running(desk), ANN_GIVES_UP, ANN_DISQUALIFIED)),
    (Why.DISQUALIFIED, lambda desk: done(running(desk), ANN_OUT)),
    (Why.RACE_IS_CLOSED, lambda desk: done(running(desk), ANN_GIVES_UP, cmd.Close(by="host"))),
    (Why.RACE_IS_CLOSED, lambda desk: done(desk(), cmd.Close(by="host"))),
]


@pytest.mark.parametrize(("why", "made"), NOT_RUNNING, ids=name_of)
def test_a_game_that_is_not_on_says_why(desk, why, made):
    room = made(desk).room
    assert not room.may_play("ann")
    assert why_not_running(room, "ann") == why


BAD: list[tuple[Why | None, dict[str, object], Options]] = [
    (Why.UNKNOWN_OPTION, {"limit": 5}, Options()),
    (Why.WRONG_TYPE, {"countdown_ms": 1.5}, Options()),
    (Why.WRONG_TYPE, {"max_players": True}, Options()),
    (Why.WRONG_TYPE, {"undo": 1}, Options()),
    (Why.WRONG_TYPE, {"start": None}, Options()),
    (Why.WRONG_TYPE, {"deal": 7}, Options()),
    (Why.WRONG_TYPE, {"close_at": "soon"}, Options()),
    (Why.WRONG_TYPE, {"password": 1}, Options()),
    (Why.BAD_DEAL, {"deal": "CR1-N-AAA"}, Options()),
    (Why.VARIANT_OF_THE_DEAL, {"variant": "F"}, Options(deal="CR1-N-AAAAAAA")),
    (Why.START_AT_MISSING, {"start": "at"}, Options()),
    (Why.START_AT_UNUSED, {"start_at": NOW + 60_000}, Options()),
    (Why.TOO_FEW_SEATS, {"max_players": 1}, Options()),
    (None, {"countdown_ms": 60_001}, Options()),
    (None, {"start": "never"}, Options()),
]


@pytest.mark.parametrize(("why", "wanted", "base"), BAD, ids=str)
def test_an_option_that_does_not_do_says_why_and_which_it_is(why, wanted, base):
    with pytest.raises(RoomProblem) as caught:
        change_options(base, wanted, NOW)
    assert (caught.value.code, caught.value.why) == ("bad_options", why)
    assert caught.value.option == ("start_at" if why == Why.START_AT_MISSING else next(iter(wanted)))


def test_a_deal_that_is_no_game_code_says_what_is_wrong_with_it():
    with pytest.raises(RoomProblem) as caught:
        change_options(Options(), {"deal": "CR1-N-AAA"}, NOW)
    assert "7 letters, not 3" in caught.value.more.en
    assert "7 bogstaver, ikke 3" in caught.value.more.da
    assert "7 Buchstaben, nicht 3" in caught.value.more.de


def test_every_word_comes_somewhere():
    tried = {why for why, *_ in REFUSED} | {why for why, _ in NOT_RUNNING} | {why for why, *_ in BAD}
    assert tried - {None} == set(Why) - ELSEWHERE
