"""A bot on the client library: bot.py [ROOM [URL]]; without a room, a race of its own.

Cards go home where they can, else onto another pile (never twice the same way), else a redeal, else it
gives up. Where the race is closed while it plays, it tells the board; where it is closed before it has a
game, or nobody answers, it says so and exits with 1.
"""

import asyncio
import sys

from client_cli.client import RaceClient
from client_cli.failures import ActionRefused, ClientFailure, Denied
from client_cli.moves import home_moves, may_redeal, pile_moves


async def race(room: str = "", url: str = "ws://127.0.0.1:8000/ws") -> str:
    """Play one race to its end and return how it went."""
    async with RaceClient.connect(url) as client:
        room = room or (await client.create({"min_players": 1, "start": "ready"})).room
        await client.enter(room, "player", name := f"bot {client.me[:6]}")
        await client.ready()
        try:
            await play(client)
        except (ActionRefused, Denied) as no:
            if no.code not in ("not_running", "wrong_state"):  # of a move or the giving up, once it is closed
                raise
            return "\n".join(f"{row.rank}. {row.name}: {row.home}" for row in (await client.closed()).rows)
        game = await client.game()
        return f"{name}: {game.status}, {game.home} cards at home, {game.moves} moves"


async def play(client: RaceClient) -> None:
    """Play until the game is won or given up."""
    game, tried = await client.game(), set()
    while game.status != "won":
        if moves := home_moves(game) or [m for m in pile_moves(game) if (game.top(m[0]), *m) not in tried]:
            tried.add((game.top(moves[0][0]), *moves[0]))
            game = await client.move(*moves[0])
        elif may_redeal(game):
            game = await client.redeal()
        else:
            return await client.forfeit()


if __name__ == "__main__":
    try:
        print(asyncio.run(race(*sys.argv[1:3])))
    except ClientFailure as failure:
        sys.exit(str(failure))
