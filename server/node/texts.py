"""The sentences of errors and refusals, for people, in English, Danish and German."""

from server.engine.refusals import Refusal
from server.engine.refusals import text as rules_text
from server.rooms.problems import RoomProblem
from server.rooms.whys import TEXTS as WHY_TEXTS
from server.rooms.whys import Why

REFUSALS_OF_THE_RULES = frozenset(Refusal)

TEXTS: dict[str, tuple[str, str, str]] = {
    # Refusals of an action that are not of the rules.
    "not_player": (
        "You are not playing in a room; enter one as a player",
        "Du spiller ikke i et rum; gå ind i et som spiller",
        "Du spielst in keinem Raum; betritt einen als Spieler",
    ),
    "not_running": (
        "Your game is not running",
        "Dit spil er ikke i gang",
        "Deine Partie läuft nicht",
    ),
    "out_of_step": (
        "This action is out of step with the stored game; the game follows",
        "Handlingen passer ikke til det gemte spil; spillet følger",
        "Diese Aktion passt nicht zur gespeicherten Partie; die Partie folgt",
    ),
    "no_undo": (
        "This room has no undo",
        "Man kan ikke fortryde i dette rum",
        "In diesem Raum kann nichts rückgängig gemacht werden",
    ),
    "too_long": (
        "This game has reached 5,000 actions, the most there can be",
        "Spillet har nået 5.000 handlinger, som er det højeste antal",
        "Diese Partie hat 5.000 Aktionen erreicht, mehr sind nicht möglich",
    ),
    # Errors.
    "unknown_room": (
        "There is no room with this code; check it, or ask for a new link",
        "Der er intet rum med denne kode; tjek den, eller bed om et nyt link",
        "Es gibt keinen Raum mit diesem Code; prüfe ihn, oder bitte um einen neuen Link",
    ),
    "unknown_player": (
        "There is no such player in this room",
        "Der er ingen sådan spiller i dette rum",
        "Es gibt keinen solchen Spieler in diesem Raum",
    ),
    "wrong_password": (
        "The room's password is another; ask the host for it",
        "Rummets adgangskode er en anden; spørg værten om den",
        "Das Passwort des Raums ist ein anderes; frage den Gastgeber danach",
    ),
    "room_full": (
        "This room is full; ask the host for more seats, or watch",
        "Rummet er fuldt; bed værten om flere pladser, eller se med",
        "Dieser Raum ist voll; bitte den Gastgeber um mehr Plätze, oder schau zu",
    ),
    "name_taken": (
        "Somebody in this room has this name; choose another",
        "Nogen i rummet har dette navn; vælg et andet",
        "Jemand in diesem Raum hat diesen Namen; wähle einen anderen",
    ),
    "bad_name": (
        "A name has 1 to 24 characters, none of them control or direction characters; choose another",
        "Et navn har 1 til 24 tegn og ingen styre- eller retningstegn; vælg et andet",
        "Ein Name hat 1 bis 24 Zeichen, keine Steuer- oder Richtungszeichen; wähle einen anderen",
    ),
    "not_host": (
        "Only the room's host can do this",
        "Kun rummets vært kan gøre dette",
        "Das kann nur der Gastgeber des Raums",
    ),
    "not_in_room": (
        "You are in no room; enter one first",
        "Du er ikke i et rum; gå først ind i et",
        "Du bist in keinem Raum; betritt erst einen",
    ),
    "banned": (
        "You have been banned from this room",
        "Du er udelukket fra dette rum",
        "Du bist aus diesem Raum ausgesperrt",
    ),
    "muted": (
        "The host has muted you",
        "Værten har slået din chat fra",
        "Der Gastgeber hat dich stummgeschaltet",
    ),
    "wrong_state": (
        "This cannot be done now; look at the state of the room",
        "Det kan ikke gøres nu; se på rummets tilstand",
        "Das geht jetzt nicht; sieh dir den Zustand des Raums an",
    ),
    "not_allowed": (
        "You may not do this in this room",
        "Det må du ikke i dette rum",
        "Das darfst du in diesem Raum nicht",
    ),
    "bad_options": (
        "Option {option}: allowed is {allowed}",
        "Indstillingen {option}: tilladt er {allowed}",
        "Option {option}: erlaubt ist {allowed}",
    ),
    "too_many": (
        "Too many messages; wait a moment",
        "For mange beskeder; vent et øjeblik",
        "Zu viele Nachrichten; warte einen Moment",
    ),
    "store_unavailable": (
        "The server cannot store anything right now; nothing you did is lost, connect again in a moment",
        "Serveren kan ikke gemme noget lige nu; intet er tabt, forbind igen om et øjeblik",
        "Der Server kann gerade nichts speichern; nichts ist verloren, verbinde dich gleich wieder",
    ),
}

LANGS = ("en", "da", "de")


def text(code: str, lang: str) -> str:
    """The sentence for a code of an `error` or a `refused`, in `en`, `da` or `de`."""
    if code in REFUSALS_OF_THE_RULES:
        return rules_text(Refusal(code), lang)
    return TEXTS[code][LANGS.index(lang)]


def why_text(why: Why, lang: str) -> str:
    """The sentence for a cause that stands for itself, in `en`, `da` or `de`."""
    return WHY_TEXTS[why].text(lang)


def problem_text(problem: RoomProblem, lang: str) -> str:
    """The sentence for what a room refuses, in `en`, `da` or `de`: its cause's, else its code's."""
    told = text(problem.code, lang) if problem.why is None else why_text(problem.why, lang)
    return told.format(
        option=problem.option, allowed=problem.allowed.text(lang), more=problem.more.text(lang)
    )
