"""`--json`: every message of the server as one JSON object a line, for programs."""

import json
from collections.abc import Callable
from typing import Any

import msgspec

from client_cli.notices import Notice
from client_cli.race_state import RaceState
from protocol.messages import Message


class JsonScreen:
    """Shows messages as they came, errors as `{"error": …}`, the client's own news as `{"notice": …}`.

    Only ASCII is written, the rest as escapes: so no text of another player can steer a terminal.
    """

    def __init__(self, write: Callable[[str], None], state: RaceState | None = None) -> None:
        self._write = write
        self.state = state

    def _line(self, value: Any) -> None:
        self._write(json.dumps(msgspec.to_builtins(value), ensure_ascii=True, separators=(",", ":")))

    def received(self, message: Message) -> None:
        """A message is its own line; an identity's secret is left out."""
        value = msgspec.to_builtins(message)
        value.pop("token", None)
        self._line(value)

    def message(self, message: Message) -> None:
        """Nothing: it was written when it was received."""

    def notice(self, notice: Notice) -> None:
        """The line's ups and downs: `lost`, `resumed`, `newidentity`."""
        fields = {name: getattr(notice, name) for name in notice.__dataclass_fields__}
        self._line({"notice": type(notice).__name__.lower(), **fields})

    def tell(self, key: str, **values: object) -> None:
        """The client's own sentences by their keys."""
        self._line({"notice": key, **values})

    def error(self, text: str) -> None:
        """What went wrong, in words."""
        self._line({"error": text})

    def table(self) -> None:
        """The game as known now: what `game` has, after every `done` since."""
        position = self.state.position if self.state is not None else None
        if position is None:
            self._line({"table": None})
            return
        piles: object = position.piles or list(zip(position.tops, position.counts, strict=True))
        fields = ("n", "up", "down", "redeals", "moves", "undone", "undoable", "status", "start_at", "ms")
        self._line({"table": {"piles": piles, **{name: getattr(position, name) for name in fields}}})

    def board(self) -> None:
        """The rows as known now."""
        room = self.state.room if self.state is not None else None
        self._line({"board": room.rows if room is not None else []})

    def tick(self) -> None:
        """Nothing is held back here."""
