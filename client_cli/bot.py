"""A player that plays by itself, to practise against or to fill a room."""

import asyncio
import random
from dataclasses import dataclass

from client_cli import exits
from client_cli.client import RaceClient
from client_cli.failures import Denied, LineLost, NoRace
from client_cli.names import enter_as_player
from client_cli.pace import Pace, Speed
from client_cli.position import Position
from client_cli.session import Session
from client_cli.strategies import STRATEGIES
from client_cli.strategies.strategy import Strategy
from client_cli.terminal import Terminal
from protocol.messages import Done

SETBACKS_MAX = 20
"""Refusals and lost lines in one game, after which something is wrong that playing on does not mend."""

_WAIT_S = 0.1
_LAST_WORDS_S = 1.0
_BOT_NAME = "Bot"


@dataclass(frozen=True, slots=True)
class Manner:
    """How a bot plays: a name of `STRATEGIES`, a speed, and what its choices are drawn from."""

    strategy: str
    speed: Speed
    seed: int | None


async def bot(terminal: Terminal, room: str, manner: Manner) -> int:
    """Enter a room, be ready, play one's game to its end, and show how it went."""
    settings = terminal.settings
    name = settings.name or _BOT_NAME
    told = await enter_as_player(
        terminal.client, room, name, chosen=settings.name is not None, password=settings.password
    )
    terminal.keep_name()
    showing = asyncio.create_task(Session(terminal.client, terminal.screen, None, name).run())
    playing = asyncio.create_task(_play(terminal, told.state == "lobby", manner))
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


async def _play(terminal: Terminal, lobby: bool, manner: Manner) -> None:
    client = terminal.client
    room = client.room
    own_start = room is not None and room.options.get("start") == "own"
    if lobby or (own_start and client.position is None):
        await client.ready()
        terminal.screen.tell("bot_waits")
    try:
        position = await client.game()
    except NoRace:  # closed before its start, or left: the session tells it
        return
    undo = client.room is not None and bool(client.room.options.get("undo"))
    strategy = STRATEGIES[manner.strategy](position, random.Random(manner.seed), undo=undo)
    # Drawn from another source: the speed changes nothing of what is played.
    pace = Pace(manner.speed, random.Random(None if manner.seed is None else f"pace {manner.seed}"))
    if not await _game(client, strategy, pace):
        terminal.screen.tell("bot_gives_up")
        await client.forfeit()


async def _game(client: RaceClient, strategy: Strategy, pace: Pace) -> bool:
    """Play until the game is over; False where it is to be given up."""
    setbacks = 0
    while setbacks < SETBACKS_MAX:
        position = _position(client)
        # In a thread: the line is kept while it thinks.
        action = await asyncio.to_thread(strategy.choose, position)
        if action is None:
            return position.status not in ("playing", "blocked")
        places = (action.src, action.dst) if action.op == "m" else (None, None)
        await asyncio.sleep(pace.think_s(position, strategy.planned))
        try:
            answer = await client.op(action.op, *places)
        except LineLost:  # it may have been played
            setbacks += 1
            strategy.look_again(_position(client))
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
    position = client.position
    if position is None:  # the room went back to its lobby, or was left
        raise LineLost
    return position
