"""The actions that every client of a measurement plays: legal from the first to the last."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import msgpack

from server.engine.actions import UNDO, Action
from server.engine.codes import parse_code
from server.engine.game import Game
from server.engine.refusals import Refusal

CASES = Path(__file__).parent.parent / "tests" / "cases" / "games.jsonl"
ACTIONS = 4_900  # below the 5,000 that end a game
MASK = b"\x5a\xc3\x17\x88"


class Script(NamedTuple):
    """`requests[n - 1]` is action n as a masked WebSocket frame, `payloads[n - 1]` what is in it, and
    `answers[n - 1]` how its `done` goes on after the map's first byte."""

    code: str
    actions: list[Action]
    requests: list[bytes]
    payloads: list[bytes]
    answers: list[bytes]


def golden_script() -> tuple[str, list[Action]]:
    """Of the golden games the one that goes on longest without an end, and then moves to and fro with an undo
    now and then: its code and its actions."""
    best: tuple[str, list[Action], tuple[Action, Action]] | None = None
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if "start" in case:
            continue
        actions, game = _accepted(case)
        pair = _to_and_fro(game)
        if pair is not None and (best is None or len(actions) > len(best[1])):
            best = case["code"], actions, pair
    if best is None:
        raise LookupError(f"no golden game in {CASES.name} can be played on without an end")
    code, actions, (there, back) = best
    while len(actions) < ACTIONS:
        actions += [there, back] * 4 + [there, UNDO]
    return code, actions[:ACTIONS]


def _accepted(case: dict[str, Any]) -> tuple[list[Action], Game]:
    """The accepted steps of a golden game, up to one that would end it."""
    game = Game.deal(parse_code(case["code"]))
    actions: list[Action] = []
    for op, src, dst, verdict in case["steps"]:
        if verdict.startswith("ok"):
            action = Action(op, src, dst)
            after = game.copy()
            play(after, action)
            if after.status != "playing":
                break
            actions.append(action)
            game = after
    return actions, game


def play(game: Game, action: Action) -> None:
    """Play an action that must be legal."""
    if action.op == "m":
        answer: object = game.move(action.src, action.dst)
    else:
        answer = game.redeal() if action.op == "r" else game.undo()
    if isinstance(answer, Refusal):
        raise ValueError(f"{action} is refused: {answer}")


def _to_and_fro(game: Game) -> tuple[Action, Action] | None:
    """Two moves that lead back to where they began, if there are such."""
    for src in range(16):
        for dst in game.destinations(src):
            twin = game.copy()
            twin.move(src, dst)
            if twin.refusal(dst, src) is None and twin.status == "playing":
                return Action("m", src, dst), Action("m", dst, src)
    return None


def make_script() -> Script:
    """Everything made before anything is measured."""
    code, actions = golden_script()
    payloads, answers = [], []
    for n, action in enumerate(actions, 1):
        fields: dict[str, object] = {"t": "op", "n": n, "op": action.op}
        if action.op == "m":
            fields |= {"src": action.src, "dst": action.dst}
        payloads.append(msgpack.packb(fields))
        answers.append(b"\xa1t\xa4done\xa1n" + msgpack.packb(n))
    return Script(code, actions, [masked_frame(payload) for payload in payloads], payloads, answers)


def masked_frame(payload: bytes, first_byte: int = 0x82) -> bytes:
    """A client's final frame (RFC 6455, 5.2): binary unless told otherwise."""
    length = len(payload)
    if length < 126:
        head = bytes((first_byte, 0x80 | length))
    else:
        head = bytes((first_byte, 0x80 | 126)) + length.to_bytes(2, "big")
    mask = MASK * (length // 4 + 1)
    return head + MASK + bytes(a ^ b for a, b in zip(payload, mask, strict=False))
