"""Where the table will be, before there is one: who is here, who is ready, and what one can do."""

from rich.text import Text

from client_cli.address import room_link
from client_cli.race_state import RaceState
from client_cli.room_terms import terms_line
from client_cli.screen.drawn_widget import DrawnWidget
from client_cli.screen.people import known_line, people_of
from client_cli.screen.words import word
from client_cli.standings import standings_lines
from client_cli.texts import say
from protocol.messages import Lang

PEOPLE_MAX = 12
COUNTDOWN_CELLS = 30


def waiting_lines(state: RaceState, lang: Lang, url: str) -> list[tuple[str, str]]:
    """Return lines and styles for a race that is not on: the room before it, the whole board after it."""
    room = state.room
    if room is None:
        return []
    if room.state == "closed":
        rank_by = str(room.options.get("rank_by", "time"))
        return [(line, "") for line in standings_lines(room.rows, lang, rank_by, state.me, closed=True)]
    lines = [countdown_line(state, lang), (word(_advice(state), lang), "bold"), ("", "")]
    lines.append((word("waiting_code", lang, room=room.id, link=room_link(url, room.id)), ""))
    more = " --password …" if room.options.get("password") else ""
    lines.append((say("invite", lang, room=room.id, url=url, more=more), ""))
    terms = terms_line(room.options, state.clock.now_ms(), lang)
    lines += [(terms, "dim"), ("", "")] if terms else [("", "")]
    people = people_of(room)
    players = [known.person for known in people if known.person is not None and known.person.role == "player"]
    need, ready = room.options.get("min_players", 2), sum(person.ready for person in players)
    lines.append((word("waiting_count", lang, ready=ready, players=len(players), need=need), ""))
    lines += [
        (f"  {known_line(known, state, lang)}", "" if known.person and known.person.online else "dim")
        for known in people[:PEOPLE_MAX]
    ]
    if len(people) > PEOPLE_MAX:
        lines.append((f"  {word('more', lang, count=len(people) - PEOPLE_MAX)}", "dim"))
    return lines


def countdown_line(state: RaceState, lang: Lang) -> tuple[str, str]:
    """Return which room this is, or, once the race clock counts down, how long it still is, as a bar too."""
    room = state.room
    assert room is not None
    if room.state != "countdown" or room.start_at is None:
        return word("waiting_title", lang, room=room.id), "bold"
    left_ms = max(0, room.start_at - state.clock.now_ms())
    whole_ms = max(left_ms, int(room.options.get("countdown_ms") or 0), 1)
    cells = -(-left_ms * COUNTDOWN_CELLS // whole_ms)
    seconds = -(-left_ms // 1000)
    bar = "━" * cells + "─" * (COUNTDOWN_CELLS - cells)
    return f" {word('waiting_start_in', lang)} {seconds} s  {bar} ", "bold reverse"


def _advice(state: RaceState) -> str:
    """Return the key of what one can do."""
    room = state.room
    assert room is not None
    start = room.options.get("start", "host")
    if room.state == "countdown":
        return "waiting_countdown_host" if "host" in room.roles else "waiting_countdown"
    if start == "host" and "host" in room.roles:
        return "waiting_host"
    if "player" not in room.roles:
        return "waiting_look"
    return {"ready": "waiting_ready", "own": "waiting_own", "at": "waiting_at"}.get(
        str(start), "waiting_player"
    )


class WaitingWidget(DrawnWidget):
    """Shows those lines."""

    def __init__(self, state: RaceState, lang: Lang, url: str) -> None:
        super().__init__("waiting")
        self._state = state
        self._lang = lang
        self._url = url

    def drawn(self) -> Text:
        """Return the lines; long ones wrap."""
        text = Text()
        for line, style in waiting_lines(self._state, self._lang, self._url):
            text.append(f"{line}\n", style)
        return text
