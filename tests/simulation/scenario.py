"""What a run is about, all drawn from its seed: the room, the people, the nodes, and what goes wrong when."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.clients import Plan
from tests.simulation.store import EPOCH_MS, Trouble
from tests.support.golden import BLOCKED, SHORTEST_WIN

Map = dict[str, Any]
STUCK = min(BLOCKED, key=lambda game: len(game.actions))


@dataclass
class Fault:
    """Something that goes wrong at a moment, for some time."""

    at_ms: float
    kind: str  # kill, freeze, stop, outage, slow, set_back, deaf, unheard, cut, stall, move
    for_ms: float = 0.0


@dataclass
class Scenario:
    """See the module. Times are of the run's own clock, which begins at 0."""

    options: Map
    nodes: int
    plans: list[Plan]
    twins: list[int]  # numbers of plans whose identity is on a second line, too
    line_ms: tuple[float, float]
    trouble: Trouble
    faults: list[Fault] = field(default_factory=list)
    starts_lost: int = 0  # the store is set back to before the start so often
    trouble_from_ms: float = 0.0
    faults_end_ms: float = 0.0
    quiet_from_ms: float = 0.0

    @property
    def sets_back(self) -> bool:
        return any(fault.kind == "set_back" for fault in self.faults)


KINDS = ("none", "lines", "kills", "store", "set_back", "contention", "fences", "all")
WEIGHTS = (1, 3, 4, 4, 4, 4, 2, 4)


def drawn(seed: int, kind: str = "") -> Scenario:
    """The scenario of a seed; `kind`: of a kind that is wanted."""
    rng = random.Random(f"scenario {seed}")
    chosen = rng.choices(KINDS, WEIGHTS)[0]
    kind = kind or chosen
    length_ms = rng.uniform(1_800, 6_000)
    plans, scripted = _people(rng, kind, length_ms)
    scenario = Scenario(
        options=_options(rng, scripted, length_ms),
        nodes=rng.choice((1, 2, 2, 3)) if kind != "contention" else rng.choice((2, 3)),
        plans=plans,
        twins=[
            n
            for n, p in enumerate(plans)
            if p.role == "player" and rng.random() < (0.4 if kind == "contention" else 0.08)
        ],
        line_ms=rng.choice(((0.1, 0.5), (0.5, 5.0), (1.0, 40.0), (0.1, 150.0))),
        trouble=Trouble(),
        trouble_from_ms=rng.choice((0.0, rng.uniform(300, 1_200))),  # most often the race has begun by then
        faults_end_ms=0.0 if kind == "none" else length_ms,
        quiet_from_ms=length_ms + rng.uniform(200, 2_000),
    )
    if kind in ("store", "all", "contention", "set_back"):
        scenario.trouble = _trouble(rng, mild=kind in ("contention", "set_back"))
    scenario.faults = sorted(_faults(rng, kind, length_ms), key=lambda fault: fault.at_ms)
    if kind == "fences" or (kind == "set_back" and rng.random() < 0.5):
        _quarrel(rng, scenario)
    return scenario


def _quarrel(rng: random.Random, scenario: Scenario) -> None:
    """A host who puts players out and takes them in again, all the time, and nodes that do not hear of it."""
    host = Plan(role="desk", think_ms=(5.0, 40.0), manage=0.9, hop=0.002)
    players = [
        Plan(think_ms=rng.choice(((5.0, 50.0), (50.0, 400.0))), hop=0.002) for _ in range(rng.choice((1, 2)))
    ]
    idle = Plan(think_ms=(300.0, 900.0))  # while one may play, the race goes on
    scenario.plans, scenario.twins, scenario.nodes = [host, idle, *players], [], rng.choice((2, 3))
    scenario.options |= {
        "start": "host",
        "countdown_ms": 0,
        "deal": "random",
        "close_at": None,
        "limit_ms": 0,
    }
    scenario.line_ms = (0.1, 0.5)
    scenario.trouble.hint_lost = rng.choice((0.5, 1.0))
    if scenario.sets_back:
        # What a node knows is lost at once, and its player is then out by other events of the same v.
        scenario.trouble = Trouble()
        players = [Plan(think_ms=(60.0, 250.0), hop=0.002) for _ in range(4)]
        scenario.plans, host.think_ms = [host, idle, *players], (20.0, 80.0)
        # Or the race has begun at another moment: so its start is lost, again and again.
        scenario.starts_lost = 4
        moments = [rng.uniform(1_500, max(2_000, scenario.faults_end_ms)) for _ in range(6)]
        scenario.faults = [Fault(at_ms, "set_back", rng.uniform(50, 250)) for at_ms in sorted(moments)]


