"""A server that is busy is asked again: after how long, and until when."""

from asyncio import sleep, to_thread
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

BUSY_S = 60.0
"""So long a server that is busy is asked again; then what it says is told."""

PAUSE_MIN_S = 1.0
"""A server that says 0 means soon: asked without a pause it would only be busier."""

T = TypeVar("T")


class NotNowError(Exception):
    """No answer for now, where `again_s` is not None: the server wants to be asked again after so long."""

    again_s: int | None = None


class Patience:
    """How long one goes on asking, counted from the first time."""

    def __init__(self) -> None:
        self._till_s = monotonic() + BUSY_S

    def pause_s(self, error: NotNowError) -> float:
        """Return how long to wait before the server is asked again; raises the error if it is not."""
        if error.again_s is None:
            raise error
        pause_s = max(float(error.again_s), PAUSE_MIN_S)
        if monotonic() + pause_s > self._till_s:
            raise error
        return pause_s


async def patiently(fetch: Callable[[], T]) -> T:
    """Return what `fetch` does, beside the event loop; the pauses are no thread's, whose end a program that
    is left would wait for. Raises what `fetch` raises.
    """
    patience = Patience()
    while True:
        try:
            return await to_thread(fetch)
        except NotNowError as error:
            pause_s = patience.pause_s(error)
        await sleep(pause_s)
