"""Golden cases of an independent implementation; CRESCENT_CASES names a folder to take instead."""

import json
import os
from pathlib import Path

import pytest

from server.engine.codes import parse_code
from server.engine.deal import deal
from server.engine.game import Game
from server.engine.refusals import Refusal

FOLDER = Path(os.environ.get("CRESCENT_CASES") or Path(__file__).parents[1] / "cases")
DEAL_FILES = sorted(FOLDER.glob("deals*.json"))
GAME_FILES = sorted(FOLDER.glob("*.jsonl"))


def deals():
    for path in DEAL_FILES:
        for code, piles in json.loads(path.read_text(encoding="utf-8")).items():
            yield pytest.param(code, piles, id=f"{path.name}:{code}")


def games():
    for path in GAME_FILES:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.strip():
                case = json.loads(line)
                kind = "position" if "start" in case else case["code"]
                yield pytest.param(case, id=f"{path.name}:{number}:{kind}")


def test_case_files_were_found():
    assert DEAL_FILES or GAME_FILES, f"no deals*.json and no *.jsonl in {FOLDER}"


@pytest.mark.parametrize(("code", "piles"), list(deals()))
def test_deal(code, piles):
    assert str(parse_code(code)) == code
    assert [" ".join(pile) for pile in deal(parse_code(code))] == piles


def begin(case):
    if "start" not in case:
        return Game.deal(parse_code(case["code"]))
    start = case["start"]
    return Game.position(
        [pile.split() for pile in start["piles"]], start["up"], start["down"], start["redeals"]
    )


def answer(game, op, src, dst):
    """Play one step and return its answer, as the case files write it."""
    if op == "m":
        foreseen = game.refusal(src, dst)
        result = game.move(src, dst)
        assert foreseen == (result if isinstance(result, Refusal) else None)
        if isinstance(result, Refusal):
            return result.value
        return f"ok:{result}" if dst > 23 else "ok"
    result = {"r": game.redeal, "u": game.undo}[op]()
    return result.value if isinstance(result, Refusal) else "ok"


@pytest.mark.parametrize("case", list(games()))
def test_game(case, state):
    game = begin(case)
    checks = dict(case["checks"])
    for step, (op, src, dst, expected) in enumerate(case["steps"]):
        if step in checks:
            assert state(game) == checks.pop(step), f"before step {step}"
        assert answer(game, op, src, dst) == expected, f"step {step}: {op} {src} {dst}"
    assert set(checks) <= {len(case["steps"])}, "a check after no step"
    assert all(state(game) == expected for expected in checks.values())
    assert state(game) == case["final"]
