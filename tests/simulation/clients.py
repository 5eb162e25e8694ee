"""Simulated people: each speaks the protocol as its page says, plays what it is shown, errs by its plan.

A client knows only what was sent to it. What it asked for and got no answer to it asks for again, with the
same `n`, after coming back. What it receives is judged elsewhere (`tests/simulation/watch.py`).
"""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgpack

from tests.simulation.network import Line
from tests.support.golden import Action
from tests.support.races import request
from tests.support.shown import Shown

if TYPE_CHECKING:
    from tests.simulation.simulation import Simulation

Map = dict[str, Any]
PATIENCE_S = 15.0  # then a client comes back on another line
AFTER_CLOSE_CODES = {4400, 1007, 1009, 1011}  # never deserved by a client of ours


class Gone(Exception):
    """The line has ended."""


@dataclass
class Identity:
    """Who somebody is, on however many lines."""

    number: int
    name: str
    token: str | None = None
    player: str = ""
    stored: bool = False  # since it first created or entered
    first_asked_ms: dict[tuple[Any, ...], int] = field(default_factory=dict)


@dataclass
class Plan:
    """How a client behaves: chances a turn, and pauses between turns."""

    role: str = "player"
    arrives_ms: float = 0.0
    think_ms: tuple[float, float] = (20.0, 300.0)
    ahead: int = 1  # actions under way at most
    script: list[Action] | None = None
    illegal: float = 0.03
    repeat: float = 0.03
    hop: float = 0.02
    forfeit: float = 0.003
    chat: float = 0.005
    leave: float = 0.003
    manage: float = 0.0
    follow: float = 0.0
    vanishes_ms: float | None = None
    encoding: str = "msgpack"
    twin: bool = False


