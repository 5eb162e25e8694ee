"""The rest of what is said in and about a room: options, chat, the list of rooms, the clock, the rates."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from tests.support.races import events, gather_room, start_race
from tests.support.server import ServerProcess

TOO_MANY = 10**15
NO_WORD: list[Any] = ["", "x", 1, None, True, []]
NO_FLAG: list[Any] = [None, 0, 1, "true", []]
# Option, what it cannot be, and what the sentence must name as its range.
BAD: list[tuple[str, list[Any], list[str]]] = [
    ("name", ["n" * 61, 1, None, []], ["60"]),
    ("deal", ["", "x", "CR1-X-AAAAAAA", "CR1-N-AAAAAA", "CR3-N-AAAAAAA", 1, None], ["random", "CR1"]),
    ("variant", ["n", "NF", *NO_WORD], ["N", "F"]),
    ("visibility", ["TOP", *NO_WORD], ["top", "open"]),
    ("sealed", NO_FLAG, ["true", "false"]),
    ("rank_by", NO_WORD, ["time", "moves"]),
    ("start", NO_WORD, ["host", "ready", "at"]),
    ("start_at", [-1, 0, 1, TOO_MANY, "now", 1.5, True], []),
    ("close_at", [-1, 0, 1, TOO_MANY, "now", 1.5, True], []),
    ("min_players", [0, -1, 1001, 2**63, 1.5, "2", True, None], ["1", "1000"]),
    ("max_players", [0, -1, 1001, 2**63, 2.5, "2", True, None], ["1000"]),
    ("countdown_ms", [-1, 60_001, 2**53, 0.5, "0", False, None], ["0", "60000"]),
    ("limit_ms", [-1, 1, 9_999, 604_800_001, "0", None], ["0", "10000", "604800000"]),
    ("after_win_ms", [-1, 1, 999, 86_400_001, "0", None], ["0", "1000", "86400000"]),
    ("late", NO_FLAG, ["true", "false"]),
    ("undo", NO_FLAG, ["true", "false"]),
    ("spectators", NO_WORD, ["none", "board"]),
    ("delay_ms", [0, 999, 3_600_001, "0", None], ["1000", "3600000"]),
    ("chat", NO_FLAG, ["true", "false"]),
    ("listed", NO_FLAG, ["true", "false"]),
]


@pytest.mark.parametrize(("option", "values", "ranges"), BAD, ids=[option for option, _, _ in BAD])
async def test_a_value_out_of_range_names_the_option_and_its_range_and_changes_nothing(
    meet, option: str, values: list[Any], ranges: list[str]
) -> None:
    peers = [await meet(encoding, lang=lang) for encoding, lang in (("msgpack", "en"), ("json", "da"))]
    for peer in peers:
        room = await gather_room(peer)
        asked = [value for value in values for _ in range(2)]
        answers = await peer.pipeline(
            [
                message
                for value in values
                for message in (
                    {"t": "create", "options": {option: value}},
                    {"t": "manage", "action": "set", "options": {"undo": False, option: value}},
                )
            ]
        )
        for value, answer in zip(asked, answers, strict=True):
            assert (answer["t"], answer.get("code")) == ("error", "bad_options"), (value, answer)
            assert option in answer["text"]
            assert all(part in answer["text"] for part in ranges), answer["text"]
        shown = await peer.ask("enter", room=room)
        assert shown["options"]["undo"] is True
        assert [event["kind"] for event in events(peer).values() if event["kind"] == "options"] == []


async def test_unknown_options_are_refused_in_three_languages(meet) -> None:
    texts = set()
    for lang in ("en", "da", "de"):
        ann = await meet(lang=lang)
        answer = await ann.ask("create", options={"colour": "blue"})
        assert (answer["code"], "colour" in answer["text"]) == ("bad_options", True)
        texts.add(answer["text"])
    assert len(texts) == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"name": "x" * 61}, ("0-60 characters", "0-60 tegn", "0-60 Zeichen")),
        ({"password": ""}, ("1-60 characters", "1-60 tegn", "1-60 Zeichen")),
        ({"start": "at"}, ("now + 30 days", "nu + 30 dage", "jetzt + 30 Tage")),
        ({"sealed": True, "deal": "CR1-N-AAAAAAB"}, ("where it is sealed", "når det er", "wo es versiegelt")),
    ],
)
async def test_a_range_that_takes_words_is_told_in_three_languages(
    meet, options: dict[str, Any], said: tuple[str, ...]
) -> None:
    for lang, words in zip(("en", "da", "de"), said, strict=True):
        ann = await meet(lang=lang)
        answer = await ann.ask("create", options=options)
        assert (answer["code"], words in answer["text"]) == ("bad_options", True), answer


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"min_players": 5, "max_players": 4}, "max_players"),
        ({"max_players": 1}, "max_players"),
        ({"start": "at"}, "start_at"),
        ({"start_at": TOO_MANY}, "start_at"),
        ({"sealed": True, "deal": "CR1-N-AAAAAAA"}, "deal"),
    ],
)
async def test_options_that_do_not_go_together_are_refused(meet, options: dict[str, Any], named: str) -> None:
    ann = await meet("json")
    answer = await ann.ask("create", options=options)
    assert (answer["code"], named in answer["text"]) == ("bad_options", True)


async def test_fewer_seats_than_players_are_refused(meet) -> None:
    ann, bob = await meet(), await meet()
    await gather_room(ann, [bob])
    assert (await ann.ask("manage", action="set", options={"max_players": 1}))["code"] == "bad_options"
    assert (await ann.ask("manage", action="set", options={"max_players": 2}))["t"] == "ok"


async def test_a_change_of_options_is_told_and_what_is_so_already_is_none(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await gather_room(ann, [bob])
    changed = {"countdown_ms": 7, "name": "Evening", "listed": False}
    v = (await ann.ask("manage", action="set", options=changed))["v"]
    event = await bob.next("event", kind="options")
    assert (event["v"], event["by"]) == (v, ann.player)
    assert event["options"] == {"countdown_ms": 7, "name": "Evening"}
    assert (await ann.ask("manage", action="set", options=changed))["v"] == v
    assert (await bob.ask("enter", room=room))["options"]["name"] == "Evening"


async def test_name_chat_and_listed_can_be_set_while_the_race_runs(meet) -> None:
    ann = await meet()
    await start_race(ann)
    later = {"name": "Late", "chat": False, "listed": True}
    assert (await ann.ask("manage", action="set", options=later))["t"] == "ok"
    assert (await ann.ask("manage", action="set", options={**later, "undo": False}))["code"] == "wrong_state"


async def test_what_is_said_is_told_to_everyone_in_the_room(meet) -> None:
    ann, bob, eve, out = await meet(), await meet("json"), await meet(), await meet()
    room = await gather_room(ann, [bob])
    await eve.enter(room, "Eve", as_="spectator")
    await gather_room(out)
    text = "æøå 🂡 " + "x" * 294
    assert (await eve.ask("say", text=text))["t"] == "ok"
    for peer in (ann, bob, eve):
        said = await peer.next("said")
        assert (said["room"], said["player"], said["name"], said["text"]) == (room, eve.player, "Eve", text)
        assert "id" not in said
    await out.ask("clock", sent=1)
    assert not out.all("said")
    await ann.ask("manage", action="set", options={"chat": False})
    assert (await bob.ask("say", text="x"))["code"] == "not_allowed"


async def test_what_is_said_is_told_through_another_node_once(meet, two_nodes) -> None:
    one, other = two_nodes
    ann, bob = await meet(url=one.url), await meet("json", url=other.url)
    await gather_room(ann, [bob])
    for number in range(5):
        await ann.ask("say", text=str(number))
        assert (await bob.next("said"))["text"] == str(number)
    await bob.ask("say", text="last")
    for peer in (ann, bob):
        await peer.next("said", text="last")
        assert [said["text"] for said in peer.all("said")] == ["0", "1", "2", "3", "4", "last"]


async def listed(peer, room: str, wanted: bool) -> dict[str, Any]:  # type: ignore[no-untyped-def]
    """The list of rooms, once the room is in it or gone from it."""
    async with asyncio.timeout(10):
        while True:
            found = {line["room"]: line for line in (await peer.ask("rooms"))["list"]}
            if (room in found) is wanted:
                return found.get(room, {})
            await asyncio.sleep(0.05)


async def test_listed_rooms_are_shown_until_they_close_and_others_never(meet) -> None:
    ann, bob = await meet(), await meet("json")
    hidden = await gather_room(bob)
    room = await gather_room(ann, [bob], listed=True, name="Open house", max_players=3, variant="F")
    line = await listed(bob, room, True)
    assert line == {
        "room": room,
        "name": "Open house",
        "state": "lobby",
        "players": 2,
        "max_players": 3,
        "variant": "F",
        "password": False,
        "start": "host",
        "host": "A",
    }
    assert hidden not in {line["room"] for line in (await bob.ask("rooms"))["list"]}
    await ann.ask("manage", action="set", options={"listed": False})
    await listed(bob, room, False)
    await ann.ask("manage", action="set", options={"listed": True})
    await listed(bob, room, True)
    await ann.ask("manage", action="close")
    await listed(bob, room, False)


async def test_rooms_that_one_can_neither_enter_nor_watch_are_not_listed(meet) -> None:
    ann, bob = await meet(), await meet()
    room = await gather_room(ann, listed=True, spectators="none")
    await listed(bob, room, True)
    await ann.ask("start")
    await listed(bob, room, False)


@pytest.mark.parametrize("sent", [0, 1, 2**53 - 1, "", "x" * 64, "æ", "0"])
@pytest.mark.parametrize("encoding", ["msgpack", "json"])
async def test_the_clock_gives_back_what_was_sent_and_the_race_clocks_now(
    meet, encoding: str, sent: Any
) -> None:
    ann = await meet(encoding)
    before = time.time() * 1000
    answer = await ann.ask("clock", sent=sent)
    assert answer["sent"] == sent
    assert type(answer["sent"]) is type(sent)
    assert before - 20 <= answer["now"] <= time.time() * 1000 + 20
    assert abs(ann.received[0]["now"] - before) < 5000


async def test_an_id_comes_back_with_the_direct_answer_only(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await ann.create()
    await ann.send(t="enter", room=room, **{"as": "player"}, name="A", id=2**53 - 1)
    answer = await ann.next("room", id=2**53 - 1)
    assert answer["room"] == room
    await ann.send(t="ready", ready=True)
    assert "id" not in await ann.next("ok")
    await ann.send(t="ready", ready=False, id=0)
    assert (await ann.next("ok"))["id"] == 0
    await bob.enter(room, "B")
    assert all("id" not in m for m in ann.received if m["t"] in ("event", "board", "presence"))


async def test_a_burst_over_is_too_many_and_the_connection_stays(meet, tmp_path) -> None:
    rates = "op=0.01:4,say=0.01:2,create=0.01:2,other=0.01:6"
    server = ServerProcess("--data", str(tmp_path / "data"), rates=rates).start()
    try:
        ann = await meet(url=server.url)
        kinds = [
            ([{"t": "op", "n": n, "op": "u"} for n in range(1, 7)], 4),
            ([{"t": "say", "text": "x"}] * 4, 2),
            ([{"t": "create", "options": {}}] * 4, 2),
            ([{"t": "clock", "sent": 1}] * 8, 6),
        ]
        for requests, burst in kinds:
            answers = await ann.pipeline(requests)
            over = answers[burst:]
            assert all(answer.get("code") != "too_many" for answer in answers[:burst])
            assert {(answer["t"], answer["code"]) for answer in over} == {("error", "too_many")}
            if requests[0]["t"] == "op":
                assert [answer["n"] for answer in over] == [5, 6]
        assert ann.closed is None
        twin = await meet("json", url=server.url, token=ann.token)
        assert (await twin.ask("rooms"))["code"] == "too_many", "rates are an identity's, not a connection's"
        await twin.close()
        await ann.close()
        bob = await meet(url=server.url)
        assert (await bob.ask("rooms"))["t"] == "rooms"
        await bob.close()
    finally:
        assert await asyncio.to_thread(server.stop) == 0, server.errors
