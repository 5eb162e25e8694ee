"""What one may see: every message of whole races of every kind, to everyone in them, is looked through."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from typing import Any

import pytest

from tests.support.golden import Action
from tests.support.peer import Peer
from tests.support.shown import Shown
from tests.support.table import Table
from tests.support.web import fetch

Map = dict[str, Any]
CARD = re.compile(r'"[A23456789TJQK][SHDC]"')
PASSWORD = "swordfish-of-the-crescent"
PLAYERS = ("Ann", "Bob", "Out", "Late")
KINDS: dict[str, Map] = {
    "host": {},
    "ready": {"start": "ready", "min_players": 3},
    "at": {"start": "at"},
    "own": {"start": "own"},
    "own and sealed": {"start": "own", "sealed": True},
    "sealed": {"sealed": True, "visibility": "top"},
    "live": {"spectators": "live", "variant": "F"},
    "delayed": {"spectators": "delayed", "delay_ms": 1000},
}


class Cast:
    """A race of the kind: a host who does not play, three players of whom one is put out and one who comes
    late, a spectator and a referee; and what each has played."""

    def __init__(self, options: Map) -> None:
        self.options = options
        self.peers: dict[str, Peer] = {}
        self.lines: dict[str, list[Peer]] = {}  # every connection of each, in order
        self.played: dict[str, list[Action]] = {name: [] for name in PLAYERS}
        self.shown: dict[str, Shown] = {}
        self.room = ""
        self.pages: list[tuple[str, bytes]] = []  # before the close

    @property
    def own(self) -> bool:
        return self.options.get("start") == "own"

    def add(self, name: str, peer: Peer) -> Peer:
        self.peers[name] = peer
        self.lines.setdefault(name, []).append(peer)
        return peer

    async def enter(self, name: str, role: str) -> Map:
        answer = await self.peers[name].ask(
            "enter", room=self.room, as_=role, name=f"{name} of town", password=PASSWORD
        )
        assert answer["t"] == "room", answer
        return answer

    async def play(self, name: str, count: int) -> None:
        peer, actions = self.peers[name], self.played[name]
        shown = self.shown.setdefault(name, Shown(peer.all("game")[0]))
        for _ in range(count):
            action = shown.next(len(actions) + 1)
            src, dst = (action.src, action.dst) if action.op == "m" else (None, None)
            done = await peer.op(len(actions) + 1, action.op, src, dst)
            assert done["t"] == "done", done
            actions.append(Action(action.op, done.get("src", 0), 0, done.get("dst", 0)))
            shown.take(done)

    async def follow(self, watcher: str, player: str) -> None:
        answer = await self.peers[watcher].ask("follow", player=self.peers[player].player)
        assert answer["t"] == "view", (watcher, player, answer)

    async def look_in(self, port: int) -> None:
        """A stranger with the password looks at the room's pages."""
        for page in ("", "/board.csv"):
            path = f"/api/rooms/{self.room}{page}"
            self.pages.append((page, (await fetch(port, path, Authorization=f"Bearer {PASSWORD}")).body))


async def whole_race(meet, port: int, options: Map) -> Cast:  # type: ignore[no-untyped-def]
    cast = Cast(options)
    for number, name in enumerate(("Host", "Ann", "Bob", "Out", "Eve", "Ref", "Late")):
        cast.add(name, await meet(("msgpack", "json")[number % 2]))
    host = cast.peers["Host"]
    options = {"min_players": 1, "countdown_ms": 0, "late": True, "password": PASSWORD, **options}
    if options.get("start") == "at":
        options["start_at"] = (await host.ask("clock", sent=1))["now"] + 4000
    cast.room = await host.create(**options)
    for name in ("Ann", "Bob", "Out"):
        await cast.enter(name, "player")
    for name in ("Eve", "Ref"):
        await cast.enter(name, "spectator")
    await host.ask("manage", action="referee", player=cast.peers["Ref"].player, on=True)
    await cast.look_in(port)
    await begin(cast)
    await cast.follow("Ref", "Bob")
    if options.get("spectators") in ("live", "delayed"):
        await cast.follow("Eve", "Ann")
    await asyncio.gather(cast.play("Ann", 12), cast.play("Bob", 9), cast.play("Out", 4))
    await put_out_and_come_back(cast, meet)
    shown = await cast.enter("Late", "player")
    assert shown["state"] == "running"
    if cast.own:
        await cast.peers["Late"].ask("ready", ready=True)
    await cast.peers["Late"].next("game")
    await asyncio.gather(cast.play("Ann", 14), cast.play("Bob", 5), cast.play("Late", 6))
    await cast.look_in(port)
    if options.get("spectators") == "delayed":
        await cast.peers["Eve"].next("seen", n=1)
    await cast.peers["Bob"].ask("forfeit")
    await host.ask("manage", action="close")
    for peer in cast.peers.values():
        await peer.next("event", kind="closed")
        await peer.ask("clock", sent=1)
    return cast


