"""What is refused says over the wire why: a word beside the code, and a sentence in one's language."""

from __future__ import annotations

from typing import Any

import pytest

from server.rooms.whys import TEXTS, Why
from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import gather_room, request, start_race

ENCODINGS = ["msgpack", "json"]
FIRST = SHORTEST_WIN.actions[0]


def check(answer: dict[str, Any], code: str, why: Why, lang: str = "en") -> None:
    kind = "refused" if code == "not_running" else "error"
    told = (answer["t"], answer["code"], answer["why"], answer["text"])
    assert told == (kind, code, why.value, TEXTS[why].text(lang))


async def test_each_cause_of_not_allowed_is_told_in_ones_language(meet) -> None:
    ann, bob, eve = await meet(lang="da"), await meet("json", lang="de"), await meet()
    room = await gather_room(ann, [bob], min_players=3)
    await eve.enter(room, "Eve", as_="spectator")
    check(await ann.ask("start"), "not_allowed", Why.TOO_FEW_PLAYERS, "da")
    check(await ann.ask("manage", action="kick", player=ann.player), "not_allowed", Why.NOT_ONESELF, "da")
    check(await eve.ask("ready", ready=True), "not_allowed", Why.NO_SEAT)
    check(await eve.ask("rematch"), "not_allowed", Why.PLAYERS_REMATCH)
    await ann.ask("manage", action="set", options={"min_players": 1, "chat": False})
    check(await bob.ask("say", text="x"), "not_allowed", Why.CHAT_IS_OFF, "de")
    await ann.ask("start")
    await bob.next("game")
    check(await bob.ask("follow", player=ann.player), "not_allowed", Why.STILL_RACING, "de")
    check(await bob.ask("unforfeit"), "not_allowed", Why.NOT_FORFEITED, "de")


async def refused(peer: Peer) -> dict[str, Any]:
    (answer,) = await peer.pipeline([request(1, FIRST)])
    return answer


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_a_game_that_is_not_on_says_why(meet, encoding: str) -> None:
    ann, bob = await meet(), await meet(encoding, lang="da")
    await gather_room(ann, [bob], deal=SHORTEST_WIN.code)
    check(await refused(bob), "not_running", Why.NOT_STARTED, "da")
    await ann.ask("start")
    await bob.next("game")
    await bob.ask("forfeit")
    check(await refused(bob), "not_running", Why.FORFEITED, "da")
    await ann.ask("manage", action="disqualify", player=bob.player)
    check(await refused(bob), "not_running", Why.DISQUALIFIED, "da")
    await ann.ask("manage", action="close")
    check(await refused(bob), "not_running", Why.RACE_IS_CLOSED, "da")


async def test_before_ones_own_start_one_is_told_to_start(meet) -> None:
    ann, bob = await meet(), await meet("json")
    await gather_room(ann, [bob], start="own")
    check(await refused(bob), "not_running", Why.NOT_STARTED)
    await ann.ask("ready", ready=True)
    await bob.next("event", kind="started")
    check(await refused(bob), "not_running", Why.OWN_START_MISSING)
    check(await ann.ask("ready", ready=False), "not_allowed", Why.OWN_START_STAYS)


async def test_what_says_it_all_by_its_code_has_no_word_beside_it(meet) -> None:
    ann = await meet()
    await start_race(ann, deal=SHORTEST_WIN.code)
    assert "why" not in await ann.op(1, "u")
    assert "why" not in await ann.op(7, "r")
    assert "why" not in await ann.ask("hold")
    assert "why" not in await ann.ask("create", options={"countdown_ms": 60_001})


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_an_empty_line_is_answered_and_the_connection_stays(meet, encoding: str) -> None:
    ann = await meet(encoding)
    assert (await ann.ask("say", text=""))["code"] == "not_in_room"
    await gather_room(ann)
    check(await ann.ask("say", text=""), "not_allowed", Why.EMPTY_TEXT)
    assert (await ann.ask("say", text="x"))["t"] == "ok"
    assert [said["text"] for said in (await ann.next("said"), *ann.all("said")[1:])] == ["x"]


@pytest.mark.parametrize(
    ("options", "why", "told"),
    [
        ({"limit": 5}, "unknown_option", "Option limit: there is no such option; there are name, deal, "),
        ({"countdown_ms": 1.5}, "wrong_type", "Option countdown_ms: it takes a whole number; allowed is 0-"),
        ({"password": 5}, "wrong_type", "Option password: it takes a text; allowed is null, 1-60 characters"),
        ({"deal": "CR1-N-AAA"}, "bad_deal", "Option deal: The last part of a CR1 code has 7 letters, not 3."),
        ({"start": "at"}, "start_at_missing", "Option start_at: a room whose start is at needs the moment; "),
        ({"min_players": 9}, "too_few_seats", "Option max_players: there must be seats for min_players and "),
    ],
)  # fmt: skip
async def test_an_option_that_does_not_do_says_what_would(
    meet, options: dict[str, Any], why: str, told: str
) -> None:
    ann = await meet()
    answer = await ann.ask("create", options=options)
    assert (answer["t"], answer["code"], answer["why"]) == ("error", "bad_options", why)
    assert answer["text"].startswith(told)
