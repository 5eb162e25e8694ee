"""Creating rooms and coming into them: keys, roles, names, and every reason not to get in."""

from __future__ import annotations

import unicodedata

import pytest

from tests.support.golden import SHORTEST_WIN
from tests.support.races import events, gather_room, play_well, start_race

CODE, MOVES = SHORTEST_WIN.code, SHORTEST_WIN.actions


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
async def test_a_creator_is_the_host_not_yet_a_player_and_in_the_room(meet, encoding: str) -> None:
    ann = await meet(encoding)
    room = await ann.ask("create", options={})
    assert (room["t"], room["state"], room["you"], room["host"]) == ("room", "lobby", ["host"], ann.player)
    assert room["players"] == room["board"]["rows"] == []
    assert {"start_at", "ends_at", "code", "commit"}.isdisjoint(room)
    assert len(room["room"]) == 8
    assert set(room["room"]) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    assert (await ann.ask("say", text="hello"))["t"] == "ok"


async def test_options_that_are_left_out_have_their_defaults(meet) -> None:
    ann = await meet()
    options = (await ann.ask("create", options={}))["options"]
    expected = {
        "name": "",
        "deal": "random",
        "variant": "N",
        "visibility": "top",
        "sealed": False,
        "rank_by": "time",
        "start": "host",
        "min_players": 2,
        "max_players": 8,
        "countdown_ms": 5000,
        "limit_ms": 0,
        "after_win_ms": 0,
        "late": False,
        "undo": True,
        "spectators": "board",
        "delay_ms": 60000,
        "chat": True,
        "listed": False,
    }
    assert options == expected
    assert (await ann.ask("create", options={"rank_by": "moves"}))["options"]["undo"] is False
    assert (await ann.ask("create", options={"rank_by": "moves", "undo": True}))["options"]["undo"] is True
    of_code = (await ann.ask("create", options={"deal": " cr1 f aaaaaab", "variant": "N"}))["options"]
    assert (of_code["deal"], of_code["variant"]) == ("CR1-F-AAAAAAB", "F")


async def test_the_same_key_of_the_same_identity_is_the_same_room(meet) -> None:
    ann, bob = await meet(), await meet("json")
    first = await ann.ask("create", options={"name": "one"}, key="k")
    again = await ann.ask("create", options={"name": "two"}, key="k")
    assert (again["room"], again["options"]["name"]) == (first["room"], "one")
    back = await meet("json", token=ann.token)
    assert (await back.ask("create", options={}, key="k"))["room"] == first["room"]
    assert (await back.ask("create", options={}, key="l"))["room"] != first["room"]
    assert (await bob.ask("create", options={}, key="k"))["room"] != first["room"]
    assert (await bob.ask("create", options={}))["room"] != (await bob.ask("create", options={}))["room"]
    keys = [{"t": "create", "options": {}, "key": "twin"}] * 5
    assert len({answer["room"] for answer in await bob.pipeline(keys)}) == 1


async def test_two_nodes_asked_with_one_key_at_once_make_one_room(meet, two_nodes) -> None:
    one, other = two_nodes
    ann = await meet(url=one.url)
    await ann.create()
    twin = await meet(token=ann.token, url=other.url)
    await ann.send(t="create", options={}, key="at once")
    there = await twin.ask("create", options={}, key="at once")
    here = await ann.next("room", where=lambda m: "id" not in m)
    assert here["room"] == there["room"]


async def test_an_unknown_room_is_told_so(meet) -> None:
    ann = await meet()
    for room in ("AAAAAAAA", "A", "UUUUUUUU", "A" * 64, "ÆØÅ", "\x00", "../../..", "AAAA AAAA"):
        answer = await ann.ask("enter", room=room, as_="player", name="A")
        assert (answer["t"], answer["code"]) == ("error", "unknown_room"), room
        assert answer["text"]


async def test_a_room_is_found_as_people_type_it(meet) -> None:
    ann, bob = await meet(), await meet()
    room = await ann.create()
    typed = room.lower().replace("0", "o").replace("1", "l")
    assert (await bob.enter(f" {typed[:4]}-{typed[4:]} ", "Bob"))["room"] == room