async def begin(cast: Cast) -> None:
    start = cast.options.get("start", "host")
    racers = [cast.peers[name] for name in ("Ann", "Bob", "Out")]
    if start == "host":
        await cast.peers["Host"].ask("start")
    elif start != "at":
        for peer in racers:
            assert (await peer.ask("ready", ready=True))["t"] == "ok"
    for peer in racers:
        await peer.next("game")


async def put_out_and_come_back(cast: Cast, meet) -> None:  # type: ignore[no-untyped-def]
    out = cast.peers["Out"]
    await cast.peers["Host"].ask("manage", action="kick", player=out.player)
    assert (await out.wait_closed())[0] == 4403
    cast.add("Out", await meet("json", token=out.token))
    shown = await cast.peers["Out"].ask("enter", room=cast.room)
    assert shown["you"] == ["spectator"]
    if not cast.own:
        await cast.follow("Out", "Ann")


# What is looked for in every message


def may_watch(cast: Cast, watcher: str, player: str) -> bool:
    """Whose game is followed in these stories, each by right."""
    spectators = cast.options.get("spectators", "board")
    return (watcher, player) in {
        ("Ref", "Bob"),
        *([("Eve", "Ann")] if spectators in ("live", "delayed") else []),
        *([] if cast.own else [("Out", "Ann")]),
    }


def check_cards(cast: Cast, name: str, message: Map, code: str) -> None:
    """Cards only of games that may be seen, and of those the tops alone, as they are after `n` actions."""
    if message["t"] not in ("game", "view", "done", "seen"):
        assert not CARD.search(json.dumps(message)), message
        return
    player = name
    if message["t"] in ("view", "seen"):
        player = next(n for n in PLAYERS if cast.peers[n].player == message["player"])
        assert may_watch(cast, name, player), (name, player)
    table = Table(code)
    for action in cast.played[player][: message["n"]]:
        table.play(action.op, action.src, action.place)
    if message["t"] in ("game", "view"):
        assert message["piles"] == [[table.top(place), table.count(place)] for place in range(16)]
    else:
        assert "piles" not in message
        assert all([top, count] == [table.top(p), table.count(p)] for p, top, count in message["changed"])
    shown = {"piles", "changed"} & message.keys()
    rest = {field: value for field, value in message.items() if field not in shown}
    assert not CARD.search(json.dumps(rest))


def knows_code(cast: Cast, peer: Peer, message: Map) -> bool:
    """Whether from this message on the code may have been told to this person, before the close."""
    if message["t"] == "room":
        started = message["state"] == "running"
        own_game = message.get("start_at") is not None
        return started and not cast.options.get("sealed") and (own_game or not cast.own)
    if message["t"] != "event" or message["kind"] != "started" or cast.options.get("sealed"):
        return False
    return not cast.own or message["player"] == peer.player


def rows_in(message: Map) -> list[Map]:
    board = message if message["t"] == "board" else message.get("board")
    return [*board["rows"], *filter(None, [board.get("own")])] if board else []


def check_results(cast: Cast, name: str, message: Map) -> None:
    """In a room of own starts one's own row alone, till the close, but for who manages and does not play."""
    if not cast.own or name in ("Host", "Ref"):
        return
    player = cast.peers[name].player
    assert {row["player"] for row in rows_in(message)} <= {player}
    assert {row["rank"] for row in rows_in(message)} <= {1}
    if message["t"] == "event" and message.get("player") != player:
        assert not message.keys() & {"ms", "moves", "n"}


