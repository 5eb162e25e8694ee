"""What stands in the logs: payloads of actions and events, their tips, and how far a game has come.

A payload begins with a byte for its format's version; a node that meets a newer one refuses the room in
words rather than guess.
"""

import hashlib
from typing import NamedTuple

import msgspec

from server.engine.actions import Op
from server.rooms.events import AnyEvent, RoomEvent
from server.rooms.standings import Progress

FORMAT = b"\x01"
NO_TIP = ""


class NewerFormatError(Exception):
    """A record was written by a newer version of the server; this one must be upgraded to serve the room."""


class ActionRecord(NamedTuple):
    """An action as it is stored: `dst` resolved, `asked` as it came (24 or 25, where it was one of those)."""

    op: Op
    src: int
    dst: int
    asked: int


class Entry(NamedTuple):
    """One entry of a log as the store has it: its number, tip, stamp (race clock) and payload."""

    n: int
    tip: str
    stamp: int
    payload: bytes


_encoder = msgspec.msgpack.Encoder()
_event_decoder = msgspec.msgpack.Decoder(AnyEvent)
_action_decoder = msgspec.msgpack.Decoder(tuple[Op, int, int, int])
_row_decoder = msgspec.msgpack.Decoder(tuple[str, int, int, int, int, int])


def next_tip(before: str, payload: bytes) -> str:
    """The log's tip after this payload: a 64-bit digest of the tip before and the payload, in hex."""
    return hashlib.blake2b(before.encode() + payload, digest_size=8).hexdigest()


def pack_event(event: RoomEvent) -> bytes:
    """A room event as a payload."""
    return FORMAT + _encoder.encode(event)


def unpack_event(payload: bytes) -> RoomEvent:
    """The inverse of `pack_event`. Raises `NewerFormatError`."""
    try:
        return _event_decoder.decode(_body(payload))
    except msgspec.ValidationError as error:
        raise NewerFormatError(f"a room event this version does not know ({error})") from None


def pack_action(action: ActionRecord) -> bytes:
    """An action as a payload."""
    return FORMAT + _encoder.encode(action)


def unpack_action(payload: bytes) -> ActionRecord:
    """The inverse of `pack_action`. Raises `NewerFormatError`."""
    try:
        return ActionRecord(*_action_decoder.decode(_body(payload)))
    except msgspec.ValidationError as error:
        raise NewerFormatError(f"an action this version does not know ({error})") from None


def _body(payload: bytes) -> memoryview:
    if payload[:1] != FORMAT:
        raise NewerFormatError(f"a record of format {payload[0] if payload else 'none'}, this reads 1")
    return memoryview(payload)[1:]


def pack_row(progress: Progress) -> bytes:
    """How far a game has come, without what the log's tip field says already (`n`, `stamp`)."""
    return _encoder.encode(
        (
            progress.status,
            progress.moves,
            progress.undone,
            progress.redeals,
            progress.home,
            progress.undoable,
        )
    )


def unpack_row(row: bytes, n: int, stamp: int) -> Progress:
    """The inverse of `pack_row`. Raises `NewerFormatError`."""
    try:
        status, moves, undone, redeals, home, undoable = _row_decoder.decode(row)
    except msgspec.ValidationError as error:
        raise NewerFormatError(f"a game's row this version does not know ({error})") from None
    return Progress(n, stamp, status, moves, undone, redeals, home, undoable)
