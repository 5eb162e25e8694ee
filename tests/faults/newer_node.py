"""A server of a version to come: its records have format 2, in which an action says one thing more, and it
reads format 1 as well. Run as `python -m tests.faults.newer_node`, with the server's own arguments."""

from __future__ import annotations

import msgspec

from server.store import records
from server.store.records import ActionRecord

OLDER, NEWER = b"\x01", b"\x02"
MORE = "by hand"

_action = msgspec.msgpack.Decoder(tuple[records.Op, int, int, int, str])  # type: ignore[attr-defined]
_unpack_older = records.unpack_action


def pack_action(action: ActionRecord) -> bytes:
    return NEWER + msgspec.msgpack.encode((*action, MORE))


def unpack_action(payload: bytes) -> ActionRecord:
    if payload[:1] == OLDER:
        return _unpack_older(payload)
    return ActionRecord(*_action.decode(body(payload))[:4])


def body(payload: bytes) -> memoryview:
    if payload[:1] not in (OLDER, NEWER):
        raise records.NewerFormatError(f"a record of format {payload[0]}, this reads 1 and 2")
    return memoryview(payload)[1:]


if __name__ == "__main__":
    # Before anything has taken these names over.
    records.FORMAT, records._body = NEWER, body
    records.pack_action, records.unpack_action = pack_action, unpack_action

    from server.__main__ import main

    main()