@pytest.mark.parametrize("kind", KINDS)
async def test_nobody_is_shown_more_than_they_may_see(meet, race_server, kind: str) -> None:
    cast = await whole_race(meet, race_server.port, KINDS[kind])
    closed = cast.peers["Eve"].all("event")[-1]
    code, nonce = closed["code"], closed.get("nonce")
    assert (nonce is not None) is bool(KINDS[kind].get("sealed"))
    tokens = {peer.token for peer in cast.peers.values()}
    kinds_seen = set()
    for name, lines in cast.lines.items():
        over = False
        for peer in lines:
            told_code = False
            for message in peer.received:
                over = over or (message["t"] == "event" and message["kind"] == "closed")
                text = json.dumps(message)
                kinds_seen.add(message["t"])
                told_code = told_code or over or knows_code(cast, peer, message)
                assert told_code or code not in text, (name, message)
                assert over or nonce is None or nonce not in text
                assert PASSWORD not in text
                assert "argon2" not in text
                secrets = {token for token in tokens if token in text}
                assert secrets <= ({peer.token} if message["t"] == "welcome" else set())
                check_cards(cast, name, message, code)
                if not over:
                    check_results(cast, name, message)
        assert over, name
    assert kinds_seen >= {"game", "done", "view", "seen", "board", "room", "event"}
    check_pages(cast, code)


def check_pages(cast: Cast, code: str) -> None:
    """A stranger before the close: the code only where everyone knows it, no card, no hidden result."""
    assert len(cast.pages) == 4
    for number, (page, body) in enumerate(cast.pages):
        text = body.decode()
        started = number >= 2
        assert cast.room in text or page == "/board.csv"
        assert PASSWORD not in text
        assert not CARD.search(text)
        assert code not in text or (started and not cast.own and not cast.options.get("sealed"))
        if cast.own and page:
            assert text.count("\r\n") == 1


@pytest.mark.parametrize("start", ["host", "own"])
async def test_a_commit_is_told_from_the_start_and_opened_at_the_close(meet, race_server, start: str) -> None:
    ann, bob = await meet(), await meet("json")
    room = await ann.create(sealed=True, start=start, min_players=1, countdown_ms=0)
    assert "commit" not in await ann.enter(room, "Ann")
    await bob.enter(room, "Bob", as_="spectator")
    await ann.ask("ready" if start == "own" else "start", **({"ready": True} if start == "own" else {}))
    commit = (await bob.next("event", kind="started"))["commit"]
    assert (await bob.ask("enter", room=room))["commit"] == commit
    page = await fetch(race_server.port, f"/api/rooms/{room}")
    assert (page.json["commit"], page.json.get("code")) == (commit, None)
    await ann.ask("manage", action="close")
    closed = await bob.next("event", kind="closed")
    assert re.fullmatch(r"CR2-N-[A-Z]{28}", closed["code"])
    assert re.fullmatch(r"[0-9a-f]{32}", closed["nonce"])
    assert hashlib.sha256(f"{closed['code']}:{closed['nonce']}".encode()).hexdigest() == commit


async def test_another_deal_drawn_in_the_lobby_is_told_to_nobody(meet) -> None:
    ann, bob = await meet(), await meet("json")
    room = await ann.create(min_players=1, countdown_ms=0)
    await ann.enter(room, "Ann")
    await bob.enter(room, "Bob", as_="spectator")
    for options in ({"variant": "F"}, {"sealed": True}, {"sealed": False}, {"variant": "N"}):
        assert (await ann.ask("manage", action="set", options=options))["t"] == "ok"
        await bob.next("event", kind="options")
    assert not any(re.search(r"CR[12]-", json.dumps(m)) for peer in (ann, bob) for m in peer.received)
    await ann.ask("start")
    code = (await bob.next("event", kind="started"))["code"]
    assert (await ann.next("game"))["piles"] == Table(code).game()["piles"]
