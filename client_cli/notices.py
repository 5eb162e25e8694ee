"""What a client says of itself among the server's messages: the line's ups and downs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lost:
    """The line is lost; the next attempt comes in `retry_in_s` seconds."""

    code: int | None
    reason: str
    retry_in_s: float


@dataclass(frozen=True, slots=True)
class Resumed:
    """The line is back, and the room (if there was one) entered again."""


@dataclass(frozen=True, slots=True)
class NewIdentity:
    """The server did not know our token; from now on we are somebody new."""


Notice = Lost | Resumed | NewIdentity
