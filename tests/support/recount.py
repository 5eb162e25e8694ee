"""The board of a closed race, counted again from its log by `docs/protocol.md` and `docs/rules.md` alone."""

from __future__ import annotations

from typing import Any

from tests.support.table import SUITS, Table

Map = dict[str, Any]
COLUMNS = ("rank", "player", "name", "status", "moves", "undone", "redeals", "home", "ms")
SOURCES = {str(place + 1): place for place in range(16)}
SOURCES |= {"A" + suit: 16 + at for at, suit in enumerate(SUITS)}
SOURCES |= {"K" + suit: 20 + at for at, suit in enumerate(SUITS)}


def replay(code: str, log: list[list[Any]]) -> Table:
    """The table after the actions of a log, as people write them."""
    table = Table(code)
    for _, text in log:
        source, _, destination = text.partition(">")
        if text in ("R", "U"):
            table.play(text.lower(), 0, 0)
            continue
        src = SOURCES[source]
        card = table.top(src)
        assert card is not None
        table.play("m", src, SOURCES.get(destination) or SOURCES.get(destination + card[1], 0))
    return table


def board_of(lines: list[Map]) -> list[Map]:
    """The rows of the final board, from the lines of `log.jsonl`."""
    head, *games = lines
    people: dict[str, Map] = {}
    for event in head["events"]:
        fold(people, event)
    rows = []
    for game in games:
        table, person = replay(head["code"], game["log"]), people[game["player"]]
        status = person["game"] or "waiting"
        if status == "playing":
            status = table.status
        if person["out"]:
            status = "disqualified"
        ms = game["log"][-1][0] if game["log"] else 0
        rows.append(
            {"player": game["player"], "name": game["name"], "status": status, **table.row(), "ms": ms}
        )
        rows[-1]["status"] = status
    return ranked(rows, head["options"]["rank_by"])


def fold(people: dict[str, Map], event: Map) -> None:  # noqa: C901 - one branch a kind
    kind, player = event["kind"], event.get("player")
    if kind == "joined":
        person = people.setdefault(player, {"game": None, "out": False})
        person["role"] = event["role"]
        if people.get("", {}).get("running") and event["role"] == "player" and person["game"] is None:
            person["game"] = "playing"
    elif kind == "left" and people[player]["game"] is None:
        del people[player]
    elif kind == "started":
        people[""] = {"running": not player, "role": "", "game": None, "out": False}
        for id, person in people.items():
            if person["role"] == "player" and player in (None, id):
                person["game"] = "playing"
    elif kind in ("won", "forfeited"):
        people[player]["game"] = kind
    elif kind == "unforfeited":
        people[player]["game"] = "playing"
    elif kind in ("kicked", "banned") and player in people and people[player]["game"] is None:
        del people[player]
    elif kind in ("kicked", "banned", "disqualified", "reinstated") and player in people:
        people[player]["out"] = kind != "reinstated"


def ranked(rows: list[Map], rank_by: str) -> list[Map]:
    """In the order of the page, each with its rank; equals share it."""
    groups = {"won": 0, "forfeited": 2, "disqualified": 3}

    def key(row: Map) -> tuple[int, ...]:
        group = groups.get(row["status"], 1)
        if group:
            return (group, -row["home"], row["moves"], row["ms"])
        won = {"time": ("ms", "moves", "undone"), "moves": ("moves", "undone", "ms")}[rank_by]
        return (group, *(row[name] for name in won))

    ordered = sorted(rows, key=lambda row: (key(row), row["name"], row["player"]))
    for row in ordered:
        row["rank"] = 1 + sum(key(other) < key(row) for other in rows)
    return [{column: row[column] for column in COLUMNS} for row in ordered]
