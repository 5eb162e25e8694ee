"""What was asked and not yet answered, and what becomes of it when the line is lost."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from client_cli.failures import LineLost
from protocol.limits import REPEATS_KEPT
from protocol.messages import (
    Clock,
    Create,
    Enter,
    Follow,
    Message,
    OpRequest,
    Ready,
    Request,
    Rooms,
)

_REPEATABLE = (Create, Enter, Ready, Follow, Clock, Rooms)
"""Requests that come to the same when they are said twice. A `create` does by its `key`."""


@dataclass(slots=True, eq=False)
class Waiting:
    """One request on its way; `answer` is resolved by the message that carries its `id`."""

    message: Request
    answer: "asyncio.Future[Message]"
    sent: bool = False
    asked_s: float = 0.0


class Outbox:
    """The unanswered requests of one client, by `id`, over all its connections."""

    def __init__(self) -> None:
        self._waiting: dict[int, Waiting] = {}
        self._last_id = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, message: Request) -> Waiting:
        """Give `message` the next `id` and wait for its answer."""
        self._last_id += 1
        message.id = self._last_id
        waiting = Waiting(message, asyncio.get_running_loop().create_future())
        self._waiting[self._last_id] = waiting
        return waiting

    def answered(self, message: Message) -> Waiting | None:
        """Resolve the request that `message` answers and return it; None if it answers none."""
        waiting = self._waiting.pop(message.id, None) if message.id is not None else None
        if waiting is not None and not waiting.answer.done():
            waiting.answer.set_result(message)
        return waiting

    def drop(self, waiting: Waiting) -> None:
        """Forget a request whose asker no longer waits."""
        self._waiting.pop(waiting.message.id or 0, None)

    def line_lost(self) -> None:
        """Sort what was under way: what may be said again waits, the rest fails with `LineLost`.

        An action waits as well; `resend_ops` decides when the game is known again.
        """
        for waiting in list(self._waiting.values()):
            if waiting.sent and not isinstance(waiting.message, (*_REPEATABLE, OpRequest)):
                self._fail(waiting)
            waiting.sent = False

    def to_send(self) -> list[Waiting]:
        """Return, in order, what can be sent as soon as the server knows who we are: all but actions."""
        return [
            waiting
            for waiting in self._waiting.values()
            if not waiting.sent and not isinstance(waiting.message, OpRequest)
        ]

    def resend_ops(self, stored_n: int) -> list[Waiting]:
        """Return the actions to say again, now that the stored log has `stored_n` actions.

        An action stored before the line broke gets its `done` again, as it was; one that was not is the next
        and is judged now. One that is neither, because another client of this player has played on or
        because its `done` is no longer kept, fails with `LineLost`.
        """
        resent = []
        for waiting in list(self._waiting.values()):
            if waiting.sent or not isinstance(waiting.message, OpRequest):
                continue
            if stored_n - REPEATS_KEPT < waiting.message.n <= stored_n + 1:
                resent.append(waiting)
            else:
                self._fail(waiting)
        return resent

    def fail_ops(self) -> None:
        """Give up the actions that wait: there is no game to play them in any more."""
        for waiting in list(self._waiting.values()):
            if isinstance(waiting.message, OpRequest):
                self._fail(waiting)

    def fail_all(self, failure: Callable[[], Exception]) -> None:
        """Answer everything with a `failure`, each with its own: no answer will come any more."""
        for waiting in list(self._waiting.values()):
            self._fail(waiting, failure())

    def _fail(self, waiting: Waiting, failure: Exception | None = None) -> None:
        self.drop(waiting)
        if not waiting.answer.done():
            waiting.answer.set_exception(failure or LineLost())
            # Nobody may be listening any more; then this must not be reported as never retrieved.
            waiting.answer.exception()
