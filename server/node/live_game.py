"""One player's game on this node: judges each action on a private copy, and answers once it is stored.

The copy runs ahead of the store by the actions that are under way. When the store refuses one, the copy is
dropped, the log is read on, and all that waited is judged again as if just received.
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from protocol.codec import MSGPACK
from protocol.limits import ACTIONS_MAX, REPEATS_KEPT
from protocol.messages import Done, OpRequest
from server.engine.game import Game
from server.engine.refusals import Refusal
from server.node import outbound
from server.rooms.not_running import why_not_running
from server.rooms.standings import Progress
from server.rooms.whys import Why
from server.store import keys
from server.store.items import Answer, Append, Verdict
from server.store.records import ActionRecord, Entry, next_tip, pack_action, pack_row, unpack_action

if TYPE_CHECKING:
    from server.node.live_room import LiveRoom

REJUDGED_MAX = 8  # an action refused so often in a row is not contested but at fault: give up, in words


class Asker(Protocol):
    """Who asked for an action, and is told what became of it."""

    def done(self, request: OpRequest, done: Done, packed: bytes) -> None:
        """It is stored. `packed` is the answer as a MessagePack message without an `id`."""

    def refused(self, request: OpRequest, stored: int, code: str, why: Why | None) -> None:
        """It changed nothing; the log has `stored` actions. `why`: which of the code's causes it was."""

    def correct(self) -> None:
        """Their client is out of step: send it the game as stored."""

    def unavailable(self, request: OpRequest | None) -> None:
        """The store is away: nothing is known of what they asked last."""


class Played(NamedTuple):
    """A stored action, kept to give its answer again; packed, for there are many and few are asked for.

    `asked`: the destination as it was asked for.
    """

    asked: int
    packed: bytes

    def done(self) -> Done:
        """The answer as it was."""
        return msgspec.msgpack.decode(self.packed, type=Done)


class Attempt:
    """An action under way: asked for, judged, and waiting for the store or for those before it."""

    __slots__ = (
        "asker", "code", "done", "item", "progress", "received_ms", "record", "rejudged", "request", "why",
    )  # fmt: skip

    def __init__(self, asker: Asker, request: OpRequest, received_ms: float) -> None:
        self.asker, self.request, self.received_ms = asker, request, received_ms
        self.code = ""  # of a refusal; "" with an item: waiting for the store; "" without: a repeat
        self.why: Why | None = None  # beside the code
        self.item: Append | None = None
        self.record: ActionRecord | None = None
        self.done: Done | None = None
        self.progress: Progress | None = None  # without its stamp
        self.rejudged = 0


