"""An identity's token is told to its owner once, and is nowhere else: no log, no page, no store."""

from __future__ import annotations

import asyncio
import hashlib

from tests.hostile.conftest import Start
from tests.hostile.raw import converse, packed, script
from tests.support.golden import SHORTEST_WIN
from tests.support.peer import Peer
from tests.support.races import game_on_entering, play_well, start_race
from tests.support.valkey import ValkeyProcess
from tests.support.web import fetch

WRONG = "A" * 22


async def test_a_token_is_in_no_log_no_page_and_no_store(start_server: Start, store: ValkeyProcess) -> None:
    server = start_server("--redis", store.url, "--log-level", "debug")
    ann = await Peer.hello(server.url)
    bob = await Peer.hello(server.url, "json")
    tokens = [ann.token, bob.token]
    room = await start_race(ann, bob, deal=SHORTEST_WIN.code, listed=True)
    await play_well(ann, SHORTEST_WIN.actions[:40])
    bob.abort()
    bob = await Peer.hello(server.url, "json", token=bob.token, client=bob.token)
    await game_on_entering(bob, room)
    newer = await Peer.hello(server.url, "json", token=bob.token)
    await game_on_entering(newer, room)
    assert (await bob.wait_closed())[0] == 4409
    for message in misplaced(ann.token):  # what a client with a fault may do with it
        await ann.ask(message.pop("t"), **message)
    assert (await ann.ask("op", n=99, op="r"))["code"] == "out_of_step"
    for encoding in ("msgpack", "json"):
        scripts = [script(encoding, *messages) for messages in malformed(ann.token, encoding)]
        heard = await asyncio.to_thread(converse, server.port, scripts, encoding)
        assert {each.code for each in heard} == {4400, 4401, 1007}
    await play_well(ann, SHORTEST_WIN.actions[40:], first=41)
    await newer.ask("forfeit")
    await ann.next("event", kind="won")
    assert (await ann.ask("manage", action="close"))["t"] == "ok"
    pages = [
        await fetch(server.port, path, Authorization=f"Bearer {ann.token}")
        for path in (
            "/metrics", "/healthz", "/readyz", f"/api/rooms/{room}", f"/api/rooms/{room}/board.csv",
            f"/api/rooms/{room}/log.jsonl", f"/api/rooms/{ann.token}", f"/?token={ann.token}",
        )
    ]  # fmt: skip
    others_saw = repr(newer.received)
    async with store.client() as client:
        keys = {key.decode() for key in await client.keys("*")}
        await client.save()
    await ann.close()
    await newer.close()
    assert await asyncio.to_thread(server.stop) == 0, server.errors
    files = b"".join(path.read_bytes() for path in store.directory.rglob("*") if path.is_file())
    assert '"debug"' in server.errors
    for token in tokens:
        assert token not in server.errors
        assert not [page for page in pages if token.encode() in page.body]
        assert token.encode() not in files
        assert not [key for key in keys if token in key]
        # Only its hash is: a look-up by hash takes the same time whatever of a wrong token is right.
        assert f"cr:identity:{hashlib.sha256(token.encode()).hexdigest()}" in keys
    assert ann.token not in others_saw


def misplaced(token: str) -> list[dict[str, object]]:
    return [
        {"t": "enter", "room": token, "as_": "player", "name": token},
        {"t": "create", "options": {token: token}},
        {"t": "follow", "player": token},
        {"t": "manage", "action": "kick", "player": token},
        {"t": "clock", "sent": token},
        {"t": "say", "text": "a" * 300},
        {"t": "rooms", "token": token},
    ]


def malformed(token: str, encoding: str) -> list[list[object]]:
    hello = {"t": "hello", "token": token}
    return [
        [{"t": token}],
        [{"t": "hello", "token": [token]}],
        [{"t": "hello", "token": token * 4}],
        [{"t": "hello", "lang": token}],
        [{"t": "hello", "token": token[:-1] + ("A" if token[-1] != "A" else "B")}],
        [{"t": "hello", "token": WRONG}],
        [hello, hello],
        [hello, {"t": "ready", "ready": token}],
        [hello, {"t": "manage", "action": token}],
        [packed(hello, encoding)[:-1]],
        [packed(hello, encoding) + b"x"],
        [packed(hello, "json" if encoding == "msgpack" else "msgpack")],
    ]
