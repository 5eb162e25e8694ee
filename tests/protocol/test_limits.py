"""The bounds of the wire stand in one place, and agree with those the pure core keeps for itself."""

from protocol import limits
from server.engine.game import UNDO_MOVES_MAX
from server.engine.places import DESTINATIONS, PLACES
from server.rooms import decide, due, names
from server.transport.limits import Limits


def test_the_transport_takes_frames_of_the_protocols_size():
    assert Limits().frame_bytes_max == limits.CLIENT_FRAME_BYTES_MAX == 4096


def test_the_rooms_bounds_are_the_wires():
    assert due.CLOSE_GRACE_MS == limits.CLOSE_GRACE_MS
    assert due.HOST_ABSENCE_MS == limits.HOST_ABSENCE_MS
    assert decide.FORFEIT_TAKE_BACK_MS == limits.FORFEIT_TAKE_BACK_MS
    assert names.NAME_CHARACTERS_MAX == limits.PLAYER_NAME_CHARACTERS_MAX


def test_the_places_of_the_wire_are_the_engines():
    assert max(PLACES) == limits.SOURCE_PLACE_MAX
    assert max(DESTINATIONS) == limits.DESTINATION_PLACE_MAX


def test_what_can_be_undone_can_be_repeated_less_far_back():
    """A repeat is for a line that was cut, an undo for a player who thinks."""
    assert limits.REPEATS_KEPT < UNDO_MOVES_MAX