class Client:
    """See the module."""

    def __init__(
        self, sim: Simulation, name: str, identity: Identity, plan: Plan, rng: random.Random, *, second: bool
    ) -> None:
        self.sim, self.name, self.identity, self.plan, self.rng = sim, name, identity, plan, rng
        self.second = second  # of an identity that another client has, too
        self.line: Line | None = None
        self.over = False
        self.state = ""
        self.host = ""
        self.you: list[str] = []
        self.people: dict[str, Map] = {}
        self.shown: Shown | None = None
        self.status = ""
        self.n = 0
        self.under_way: dict[int, tuple[Map, float]] = {}  # actions without an answer, by n
        self.played: list[Map] = []  # requests that were done, to be asked again
        self.waits_for_game, self.waits_since_ms = False, 0.0
        self.is_out = False
        self.code = 0  # of the last line's end
        self.rows: dict[str, Map] = {}  # of the latest board
        self._answers: dict[int, asyncio.Future[Map]] = {}
        self._id = 0

    # The line

    async def live(self) -> None:
        """Come, play, come back, until the race is over."""
        await asyncio.sleep(self.plan.arrives_ms / 1000)
        while not self.over:
            while self.second and not self.identity.stored:
                await asyncio.sleep(0.02)
                if self.sim.closing:  # its first line never got so far
                    self.over = True
                    return
            self.line = self.sim.connect(self)
            self.code = 0
            try:
                if self.line is not None:
                    await self._converse()
            except Gone:
                pass
            await self._part()
            if self._vanishes():
                self.over = True
                self.sim.trace(f"{self.name} has vanished")
                return
            slow = self.code == 4409 and self.plan.twin
            await asyncio.sleep(
                self.rng.uniform(500, 3000) / 1000 if slow else self.rng.uniform(5, 400) / 1000
            )

    def _vanishes(self) -> bool:
        at_ms = self.plan.vanishes_ms
        return at_ms is not None and self.sim.now_ms > at_ms and bool(self.sim.room_id)

    async def _part(self) -> None:
        line, self.line = self.line, None
        if line is not None and line.client_open:
            if self.rng.random() < 0.5:
                line.hang_up()
            else:
                self.sim.cut(line)
        self._answers.clear()
        self.waits_for_game = False
        self.shown = None

    def arrived(self, line: Line, payload: bytes) -> None:
        message = msgpack.unpackb(payload) if line.binary else json.loads(payload)
        if line is not self.line:
            return
        if self.sim.tracing:
            self.sim.trace(f"{self.name} <- {json.dumps(message)}")
        waiting = self._answers.pop(message.get("id", -1), None)
        taker = getattr(self, f"_take_{message['t']}", None)
        if taker is not None:
            taker(message)
        if waiting is not None and not waiting.done():
            waiting.set_result(message)

    def ended(self, line: Line, code: int, reason: str) -> None:
        self.sim.trace(f"{self.name}: {line.name} has ended with {code} {reason}")
        if code in AFTER_CLOSE_CODES:
            self.sim.violation(f"{self.name} was closed with {code} {reason}")
        if line is self.line:
            self.code = code
            if code == 4401:  # the store has lost it
                self.sim.lost_identity(self.identity)
            for waiting in self._answers.values():
                if not waiting.done():
                    waiting.cancel()
            self._answers.clear()

    def _send(self, message: Map) -> None:
        line = self.line
        if line is None or not line.client_open:
            raise Gone
        self.sim.watch.asked(line, message)
        if self.sim.tracing:
            self.sim.trace(f"{self.name} -> {json.dumps(message)}")
        line.ask(msgpack.packb(message) if line.binary else json.dumps(message).encode())

    async def ask(self, t: str, **fields: Any) -> Map:
        """A request and its direct answer."""
        self._id += 1
        future: asyncio.Future[Map] = asyncio.get_running_loop().create_future()
        self._answers[self._id] = future
        asked_ms = self.sim.now_ms
        self._send({"t": t, "id": self._id, **fields})
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await future
        except asyncio.CancelledError:
            raise Gone from None
        except TimeoutError:
            self._lost_patience(asked_ms, t)
            raise Gone from None

    def _lost_patience(self, asked_ms: float, what: str) -> None:
        if asked_ms > self.sim.well_since_ms:
            self.sim.violation(f"{self.name} got no answer to {what} for {PATIENCE_S} s, with nothing wrong")

    # What is heard

    def _take_room(self, m: Map) -> None:
        self.identity.stored = True
        self.state, self.host, self.you = m["state"], m["host"], m["you"]
        self.people = {person["id"]: person for person in m["players"]}
        self.rows = {row["player"]: row for row in m["board"]["rows"]}
        self.over = self.over or self.state == "closed"
        if not self.you and self.sim.entered(self.identity):  # a store that was set back has lost the entry
            self.sim.has_left(self.identity)
            self.is_out = True

    def _take_event(self, m: Map) -> None:
        kind, player = m["kind"], m.get("player", "")
        if kind == "countdown":
            self.state = "countdown"
        elif kind == "held":
            self.state = "lobby"
        elif kind == "started":
            self.state = "running"
        elif kind == "host":
            self.host = player
        elif kind == "joined":
            self.people[player] = {"id": player, "role": m["role"], "name": m.get("name", "")}
        elif kind in ("left", "kicked", "banned") and self.state != "running":
            self.people.pop(player, None)
        elif kind == "closed":
            self.state, self.over = "closed", True
            if m["board"]:
                self.rows = {row["player"]: row for row in m["board"]["rows"]}
                self.sim.watch.final_board(self.name, m["board"]["rows"])

    def _take_board(self, m: Map) -> None:
        self.rows = {row["player"]: row for row in m["rows"]}

    def _take_game(self, m: Map) -> None:
        if self.sim.options.get("visibility") == "open":
            m = {**m, "piles": [[pile[-1] if pile else None, len(pile)] for pile in m["piles"]]}
        self.shown, self.n, self.status = Shown(m), m["n"], m["status"]
        self.waits_for_game = False
        if not self.under_way or min(self.under_way) > self.n:
            self.under_way.clear()

    def _take_done(self, m: Map) -> None:
        n = m["n"]
        if n in self.under_way:
            asked, _ = self.under_way.pop(n)
            self.played.append(asked)
            self.sim.acknowledged(self.identity, m)
        if n == self.n + 1 and self.shown is not None:
            self.n, self.status = n, m["status"]
            self.shown.take(m)

    def _take_refused(self, m: Map) -> None:
        n = m["n"]
        self.under_way = {at: sent for at, sent in self.under_way.items() if at < n}
        if m["code"] == "out_of_step":
            self.waits_for_game, self.waits_since_ms = True, self.sim.now_ms

    def _take_error(self, m: Map) -> None:
        if m["code"] == "unknown_room" and "id" not in m:  # its time is over, or the store has lost it
            self.over = True

    # What is done

    async def _converse(self) -> None:
        await self._say_hello()
        if not self.sim.room_id:
            await self._make_room()
        while not self.sim.room_id:
            await self._pause(200)
        if not await self._enter():
            return
        self._resend()
        while not self.over:
            await self._pause(300 if self.sim.calm else self.rng.uniform(*self.plan.think_ms))
            if self._vanishes():
                return
            oldest_ms = min((sent_ms for _, sent_ms in self.under_way.values()), default=self.sim.now_ms)
            if self.sim.now_ms - oldest_ms > PATIENCE_S * 1000:
                self._lost_patience(oldest_ms, "an action")
                return
            if self.waits_for_game and self.sim.now_ms - self.waits_since_ms > PATIENCE_S * 1000:
                self._lost_patience(self.waits_since_ms, "what a `game` was to follow")
                return
            if await self._turn():
                return
        while self.under_way and self.line is not None and self.line.client_open:  # the close came before
            await self._pause(100)

    async def _pause(self, ms: float) -> None:
        await asyncio.sleep(ms / 1000)
        if self.line is None or not self.line.client_open:
            raise Gone

    async def _say_hello(self) -> None:
        identity = self.identity
        token = {"token": identity.token} if identity.token else {}
        welcome = await self.ask("hello", **token)
        if welcome["t"] != "welcome":
            raise Gone
        if welcome.get("token"):
            if identity.token is not None:  # its other line was quicker: come back as that
                raise Gone
            identity.token, identity.player = welcome["token"], welcome["player"]
            self.sim.watch.known(identity)

    async def _make_room(self) -> None:
        if self.identity.number == 0:
            room = await self.ask("create", options=self.sim.options, key="the race")
            if room["t"] == "room":
                self.sim.room_made(room["room"])
                return
            if room["code"] == "bad_options":  # a moment has passed before it was heard of
                self.sim.options |= {"start_at": None, "close_at": None, "start": "host"}
            raise Gone

    async def _enter(self) -> bool:
        """Whether one is in."""
        asked: Map = {"room": self.sim.room_id}
        if not self.sim.entered(self.identity) and self.plan.role != "desk":
            asked |= {"as": self.plan.role, "name": self.identity.name}
        answer = await self.ask("enter", **asked)
        if answer["t"] == "room":
            self.sim.has_entered(self.identity)
            return True
        code = answer.get("code")
        if code in ("banned", "unknown_room"):
            self.over = True
        elif code == "name_taken":  # by oneself, under an identity that was lost before it was kept
            self.identity.name += "'"
        elif code in ("wrong_state", "room_full", "not_allowed") and asked.get("as") == "player":
            self.plan.role = "spectator"  # too late for a seat
        elif code in ("wrong_state", "not_allowed"):
            if asked.get("as"):
                self.over = True
            else:
                self.sim.has_left(self.identity)
        return False

    def _resend(self) -> None:
        """What had no answer, again and in order; what is stored by now is then told as it was."""
        for n in sorted(self.under_way):
            asked, sent_ms = self.under_way[n]
            self.under_way[n] = (asked, max(sent_ms, self.sim.now_ms))
            self._send(asked)

    async def _turn(self) -> bool:
        """One thing; True: and then come back on another line."""
        sim, plan, rng = self.sim, self.plan, self.rng
        if self.is_out:
            self.is_out = False
            return True
        if sim.calm:
            if sim.closing and self.host == self.identity.player:
                await self.ask("manage", action="close")
            return False
        quarrels_later = plan.manage > 0.5 and self.state in ("lobby", "countdown")
        chance = 1.0 if quarrels_later else rng.random()
        for weight, act in (
            (plan.hop, self._hop), (plan.chat, self._chat), (plan.leave, self._leave),
            (plan.forfeit, self._forfeit), (plan.manage, self._manage), (plan.follow, self._follow),
        ):  # fmt: skip
            if chance < weight:
                return bool(await act())
            chance -= weight
        if self.state in ("lobby", "countdown"):
            await self._get_going()
        elif self.state == "running":
            if sim.options.get("start") == "own" and self.shown is None and "player" in self.you:
                await self.ask("ready", ready=True)
            self._play()
        return False

    async def _hop(self) -> bool:
        return True

    async def _chat(self) -> None:
        kind = self.rng.randrange(3)
        if kind == 0:
            await self.ask("say", text=f"hello from {self.name}")
        elif kind == 1:
            await self.ask("rooms")
        else:
            await self.ask("clock", sent=1)

    async def _leave(self) -> bool:
        answer = await self.ask("leave")
        if answer["t"] == "ok":
            self.sim.has_left(self.identity)
        return True

    async def _forfeit(self) -> None:
        if self.state == "running" and "player" in self.you:
            await self.ask("forfeit")
            if self.rng.random() < 0.8:
                await self._pause(self.rng.uniform(10, 1500))
                await self.ask("unforfeit")

    async def _manage(self) -> None:
        if self.host != self.identity.player and "referee" not in self.you:
            return
        others = sorted(set(self.people) - {self.identity.player})
        if self.plan.manage > 0.5:
            others = [id for id in others if self.people[id].get("name", "").endswith(("2", "3", "4", "5"))]
        if not others:
            return
        player = self.rng.choice(others)
        actions = ["disqualify", "reinstate", "reinstate", "mute", "unmute", "referee", "set"]
        if self.plan.manage > 0.5:
            actions = ["disqualify", "reinstate", "mute", "unmute"]
        action = self.rng.choice([*actions, "kick"] if self.rng.random() < 0.02 else actions)
        if action == "set":
            await self.ask("manage", action="set", options={"chat": self.rng.random() < 0.5})
        elif action in ("mute", "unmute"):
            await self.ask("manage", action="mute", player=player, on=action == "mute")
        elif action == "referee":
            spectators = [id for id in others if self.people[id].get("role") == "spectator"]
            if spectators:
                await self.ask("manage", action="referee", player=spectators[0], on=self.rng.random() < 0.8)
        else:
            await self.ask("manage", action=action, player=player)

    async def _follow(self) -> None:
        players = sorted(id for id, person in self.people.items() if person.get("role") == "player")
        if players:
            player = self.rng.choice([*players, None])
            await self.ask("follow", player=player)

    async def _get_going(self) -> None:
        start = self.sim.options.get("start", "host")
        if start == "host" and self.host == self.identity.player:
            if self.state == "countdown":
                if self.rng.random() < 0.05:
                    await self.ask("hold")
            elif self.sim.all_here(self.people) or self.rng.random() < 0.02:
                await self.ask("start")
        elif start == "ready" and "player" in self.you:
            await self.ask("ready", ready=self.rng.random() < 0.9)

    # Playing

    def _play(self) -> None:
        if self.shown is None or self.waits_for_game:
            return
        chance = self.rng.random()
        if chance < self.plan.illegal:
            self._ask_op(self.n + 1, Action("m", self.rng.randrange(24), self.rng.randrange(26)))
        elif chance < self.plan.illegal + self.plan.repeat and self.played:
            again = self.rng.choice(self.played[-64:])
            self._send(again)
        elif chance < self.plan.illegal + self.plan.repeat + 0.01:
            self._ask_op(self.n + self.rng.choice((0, 2, 3)) or 1, Action("r"))
        else:
            self._play_on()

    def _play_on(self) -> None:
        """The next actions, as many as may be under way."""
        taken: set[int] = set()
        n = self.n
        for _ in range(self.plan.ahead):
            n += 1
            if n in self.under_way:
                asked, _ = self.under_way[n]
                taken |= {asked.get("src", -1), asked.get("dst", -1)}
                continue
            action = self._choose(n, taken)
            if action is None:
                return
            self._ask_op(n, action)
            if action.op != "m":
                return
            taken |= {action.src, action.dst}

    def _choose(self, n: int, taken: set[int]) -> Action | None:
        """What this identity plays as its action `n`, on whichever line."""
        shown = self.shown
        assert shown is not None
        if self.plan.script is not None:
            return self.plan.script[n - 1] if n <= len(self.plan.script) else None
        if self.status == "won":
            return None
        rng = random.Random(f"{self.sim.seed}:{self.identity.number}:{n}")
        moves = [move for move in shown.moves() if not {move.src, move.dst} & taken]
        if taken:
            return rng.choice(moves) if moves else None
        chance = rng.random()
        if shown.undoable and (chance < 0.08 or not (moves or shown.redeals)):
            return Action("u")
        if shown.redeals and (chance > 0.97 or not moves):
            return Action("r")
        if not moves:
            return None
        move = rng.choice(moves)
        if move.dst >= 16 and chance < 0.5:
            return Action("m", move.src, 24, move.dst)
        return move

    def _ask_op(self, n: int, action: Action) -> None:
        asked = request(n, action)
        if n not in self.under_way:
            self.under_way[n] = (asked, self.sim.now_ms)
        self._send(asked)
