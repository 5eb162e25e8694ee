"""One run: real nodes on a simulated loop, network and store, simulated people, and all that goes wrong."""

from __future__ import annotations

import asyncio
import random
import traceback
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any

import msgspec
import structlog

from client_cli.verify import verify
from server.node.door import DoorRules
from server.node.node import Node
from server.node.race_log import log_lines
from server.node.settings import Settings, parse_rates
from server.store import keys
from server.store.records import Entry
from server.store.store import StoreUnavailableError
from tests.simulation.clients import Client, Identity
from tests.simulation.ledger import Ledger
from tests.simulation.loop import Process, Stuck, VirtualLoop
from tests.simulation.network import Line
from tests.simulation.scenario import Fault, Scenario, drawn
from tests.simulation.store import SimStore, StoreServer, Trouble
from tests.simulation.watch import Watch, key_of_row
from tests.simulation.world import SimWorld
from tests.support.recount import board_of
from tests.support.server import FAST
from tests.support.store_model import StoreModel

Map = dict[str, Any]
SETTLED_MS = 8_000  # after the last fault and action: by then all boards must agree
RECOVERY_MS = 12_000  # after the last fault: what is asked later must be answered in time
END_MS = 60_000  # after that, everyone must know how it ended
HOST_AWAY_MS = 75_000  # and so much later where another host must be found first
EXPECTED_ERRORS = {"item not stored"}  # told when one item's own errors outlast the journal's patience


@dataclass
class Outcome:
    """What a run has come to; `violations` is empty if every promise was kept."""

    seed: int
    violations: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    trace: list[str] = field(default_factory=list)


class SimNode:
    """A node's place: the process that is there now, and the node in it."""

    def __init__(self, sim: Simulation, name: str) -> None:
        self._sim, self.name = sim, name
        self.generation = 0
        self.process: Process | None = None
        self.node: Node | None = None
        self.lines: list[Line] = []
        self.boot()

    def boot(self) -> None:
        """Start a process; it serves once the store has answered."""
        if self.process is not None and self.process.alive:
            return
        self.generation += 1
        process = Process(self._sim.loop, f"{self.name}.{self.generation}")
        process.died = lambda: self._died(process)
        self.process, self.node, self.lines = process, None, []
        process.start(self._serve(process), "main")

    async def _serve(self, process: Process) -> None:
        sim = self._sim
        world = SimWorld(process, random.Random(f"{sim.seed} {process.name}"), sim.violation)
        node = Node(SimStore(sim.store, process), world, SETTINGS)  # type: ignore[arg-type]
        while True:
            try:
                await node.start()
            except StoreUnavailableError:
                await world.sleep_ms(200)
                continue
            self.node = node
            sim.trace(f"{process.name} serves")
            return

    def _died(self, process: Process) -> None:
        sim = self._sim
        sim.trace(f"{process.name} is killed at step {process.steps}")
        sim.kills += 1
        sim.store.caller_died(process)
        self.node = None
        for line in self.lines:
            line.cut(sim.rng.choice((0, sim.rng.uniform(0, 400), sim.rng.uniform(0, 3_000))), 1e9, 0)

    async def stop(self) -> None:
        """Leave in good order, as on SIGTERM, and come back."""
        node, process = self.node, self.process
        assert node is not None
        assert process is not None
        node.leaving = True
        self.node = None
        for line in self.lines:
            line.close(1012, "the server is leaving")
        await node.stop()
        self._sim.later(1, process.die)


SETTINGS = Settings(rates=parse_rates(FAST), door=DoorRules(connections_max=100_000))


