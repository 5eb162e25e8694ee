"""Whom hosts and referees can do what to; without a terminal."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from client_cli.race_state import RaceState
from client_cli.room_view import RoomView
from client_cli.screen.host_actions import actions_on, room_actions
from client_cli.screen.people import known_line, people_of
from client_cli.screen.words import word
from protocol.messages import Lang
from tests.client_cli.samples import event, person, room, row

ME = "ID-Ada"


def seen(state: str = "lobby", you: tuple[str, ...] = ("host", "player"), **fields: Any) -> RoomView:
    people = [person("Ada"), person("Bo"), person("Cy", role="spectator"), person("Di", online=False)]
    return RoomView(room(state=state, you=list(you), players=people, **fields), ME)


def names(view: RoomView, who: str, me: str = ME) -> set[str]:
    known = next(known for known in people_of(view) if known.id == f"ID-{who}")
    return {action.name for action in actions_on(known, view, me)}


def test_before_the_start() -> None:
    view = seen()
    assert names(view, "Ada") == {"referee"}
    assert names(view, "Bo") == {"mute", "referee", "host", "kick", "ban"}
    assert names(view, "Di") == names(view, "Bo") - {"host"}, "the room goes to somebody who is here"
    assert names(view, "Cy") == names(view, "Bo")


def test_a_referee_does_not_touch_the_host() -> None:
    view = seen(you=("referee",), host="ID-Bo")
    assert names(view, "Bo") == {"referee"}
    assert names(view, "Di") == {"mute", "referee", "kick", "ban"}


def test_the_muted_can_be_let_speak_again_and_nobody_else() -> None:
    view = seen()
    view.take_event(event(2, "muted", player="ID-Bo", on=True))
    assert {"mute", "unmute"} & names(view, "Bo") == {"unmute"}
    assert {"mute", "unmute"} & names(view, "Cy") == {"mute"}
    view.take_event(event(3, "muted", player="ID-Bo", on=False))
    assert {"mute", "unmute"} & names(view, "Bo") == {"mute"}


def test_only_a_game_is_disqualified_and_only_who_was_is_reinstated() -> None:
    view = seen("running")
    assert "disqualify" in names(view, "Bo")
    assert "disqualify" not in names(view, "Cy")
    view.rows[1].status = "disqualified"
    assert names(view, "Bo") >= {"reinstate"}
    assert "disqualify" not in names(view, "Bo")


def test_who_was_put_out_is_still_there_to_be_reinstated() -> None:
    view = seen("running")
    view.people.pop("ID-Bo")
    view.rows[1].status = "disqualified"
    assert names(view, "Bo") == {"reinstate"}


def test_what_takes_something_from_somebody_is_asked_first_and_says_so_in_its_line() -> None:
    view = seen("running")
    bo = next(known for known in people_of(view) if known.id == "ID-Bo")
    actions = [*room_actions(view), *actions_on(bo, view, ME)]
    asked = {action.name for action in actions if action.sure}
    assert asked == {"close", "disqualify", "mute", "host", "kick", "ban"}
    for lang in get_args(Lang):
        dots = {action.name for action in actions if word(f"manage_{action.name}", lang).endswith("…")}
        assert dots == asked | {"options"}, "the form asks as well"
        assert all("Bo" in word(f"sure_{name}", lang, who="Bo") for name in asked - {"close"})


@pytest.mark.parametrize(("state", "count"), [("lobby", 2), ("countdown", 2), ("running", 2), ("closed", 0)])
def test_what_can_be_done_about_the_room(state: str, count: int) -> None:
    assert len(room_actions(seen(state))) == count


def test_people_are_told_with_what_is_so_of_them() -> None:
    state = RaceState()
    state.room = seen()
    lines = [known_line(known, state, "en") for known in people_of(state.room)]
    assert lines[0] == "Ada: host, not ready yet"
    assert "Cy: looks on" in lines
    state.room.take_event(event(2, "muted", player="ID-Cy", on=True))
    assert "Cy: muted, looks on" in [known_line(known, state, "en") for known in people_of(state.room)]
    assert "Di: not ready yet, offline" in lines
    state.room = seen("running")
    state.room.rows[1] = row(2, "Bo\x1b[2J", player="ID-Bo", home=33)
    state.room.people["ID-Bo"].referee = True
    assert known_line(people_of(state.room)[1], state, "en") == "Bo[2J: referee, playing, 33/104"
