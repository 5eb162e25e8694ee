"""A move's way from the player's hand to the server: shown at once, sent in order, settled by the answer."""

import asyncio
import time
from collections.abc import Callable

from client_cli.client import RaceClient
from client_cli.failures import Denied, Ended, LineLost
from client_cli.screen.forecast import Forecast, Pending
from protocol.messages import Done, Refused
from server.engine.actions import Action
from server.engine.game import Game


class Playing:
    """This player's game and what is on its way to the server. One action at a time is sent.

    What was played after an action that is refused was meant for another position and is never sent. An
    action whose line breaks is sent again by the client, with the same `n`, so that it is played once.

    `changed` is called when something else is to be shown, `failed` with what the server says to an action
    that it could not take, `lost` where nobody can tell any more what became of one.
    """

    def __init__(
        self,
        client: RaceClient,
        changed: Callable[[], None],
        failed: Callable[[str], None],
        lost: Callable[[], None],
    ) -> None:
        self._client = client
        self._changed = changed
        self._failed = failed
        self._lost = lost
        self._wake = asyncio.Event()
        self.forecast: Forecast | None = None
        self.sent_s: float | None = None
        """When what is now under way was sent, by the monotonic clock."""

    @property
    def game(self) -> Game:
        """The game as it is shown; there must be one."""
        assert self.forecast is not None
        return self.forecast.game

    @property
    def unconfirmed(self) -> int:
        """How many actions are shown that the server has not acknowledged."""
        return len(self.forecast.pending) if self.forecast is not None else 0

    def told(self) -> None:
        """The server has told the whole game, or there is none any more."""
        position = self._client.state.position
        if position is None:
            self.forecast = None
        elif self.forecast is None or self.forecast.position.start_at != position.start_at:
            self.forecast = Forecast(position)
        else:
            self.forecast.look(position)
        self._changed()

    def done(self, done: Done) -> None:
        """An action of this player is stored."""
        position = self._client.state.position
        if self.forecast is not None and position is not None:
            self.forecast.confirm(done, position)
            self._changed()

    def play(self, action: Action) -> None:
        """Show an action and put it on its way."""
        assert self.forecast is not None
        self.forecast.add(action)
        self._wake.set()
        self._changed()

    async def run(self) -> None:
        """Send what is played, until the connection is over."""
        while True:
            forecast = self.forecast
            if forecast is None or not forecast.pending:
                self._wake.clear()
                await self._wake.wait()
                continue
            if not await self._send(forecast, forecast.pending[0]):
                return

    async def _send(self, forecast: Forecast, pending: Pending) -> bool:
        """Have one action done. False: nothing can be done any more."""
        op, src, dst = pending.action
        pending.n = forecast.position.n + 1
        self.sent_s = time.monotonic()
        try:
            answer = await (self._client.op(op, src, dst) if op == "m" else self._client.op(op))
        except Ended:
            return False
        except LineLost:
            forecast.drop_all()
            self._lost()
        except Denied as error:
            forecast.drop_all()
            self._failed(error.text)
        else:
            if isinstance(answer, Refused):
                forecast.drop_all()
            else:
                self.done(answer)
                forecast.settle(pending)
        finally:
            self.sent_s = None
        self._changed()
        return True