class Simulation:
    """See the module."""

    def __init__(self, seed: int, kind: str = "", *, tracing: bool = False) -> None:
        self.seed, self.tracing = seed, tracing
        self.outcome = Outcome(seed)
        self.scenario: Scenario = drawn(seed, kind)
        self.options = dict(self.scenario.options)
        self.rng = random.Random(f"run {seed}")
        self.loop = VirtualLoop()
        self.room_id = ""
        self.calm = self.closing = self._done = False
        self.kills = 0
        self.acknowledged_all: dict[tuple[str, int], Map] = {}
        self._entered: set[int] = set()
        # `Ledger` and `Watch` need each other: what was asked, and what is stored.
        self.ledger = Ledger(lambda: self.store.now_ms(), lambda *a: self.watch.asked_at(*a), self.violation)
        self.watch = Watch(self.ledger, lambda: self.store.now_ms(), self.violation)
        self.store = StoreServer(
            self.loop, random.Random(f"store {seed}"), self.ledger, self.trace if tracing else None
        )
        self.well_since_ms = self.scenario.faults_end_ms + RECOVERY_MS if self.scenario.faults_end_ms else 0.0
        self._starts_to_lose = self.scenario.starts_lost
        self._lobby: StoreModel | None = None  # the store as it was before the start
        self.store.model.stored = self._stored
        self.nodes: list[SimNode] = []
        self.clients: list[Client] = []
        self._line_number = 0

    # For everyone

    @property
    def now_ms(self) -> float:
        return self.loop.time() * 1000

    def trace(self, text: str) -> None:
        if self.tracing:
            self.outcome.trace.append(f"{self.now_ms:10.3f} {text}")

    def violation(self, text: str) -> None:
        """A promise is broken: the run ends here."""
        self.trace(f"VIOLATION {text}")
        self.outcome.violations.append(f"at {self.now_ms:.3f} ms: {text}")

    def later(self, ms: float, callback: Callable[..., Any], *args: Any) -> None:
        self.loop.call_later(ms / 1000, callback, *args, context=self.loop.outside)

    # For clients

    def connect(self, client: Client) -> Line | None:
        """A line to some node; None: nobody answers."""
        place = self.rng.choice(self.nodes)
        node, process = place.node, place.process
        if node is None or process is None or not process.alive:
            return None
        self._line_number += 1
        name = f"{client.name}#{self._line_number}@{process.name}"
        line = Line(
            self.loop, process, node, client, self.watch, random.Random(f"{self.seed} {name}"),
            self.scenario.line_ms, f"crescent-race.v1.{client.plan.encoding}",
            f"10.0.0.{client.identity.number}",
            name,
        )  # fmt: skip
        place.lines = [other for other in place.lines if other.open or other.client_open]
        place.lines.append(line)
        self.trace(f"{client.name} connects: {name}")
        process.call(line.begin)
        return line

    def cut(self, line: Line) -> None:
        """Break a line: the client notices at once, the node some time later."""
        node_ms = self.rng.choice((0, self.rng.uniform(0, 100), self.rng.uniform(0, 10_000)))
        line.cut(0, node_ms, self.rng.choice((0, 1e9, self.rng.uniform(0, 50))))

    def room_made(self, room_id: str) -> None:
        self.room_id = self.watch.room_id = room_id

    def entered(self, identity: Identity) -> bool:
        return identity.number in self._entered

    def has_entered(self, identity: Identity) -> None:
        self._entered.add(identity.number)

    def has_left(self, identity: Identity) -> None:
        self._entered.discard(identity.number)

    def lost_identity(self, identity: Identity) -> None:
        """A client was told that nobody has its token."""
        if identity.stored and not self.watch.set_back:
            self.violation(f"the identity of {identity.name} is lost")
        identity.token, identity.stored = None, False
        self.has_left(identity)

    def all_here(self, people: Map) -> bool:
        """Whether the host need wait for nobody any more."""
        players = sum(person.get("role") == "player" for person in people.values())
        early = sum(plan.role == "player" and plan.arrives_ms < 500 for plan in self.scenario.plans)
        return players >= early or self.now_ms > 1_500

    def acknowledged(self, identity: Identity, done: Map) -> None:
        """A client has received this answer to its action."""
        self.acknowledged_all.setdefault((identity.player, done["n"]), done)
        self.watch.answered(identity.player, done["n"])

    # The run

    def run(self) -> Outcome:
        """Let it all happen."""
        config = structlog.get_config()
        structlog.configure(processors=[self._logged])
        asyncio_loop_before = asyncio._get_running_loop()
        assert asyncio_loop_before is None
        try:
            self._set_up()
            self.loop.run(lambda: self._done or bool(self.outcome.violations))
        except Stuck as error:
            self.violation(str(error))
        except Exception:
            self.violation(f"an exception: {traceback.format_exc()}")
        finally:
            self.loop.close()
            structlog.configure(**config)
        self._count()
        return self.outcome

    def _logged(self, _: Any, level: str, event: Map) -> Any:
        if level in ("error", "critical") and event["event"] not in EXPECTED_ERRORS:
            error = event.get("exc_info")
            text = traceback.format_exc() if error is True else repr(error)
            self.violation(f"a fault of the server: {event} {text}")
        elif self.tracing:
            self.trace(f"log: {event}")
        raise structlog.DropEvent

    def _set_up(self) -> None:
        asyncio._set_running_loop(self.loop)
        try:
            self.nodes = [SimNode(self, f"n{number}") for number in range(self.scenario.nodes)]
            for number, plan in enumerate(self.scenario.plans):
                identity = Identity(number, f"{plan.role.title()} no. {number}")
                self._add(f"c{number}", identity, plan)
                if number in self.scenario.twins:
                    plan.twin = True
                    self._add(f"c{number}'", identity, plan)
            for fault in self.scenario.faults:
                self.later(fault.at_ms, self._befall, fault)
            if self.scenario.faults_end_ms:
                self.later(self.scenario.trouble_from_ms, self._begin_trouble)
            self.later(self.scenario.faults_end_ms, self._end_faults)
            self.loop.create_task(self._conduct(), context=Context())
        finally:
            asyncio._set_running_loop(None)

    def _add(self, name: str, identity: Identity, plan: Any) -> None:
        client = Client(
            self, name, identity, plan, random.Random(f"{self.seed} {name}"), second=name.endswith("'")
        )
        self.clients.append(client)
        self.loop.create_task(client.live(), name=name, context=Context()).add_done_callback(self._left)

    def _left(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self.violation(f"client {task.get_name()}: {''.join(traceback.format_exception(error))}")

    async def _conduct(self) -> None:
        try:
            await self._see_to_the_end()
        except Exception:
            self.violation(traceback.format_exc())
        self._done = True

    async def _see_to_the_end(self) -> None:
        scenario = self.scenario
        await asyncio.sleep(max(scenario.quiet_from_ms, scenario.faults_end_ms) / 1000)
        self.calm = True
        await asyncio.sleep(SETTLED_MS / 1000)
        self._compare_boards()
        self.closing = True
        end_ms = self.now_ms + END_MS + (HOST_AWAY_MS if self._host_may_be_lost() else 0)
        while not all(client.over for client in self.clients):
            await asyncio.sleep(0.1)
            if self.now_ms > end_ms and self._nobody_can_close():
                return
            if self.now_ms > end_ms:
                waiting = [
                    (c.name, c.state, c.host, c.line and c.line.name) for c in self.clients if not c.over
                ]
                self.violation(f"not everyone knows how it ended: {waiting}")
                return
        await self._audit()

    def _host_may_be_lost(self) -> bool:
        """Whether the host has gone for good, or the store has lost who they are."""
        return self.watch.set_back or any(client.plan.vanishes_ms is not None for client in self.clients)

    def _nobody_can_close(self) -> bool:
        """Whether the host has gone, and by the rules nobody who is there can follow."""
        book = self.ledger.rooms.get(self.room_id)
        people = book.now.people.items() if book is not None else ()
        others = [
            p for id, p in people if id != book.now.host and (p.role == "player" or id in book.now.referees)
        ]  # type: ignore[union-attr]
        return self._host_may_be_lost() and not others

    # What goes wrong

    def _befall(self, fault: Fault) -> None:
        self.trace(f"fault: {fault}")
        place = self.rng.choice(self.nodes)
        getattr(self, f"_befalls_{fault.kind}")(place, fault)

    def _befalls_kill(self, place: SimNode, fault: Fault) -> None:
        process = place.process
        if process is not None and process.alive:
            process.dies_at_step = process.steps + self.rng.randint(1, 300)
            self.later(fault.for_ms, self._reborn, place, process)

    def _reborn(self, place: SimNode, process: Process) -> None:
        process.die()
        place.boot()

    def _befalls_freeze(self, place: SimNode, fault: Fault) -> None:
        process = place.process
        if process is not None:
            process.freeze()
            self.later(fault.for_ms, process.thaw)

    def _befalls_stop(self, place: SimNode, fault: Fault) -> None:
        if place.node is not None and place.process is not None:
            place.process.start(place.stop(), "stop")
            self.later(7_000 + fault.for_ms, self._reborn, place, place.process)

    def _befalls_outage(self, place: SimNode, fault: Fault) -> None:
        if not self.store.trouble.away:
            self.store.set_away(self.rng.choice(("refused", "silent")))
            self.later(fault.for_ms, self.store.set_away, "")

    def _befalls_slow(self, place: SimNode, fault: Fault) -> None:
        trouble = self.store.trouble
        usual_ms, trouble.slow_ms = trouble.slow_ms, self.rng.uniform(50, 3_000)
        self.later(fault.for_ms, lambda: setattr(trouble, "slow_ms", usual_ms))

    def _befalls_set_back(self, place: SimNode, fault: Fault) -> None:
        self._set_back_later(self.store.model.copied(), fault.for_ms)

    def _set_back_later(self, kept: StoreModel, ms: float) -> None:
        before = self.store.losses.set_backs

        def set_back() -> None:
            if self.store.losses.set_backs > before:  # it would be set forward
                return
            self.watch.set_back, self._lobby = True, None
            self.trace("the store is set back")
            self.store.set_back(kept)

        self.later(ms, set_back)

    def _stored(self, room_id: str, log: str, entry: Entry) -> None:
        """The store has taken something. A start that is to be lost: set it back to what was before."""
        self.ledger.stored(room_id, log, entry)
        book = self.ledger.rooms[room_id]
        if not self._starts_to_lose or log != keys.ROOM_LOG or self.now_ms > self.scenario.faults_end_ms:
            return
        if book.now.state == "lobby":
            self.later(0, self._keep_lobby)
        elif book.events[-1].raw["kind"] == "started" and self._lobby is not None:
            self._starts_to_lose -= 1
            self._set_back_later(self._lobby, self.rng.uniform(10, 120))

    def _keep_lobby(self) -> None:
        self._lobby = self.store.model.copied()

    def _befalls_deaf(self, place: SimNode, fault: Fault) -> None:
        for listener in self.store.listeners:
            listener.deaf = listener.deaf or self.rng.random() < 0.5

    def _befalls_unheard(self, place: SimNode, fault: Fault) -> None:
        self.store.drop_listeners()

    def _befalls_cut(self, place: SimNode, fault: Fault) -> None:
        lines = [client.line for client in self.clients if client.line is not None]
        if lines:
            line = self.rng.choice(lines)
            self.trace(f"{line.name} is cut")
            line.cut(
                self.rng.choice((0, self.rng.uniform(0, 2_000))),
                self.rng.uniform(0, 10_000),
                self.rng.uniform(0, 60),
            )

    def _befalls_stall(self, place: SimNode, fault: Fault) -> None:
        lines = [client.line for client in self.clients if client.line is not None]
        if lines:
            self.rng.choice(lines).stall(fault.for_ms)

    def _begin_trouble(self) -> None:
        self.scenario.trouble.away = self.store.trouble.away
        self.store.trouble = self.scenario.trouble

    def _end_faults(self) -> None:
        """From here on all is well."""
        self.trace("no more faults")
        away = self.store.trouble.away
        self.store.trouble = Trouble(away=away)
        if away:
            self.store.set_away("")
        for place in self.nodes:
            if place.process is not None:
                place.process.thaw()
                place.process.dies_at_step = 0

    # What it came to

    def _compare_boards(self) -> None:
        """Nothing has happened for a while: everyone connected has the board that is stored."""
        book = self.ledger.rooms.get(self.room_id)
        if book is None or book.now.own or book.now.state != "running":
            return
        for client in self.clients:
            if client.line is None or not client.line.client_open or client.over or client.state != "running":
                continue
            for player, games in book.games.items():
                row = client.rows.get(player)
                if games and (row is None or key_of_row(row) != games[-1].row):
                    self.violation(
                        f"{client.name} has another board: {row} of {player}, stored is {games[-1].row}"
                    )

    async def _audit(self) -> None:
        """The race is over: a node that knows nothing of it tells what happened; does it all agree?"""
        book = self.ledger.rooms.get(self.room_id)
        if book is None or not book.events:
            return  # the store was set back to before there was a room
        if book.now.state != "closed":
            if self.watch.set_back:
                return  # to before the close, when nobody was there any more
            self.violation("everyone thinks that the race is closed, and it is not")
            return
        place = SimNode(self, "auditor")
        while place.node is None:  # noqa: ASYNC110 - of virtual time
            await asyncio.sleep(0.01)
        lines: list[bytes] = []
        assert place.process is not None
        await place.process.start(self._export(place.node, lines), "export")
        self._check_export(lines)
        self._check_acknowledged(book)

    async def _export(self, node: Node, lines: list[bytes]) -> None:
        room = await node.hub.room(self.room_id)
        assert room is not None
        lines += [line.text async for line in log_lines(room, node.store)]

    def _check_export(self, lines: list[bytes]) -> None:
        told = [msgspec.json.decode(line) for line in lines]
        recounted = board_of(told)
        if told[0]["board"] != recounted:
            self.violation(f"the board is {told[0]['board']}, counted again {recounted}")
        for name, board in self.watch.finals:
            if board != recounted and not self.watch.set_back:
                self.violation(f"{name} was told the final board {board}, counted again {recounted}")
        report = verify(lines)
        if not report.agrees:
            self.violation(f"verify differs: {report.differs}")

    def _check_acknowledged(self, book: Any) -> None:
        """What was acknowledged is stored, once, as it was told."""
        lost = 0
        for (player, n), done in self.acknowledged_all.items():
            games = book.games.get(player, [])
            told = {field: value for field, value in done.items() if field != "id"}
            lost += len(games) < n or games[n - 1].done != told
        if lost and not self.watch.set_back:
            self.violation(f"{lost} acknowledged actions are lost")
        self.outcome.figures["lost acknowledged"] = lost

    def _count(self) -> None:
        losses = self.store.losses
        self.outcome.figures |= {
            "virtual s": self.loop.time(),
            "actions": len(self.acknowledged_all),
            "messages": self.watch.messages,
            "steps": self.loop.steps,
            "kills": self.kills,
            "outages": losses.outages,
            "calls lost": losses.lost + losses.late,
            "calls doubled": losses.doubled,
            "set-backs": losses.set_backs,
            "closed": any(book.now.state == "closed" for book in self.ledger.rooms.values()),
        }


def run(seed: int, kind: str = "", *, tracing: bool = False) -> Outcome:
    """The run of this seed."""
    return Simulation(seed, kind, tracing=tracing).run()
