from __future__ import annotations

import pytest

from client_cli.failures import LineLost
from client_cli.outbox import Outbox
from protocol import messages as wire


def op(n: int) -> wire.OpRequest:
    return wire.OpRequest(n=n, op="m", src=1, dst=2)


async def test_answers_find_their_requests() -> None:
    outbox = Outbox()
    first, second = outbox.add(wire.Rooms()), outbox.add(wire.Ready(ready=True))
    assert (first.message.id, second.message.id) == (1, 2)
    answer = wire.Ok(id=2)
    assert outbox.answered(answer) is second
    assert await second.answer is answer
    assert outbox.answered(answer) is None
    assert outbox.answered(wire.Ok()) is None
    assert len(outbox) == 1


async def test_what_can_be_said_twice_is() -> None:
    outbox = Outbox()
    said = [
        outbox.add(m) for m in (wire.Create(options={}, key="k"), wire.Say(text="x"), wire.Ready(ready=True))
    ]
    unsent = outbox.add(wire.Say(text="later"))
    for waiting in said:
        waiting.sent = True
    outbox.line_lost()
    assert outbox.to_send() == [said[0], said[2], unsent]
    with pytest.raises(LineLost):
        await said[1].answer


@pytest.mark.parametrize(
    ("n", "stored", "resent"),
    [
        (1, 0, True),
        (1, 1, True),
        (7, 6, True),
        (7, 7, True),
        (7, 12, True),
        (7, 5, False),
        (1, 64, True),
        (1, 65, False),
    ],
)
async def test_an_action_is_said_again_where_its_answer_is_certain(n: int, stored: int, resent: bool) -> None:
    outbox = Outbox()
    waiting = outbox.add(op(n))
    waiting.sent = True
    outbox.line_lost()
    assert outbox.to_send() == []  # not before the game is known
    assert outbox.resend_ops(stored) == ([waiting] if resent else [])
    assert waiting.message == op(n) or waiting.message.id == 1  # the same n, op, src and dst
    if not resent:
        with pytest.raises(LineLost):
            await waiting.answer


async def test_nothing_waits_for_ever() -> None:
    outbox = Outbox()
    action, other = outbox.add(op(1)), outbox.add(wire.Rooms())
    outbox.fail_ops()
    with pytest.raises(LineLost):
        await action.answer
    outbox.fail_all(lambda: RuntimeError("over"))
    with pytest.raises(RuntimeError):
        await other.answer
    assert len(outbox) == 0
