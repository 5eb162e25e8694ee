"""The one sentence under the table: what the player should know now. Pure."""

from typing import Literal, NamedTuple

from client_cli.race_state import RaceState
from client_cli.screen.choosing import Choosing
from client_cli.screen.forecast import UNKNOWN, Forecast
from client_cli.screen.words import word
from client_cli.standings import time_text
from client_cli.table import face, place_name
from protocol.messages import Lang
from server.engine.cards import card_text
from server.engine.places import PILES


class Sentence(NamedTuple):
    """Words, and whether they are good or bad news."""

    text: str
    kind: Literal["", "good", "wrong"] = ""


def sentence(
    state: RaceState, forecast: Forecast | None, choosing: Choosing, lang: Lang, *, ascii_only: bool = False
) -> Sentence:
    """Return what the state of the race and the player's hand have to say."""
    room, position = state.room, state.position
    if room is None:
        return Sentence("")
    if room.state == "closed":
        may_rematch = not {"host", "player"}.isdisjoint(room.roles)
        return Sentence(word("closed" if may_rematch else "closed_watching", lang), "good")
    if position is None or forecast is None:
        return Sentence("")
    if position.status == "won":
        row = room.own_row
        rank = row.rank if row is not None and row.status == "won" else "…"
        won = word("won", lang, time=time_text(position.ms), moves=position.moves, rank=rank)
        return Sentence(f"{won} {word('won_wait', lang)}", "good")
    own = room.own_row
    if own is not None and own.status == "forfeited":
        return Sentence(word("forfeited", lang), "wrong")
    if position.status == "blocked" and not forecast.pending:
        may_undo = position.undoable > 0 and room.options.get("undo") is not False
        return Sentence(word("blocked" if may_undo else "blocked_for_good", lang), "wrong")
    return Sentence(_hand(forecast, choosing, lang, ascii_only))


def _hand(forecast: Forecast, choosing: Choosing, lang: Lang, ascii_only: bool) -> str:
    """Return what is held, or what lies under the cursor where more than its top card is known."""
    if choosing.waits_for_digit:
        return word("number_begun", lang)
    if choosing.held is not None:
        card = face(forecast.game.top(choosing.held), lang, ascii_only)
        places = ", ".join(place_words(place, lang, ascii_only) for place in choosing.targets)
        return word("hold", lang, card=card, places=places)
    if forecast.position.piles is not None and choosing.cursor in PILES:
        pile = forecast.game.piles[choosing.cursor]
        cards = " ".join(UNKNOWN if card == UNKNOWN else face(card, lang, ascii_only) for card in pile)
        return word("pile", lang, number=choosing.cursor + 1, cards=cards)
    return ""


def place_words(place: int, lang: Lang, ascii_only: bool = False) -> str:
    """Return a place as people read it: a pile's number, or a foundation by its base and its direction."""
    if place in PILES:
        return str(place + 1)
    name = place_name(place)
    rank = card_text(name, lang)[:-1]
    return face(name, lang, ascii_only) if rank else name