def _people(rng: random.Random, kind: str, length_ms: float) -> tuple[list[Plan], Any]:
    scripted = rng.choice((SHORTEST_WIN, SHORTEST_WIN, STUCK)) if rng.random() < 0.12 else None
    plans = []
    for number in range(rng.choice((2, 3, 3, 4))):
        pace = rng.choice(((5.0, 60.0), (20.0, 200.0), (100.0, 600.0)))
        plan = Plan(
            think_ms=pace, ahead=rng.choice((1, 1, 2, 3)), encoding=rng.choice(("msgpack", "msgpack", "json"))
        )
        if scripted is not None:
            plan.script, plan.think_ms, plan.ahead = scripted.actions, (5.0, 40.0), 3
            plan.illegal = plan.forfeit = 0.001
        if number and rng.random() < 0.15:
            plan.arrives_ms = rng.uniform(0, length_ms)  # perhaps too late
        else:
            plan.arrives_ms = rng.uniform(0, 300)
        if kind in ("contention", "lines") and rng.random() < 0.5:
            plan.hop = rng.choice((0.1, 1.0 if rng.random() < 0.3 else 0.3))
        plans.append(plan)
    host = plans[0]
    host.manage = rng.choice((0.0, 0.03, 0.1, 0.3))
    if rng.random() < 0.3:
        host.role = "desk"
        host.manage = max(host.manage, 0.05)
    if rng.random() < 0.06 and kind != "none":
        host.vanishes_ms = rng.uniform(1_000, length_ms)
    for _ in range(rng.choice((0, 0, 1, 2))):
        plans.append(
            Plan(
                role="spectator",
                arrives_ms=rng.uniform(0, length_ms / 2),
                think_ms=(100.0, 600.0),
                follow=0.1,
                hop=0.05,
            )
        )
    return plans, scripted


def _options(rng: random.Random, scripted: Any, length_ms: float) -> Map:
    options: Map = {
        "min_players": 1,
        "countdown_ms": rng.choice((0, 0, 300, 1_500)),
        "late": rng.random() < 0.7,
        "spectators": rng.choice(("board", "live", "delayed")),
        "delay_ms": 1_000,
        "rank_by": rng.choice(("time", "time", "moves")),
        "start": rng.choices(("host", "ready", "own", "at"), (55, 15, 20, 10))[0],
        "listed": rng.random() < 0.3,
    }
    if scripted is not None:
        options |= {"deal": scripted.code, "undo": True, "after_win_ms": rng.choice((0, 1_000))}
    else:
        options |= {"variant": rng.choice("NNF"), "sealed": rng.random() < 0.2}
        options["visibility"] = "open" if rng.random() < 0.1 else "top"
        if rng.random() < 0.2:
            options["limit_ms"] = 10_000
    if options["start"] == "at":
        options["start_at"] = EPOCH_MS + int(rng.uniform(500, 2_500))
    if rng.random() < 0.1:
        options["close_at"] = EPOCH_MS + int(length_ms * rng.uniform(0.6, 1.2)) + 3_000
    return options


def _trouble(rng: random.Random, *, mild: bool) -> Trouble:
    most = 0.03 if mild else rng.choice((0.02, 0.1, 0.25))
    return Trouble(
        lost_before=rng.uniform(0, most),
        lost_after=rng.uniform(0, 2 * most),
        late=rng.uniform(0, most / 2),
        doubled=rng.uniform(0, most),
        item_failed=rng.choice((0.0, 0.0, 0.05)),
        slow_ms=rng.choice((0.0, 0.0, 5.0, 100.0)),
        hint_lost=rng.choice((0.0, 0.1, 0.5, 1.0)),
        hint_doubled=rng.choice((0.0, 0.3)),
        hint_late_ms=rng.choice((0.0, 50.0, 3_000.0)),
    )


def _faults(rng: random.Random, kind: str, length_ms: float) -> list[Fault]:
    def some(most: int, name: str, low_ms: float = 0.0, high_ms: float = 0.0) -> list[Fault]:
        moments = [rng.uniform(100, length_ms) for _ in range(rng.randint(0, most))]
        return [Fault(at_ms, name, rng.uniform(low_ms, high_ms)) for at_ms in moments]

    faults: list[Fault] = []
    if kind in ("lines", "all", "contention"):
        faults += some(6, "cut") + some(4, "stall", 50, 3_000)
    if kind in ("kills", "all"):
        faults += some(6, "kill", 50, 2_000) + some(2, "freeze", 50, 4_000) + some(1, "stop", 50, 2_000)
    if kind in ("store", "all"):
        outage_ms = rng.choice((300, 2_500, 8_000))
        faults += some(3, "outage", 10, outage_ms) + some(2, "slow", 100, 3_000)
        faults += some(2, "deaf") + some(2, "unheard")
    if kind == "set_back":
        faults += some(2, "kill", 50, 2_000) + some(2, "unheard")
        at_ms = [rng.uniform(800, length_ms) for _ in range(rng.randint(1, 3))]
        faults += [
            Fault(moment, "set_back", rng.choice((20, 100, 400, 1_500)) * rng.random()) for moment in at_ms
        ]
    return faults
