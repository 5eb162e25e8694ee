"""A bot on the client library, in thirty lines: bot.py [ROOM [URL]]; without a room, a race of its own.

Cards go home where they can, else onto another pile (never twice the same way), else a redeal, else it
gives up.
"""

import asyncio
import sys

from client_cli.client import RaceClient
from client_cli.failures import ClientFailure
from client_cli.moves import home_moves, may_redeal, pile_moves


async def race(room: str = "", url: str = "ws://127.0.0.1:8000/ws") -> str:
    """Play one race to its end and return how it went."""
    async with RaceClient.connect(url) as client:
        room = room or (await client.create({"min_players": 1, "start": "ready"})).room
        await client.enter(room, "player", f"bot {client.me[:6]}")
        await client.ready()
        game, tried = await client.game(), set()
        while game.status != "won":
            fresh = [move for move in pile_moves(game) if (game.top(move[0]), *move) not in tried]
            if moves := home_moves(game) or fresh:
                tried.add((game.top(moves[0][0]), *moves[0]))
                game = await client.move(*moves[0])
            elif may_redeal(game):
                game = await client.redeal()
            else:
                await client.forfeit()
                break
        async for _ in client.events():
            if (row := client.room.own_row) and row.status in ("won", "forfeited"):
                return f"{row.name}: {row.status}, {row.home} cards at home, {row.moves} moves"
    return "The connection ended."


if __name__ == "__main__":
    try:
        print(asyncio.run(race(*sys.argv[1:3])))
    except ClientFailure as failure:
        sys.exit(str(failure))
