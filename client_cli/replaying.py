"""`crescent replay` in lines: keys are typed as lines, or it runs by itself."""

import asyncio
from dataclasses import dataclass

from client_cli import exits
from client_cli.durations import race_time_ms
from client_cli.json_lines import JsonScreen
from client_cli.log_access import LogFailure, awaited_log
from client_cli.output import Output
from client_cli.replay_display import ReplayDisplay, ReplayJson, ReplayLines, ReplaySentences
from client_cli.replay_model import Replay
from client_cli.terminal import Settings
from client_cli.texts import say
from client_cli.throttle import Throttle
from client_cli.typed_lines import TypedLines

SPEED_MIN, SPEED_MAX = 0.1, 1000.0
BARS_S = 2.0
"""How often the bars are shown while it runs."""


@dataclass(frozen=True, slots=True)
class ReplayStart:
    """How it begins: `speed` runs by itself, `at` as typed, `player` by name."""

    speed: float | None = None
    at: str | None = None
    player: str | None = None


def run_replay(settings: Settings, source: str, start: ReplayStart) -> int:
    """Show the race at `source`, and return the exit code."""
    output, lang = Output(), settings.lang
    complain = JsonScreen(output.raw).error if settings.json else output.complain
    at_ms = race_time_ms(start.at) if start.at is not None else 0
    if at_ms is None:
        complain(say("bad_time", lang, text=start.at))
        return exits.USAGE
    if start.speed is not None and not SPEED_MIN <= start.speed <= SPEED_MAX:
        complain(say("bad_speed", lang, text=start.speed, least=SPEED_MIN, most=round(SPEED_MAX)))
        return exits.USAGE
    try:
        with awaited_log(source, settings.server, lang, settings.password, output.complain) as lines:
            replay = Replay.read(lines)
    except LogFailure as failure:
        complain(str(failure))
        return failure.code
    if not replay.players:
        complain(say("replay_empty", lang))
        return exits.REFUSED
    whose = replay.named(start.player) if start.player is not None else replay.players[0]
    if whose is None:
        complain(say("unknown_name", lang, text=start.player))
        return exits.USAGE
    if settings.look is not None:
        # They take a moment, which lines need not wait.
        from client_cli.screen.in_terminal import run_in_terminal
        from client_cli.screen.replay_app import ReplayApp

        app = ReplayApp(replay, lang, settings.look, player=whose.player, at_ms=at_ms, speed=start.speed)
        return asyncio.run(run_in_terminal(app))
    display: ReplayDisplay = ReplaySentences(output, lang) if settings.plain else ReplayLines(output, lang)
    if settings.json:
        display = ReplayJson(output)
    showing = Showing(replay, display, whose.player, replay.within(at_ms))
    asyncio.run(showing.run(start.speed))
    return exits.OK


class Showing:
    """One race being looked at: at which moment, and whose table."""

    def __init__(self, replay: Replay, display: ReplayDisplay, player: str, ms: int) -> None:
        self._replay, self._display = replay, display
        self._player, self._ms = player, ms
        self._full = False
        self._bars = Throttle(BARS_S)

    async def run(self, speed: float | None) -> None:
        """Show the first moment; then run by itself to the end, or do what is typed until `quit`."""
        lines = TypedLines()
        lines.start()
        self._display.opened(self._replay)
        self._show()
        line: str | None = None
        if speed is not None:
            line = await self._play(speed, lines)
            if line is None:
                return
        while True:
            if line is None and (line := await lines.get()) is None:
                return
            words = line.split(maxsplit=1)
            if words and words[0].lower() == "quit":
                return
            if words and words[0].lower() == "play":
                line = await self._typed_play(words[1:], lines)
                continue
            self._do(line)
            line = None

    async def _typed_play(self, words: list[str], lines: TypedLines) -> str | None:
        """Run, and return the line that stopped it; an empty one only pauses, and is None."""
        try:
            speed = float(words[0]) if words else 1.0
        except ValueError:
            speed = 0.0
        if not SPEED_MIN <= speed <= SPEED_MAX:
            self._display.tell("bad_speed", text=words[0], least=SPEED_MIN, most=round(SPEED_MAX))
            return None
        line = await self._play(speed, lines)
        return line if line is not None and line.strip() else None

    async def _play(self, speed: float, lines: TypedLines) -> str | None:
        """Run until the end (None), or until a line is typed. The end of what is typed stops nothing."""
        now_s = asyncio.get_running_loop().time
        typed = asyncio.ensure_future(lines.get())
        try:
            while self._ms < self._replay.end_ms:
                begun_s, from_ms = now_s(), self._ms
                next_ms = self._replay.next_ms(self._ms)
                pause_s = (next_ms - self._ms) / 1000 / speed
                if typed.done() and typed.result() is None:
                    await asyncio.sleep(pause_s)
                else:
                    await asyncio.wait((typed,), timeout=pause_s)
                if typed.done() and (line := typed.result()) is not None:
                    self._ms = min(next_ms, from_ms + round((now_s() - begun_s) * 1000 * speed))
                    self._show()
                    return line
                self._pass(next_ms)
                if self._bars.due(now_s()) and self._ms < self._replay.end_ms:
                    self._show()
            self._show()
            return None
        finally:
            typed.cancel()

    def _pass(self, until_ms: int) -> None:
        """Let the actions until a moment happen."""
        for step in self._replay.steps(self._ms, until_ms):
            player = self._replay.player(step.player)
            self._display.step(player.at(step.ms), player.plays[player.count(step.ms) - 1])
            self._bars.changed()
        self._ms = until_ms

    def _do(self, line: str) -> None:
        """Do what is typed, but `play` and `quit`, and show what there is then."""
        replay, display = self._replay, self._display
        name, _, argument = line.strip().partition(" ")
        match name.lower():
            case "" | "n" | "next":
                self._ms = replay.next_ms(self._ms)
            case "b" | "back":
                self._ms = replay.previous_ms(self._ms)
            case "start":
                self._ms = 0
            case "end":
                self._ms = replay.end_ms
            case "piles":
                self._full = not self._full
            case "help":
                display.tell("replay_help")
                return
            case "show":
                whose = replay.named(argument)
                if whose is None:
                    display.tell("unknown_name", text=argument)
                    return
                self._player = whose.player
            case _:
                ms = self._moment(line.strip())
                if ms is None:
                    display.tell("replay_unknown", text=line.strip()[:40])
                    return
                self._ms = replay.within(ms)
        self._show()

    def _moment(self, text: str) -> int | None:
        """Return the moment that is typed, `1:23` or `+10`; None for what is none."""
        sign = {"+": 1, "-": -1}.get(text[:1])
        ms = race_time_ms(text[1:] if sign else text)
        if ms is None or sign is None:
            return ms
        return self._ms + sign * ms

    def _show(self) -> None:
        player = self._replay.player(self._player)
        table = self._replay.position(self._player, self._ms, full=self._full)
        self._display.moment(self._ms, self._replay.at(self._ms), player.at(self._ms), table)
