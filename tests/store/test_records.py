"""What stands in the logs: it reads as it was written, in this version and in the next."""

from __future__ import annotations

import hashlib
from typing import get_args

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.rooms import events as ev
from server.rooms.options import Options
from server.rooms.standings import Progress
from server.store.records import (
    FORMAT,
    ActionRecord,
    NewerFormatError,
    next_tip,
    pack_action,
    pack_event,
    pack_row,
    unpack_action,
    unpack_event,
    unpack_row,
)

EVENTS: list[ev.RoomEvent] = [
    ev.Created(by="p1", options=Options(), deal="N1", nonce="n", name="Ærø", key="k"),
    ev.Joined(player="p1", name="A", role="player"),
    ev.Left(player="p1"),
    ev.ReadySet(player="p1", ready=True),
    ev.OptionsSet(by="p1", options={"undo": False, "start_at": 1790000000000, "password": None}, deal="N2"),
    ev.HostChanged(player="p2"),
    ev.Countdown(start_at=1790000000000, by="p1"),
    ev.Held(by="p1"),
    ev.Started(start_at=1790000000000, ends_at=1790000600000),
    ev.Started(start_at=1790000000000),
    ev.Won(player="p1", n=200, ms=123_456, moves=150),
    ev.Forfeited(player="p1", n=0),
    ev.Unforfeited(player="p1"),
    ev.Kicked(player="p1", by="p2", name="A"),
    ev.Banned(player="p1", by="p2", name="A"),
    ev.Disqualified(player="p1", by="p2", reason="why"),
    ev.Reinstated(player="p1", by="p2"),
    ev.RefereeSet(player="p1", by="p2", on=True),
    ev.Muted(player="p1", by="p2", on=False),
    ev.Watching(player="p1"),
    ev.Forgotten(player="p1"),
    ev.Rematch(next="NEXTROOM", by="p1"),
    ev.Ending(ends_at=1790000000000),
    ev.Closed(reason="limit"),
]

small = st.integers(0, 2000)
actions = st.builds(ActionRecord, st.sampled_from("mru"), *[st.integers(0, 25)] * 3)
progresses = st.builds(
    Progress, small, st.integers(0, 2**45), st.sampled_from(["playing", "won"]), *[small] * 5
)


def test_every_event_reads_as_it_was_written() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(ev.AnyEvent))
    for event in EVENTS:
        assert unpack_event(pack_event(event)) == event


@given(actions)
def test_an_action_reads_as_it_was_written(action: ActionRecord) -> None:
    assert unpack_action(pack_action(action)) == action


@given(progresses)
def test_a_row_reads_as_it_was_written(progress: Progress) -> None:
    assert unpack_row(pack_row(progress), progress.n, progress.stamp) == progress


def test_what_was_written_by_the_first_version_is_read() -> None:
    """Bytes in the logs of running rooms: a change here is a new format."""
    action, event = bytes.fromhex("0194a16d031118"), b"\x01\x82\xa4kind\xa4left\xa6player\xa2p1"
    row = bytes.fromhex("96a3776f6e0102036800")
    assert unpack_action(action) == ActionRecord("m", 3, 17, 24)
    assert pack_action(ActionRecord("m", 3, 17, 24)) == action
    assert unpack_event(event) == ev.Left(player="p1")
    assert pack_event(ev.Left(player="p1")) == event
    assert unpack_row(row, 5, 6) == Progress(5, 6, "won", 1, 2, 3, 104, 0)
    assert pack_row(Progress(5, 6, "won", 1, 2, 3, 104, 0)) == row


@pytest.mark.parametrize("payload", [b"", b"\x00", b"\x02\x90", b"\xff"])
def test_another_format_is_refused_in_words(payload: bytes) -> None:
    for unpack in (unpack_action, unpack_event):
        with pytest.raises(NewerFormatError, match="format"):
            unpack(payload)


def test_a_record_of_another_shape_is_refused_in_words() -> None:
    unknown = FORMAT + msgpack.packb({"kind": "flood", "player": "p1"})
    with pytest.raises(NewerFormatError, match="flood"):
        unpack_event(unknown)
    with pytest.raises(NewerFormatError, match="action"):
        unpack_action(FORMAT + msgpack.packb(["m", 1, 2, 3, 4]))
    with pytest.raises(NewerFormatError, match="row"):
        unpack_row(msgpack.packb(["won", 1, 2, 3, 4, 5, 6]), 1, 1)


def test_a_tip_is_a_digest_of_the_tip_before_and_the_payload() -> None:
    assert next_tip("", b"") == "e4a6a0577479b2b4"
    assert next_tip("0123456789abcdef", b"\x01x") == "bbe2aceda2ae2bd5"
    assert (
        next_tip("0123456789abcdef", b"\x01x")
        == hashlib.blake2b(b"0123456789abcdef\x01x", digest_size=8).hexdigest()
    )


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=8))
def test_every_tip_of_a_log_is_another(payloads: list[bytes]) -> None:
    tips = [""]
    for payload in payloads:
        tips.append(next_tip(tips[-1], payload))
    assert len(set(tips)) == len(tips)
    assert all(len(tip) == 16 for tip in tips[1:])
