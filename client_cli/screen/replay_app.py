"""`crescent replay` on the screen: the replay alone, without a server."""

from client_cli import exits
from client_cli.replay_model import Replay
from client_cli.screen.look import Look
from client_cli.screen.replay_screen import ReplayScreen
from client_cli.screen.themed_app import ThemedApp
from protocol.messages import Lang


class ReplayApp(ThemedApp):
    """Runs until its one screen is left. `speed` None: it waits to be run."""

    def __init__(
        self,
        replay: Replay,
        lang: Lang,
        look: Look,
        *,
        player: str,
        at_ms: int = 0,
        speed: float | None = None,
    ) -> None:
        super().__init__(look)
        self.replay = ReplayScreen(replay, lang, look, player=player, at_ms=at_ms, speed=speed)

    async def on_mount(self) -> None:
        """Show it."""
        await self.push_screen(self.replay, lambda _: self.exit(exits.OK))
