"""All rooms that this node has: loads them, lets them go, and keeps them in step with the other nodes."""

import asyncio
import contextlib
import gc
import hashlib
from collections import defaultdict
from collections.abc import Coroutine, Mapping
from typing import Any, cast

import msgpack
import structlog
from msgspec.structs import asdict

from protocol import messages as wire
from protocol.limits import CLOSE_NODE_LEAVING
from server.engine.codes import draw_code, draw_long_code
from server.node.conditions import NO_FENCES, extra_of
from server.node.counts import Counts
from server.node.ids import room_id_from
from server.node.journals import Journals
from server.node.live_room import LiveRoom
from server.node.load_once import LoadOnce
from server.node.probe import Probe
from server.node.world import World
from server.rooms import commands as cmd
from server.rooms import events as ev
from server.rooms.decide import create
from server.rooms.problems import RoomProblem
from server.rooms.room import Room
from server.rooms.standings import Progress
from server.store import keys
from server.store.heads import Glance, Presence
from server.store.items import PRESENCE_BEAT_MS, Answer, Append, Verdict
from server.store.records import NewerFormatError, next_tip, pack_event, unpack_row
from server.store.store import Store, StoreUnavailableError

RECONCILE_MS = 2_000
CATCH_UP_MS = 100  # what is stored and not heard of after so long was lost on the way
PROGRESS_MS = 50
KEPT_IDLE_MS = 30_000
COLLECTED_AFTER_ROOMS = 256
CREATE_TRIES_MAX = 8
PUBLIC_MAX = 100
PUBLIC_LOOKED_AT_MAX = 300
PUBLIC_KEPT_MS = 1_000

log = structlog.get_logger()

ProgressRow = tuple[str, str, int, int, bytes, int]  # room, player, n, stamp, row, seq


