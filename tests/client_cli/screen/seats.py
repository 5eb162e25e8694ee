"""The app as somebody sits at it, driven by textual's pilot, against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot

from client_cli.backoff import Backoff
from client_cli.client import RaceClient
from client_cli.output import Output
from client_cli.screen.app import RaceApp
from client_cli.screen.display import ScreenDisplay
from client_cli.screen.horseshoe import Horseshoe
from client_cli.screen.look import Look
from client_cli.screen.typed import ScreenLines
from client_cli.session import Session
from protocol.messages import Lang

PATIENCE_S = 30.0
POLL_S = 0.01


def quick_client(url: str, **more: Any) -> RaceClient:
    """A client that does not wait long between attempts."""
    return RaceClient(url, backoff=Backoff(lambda low, high: min(high, 0.05)), **more)


class Sitting:
    """One person at the screen."""

    def __init__(self, app: RaceApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def sentence(self) -> str:
        """The line under the table."""
        return self.app.race._sentence.sentence.text

    @property
    def news(self) -> str:
        """Everything that was told."""
        return "\n".join(self.app.race._news.lines_said)

    @property
    def text(self) -> str:
        """The whole screen as text."""
        return screen_text(self.app)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(PATIENCE_S):
            while not condition():  # noqa: ASYNC110 - what is shown has no events to wait for
                await asyncio.sleep(POLL_S)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def confirmed(self) -> None:
        """Wait until the server has acknowledged everything."""
        await self.until(lambda: not self.app.seat.playing.unconfirmed)

    def spot(self, place: int) -> tuple[int, int]:
        """A point on a place, from the table's top left."""
        size = self.app.race._table.size
        cell = Horseshoe(size.width, size.height).cell(place)
        return cell.x + 1, cell.y

    async def click(self, place: int, times: int = 1) -> None:
        """Click a place."""
        await self.pilot.click("#table", offset=self.spot(place), times=times)
        await self.pilot.pause()

    async def drag(self, src: int, spot: tuple[int, int]) -> None:
        """Drag a card to a point of the table."""
        await self.pilot.mouse_down("#table", offset=self.spot(src))
        await self.pilot.hover("#table", offset=spot)
        await self.pilot.mouse_up("#table", offset=spot)
        await self.pilot.pause()


def screen_text(app: RaceApp) -> str:
    """What stands on the screen, line by line."""
    update = app.screen._compositor.render_update(full=True)
    width = app.size.width
    strips = app.screen._compositor.render_strips()
    assert update is not None
    return "\n".join("".join(segment.text for segment in strip)[:width].rstrip() for strip in strips)


@asynccontextmanager
async def seated(
    client: RaceClient,
    *,
    lang: Lang = "en",
    look: Look | None = None,
    size: tuple[int, int] = (80, 24),
    name: str = "Ada",
) -> AsyncIterator[Sitting]:
    """Sit down at a screen with a client that has entered a room."""
    display, lines = ScreenDisplay(Output(), lang), ScreenLines()
    app = RaceApp(client, display, lines, look or Look(), name)
    app.run_session(Session(client, display, lines, name))
    async with app.run_test(size=size) as pilot:
        yield Sitting(app, pilot)
    if app.failure is not None:
        raise app.failure
