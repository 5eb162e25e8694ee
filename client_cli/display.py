"""What a session shows itself on: lines for people, or JSON for programs."""

from typing import Protocol

from client_cli.notices import Notice
from protocol.messages import Message


class Display(Protocol):
    """Where everything that happens is shown."""

    def received(self, message: Message) -> None:
        """Any message, as it arrives; a client's `on_message`."""

    def message(self, message: Message) -> None:
        """A message that is news, after the client's state took it in."""

    def notice(self, notice: Notice) -> None:
        """What became of the line."""

    def tell(self, key: str, **values: object) -> None:
        """A sentence of the client's own, by its key in `texts`."""

    def error(self, text: str) -> None:
        """What went wrong, in words."""

    def table(self) -> None:
        """The game, as far as it is known."""

    def board(self) -> None:
        """The standings."""

    def tick(self) -> None:
        """Called a few times a second: what was held back may be due."""