async def test_both_are_told_who_comes_and_as_what(meet) -> None:
    ann, bob, eve = await meet(), await meet("json"), await meet("json")
    room = await gather_room(ann)
    entered = await bob.enter(room, "  Bob ")
    assert entered["you"] == ["player"]
    joined = await ann.next("event", kind="joined", player=bob.player)
    assert (joined["name"], joined["role"], joined["v"]) == ("Bob", "player", entered["v"])
    watching = await eve.ask("enter", room=room, as_="spectator")
    assert watching["you"] == ["spectator"]
    assert (await ann.next("event", kind="joined", player=eve.player))["role"] == "spectator"
    people = {p["id"]: (p["name"], p["role"], p["ready"], p["online"]) for p in watching["players"]}
    assert people[ann.player] == ("A", "player", False, True)
    assert people[bob.player] == ("Bob", "player", False, True)
    assert people[eve.player][1:] == ("spectator", False, True)
    assert [row["player"] for row in watching["board"]["rows"]] == [ann.player, bob.player]
    assert {row["status"] for row in watching["board"]["rows"]} == {"waiting"}


async def test_a_name_like_anothers_is_taken(meet) -> None:
    ann, bob = await meet(), await meet()
    room = await ann.create()
    await ann.enter(room, "Bob")
    for name in ("Bob", "bob", "BOB", " Bob ", "Ｂｏｂ", "\u0412ob", "B\u043eb", "B0b", "B\ufe0fob"):
        answer = await bob.ask("enter", room=room, as_="player", name=name)
        assert (answer["t"], answer["code"]) == ("error", "name_taken"), name
    assert (await bob.enter(room, "Bobby"))["you"] == ["player"]


BAD_NAMES = [
    None, "", " ", "\t", "x" * 25, "a\nb", "a\u202eb", "a\u200bb", "\u2066a", "a\x00", "\ufeff", "a\u2028b",
    "B\u200dob", "\u3164",
]  # fmt: skip


async def test_a_name_that_is_none_is_bad(meet) -> None:
    ann = await meet()
    room = await ann.create()
    for name in BAD_NAMES:
        answer = await ann.ask("enter", room=room, as_="player", name=name)
        assert (answer["t"], answer["code"]) == ("error", "bad_name"), name


async def test_other_names_are_shown_as_they_are_in_nfc(meet) -> None:
    ann = await meet("json")
    for name in ("x", "x" * 24, "Ærø", "e\u0301" * 24, "名前", "🂡 ace", "=1+1", "Émile"):
        room = await ann.create()
        shown = (await ann.enter(room, name))["players"][0]["name"]
        assert shown == unicodedata.normalize("NFC", name)


async def test_a_full_room_takes_spectators_only(meet) -> None:
    ann, bob = await meet(), await meet()
    room = await gather_room(ann, max_players=1)
    answer = await bob.ask("enter", room=room, as_="player", name="Bob")
    assert (answer["t"], answer["code"]) == ("error", "room_full")
    await bob.enter(room, "Bob", as_="spectator")
    assert (await bob.ask("enter", room=room, as_="player"))["code"] == "room_full"
    await ann.ask("leave")
    assert (await bob.ask("enter", room=room, as_="player"))["you"] == ["player"]


async def test_a_role_can_be_changed_before_the_start_and_not_by_a_racer_after_it(meet) -> None:
    ann, bob = await meet(), await meet()
    room = await gather_room(ann, [bob])
    assert (await bob.ask("enter", room=room, as_="spectator"))["you"] == ["spectator"]
    changed = await ann.next("event", kind="joined", player=bob.player, role="spectator")
    assert changed["name"] == "B"
    assert (await bob.ask("enter", room=room, as_="player"))["you"] == ["player"]
    await ann.ask("start")
    await bob.next("game")
    assert (await bob.ask("enter", room=room, as_="spectator"))["code"] == "wrong_state"
    await play_well(bob, MOVES[:0])


async def test_a_resumed_seat_keeps_its_name_and_adds_no_event(meet) -> None:
    ann = await meet()
    room = await gather_room(ann)
    before = await ann.ask("enter", room=room)
    again = await ann.ask("enter", room=room, as_="player", name="Other")
    assert again["v"] == before["v"]
    assert again["players"][0]["name"] == "A"


async def test_who_was_never_in_a_room_must_say_as_what_they_come(meet) -> None:
    ann, bob = await meet(), await meet()
    room = await ann.create()
    assert (await bob.ask("enter", room=room, name="Bob"))["code"] == "not_allowed"


