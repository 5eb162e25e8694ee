"""What one types to be told something: a place, where its card may go, the time, the public rooms."""

from collections.abc import Awaitable, Callable

from client_cli.client import RaceClient
from client_cli.display import Display
from client_cli.durations import until_text
from client_cli.moves import legal_moves
from client_cli.notation import read_action
from client_cli.plain_words import card_words, holds_words, place_words, sentence, time_words, where_words
from client_cli.position import Position
from client_cli.texts import say
from protocol.messages import Clock, Rooms, RoomsAnswer
from server.engine.notation import NotationError

Handler = Callable[[str], Awaitable[None]]


class Asking:
    """The commands that change nothing."""

    def __init__(self, client: RaceClient, display: Display) -> None:
        self._client = client
        self._display = display

    def handlers(self) -> dict[str, Handler]:
        """What each command does with what stands after it."""
        return {"look": self._look, "places": self._places, "clock": self._clock, "rooms": self._rooms}

    def _place(self, text: str) -> tuple[Position, int] | None:
        """Return the game that is looked at, and the place that is typed; None, and it is said, without."""
        state = self._client.state
        position = next(iter(state.followed.values()), state.position)
        if position is None:
            self._display.tell("no_game")
            return None
        try:
            return position, read_action(f"{text}>F", position).src
        except NotationError:
            self._display.tell("place_unknown", text=text)
            return None

    async def _look(self, text: str) -> None:
        """What lies at a place."""
        found = self._place(text)
        if found is not None:
            position, place = found
            lang = self._client.lang
            what = holds_words(position, place, where_words(place, lang), lang)
            self._display.tell("look", what=sentence(what))

    async def _places(self, text: str) -> None:
        """Where the top card of a place may go."""
        found = self._place(text)
        if found is None:
            return
        (position, place), lang = found, self._client.lang
        card = position.top(place)
        if card is None:
            await self._look(text)
            return
        places = [place_words(dst, lang) for src, dst in legal_moves(position) if src == place]
        told = ", ".join(places) or say("places_none", lang)
        self._display.tell("places", card=sentence(card_words(card, lang)).rstrip("."), places=told)

    async def _clock(self, _: str) -> None:
        """How long one's game is on, and when the race ends, by the server's clock, asked anew."""
        client = self._client
        await client.request(Clock(sent=0))
        now_ms, position, room = client.state.clock.now_ms(), client.position, client.room
        running = room is not None and room.state == "running"
        if position is None or not running:
            self._display.tell("clock_none")
        else:
            self._display.tell("clock_race", time=time_words(now_ms - position.start_at, client.lang))
        if running and room is not None and room.ends_at is not None:
            self._display.tell("ends_in", left=until_text(room.ends_at - now_ms, client.lang))

    async def _rooms(self, _: str) -> None:
        """The public rooms, a line each."""
        answer = await self._client.request(Rooms())
        assert isinstance(answer, RoomsAnswer)
        if not answer.rooms:
            self._display.tell("no_rooms")
        for room in answer.rooms:
            state = say(f"state_{room.state}", self._client.lang)
            key = "public_room" if room.host else "public_room_no_host" if room.name else "public_room_bare"
            self._display.tell(
                key, room=room.room, name=room.name, players=room.players, most=room.max_players,
                state=state, host=room.host,
            )  # fmt: skip
