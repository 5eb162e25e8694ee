"""Why an action is refused: the codes and the sentences of rules.md, "Refusals"."""

from enum import StrEnum

from server.engine.texts import Texts


class Refusal(StrEnum):
    """A refusal's code, as it stands on the wire, in logs and in tests; in the order of the rules' table."""

    GAME_OVER = "game_over"
    EMPTY_SOURCE = "empty_source"
    SAME_PLACE = "same_place"
    BASE_LOCKED = "base_locked"
    FROM_FOUNDATION = "from_foundation"
    EMPTY_PILE = "empty_pile"
    SUIT = "suit"
    FOUNDATION_COMPLETE = "foundation_complete"
    RANK = "rank"
    FULL_PILE = "full_pile"
    NO_DESTINATION = "no_destination"
    AMBIGUOUS = "ambiguous"
    NO_REDEALS = "no_redeals"
    NOTHING_TO_REDEAL = "nothing_to_redeal"
    NOTHING_TO_UNDO = "nothing_to_undo"


_TEXTS = {
    Refusal.GAME_OVER: Texts(
        "The game is over",
        "Spillet er slut",
        "Die Partie ist beendet",
    ),
    Refusal.EMPTY_SOURCE: Texts(
        "There is no card to move",
        "Der er intet kort at flytte",
        "Es gibt keine Karte zu bewegen",
    ),
    Refusal.SAME_PLACE: Texts(
        "Choose another destination",
        "Vælg en anden destination",
        "Wähle ein anderes Ziel",
    ),
    Refusal.BASE_LOCKED: Texts(
        "The foundation's base is locked",
        "Grundbunkens basis er låst",
        "Die Basis des Grundstapels ist gesperrt",
    ),
    Refusal.FROM_FOUNDATION: Texts(
        "A card never returns from a foundation to a pile",
        "Et kort vender aldrig tilbage fra en grundbunke til en bunke",
        "Eine Karte kehrt nie von einem Grundstapel auf einen Stapel zurück",
    ),
    Refusal.EMPTY_PILE: Texts(
        "Nothing can be placed on an empty pile",
        "Kan ikke placeres på en tom bunke",
        "Auf einen leeren Stapel kann nichts gelegt werden",
    ),
    Refusal.SUIT: Texts(
        "Must be the same suit",
        "Skal have samme kulør",
        "Muss dieselbe Farbe haben",
    ),
    Refusal.FOUNDATION_COMPLETE: Texts(
        "This foundation is complete",
        "Denne grundbunke er færdig",
        "Dieser Grundstapel ist vollständig",
    ),
    Refusal.RANK: Texts(
        "Must be one rank higher or lower",
        "Skal have en højere eller lavere rang",
        "Muss einen höheren oder niedrigeren Rang haben",
    ),
    Refusal.FULL_PILE: Texts(
        "This pile is full; choose another destination",
        "Denne bunke er fuld; vælg en anden destination",
        "Dieser Stapel ist voll; wähle ein anderes Ziel",
    ),
    Refusal.NO_DESTINATION: Texts(
        "No place accepts this card",
        "Intet sted kan modtage kortet",
        "Keine Stelle nimmt diese Karte an",
    ),
    Refusal.AMBIGUOUS: Texts(
        "Several places accept this card; choose one",
        "Flere steder kan modtage kortet; vælg et",
        "Mehrere Stellen nehmen diese Karte an; wähle eine",
    ),
    Refusal.NO_REDEALS: Texts(
        "No redeals left",
        "Ingen omdelinger",
        "Keine Neuverteilung",
    ),
    Refusal.NOTHING_TO_REDEAL: Texts(
        "There is nothing to redeal",
        "Der er intet at omdele",
        "Es gibt nichts neu zu verteilen",
    ),
    Refusal.NOTHING_TO_UNDO: Texts(
        "There is nothing to undo",
        "Der er intet at fortryde",
        "Es gibt nichts rückgängig zu machen",
    ),
}


def text(refusal: Refusal, lang: str) -> str:
    """Return the sentence people read for `refusal` in `lang`: "en", "da" or "de", else ValueError."""
    return _TEXTS[refusal].text(lang)
