"""People in the lobby, driven by textual's pilot."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from textual.screen import Screen
from textual.widgets import Input

from client_cli.client import RaceClient
from client_cli.output import Output
from client_cli.screen.display import ScreenDisplay
from client_cli.screen.lobby_app import LobbyApp
from client_cli.screen.look import Look
from client_cli.screen.typed import ScreenLines
from client_cli.unfinished import Unfinished
from protocol.messages import Lang
from tests.client_cli.screen.seats import PATIENCE_S, Sitting

LOOK_S = 0.1

S = TypeVar("S", bound=Screen)  # type: ignore[type-arg]


class InLobby(Sitting):
    """One person, in the lobby at first."""

    app: LobbyApp

    @property
    def lobby(self) -> str:
        """What the lobby says."""
        return self.app.lobby.said

    def on(self, kind: type[S]) -> S:
        """The screen one sees, which is of this kind."""
        assert isinstance(self.app.screen, kind), self.app.screen
        return self.app.screen

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until something is so. Each look takes long where asyncio is debugged: they are few."""
        await self._wait(condition, "it is not so")

    async def sees(self, *texts: str) -> None:
        """Wait until all of these are on the screen."""
        await self._wait(lambda: all(text in self.text for text in texts), f"no {texts}")

    async def _wait(self, condition: Callable[[], object], complaint: str) -> None:
        for _ in range(round(PATIENCE_S / LOOK_S)):
            if condition():
                return
            await asyncio.sleep(LOOK_S)
        raise AssertionError(f"{complaint}:\n{self.text}")

    async def sees_screen(self, kind: type[Screen]) -> None:  # type: ignore[type-arg]
        """Wait for a screen of this kind."""
        await self.until(lambda: isinstance(self.app.screen, kind) and self.app.screen.is_mounted)

    async def type(self, text: str) -> None:
        """Put a text into the field one is in."""
        await self.until(lambda: isinstance(self.app.screen.focused, Input))
        field = self.app.screen.focused
        assert isinstance(field, Input)
        field.value = text


@asynccontextmanager
async def in_lobby(
    client: RaceClient,
    name: str = "Ada",
    *,
    lang: Lang = "en",
    look: Look | None = None,
    size: tuple[int, int] = (80, 24),
    unfinished: tuple[str, ...] = (),
) -> AsyncIterator[InLobby]:
    """Sit down in the lobby with a client that is connected."""
    display = ScreenDisplay(Output(), lang)
    app = LobbyApp(client, display, ScreenLines(), look or Look(), name, Unfinished(unfinished))
    async with app.run_test(size=size) as pilot:
        yield InLobby(app, pilot)
    if app.failure is not None:
        raise app.failure