async def test_a_room_without_spectators_takes_them_after_the_close_only(meet) -> None:
    ann, eve = await meet(), await meet("json")
    room = await gather_room(ann, spectators="none")
    assert (await eve.ask("enter", room=room, as_="spectator", name="Eve"))["code"] == "not_allowed"
    await ann.ask("manage", action="close")
    assert (await eve.enter(room, "Eve", as_="spectator"))["state"] == "closed"


async def test_no_one_takes_a_seat_after_the_start_unless_late_entry_is_on(meet) -> None:
    ann, bob = await meet(), await meet()
    room = await start_race(ann, deal=CODE)
    assert (await bob.ask("enter", room=room, as_="player", name="Bob"))["code"] == "wrong_state"
    assert (await bob.enter(room, "Bob", as_="spectator"))["state"] == "running"
    assert (await bob.ask("enter", room=room, as_="player"))["code"] == "wrong_state"


async def test_a_late_one_races_from_the_common_start(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await start_race(ann, deal=CODE, late=True, max_players=2)
    await play_well(ann, MOVES[:3])
    entered = await bob.enter(room, "Bob")
    game = await bob.next("game")
    assert (game["n"], game["start_at"]) == (0, entered["start_at"])
    (done,) = await play_well(bob, MOVES[:1])
    assert done["ms"] >= ann.all("done")[-1]["ms"]
    board = await ann.next("board", where=lambda m: len(m["rows"]) == 2 and m["rows"][1]["moves"] == 1)
    assert board["rows"][1]["player"] == bob.player


@pytest.mark.parametrize(
    "request_fields",
    [
        {"t": "leave"},
        {"t": "ready", "ready": True},
        {"t": "start"},
        {"t": "hold"},
        {"t": "forfeit"},
        {"t": "unforfeit"},
        {"t": "follow", "player": "P"},
        {"t": "say", "text": "x"},
        {"t": "rematch"},
        {"t": "manage", "action": "close"},
        {"t": "manage", "action": "set", "options": {}},
    ],
    ids=lambda fields: fields["t"],
)
async def test_what_needs_a_room_is_not_in_room_without_one(meet, request_fields: dict) -> None:
    texts = set()
    for lang, encoding in (("en", "msgpack"), ("da", "json"), ("de", "msgpack")):
        ann = await meet(encoding, lang=lang)
        (answer,) = await ann.pipeline([request_fields])
        assert (answer["t"], answer["code"]) == ("error", "not_in_room")
        texts.add(answer["text"])
    assert len(texts) == 3


@pytest.mark.parametrize(
    "request_fields",
    [
        {"t": "start"},
        {"t": "manage", "action": "close"},
        {"t": "manage", "action": "set", "options": {"countdown_ms": 1}},
    ],
    ids=lambda fields: fields.get("action", fields["t"]),
)
async def test_what_only_the_host_may_do_is_not_host_for_others(meet, request_fields: dict) -> None:
    ann, bob, eve = await meet(), await meet(), await meet("json")
    room = await gather_room(ann, [bob])
    await eve.enter(room, "Eve", as_="spectator")
    for peer in (bob, eve):
        (answer,) = await peer.pipeline([request_fields])
        assert (answer["t"], answer["code"]) == ("error", "not_host")
    again = await ann.ask("enter", room=room)
    assert (again["state"], again["options"]["countdown_ms"]) == ("lobby", 0)
    assert max(events(bob)) == again["v"]


async def test_what_cannot_be_now_is_wrong_state(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await gather_room(ann, [bob], deal=CODE)
    for t in ("hold", "forfeit", "unforfeit"):
        assert (await ann.ask(t))["code"] == "wrong_state"
    await ann.ask("start")
    await bob.next("game")
    for t, fields in (("start", {}), ("hold", {}), ("ready", {"ready": True})):
        assert (await ann.ask(t, **fields))["code"] == "wrong_state"
    assert (await ann.ask("manage", action="set", options={"countdown_ms": 7}))["code"] == "wrong_state"
    await ann.ask("manage", action="close")
    for t, fields in (
        ("start", {}),
        ("hold", {}),
        ("forfeit", {}),
        ("unforfeit", {}),
        ("ready", {"ready": True}),
        ("manage", {"action": "close"}),
        ("manage", {"action": "set", "options": {"undo": False}}),
    ):
        assert (await ann.ask(t, **fields))["code"] == "wrong_state"
    assert (await bob.ask("enter", room=room))["options"]["countdown_ms"] == 0
