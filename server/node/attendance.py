"""Who is online in a room: leases in the store, kept by the node that has the connection."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from protocol import messages as wire
from server.store.heads import Presence, is_online
from server.store.items import PRESENCE_LEASE_MS, Answer, Seen, Verdict

if TYPE_CHECKING:
    from server.node.live_room import LiveRoom
    from server.node.session import Session

NOBODY: Mapping[str, Presence] = {}


class Attendance:
    """The presence of everyone in one room, as far as it is known on this node."""

    def __init__(self, live: "LiveRoom") -> None:
        self._live = live
        self._seen: dict[str, Presence] = {}
        self._told: dict[str, bool] = {}  # what was last told of each
        self.host_away_since: int | None = None

    def online(self) -> dict[str, bool]:
        """Who is online, and who was."""
        now_ms = self._live.clock.now_ms()
        online = {player: is_online(presence, now_ms) for player, presence in self._seen.items()}
        return online | dict.fromkeys(self._live.members, True)

    def shown(self) -> dict[str, bool]:
        """The same, to be told to somebody. Whoever was told otherwise is told it as well: else what one was
        shown between two looks at the store would be taken back before others only."""
        online = self.online()
        if online != self._told:  # seldom: a thousand are compared much sooner than looked at one by one
            for player in online.keys() | self._told.keys():
                self._tell(player, online.get(player, False))
        return online

    def remote(self) -> dict[str, Presence]:
        """The presences that other nodes keep, as they are known now."""
        members = self._live.members
        return {player: presence for player, presence in self._seen.items() if player not in members}

    def beat(self) -> None:
        """Renew the leases of everyone connected here."""
        for session in self._live.members.values():
            self.tell_store(session, "here")

    def tell_store(self, session: "Session", mode: Literal["here", "gone"]) -> None:
        """Take, renew or give up a connection's lease."""
        item = Seen(self._live.id, session.player, session.connection_id, mode, self._answered)
        self._live.journal.submit(item)

    def _answered(self, item: Seen, answer: Answer) -> None:
        if answer.verdict == Verdict.TAKEN and item.mode == "here":
            self._close_older(item.player, item.connection)
        elif answer.stored:
            online = item.mode == "here"
            self.heard(item.player, item.connection, online, answer.stamp, answer.seq)

    def _close_older(self, player: str, connection: str) -> None:
        """The player is on a newer connection than this one: if it is still here, it ends."""
        session = self._live.members.get(player)
        if session is not None and session.connection_id == connection:
            del self._live.members[player]
            session.replaced()

    def heard(self, player: str, connection: str, online: bool, moment: int, seq: int) -> None:
        """A presence is stored, by whichever node: one came, or went."""
        self._live.note(seq)
        known = self._seen.get(player)
        if known is not None and is_newer(known.moment, moment):
            return
        if online:
            self._seen[player] = Presence(connection, moment)
            here = self._live.members.get(player)
            if here is not None and here.connection_id < connection:
                self._close_older(player, here.connection_id)
        elif known is not None and known.connection == connection:
            del self._seen[player]
        self._tell(player, player in self._live.members or is_online(self._seen.get(player), moment))
        if player == self._live.room.host:
            self.look_for_host()
            self._live.writer.look()
        elif self.host_away_since is not None:  # they may be who follows the host
            self._live.writer.look()

    def take(self, seen: Mapping[str, Presence], asked: Mapping[str, Presence] = NOBODY) -> None:
        """Presence as the store has it: beats of other nodes' connections, and leases that have run out.

        `asked`: those looked for, as they were known before. Who is not found has gone, if they were not
        heard of meanwhile.
        """
        for player, presence in asked.items():
            if player not in seen and self._seen.get(player) == presence:
                del self._seen[player]
        for player, presence in seen.items():
            known = self._seen.get(player)
            if known is None or not is_newer(known.moment, presence.moment):
                self._seen[player] = presence
        self.shown()
        self.look_for_host()

    def _tell(self, player: str, online: bool) -> None:
        if self._told.get(player, False) != online:
            self._told[player] = online
            message = wire.Presence(room=self._live.id, player=player, online=online)
            self._live.teller.broadcast_with_board(message)

    def look_for_host(self) -> None:
        """Keep since when the host is away."""
        now_ms, host = self._live.clock.now_ms(), self._live.room.host
        if host in self._live.members or is_online(self._seen.get(host), now_ms):
            self.host_away_since = None
        elif self.host_away_since is None or self.host_away_since > now_ms:  # by a clock that was set back
            self.host_away_since = now_ms


def is_newer(known_ms: int, told_ms: int) -> bool:
    """Whether what is known of somebody's presence is newer than what is told now. What is much newer is of a
    clock that was set back since, and counts no more."""
    return told_ms < known_ms < told_ms + PRESENCE_LEASE_MS
