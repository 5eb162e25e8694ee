"""The one sentence under the table: what the player should know now. Pure."""

from typing import Literal, NamedTuple

from client_cli.giving_up import closes_in_ms, may_take_back, take_back_left_ms
from client_cli.move_words import sign_words
from client_cli.moves import legal_moves
from client_cli.position import Position
from client_cli.race_state import RaceState
from client_cli.room_view import RoomView
from client_cli.screen.choosing import Choosing
from client_cli.screen.forecast import UNKNOWN, Forecast
from client_cli.screen.words import seat_word, word
from client_cli.standings import time_text
from client_cli.table import face
from protocol.messages import Lang
from server.engine.places import PILES
from server.rooms.whys import TEXTS as WHY_TEXTS
from server.rooms.whys import Why

HINTED_ACTIONS = 8
"""So many actions long an idle line says how to play."""


class Sentence(NamedTuple):
    """Words, and whether they are good or bad news."""

    text: str
    kind: Literal["", "good", "wrong"] = ""


def sentence(
    state: RaceState,
    forecast: Forecast | None,
    choosing: Choosing,
    lang: Lang,
    *,
    ascii_only: bool = False,
    practice: bool = False,
) -> Sentence:
    """Return what the state of the race and the player's hand have to say."""
    room, position = state.room, state.position
    if room is None:
        return Sentence("")
    if room.state == "closed":
        may_rematch = not {"host", "player"}.isdisjoint(room.roles)
        key = "closed" if may_rematch else "closed_watching"
        return Sentence(seat_word(key, lang, practice=practice), "good")
    now_ms = state.clock.now_ms()
    closes_s = _seconds(closes_in_ms(room, now_ms))
    if position is None or forecast is None:
        return Sentence("" if closes_s is None else word("closes_in", lang, seconds=closes_s))
    done = _done_with(room, position, now_ms, closes_s, lang, practice=practice)
    if done is not None:
        return done
    if position.status == "blocked" and not forecast.pending:
        may_undo = position.undoable > 0 and room.options.get("undo") is not False
        return Sentence(word("blocked" if may_undo else "blocked_for_good", lang), "wrong")
    hand = _hand(forecast, choosing, lang, ascii_only)
    shows_hand = choosing.held is not None or choosing.waits_for_digit
    if position.status == "playing" and not forecast.pending and not shows_hand:
        may_undo = position.undoable > 0 and room.options.get("undo") is not False
        if not legal_moves(position):
            stuck = sign_words(lang).stuck(position.redeals, "r", "u" if may_undo else None)
            return Sentence(f"{stuck}  {hand}".rstrip(), "wrong")
        elif not hand and position.n < HINTED_ACTIONS:
            hand = word("hint", lang)
    return Sentence(hand)


def _done_with(
    room: RoomView, position: Position, now_ms: int, closes_s: int | None, lang: Lang, *, practice: bool
) -> Sentence | None:
    """Return what there is to say of a game that is won, given up or taken away; None of any other."""
    own = room.own_row
    if position.status == "won":
        rank = own.rank if own is not None and own.status == "won" else "…"
        won = word("won", lang, time=time_text(position.ms), moves=position.moves, rank=rank)
        wait = (
            seat_word("won_wait", lang, practice=practice)
            if closes_s is None
            else word("won_closes", lang, seconds=closes_s)
        )
        return Sentence(f"{won} {wait}", "good")
    if position.status == "disqualified":
        return Sentence(_put_out(closes_s, lang), "wrong")
    if own is not None and own.status == "forfeited":
        return Sentence(_gave_up(room, now_ms, closes_s, lang), "wrong")
    return None


def _put_out(closes_s: int | None, lang: Lang) -> str:
    """Return that one is disqualified and who can undo that, and when the race closes if nobody plays."""
    closes = "" if closes_s is None else word("closes_in", lang, seconds=closes_s)
    return f"{WHY_TEXTS[Why.DISQUALIFIED].text(lang)}. {closes}".rstrip()


def _gave_up(room: RoomView, now_ms: int, closes_s: int | None, lang: Lang) -> str:
    """Return whether giving up can be taken back, and when the race closes if nobody plays any more."""
    may = may_take_back(room, room.me, now_ms)
    if closes_s is not None:
        return word("forfeited_closes" if may else "forfeited_final_closes", lang, seconds=closes_s)
    if not may:
        return word("forfeited_final", lang)
    left_s = _seconds(take_back_left_ms(room, room.me, now_ms))
    return word("forfeited", lang) if left_s is None else word("forfeited_left", lang, seconds=left_s)


def _seconds(ms: int | None) -> int | None:
    """Return whole seconds, rounded up: none are left only when it is so."""
    return None if ms is None else -(-ms // 1000)


def _hand(forecast: Forecast, choosing: Choosing, lang: Lang, ascii_only: bool) -> str:
    """Return what is held, or what lies under the cursor where more than its top card is known."""
    if choosing.waits_for_digit:
        return word("number_begun", lang)
    if choosing.held is not None:
        words = sign_words(lang, ascii_only=ascii_only)
        return words.may_go(forecast.game, choosing.held, choosing.targets)
    if forecast.position.piles is not None and choosing.cursor in PILES:
        pile = forecast.game.piles[choosing.cursor]
        cards = " ".join(UNKNOWN if card == UNKNOWN else face(card, lang, ascii_only) for card in pile)
        return word("pile", lang, number=choosing.cursor + 1, cards=cards)
    return ""
