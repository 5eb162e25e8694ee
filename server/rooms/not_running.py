"""Why a player's game takes no actions (`not_running` of `docs/protocol.md`)."""

from server.rooms.room import Room
from server.rooms.whys import Why


def why_not_running(room: Room, player: str) -> Why:
    """Why this player's game is not on, of one for whom `room.may_play` says so."""
    if room.state == "closed":
        return Why.RACE_IS_CLOSED
    if room.state != "running":
        return Why.NOT_STARTED
    person = room.people.get(player)
    if person is not None and person.disqualified_at:
        return Why.DISQUALIFIED
    if person is not None and person.game == "forfeited":
        return Why.FORFEITED
    return Why.OWN_START_MISSING