class LiveGame:
    """See the module. Made by `LiveRoom.game`, from the log."""

    __slots__ = (
        "_fenced", "_idlers", "corrections", "ends_field", "fence_field", "game", "log", "n", "player",
        "reading", "recent", "room", "row_field", "stored_n", "stored_stamp", "stored_tip", "tip", "waiting",
    )  # fmt: skip

    def __init__(self, room: "LiveRoom", player: str) -> None:
        self.room, self.player = room, player
        self.log = keys.game_log(player)
        self.row_field = keys.row_field(player)
        self.fence_field = keys.fence_field(player)
        own_starts = room.room.own_starts
        self.ends_field = keys.ends_field(player) if own_starts else keys.ENDS_AT
        self._fenced: tuple[list[str], list[str]] = ([], [])
        self.game = room.dealt()
        self.n = 0  # actions in the private copy
        self.tip = ""
        self.stored_n = 0
        self.stored_tip = ""
        self.stored_stamp = 0
        self.waiting: deque[Attempt] = deque()
        self.recent: deque[Played] = deque(maxlen=REPEATS_KEPT)
        self.reading = False  # the log is being read on: what comes in waits unjudged
        self.corrections: list[Asker] = []  # who is owed a `game`, once nothing is under way
        self._idlers: list[asyncio.Future[None]] = []

    # Asking

    def ask(self, asker: Asker, request: OpRequest, received_ms: float) -> None:
        """An action asked for; `asker` is told, in the order of asking."""
        attempt = Attempt(asker, request, received_ms)
        if not self.reading:
            self._judge(attempt)
            if not self.waiting and attempt.item is None:
                self._answer(attempt)
                return
            if attempt.item is not None:
                self.waiting.append(attempt)
                self.room.journal.submit(attempt.item)
                return
        self.waiting.append(attempt)

    @property
    def start_at(self) -> int:
        """The race clock's moment from which this player's time runs."""
        return self.room.room.people[self.player].start_at

    @property
    def idle(self) -> bool:
        """Whether nothing is under way: the private copy is what is stored."""
        return not self.waiting and not self.reading

    async def until_idle(self) -> None:
        """Wait until nothing is under way."""
        while not self.idle:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._idlers.append(future)
            await future

    def _tell_idlers(self) -> None:
        idlers, self._idlers = self._idlers, []
        for future in idlers:
            if not future.done():
                future.set_result(None)

    def give_up(self) -> None:
        """Nothing is known of what is under way: tell those who asked. This copy is of no use any more."""
        waiting, self.waiting = self.waiting, deque()
        corrections, self.corrections = self.corrections, []
        self.reading = False
        for attempt in waiting:
            attempt.asker.unavailable(attempt.request)
        for asker in corrections:
            asker.unavailable(None)
        self._tell_idlers()

    # Judging

    def _judge(self, attempt: Attempt) -> None:
        """Decide what becomes of an attempt, in the order of the page: a repeat, a refusal, or an item."""
        request = attempt.request
        attempt.item, attempt.code, attempt.why = None, "", None
        if request.n <= self.n and self._is_repeat(request):
            return
        attempt.code = self._refusal(request) or ""
        if not attempt.code:
            self._play(attempt)
        elif attempt.code == "not_running":
            attempt.why = why_not_running(self.room.room, self.player)

    def _is_repeat(self, request: OpRequest) -> bool:
        """Whether this is action `n` again, which is under way or among the last stored."""
        back = self.stored_n - request.n
        if 0 <= back < len(self.recent):
            played = self.recent[-1 - back]
            done, asked = played.done(), played.asked
            op, src, dst = done.op, done.src, done.dst
        else:
            waiting = (a.record for a in self.waiting if a.item is not None and a.item.n == request.n)
            record = next(waiting, None)
            if record is None:
                return False
            op, src, dst, asked = record
        return op == request.op and (op != "m" or (src == request.src and request.dst in (dst, asked)))

    def _refusal(self, request: OpRequest) -> str | None:
        room = self.room.room
        if not room.may_play(self.player):
            return "not_running"
        if request.n != self.n + 1:
            return "out_of_step"
        if request.n > ACTIONS_MAX:
            return "too_long"
        if request.op == "u" and not room.options.undo:
            return "no_undo"
        return None

    def _play(self, attempt: Attempt) -> None:
        """Play it on the private copy: an item for the store, or a refusal of the rules."""
        request, game = attempt.request, self.game
        before = outbound.tops(game) if request.op == "r" else None
        record = play(game, request.op, request.src or 0, request.dst or 0)
        if isinstance(record, Refusal):
            attempt.code = record
            return
        n = self.n + 1
        payload = pack_action(record)
        tip = next_tip(self.tip, payload)
        done = outbound.done(game, n, record, before, self.room.open)
        progress = Progress(
            n, 0, done.status, done.moves, done.undone, done.redeals, game.home, done.undoable
        )
        attempt.record, attempt.done, attempt.progress = record, done, progress
        attempt.item = Append(
            self.room.id,
            self.log,
            n,
            self.tip,
            tip,
            payload,
            attempt.received_ms,
            self._fences(),
            self._answered,
            floor_ms=self.start_at,
            row_field=self.row_field,
            row=pack_row(progress),
            ends_field=self.ends_field,
        )
        self.n, self.tip = n, tip

    def _fences(self) -> tuple[list[str], list[str]]:
        room_fence, fence = self.room.room_fence, self.room.fences.get(self.player, "")
        if self._fenced[1] != [room_fence, fence]:
            self._fenced = [keys.ROOM_FENCE, self.fence_field], [room_fence, fence]
        return self._fenced

    # The store's answers

    def _answered(self, item: Append, answer: Answer) -> None:
        if not self.waiting or self.reading:
            return  # of an item that was dropped when one before it was refused
        attempt = self.waiting[0]
        if attempt.item is not item:
            return
        if answer.stored:
            self.waiting.popleft()
            self._stored(attempt, answer)
            self._answer_ready()
        elif answer.verdict == Verdict.UNAVAILABLE:
            self.room.game_unavailable(self)
        else:
            self._refused_by_store(attempt, answer.verdict)

    def _stored(self, attempt: Attempt, answer: Answer) -> None:
        item, done, record, progress = attempt.item, attempt.done, attempt.record, attempt.progress
        assert item is not None
        assert progress is not None
        assert item.row is not None
        assert done is not None
        assert record is not None
        stamp = answer.stamp
        self.stored_n, self.stored_tip, self.stored_stamp = item.n, item.tip, stamp
        done.ms = stamp - self.start_at
        packed = MSGPACK.encode(done)
        self.recent.append(Played(record.asked, packed))
        self.room.counts.acknowledged_ms.add(self.room.world.monotonic_ms() - attempt.received_ms)
        attempt.asker.done(attempt.request, done, packed)
        self.room.progressed(self.player, progress.stamped(stamp), answer.seq, item.row)

    def _answer_ready(self) -> None:
        """Answer the refusals and repeats whose turn has come, then what waits for an idle game."""
        while self.waiting and self.waiting[0].item is None:
            self._answer(self.waiting.popleft())
        if self.idle:
            corrections, self.corrections = self.corrections, []
            for asker in corrections:
                asker.correct()
            self._tell_idlers()

    def _answer(self, attempt: Attempt) -> None:
        back = self.stored_n - attempt.request.n
        if not attempt.code and back < len(self.recent):
            played = self.recent[-1 - back]
            self.room.counts.repeated += 1
            attempt.asker.done(attempt.request, played.done(), played.packed)
            return
        attempt.code = attempt.code or "out_of_step"  # it has become too old while it waited
        attempt.asker.refused(attempt.request, self.stored_n, attempt.code, attempt.why)
        if attempt.code == "out_of_step":
            if self.idle:
                attempt.asker.correct()
            elif attempt.asker not in self.corrections:
                self.corrections.append(attempt.asker)

    def _refused_by_store(self, attempt: Attempt, verdict: Verdict) -> None:
        attempt.rejudged += 1
        if attempt.rejudged > REJUDGED_MAX:
            self.room.game_unavailable(self)
            return
        late = attempt if verdict == Verdict.LATE else None
        self.reading = True  # from now on, not only from when the task begins
        self.room.world.spawn(self.read_on(late), "judge again", room=self.room.id, player=self.player)

    async def read_on(self, late: Attempt | None = None) -> None:
        """Read on, and judge all that waits anew; `late` came at or past the end, and is refused for it."""
        self.reading = True
        try:
            read = await self.room.read_on_with(self)
        except BaseException:  # a fault must not leave a game that reads for ever
            self.room.game_unavailable(self)
            raise
        if read:
            self.judge_waiting(late)
        else:
            self.room.game_unavailable(self)

    def judge_waiting(self, late: Attempt | None) -> None:
        """The log has been read: judge all that waits as if just received."""
        self.reading = False
        waiting, self.waiting = self.waiting, deque()
        for attempt in waiting:
            if attempt is late:
                attempt.item, attempt.code, attempt.why = None, "not_running", Why.TIME_IS_UP
            else:
                self._judge(attempt)
            self.waiting.append(attempt)
            if attempt.item is not None:
                self.room.journal.submit(attempt.item)
        self._answer_ready()

    # The log

    def rebuild(self, entries: list[Entry]) -> None:
        """Become what the log says, which is given from its first entry."""
        self.game = self.room.dealt()
        self.n = self.stored_n = self.stored_stamp = 0
        self.tip = self.stored_tip = ""
        self.recent.clear()
        for entry in entries:
            self._fold(entry, keep=entry.n > len(entries) - REPEATS_KEPT)

    def _fold(self, entry: Entry, keep: bool) -> None:
        stored = unpack_action(entry.payload)
        before = outbound.tops(self.game) if keep and stored.op == "r" else None
        record = play(self.game, stored.op, stored.src, stored.dst)
        if isinstance(record, Refusal):
            raise RuntimeError(f"stored action {entry.n} of {self.player} breaks the rules: {record}")
        if keep:
            done = outbound.done(self.game, entry.n, stored, before, self.room.open)
            done.ms = entry.stamp - self.start_at
            self.recent.append(Played(stored.asked, MSGPACK.encode(done)))
        self.n = self.stored_n = entry.n
        self.tip = self.stored_tip = entry.tip
        self.stored_stamp = entry.stamp

    @property
    def progress(self) -> Progress:
        """How far the game has come, as stored; only of an idle game."""
        return progress_of(self.game, self.stored_n, self.stored_stamp)


def play(game: Game, op: str, src: int, dst: int) -> ActionRecord | Refusal:
    """Play an action: what is to be recorded of it, or why not; then nothing has changed."""
    if op == "m":
        resolved = game.move(src, dst)
        return resolved if isinstance(resolved, Refusal) else ActionRecord("m", src, resolved, dst)
    if op == "r":
        refusal = game.redeal()
        return refusal if refusal is not None else ActionRecord("r", 0, 0, 0)
    undone = game.undo()
    return undone if isinstance(undone, Refusal) else ActionRecord("u", undone[0], undone[1], 0)


def progress_of(game: Game, n: int, stamp: int) -> Progress:
    """How far a game has come with its action `n`, whose stamp is `stamp`."""
    return Progress(n, stamp, game.status, game.moves, game.undone, game.redeals, game.home, game.undoable)
