"""A player that plays by itself, to practise against or to fill a room."""

import asyncio
import random
from typing import Literal

from client_cli import exits
from client_cli.client import RaceClient
from client_cli.failures import Denied, LineLost
from client_cli.names import enter_as_player
from client_cli.position import Position
from client_cli.session import Session
from client_cli.strategy import Strategy
from client_cli.terminal import Terminal
from protocol.messages import Done, Forfeit, Ready

Speed = Literal["human", "fast"]

HUMAN_S = (1.0, 3.0)
FAST_S = 0.055  # the server takes 20 actions a second; a little less never meets that limit
SETBACKS_MAX = 20
"""Refusals and lost lines in one game, after which something is wrong that playing on does not mend."""

_WAIT_S = 0.1
_LAST_WORDS_S = 1.0
_BOT_NAME = "Bot"


async def bot(terminal: Terminal, room: str, speed: Speed, seed: int | None) -> int:
    """Enter a room, be ready, play one's game to its end, and show how it went."""
    settings = terminal.settings
    name = settings.name or _BOT_NAME
    told = await enter_as_player(
        terminal.client, room, name, chosen=settings.name is not None, password=settings.password
    )
    terminal.keep_name()
    showing = asyncio.create_task(Session(terminal.client, terminal.screen, None, name).run())
    playing = asyncio.create_task(_play(terminal, told.state == "lobby", speed, random.Random(seed)))
    try:
        done, _ = await asyncio.wait((showing, playing), return_when=asyncio.FIRST_COMPLETED)
        # The race's end and the line's end stop the bot as well; its own end lets the last news arrive.
        if playing in done:
            await playing
            await asyncio.wait((showing,), timeout=_LAST_WORDS_S)
        if not showing.done():
            terminal.screen.board()
            return exits.OK
        return showing.result()
    finally:
        for task in (showing, playing):
            task.cancel()
        await asyncio.gather(showing, playing, return_exceptions=True)


async def _play(terminal: Terminal, lobby: bool, speed: Speed, rng: random.Random) -> None:
    client = terminal.client
    room = client.state.room
    own_start = room is not None and room.options.get("start") == "own"
    if lobby or (own_start and client.state.position is None):
        await client.request(Ready(ready=True))
        terminal.screen.tell("bot_waits")
    await client.game()
    if not await _game(client, speed, rng):
        terminal.screen.tell("bot_gives_up")
        await client.request(Forfeit())


async def _game(client: RaceClient, speed: Speed, rng: random.Random) -> bool:
    """Play until the game is over; False where it is to be given up."""
    strategy = Strategy(_position(client), rng)
    setbacks = 0
    while setbacks < SETBACKS_MAX:
        action = strategy.choose(_position(client))
        if action is None:
            return _position(client).status not in ("playing", "blocked")
        await asyncio.sleep(rng.uniform(*HUMAN_S) if speed == "human" else FAST_S)
        places = (action.src, action.dst) if action.op == "m" else (None, None)
        try:
            answer = await client.op(action.op, *places)
        except LineLost:
            setbacks += 1
            continue
        except Denied:  # such as `too_many` or `store_unavailable`: for now
            setbacks += 1
            await asyncio.sleep(setbacks * _WAIT_S)
            continue
        if isinstance(answer, Done):
            strategy.played(answer, _position(client))
        elif answer.code == "not_running":
            return True
        else:
            setbacks += 1
            await asyncio.sleep(_WAIT_S)  # the `game` that follows tells what is wrong
            strategy.look_again(_position(client))
    return False


def _position(client: RaceClient) -> Position:
    position = client.state.position
    if position is None:  # the room went back to its lobby, or was left
        raise LineLost
    return position
