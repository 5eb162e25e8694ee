"""A server of one room in the test's own process, which breaks lines when it is told to."""

from __future__ import annotations

from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from protocol import limits
from protocol import messages as wire
from protocol.codec import MSGPACK
from server.engine.codes import parse_code
from server.engine.game import Game
from server.engine.refusals import Refusal, text

ROOM = "7K3M9QXT"
NOW_MS = 1_700_000_000_000


class FakeServer:
    """Knows `hello`, `create`, `enter`, `ready`, `op`, `forfeit`, `say`, `leave`, `follow`."""

    def __init__(self) -> None:
        self.url = ""
        self.tokens: dict[str, str] = {}
        self.rooms: list[str | None] = []
        self.names: dict[str, str] = {}
        self.games: dict[str, Game] = {}
        self.logs: dict[str, list[wire.Done]] = {}
        self.v = 1
        self.seq = 1
        self.state: wire.RoomState = "lobby"
        self.received: list[wire.Request] = []
        self.links: list[ServerConnection] = []
        self.cut_at: str | None = None  # `before` or `after` the next action is stored; or a request's tag
        self.welcome_fault: int | None = None
        self.enter_error: str | None = None
        self._server: Server | None = None

    async def __aenter__(self) -> FakeServer:
        protocols: list[Any] = [limits.SUBPROTOCOL_MSGPACK]
        self._server = await serve(self._serve, "127.0.0.1", 0, subprotocols=protocols, compression=None)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}/ws"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, link: ServerConnection) -> None:
        self.links.append(link)
        player = ""
        try:
            async for frame in link:
                assert isinstance(frame, bytes)
                request = MSGPACK.decode_client(frame)
                self.received.append(request)
                if self.cut_at == type(request).__struct_config__.tag:
                    self.cut_at = None
                    link.transport.abort()
                    return
                if isinstance(request, wire.Hello):
                    player = await self._hello(link, request)
                    continue
                for answer in self._answers(link, player, request):
                    await link.send(MSGPACK.encode(answer))
        except ConnectionClosed:
            pass

    async def _hello(self, link: ServerConnection, hello: wire.Hello) -> str:
        if self.welcome_fault is not None:
            code, self.welcome_fault = self.welcome_fault, None
            await link.close(code)
            return ""
        if hello.token is not None and hello.token not in self.tokens:
            await link.close(4401)
            return ""
        new = f"token-{len(self.tokens)}" if hello.token is None else None
        if new is not None:
            self.tokens[new] = f"PLAYER{len(self.tokens):06}"
        player = self.tokens[hello.token or new or ""]
        await link.send(
            MSGPACK.encode(wire.Welcome(id=hello.id, player=player, token=new, now=NOW_MS, server="fake"))
        )
        return player

    def _answers(self, link: ServerConnection, player: str, request: wire.Request) -> list[wire.Message]:
        match request:
            case wire.Create():
                if request.key not in self.rooms:
                    self.rooms.append(request.key)
                return [self.room(player, request.id)]
            case wire.Enter():
                return self._enter(player, request)
            case wire.Ready():
                return self._start(player, request)
            case wire.OpRequest():
                return self._op(link, player, request)
            case wire.Say():
                said = wire.Said(room=ROOM, at=1, player=player, name=self.names[player], text=request.text)
                return [wire.Ok(id=request.id), said]
            case wire.Clock():
                return [wire.ClockAnswer(id=request.id, sent=request.sent, now=NOW_MS)]
            case wire.Rooms():
                return [wire.RoomsAnswer(id=request.id, rooms=[])]
            case _:
                return [wire.Ok(id=request.id)]

    def _enter(self, player: str, request: wire.Enter) -> list[wire.Message]:
        if self.enter_error is not None:
            code, self.enter_error = self.enter_error, None
            return [wire.Error(id=request.id, code=code, text=f"no: {code}")]
        if request.name is not None and player not in self.names:
            if request.name in self.names.values():
                return [wire.Error(id=request.id, code="name_taken", text="taken")]
            self.names[player] = request.name
        game = [self.game(player)] if player in self.games else []
        return [self.room(player, request.id), *game]

    def _start(self, player: str, request: wire.Ready) -> list[wire.Message]:
        self.state = "running"
        for other in self.names:
            self.games[other] = Game.deal(parse_code("CR1-N-AAAAAAB"))
            self.logs[other] = []
        self.v += 1
        event = wire.Event(
            room=ROOM, v=self.v, at=NOW_MS, kind="started", start_at=NOW_MS, code="CR1-N-AAAAAAB"
        )
        return [wire.Ok(id=request.id, v=self.v), event, self.game(player)]

    def _op(self, link: ServerConnection, player: str, op: wire.OpRequest) -> list[wire.Message]:
        log, game = self.logs.get(player, []), self.games.get(player)
        fault, self.cut_at = self.cut_at, None
        if fault == "before":
            link.transport.abort()
            return []
        if game is None:
            return [wire.Refused(id=op.id, n=op.n, stored=0, code="not_running", text="not running")]
        if op.n <= len(log):
            done = log[op.n - 1]
            done.id = op.id
            return [done]
        if op.n != len(log) + 1:
            refused = wire.Refused(id=op.id, n=op.n, stored=len(log), code="out_of_step", text="out of step")
            return [refused, self.game(player)]
        answer = self._play(game, op, len(log) + 1)
        if isinstance(answer, Refusal):
            sentence = text(answer, "en")
            return [wire.Refused(id=op.id, n=op.n, stored=len(log), code=answer.value, text=sentence)]
        log.append(answer)
        if fault == "after":
            link.transport.abort()
            return []
        self.seq += 1
        return [answer, wire.Board(room=ROOM, seq=self.seq, at=NOW_MS, rows=self.rows())]

    @staticmethod
    def _play(game: Game, op: wire.OpRequest, n: int) -> wire.Done | Refusal:
        before = [(game.top(place), game.count(place)) for place in range(24)]
        src, dst = op.src, op.dst
        if op.op == "m":
            place = game.move(op.src or 0, op.dst or 0)
            if isinstance(place, Refusal):
                return place
            dst = int(place)
        elif op.op == "r":
            if (refusal := game.redeal()) is not None:
                return refusal
        else:
            undone = game.undo()
            if isinstance(undone, Refusal):
                return undone
            src, dst = undone
        changed = [
            (place, game.top(place), game.count(place))
            for place in range(24)
            if (game.top(place), game.count(place)) != before[place]
        ]
        return wire.Done(
            id=op.id, n=n, op=op.op, src=src, dst=dst, changed=changed, redeals=game.redeals,
            moves=game.moves, undone=game.undone, undoable=game.undoable, status=game.status, ms=n * 1000,
        )  # fmt: skip

    def game(self, player: str) -> wire.GameState:
        game = self.games[player]
        return wire.GameState(
            n=len(self.logs[player]), piles=[[pile[-1] if pile else None, len(pile)] for pile in game.piles],
            up=list(game.up), down=list(game.down), redeals=game.redeals, moves=game.moves,
            undone=game.undone, undoable=game.undoable, status=game.status, start_at=NOW_MS,
        )  # fmt: skip

    def rows(self) -> list[wire.Row]:
        return [
            wire.Row(
                rank=1, player=player, name=name, status="playing" if player in self.games else "waiting",
                moves=self.games[player].moves if player in self.games else 0, undone=0, redeals=3,
                home=self.games[player].home if player in self.games else 8, ms=0, online=True,
            )
            for player, name in self.names.items()
        ]  # fmt: skip

    def room(self, player: str, id_: int | None = None) -> wire.Room:
        return wire.Room(
            id=id_, room=ROOM, v=self.v, options={"name": "", "start": "ready", "max_players": 8},
            state=self.state, host="PLAYER000000", you=["player"] if player in self.names else ["host"],
            players=[
                wire.Person(id=p, name=name, role="player", referee=False, ready=False, online=True)
                for p, name in self.names.items()
            ],
            board=wire.BoardData(seq=self.seq, at=NOW_MS, rows=self.rows()), now=NOW_MS,
        )  # fmt: skip

    async def send(self, message: wire.Message) -> None:
        """Send to the newest connection."""
        await self.links[-1].send(MSGPACK.encode(message))

    def ops(self) -> list[wire.OpRequest]:
        return [request for request in self.received if isinstance(request, wire.OpRequest)]

    def enters(self) -> list[wire.Enter]:
        return [request for request in self.received if isinstance(request, wire.Enter)]