class Hub:
    """See the module."""

    def __init__(self, store: Store, journals: Journals, world: World, counts: Counts) -> None:
        self.store, self.journals, self.world, self.counts = store, journals, world, counts
        self.clock = next(iter(journals)).clock  # what is of no one room goes by the first lane's
        self.rooms: dict[str, LiveRoom] = {}
        self._loading: LoadOnce[LiveRoom | None] = LoadOnce(world, "load room")
        self._progress: defaultdict[int, list[ProgressRow]] = defaultdict(list)
        self._let_go_since_collected = 0
        self._alone: set[int] = set()  # partitions of which no other node wants to hear
        self._progress_timed = False
        self._public: list[wire.RoomSummary] = []
        self._public_at_ms = float("-inf")
        self._node = world.token_bytes(6).hex()
        self._reconcile_now = asyncio.Event()
        self._doubtful: set[str] = set()  # rooms of which more may have been missed than a look tells
        self.probe = Probe(store, world, self._node, lambda channel: self.subscription.renew(channel))
        self.subscription = store.subscription(self.probe.channels[0], self._heard, self._gap)

    # Rooms

    async def room(self, room_id: str) -> LiveRoom | None:
        """The room, read from the store if it is not here; None: there is none.

        Raises `StoreUnavailableError`, and `NewerFormatError` for one written by a newer version.
        """
        room = self.rooms.get(room_id)
        if room is not None:
            room.idle_since_ms = self.world.monotonic_ms()
            return room
        return await self._loading.get(room_id, lambda: self._load(room_id), room=room_id)

    async def _load(self, room_id: str) -> LiveRoom | None:
        room = LiveRoom(self, room_id)
        head, entries = await self.store.load_room(room_id)
        if head is not None:
            # Subscribed before it is read again, so that nothing falls between.
            await self.subscription.add(keys.prefix(room_id))
            await self.subscription.add(keys.progress_channel(keys.partition(room_id)))
            head, entries = await self.store.load_room(room_id)
        if head is None:
            return None
        room.begin(head, entries)
        self.rooms[room_id] = room
        return room

    async def create(self, command: cmd.CreateRoom, secret: str, received_ms: float) -> LiveRoom:
        """A new room; or, with a key, the one that this identity's `secret` and key have made before.

        Raises `RoomProblem` (`bad_options`) and `StoreUnavailableError`.
        """
        for turn in range(CREATE_TRIES_MAX):
            room_id = self._new_room_id(command.key, secret, turn)
            now_ms = self.journals.of(room_id).clock.now_ms()  # by which the room will go
            try:
                (event,) = create(command, now_ms)
            except RoomProblem:
                # What was asked for before may be out of its range by now: a moment that has passed.
                made = await self._made_before(command, secret)
                if made is None:
                    raise
                return made
            assert isinstance(event, ev.Created)
            answer = await self._append_created(room_id, event, now_ms, received_ms)
            if not answer.stored and not command.key:
                continue
            room = await self.room(room_id)
            if room is None:
                raise StoreUnavailableError("the new room cannot be read")
            if answer.verdict == Verdict.STORED:
                log.info("room made", room=room_id, player=command.by)
            if answer.stored or _is_made_by(room.room, command):
                return room
        raise StoreUnavailableError("no free room id was found")

    def _new_room_id(self, key: str, secret: str, turn: int) -> str:
        material = f"{secret}:{key}:{turn}".encode()
        return room_id_from(hashlib.sha256(material).digest() if key else self.world.token_bytes(32))

    async def _made_before(self, command: cmd.CreateRoom, secret: str) -> LiveRoom | None:
        """The room that this key has made before; None: there is none."""
        for turn in range(CREATE_TRIES_MAX if command.key else 0):
            room = await self.room(self._new_room_id(command.key, secret, turn))
            if room is None or _is_made_by(room.room, command):
                return room
        return None

    async def create_rematch(self, room: LiveRoom) -> str:
        """The room after this one: made once, whoever asks, on whichever node. Raises as `create` does."""
        old = room.room
        options = asdict(old.options) | {"start_at": None, "close_at": None}
        if options["start"] == "at":
            options["start"] = "host"
        command = cmd.CreateRoom(
            by=old.host, options=options, draw=self.draw(), name=old.host_name, key=f"rematch of {room.id}"
        )
        secret = f"{old.deal}:{old.nonce}:{old.created_at}"
        return (await self.create(command, secret, self.world.monotonic_ms())).id

    async def forget(self, player: str, token_hash: str) -> None:
        """Delete an identity; in closed rooms its name becomes a dash."""
        for room_id in await self.store.forget_identity(token_hash, player):
            room = await self.room(room_id)
            if room is not None and room.room.state == "closed":
                await room.submit(cmd.Forget(by=player), self.world.monotonic_ms())

    async def _append_created(
        self, room_id: str, event: ev.Created, now_ms: int, received_ms: float
    ) -> Answer:
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def answered(item: Append, answer: Answer) -> None:
            if not future.done():
                future.set_result(answer)

        payload = pack_event(event)
        extra = extra_of(Room(id=room_id), event, now_ms, None)
        tip = next_tip("", payload)
        self.journals.of(room_id).submit(
            Append(room_id, keys.ROOM_LOG, 1, "", tip, payload, received_ms, NO_FENCES, answered, extra=extra)
        )
        answer = await future
        if not answer.stored and answer.verdict != answer.verdict.OTHER_TIP:
            raise StoreUnavailableError(f"the room could not be made: {answer.verdict.name}")
        return answer

    def draw(self) -> cmd.Draw:
        """Deals and a nonce, from the secure random source."""
        randbelow = self.world.randbelow
        return cmd.Draw(
            codes={"N": str(draw_code("N", randbelow)), "F": str(draw_code("F", randbelow))},
            sealed_codes={"N": str(draw_long_code("N", randbelow)), "F": str(draw_long_code("F", randbelow))},
            nonce=self.world.token_bytes(16).hex(),
        )

    async def public_rooms(self) -> list[wire.RoomSummary]:
        """The listed rooms that can be entered or watched, looked at one by one."""
        now_ms = self.world.monotonic_ms()
        if self._public_at_ms + PUBLIC_KEPT_MS < now_ms:
            self._public_at_ms = now_ms
            self._public = await self._find_public()
        return self._public

    async def _find_public(self) -> list[wire.RoomSummary]:
        found: list[wire.RoomSummary] = []
        for room_id in (await self.store.listed_rooms(self.clock.now_ms()))[:PUBLIC_LOOKED_AT_MAX]:
            try:
                live = await self.room(room_id)
            except NewerFormatError:
                continue  # for a node of a newer version to tell
            if live is not None and is_public(live.room):
                found.append(summary(live.room))
                if len(found) == PUBLIC_MAX:
                    break
        return found

    # Between nodes

    async def say(self, room: LiveRoom, player: str, name: str, text: str) -> None:
        """Chat, to everyone in the room on every node. Not stored. Raises `StoreUnavailableError`."""
        at = room.now_ms()
        message = msgpack.packb([b"said", self._node, at, player, name, text])
        await self.store.publish([(keys.prefix(room.id), message)])
        room.teller.broadcast(wire.Said(room=room.id, at=at, player=player, name=name, text=text))

    def tell_progress(self, room: str, player: str, progress: Progress, seq: int, row: bytes) -> None:
        """Let the other nodes know, if there are any, with the next message of the partition."""
        partition = keys.partition(room)
        if partition in self._alone:
            return
        self._progress[partition].append((room, player, progress.n, progress.stamp, row, seq))
        if not self._progress_timed:
            self._progress_timed = True
            self.world.call_later(PROGRESS_MS, self._send_progress)

    def _send_progress(self) -> None:
        self._progress_timed = False
        progress, self._progress = self._progress, defaultdict(list)
        lanes: defaultdict[int, dict[int, list[ProgressRow]]] = defaultdict(dict)
        for partition, rows in progress.items():
            lanes[self.journals.lane_of(partition)][partition] = rows
        for lane in lanes.values():
            self.world.spawn(self._publish_progress(lane), "publish progress")

    async def _publish_progress(self, progress: Mapping[int, list[ProgressRow]]) -> None:
        """Publish, and find out where nobody but this node listens: there it is quiet till the next look. A
        node that comes meanwhile finds by its own look what it was not told."""
        messages = [
            (keys.progress_channel(partition), self._node.encode() + msgpack.packb(rows))
            for partition, rows in progress.items()
        ]
        with contextlib.suppress(StoreUnavailableError):  # a hint; the other nodes look by themselves
            heard_by = await self.store.publish(messages)
            self._alone.update(p for p, count in zip(progress, heard_by, strict=True) if count <= 1)

    def _heard(self, channel: str, message: bytes) -> None:
        if self.probe.heard(channel):
            return
        if channel.endswith(":progress"):
            self._heard_progress(message)
        else:
            self._heard_of_room(channel.rpartition(":")[2], message)

    def _heard_progress(self, message: bytes) -> None:
        node_length = len(self._node)
        if message[:node_length] == self._node.encode():
            return
        rows: list[ProgressRow] = msgpack.unpackb(message[node_length:])
        for room_id, player, n, stamp, row, seq in rows:
            room = self.rooms.get(room_id)
            if room is not None:
                room.heard_progress(player, unpack_row(row, n, stamp), seq)

    def _heard_of_room(self, room_id: str, message: bytes) -> None:
        room = self.rooms.get(room_id)
        if room is None:
            return
        # The script's strings are bytes of no declared kind; payloads are not text.
        kind, *rest = msgpack.unpackb(message, raw=True)
        if kind == b"event":
            n, before, tip, stamp, payload, seq = rest
            try:
                fits = room.advance(n, before.decode(), tip.decode(), int(stamp), payload, seq)
            except NewerFormatError:  # as reading on finds as well, and gives the room up
                fits = False
            if not fits:
                self.world.spawn(self._read_on(room), "read on", room=room_id)
        elif kind == b"seen":
            player, connection, online, moment, seq = rest
            room.attendance.heard(player.decode(), connection.decode(), online, int(moment), seq)
        elif kind == b"said" and rest[0].decode() != self._node:
            _, at, player, name, text = rest
            said = wire.Said(
                room=room_id, at=at, player=player.decode(), name=name.decode(), text=text.decode()
            )
            room.teller.broadcast(said)

    async def _read_on(self, room: LiveRoom) -> bool:
        """Have it read on: whether it did."""
        try:
            return await room.read_on()
        except NewerFormatError as error:  # another node, of a newer version, can serve it
            log.warning("room given up", room=room.id, error=str(error))
            self.rooms.pop(room.id, None)
            room.stop()
            for session in list(room.members.values()):
                session.close(CLOSE_NODE_LEAVING, "this node is too old for the room; connect again")
            return True

    async def run_subscription(self) -> None:
        """Listen to the other nodes until cancelled."""
        for channel in self.probe.channels[1:]:
            await self.subscription.add(channel)
        await self.subscription.run()

    def _gap(self) -> None:
        """What was published till now may have been missed; and a store that was away may have lost writes
        and gained others since, so that a look does not show it."""
        self.probe.all_heard()
        self._doubtful.update(self.rooms)
        self._reconcile_now.set()

    def doubt(self, room: LiveRoom) -> None:
        """Have it read on at the next look, whatever that shows."""
        self._doubtful.add(room.id)

    async def run_reconcile(self) -> None:
        """Every two seconds: compare each room with the store, beat for who is here, let idle rooms go."""
        beaten_ms = 0.0
        while True:
            try:
                async with asyncio.timeout(RECONCILE_MS / 1000):
                    await self._reconcile_now.wait()
            except TimeoutError:
                pass
            self._reconcile_now.clear()
            now_ms = self.world.monotonic_ms()
            if now_ms - beaten_ms >= PRESENCE_BEAT_MS:
                beaten_ms = now_ms
                self._beat()
            self._alone.clear()
            await self._reconcile_all()
            await self._quietly(self._let_go())

    # These two by themselves, lest their variables hold rooms that are let go till there are others.

    def _beat(self) -> None:
        for room in list(self.rooms.values()):
            room.attendance.beat()

    async def _reconcile_all(self) -> None:
        lanes: defaultdict[int, list[LiveRoom]] = defaultdict(list)
        for room in self.rooms.values():
            lanes[self.journals.lane_of(keys.partition(room.id))].append(room)
        await asyncio.gather(*(self._quietly(self._reconcile(rooms)) for rooms in lanes.values()))

    async def _quietly(self, work: Coroutine[Any, Any, None]) -> None:
        """A fault in one turn, or of one lane, must not end the others."""
        try:
            await work
        except StoreUnavailableError:
            return
        except Exception:
            log.exception("a look at the store failed")

    async def _reconcile(self, rooms: list[LiveRoom]) -> None:
        """Have these rooms, which are of one lane, read what they lack."""
        remote = [room.attendance.remote() for room in rooms]
        known = [room.seqs.last for room in rooms]
        wanted = [(room.id, list(players)) for room, players in zip(rooms, remote, strict=True)]
        glances = await self.store.glance(wanted)
        behind: list[tuple[LiveRoom, str, Glance]] = []
        for room, asked, seq, glance in zip(rooms, remote, known, glances, strict=True):
            agrees = self._agrees(room, glance, asked)
            if glance is not None and glance.seq < seq:
                self._doubtful.add(room.id)  # the store has lost what it had
            elif glance is not None and not agrees:
                behind.append((room, room.tip, glance))
        for room in rooms:
            if room.id in self._doubtful:
                self._doubtful.discard(room.id)  # it may come to be doubtful again meanwhile
                if not await self._read_on(room) and room.id in self.rooms:
                    self._doubtful.add(room.id)
        if behind:
            await self.world.sleep_ms(CATCH_UP_MS)
        for room, tip, glance in behind:
            if room.seqs.whole < glance.seq or (room.tip == tip != glance.tip):
                await self._read_on(room)

    def _agrees(self, room: LiveRoom, glance: Glance | None, asked: Mapping[str, Presence]) -> bool:
        """Whether a room is as the store has it; if not, what is under way may yet make it so."""
        if glance is None:
            if room.room.v:
                room.gone()
                self.rooms.pop(room.id, None)
            return True
        room.attendance.take(glance.seen, asked)
        room.writer.look()
        return glance.tip == room.tip and glance.seq <= room.seqs.whole

    async def _let_go(self) -> None:
        kept_from_ms = self.world.monotonic_ms() - KEPT_IDLE_MS
        for room in list(self.rooms.values()):
            if not room.busy and room.idle_since_ms < kept_from_ms:
                room.stop()
                del self.rooms[room.id]
                self._doubtful.discard(room.id)
                self._let_go_since_collected += 1
                await self.subscription.remove(keys.prefix(room.id))
        if self._let_go_since_collected >= COLLECTED_AFTER_ROOMS:
            self._let_go_since_collected = 0
            gc.collect()  # a room and its parts know one another, and the collector comes seldom by itself


def _is_made_by(room: Room, command: cmd.CreateRoom) -> bool:
    return room.host_at_creation == command.by and room.key == command.key


def is_public(room: Room) -> bool:
    """Whether the room is shown in the list of those one can enter or watch."""
    options = room.options
    entry_open = room.state != "running" or options.late or room.own_starts
    seat_free = entry_open and len(room.players) < options.max_players
    return options.listed and room.state != "closed" and (seat_free or options.spectators != "none")


def summary(room: Room) -> wire.RoomSummary:
    """A public room in a line."""
    return wire.RoomSummary(
        room=room.id,
        name=room.options.name,
        state=cast(wire.RoomState, room.state),
        players=len(room.players),
        max_players=room.options.max_players,
        variant=room.options.variant,
        password=room.options.password is not None,
        start=room.options.start,
        host=room.host_name,
    )
