"""Why something cannot be done, where a code alone would not say it: `why` of `docs/protocol.md`.

The codes stay few, for programs; a `Why` is what people must know to do something about it.
"""

from enum import StrEnum

from server.engine.texts import Texts


class Why(StrEnum):
    """The word beside the code of an `error` or a `refused`, as it stands on the wire."""

    # `not_allowed`: coming in
    NO_SEAT = "no_seat"
    ROLE_MISSING = "role_missing"
    HAS_WATCHED = "has_watched"
    WAS_PUT_OUT = "was_put_out"
    NO_SPECTATORS = "no_spectators"
    NOT_INSIDE = "not_inside"
    # the start
    OWN_START_STAYS = "own_start_stays"
    TOO_FEW_PLAYERS = "too_few_players"
    STARTS_WHEN_READY = "starts_when_ready"
    STARTS_AT_A_MOMENT = "starts_at_a_moment"
    STARTS_EACH = "starts_each"
    # taking a forfeit back
    NOT_FORFEITED = "not_forfeited"
    FORFEIT_IS_OLD = "forfeit_is_old"
    FOLLOWED_SINCE = "followed_since"
    # what hosts and referees do
    HOST_STAYS = "host_stays"
    HOST_SPEAKS = "host_speaks"
    NOT_ONESELF = "not_oneself"
    NO_GAME = "no_game"
    NOT_DISQUALIFIED = "not_disqualified"
    BANNED_FOR_GOOD = "banned_for_good"
    THEY_HAVE_WATCHED = "they_have_watched"
    NOT_PRESENT = "not_present"
    # following
    FOLLOWS_ONESELF = "follows_oneself"
    STILL_RACING = "still_racing"
    AFTER_THE_CLOSE = "after_the_close"
    BOARD_ONLY = "board_only"
    HOST_SEES_NO_GAMES = "host_sees_no_games"
    # talk, and the next race
    CHAT_IS_OFF = "chat_is_off"
    EMPTY_TEXT = "empty_text"
    PLAYERS_REMATCH = "players_rematch"
    # `not_running`
    NOT_STARTED = "not_started"
    OWN_START_MISSING = "own_start_missing"
    FORFEITED = "forfeited"
    DISQUALIFIED = "disqualified"  # to take a forfeit back is then `not_allowed` for it, too
    RACE_IS_CLOSED = "race_is_closed"
    TIME_IS_UP = "time_is_up"
    # `bad_options`
    UNKNOWN_OPTION = "unknown_option"
    WRONG_TYPE = "wrong_type"
    BAD_DEAL = "bad_deal"
    VARIANT_OF_THE_DEAL = "variant_of_the_deal"
    START_AT_MISSING = "start_at_missing"
    START_AT_UNUSED = "start_at_unused"
    TOO_FEW_SEATS = "too_few_seats"
    # `wrong_state`
    NEWER_VERSION = "newer_version"


TEXTS = {
    Why.NO_SEAT: Texts(
        "This is for those who play, and you have no seat in this room; enter it as a player",
        "Det er for dem, der spiller, og du har ingen plads i dette rum; gå ind i det som spiller",
        "Das ist für Mitspieler, und du hast in diesem Raum keinen Platz; betritt ihn als Spieler",
    ),
    Why.ROLE_MISSING: Texts(
        "You are not in this room yet; say whether you enter as a player or as a spectator",
        "Du er ikke i rummet endnu; sig, om du går ind som spiller eller som tilskuer",
        "Du bist noch nicht in diesem Raum; sage, ob du als Spieler oder als Zuschauer kommst",
    ),
    Why.HAS_WATCHED: Texts(
        "You have followed another's game in this room, so you cannot play in it; look on, or play in the "
        "next race",
        "Du har fulgt en andens spil i dette rum og kan derfor ikke spille i det; se på, eller spil med i "
        "næste løb",
        "Du bist in diesem Raum einer anderen Partie gefolgt und kannst darin nicht spielen; schau zu, oder "
        "spiele im nächsten Rennen mit",
    ),
    Why.WAS_PUT_OUT: Texts(
        "You were put out of this race; look on, or ask the host to reinstate you",
        "Du er sat ud af dette løb; se på, eller bed værten om at lade dig spille igen",
        "Du wurdest aus diesem Rennen genommen; schau zu, oder bitte den Gastgeber, dich wieder zuzulassen",
    ),
    Why.NO_SPECTATORS: Texts(
        "Nobody may look on in this room before the race is closed; enter as a player, or come back then",
        "Ingen må se på i dette rum, før løbet er lukket; gå ind som spiller, eller kom igen til den tid",
        "In diesem Raum darf vor dem Ende niemand zuschauen; komm als Spieler, oder dann noch einmal",
    ),
    Why.NOT_INSIDE: Texts(
        "You are no longer in this room; enter it again",
        "Du er ikke længere i dette rum; gå ind i det igen",
        "Du bist nicht mehr in diesem Raum; betritt ihn noch einmal",
    ),
    Why.OWN_START_STAYS: Texts(
        "In this room to be ready is to start one's own game, which cannot be taken back; a game that has "
        "begun can be forfeited",
        "I dette rum er det at være klar ens egen start, og den kan ikke tages tilbage; et spil, der er "
        "begyndt, kan man give op",
        "In diesem Raum heißt bereit sein, die eigene Partie zu beginnen, und das lässt sich nicht "
        "zurücknehmen; eine begonnene Partie kann man aufgeben",
    ),
    Why.TOO_FEW_PLAYERS: Texts(
        "There are fewer players than this room asks for (min_players); wait for more, or ask for fewer",
        "Der er færre spillere, end rummet kræver (min_players); vent på flere, eller kræv færre",
        "Es sind weniger Spieler da, als der Raum verlangt (min_players); warte auf mehr, oder verlange "
        "weniger",
    ),
    Why.STARTS_WHEN_READY: Texts(
        "This race starts by itself once all its players are ready; wait for them, or set start to host",
        "Dette løb starter af sig selv, når alle spillere er klar; vent på dem, eller sæt start til host",
        "Dieses Rennen startet von selbst, sobald alle Spieler bereit sind; warte auf sie, oder setze start "
        "auf host",
    ),
    Why.STARTS_AT_A_MOMENT: Texts(
        "This race starts by itself at its moment; set another start_at, or set start to host",
        "Dette løb starter af sig selv til sit tidspunkt; sæt et andet start_at, eller sæt start til host",
        "Dieses Rennen startet von selbst zu seinem Zeitpunkt; setze ein anderes start_at, oder setze start "
        "auf host",
    ),
    Why.STARTS_EACH: Texts(
        "In this room everybody starts their own game by being ready; there is no start for all",
        "I dette rum starter hver især sit eget spil ved at være klar; der er ingen fælles start",
        "In diesem Raum beginnt jeder die eigene Partie, indem er bereit ist; einen Start für alle gibt es "
        "nicht",
    ),
    Why.NOT_FORFEITED: Texts(
        "You have not forfeited, so there is nothing to take back",
        "Du har ikke givet op, så der er intet at tage tilbage",
        "Du hast nicht aufgegeben, es gibt also nichts zurückzunehmen",
    ),
    Why.FORFEIT_IS_OLD: Texts(
        "A forfeit can be taken back for 60 s, and they are over; look on, or play in the next race",
        "At give op kan tages tilbage i 60 s, og de er gået; se på, eller spil med i næste løb",
        "Aufgeben lässt sich 60 s lang zurücknehmen, und die sind um; schau zu, oder spiele im nächsten "
        "Rennen mit",
    ),
    Why.FOLLOWED_SINCE: Texts(
        "You have followed another's game, which makes your forfeit final; look on, or play in the next race",
        "Du har fulgt en andens spil, og så kan det at give op ikke tages tilbage; se på, eller spil med i "
        "næste løb",
        "Du bist einer anderen Partie gefolgt, und damit gilt dein Aufgeben; schau zu, oder spiele im "
        "nächsten Rennen mit",
    ),
    Why.HOST_STAYS: Texts(
        "The host cannot be put out; only the host can make somebody else the host",
        "Værten kan ikke sættes ud; kun værten kan gøre en anden til vært",
        "Der Gastgeber kann nicht hinausgesetzt werden; nur er selbst kann jemand anderen dazu machen",
    ),
    Why.HOST_SPEAKS: Texts(
        "The host cannot be muted; the chat can only be switched off for everybody",
        "Værtens chat kan ikke slås fra; chatten kan kun slås fra for alle",
        "Der Gastgeber kann nicht stummgeschaltet werden; der Chat lässt sich nur für alle abschalten",
    ),
    Why.NOT_ONESELF: Texts(
        "Nobody can put themselves out; leave the room instead",
        "Ingen kan sætte sig selv ud; forlad rummet i stedet",
        "Niemand kann sich selbst hinaussetzen; verlass stattdessen den Raum",
    ),
    Why.NO_GAME: Texts(
        "They have no game that could be disqualified; kick or ban them instead",
        "De har intet spil, der kan diskvalificeres; smid dem ud, eller udeluk dem i stedet",
        "Sie haben keine Partie, die man disqualifizieren könnte; wirf sie hinaus, oder sperre sie aus",
    ),
    Why.NOT_DISQUALIFIED: Texts(
        "They are not disqualified, so there is nothing to reinstate",
        "De er ikke diskvalificeret, så der er intet at tage tilbage",
        "Sie sind nicht disqualifiziert, es gibt also nichts zurückzunehmen",
    ),
    Why.BANNED_FOR_GOOD: Texts(
        "They are banned, which is for good; who should be able to come back is kicked instead",
        "De er udelukket, og det er for altid; den, der skal kunne komme igen, smides ud i stedet",
        "Sie sind ausgesperrt, und das gilt für immer; wer wiederkommen darf, wird nur hinausgeworfen",
    ),
    Why.THEY_HAVE_WATCHED: Texts(
        "They have followed another's game since, so they cannot play on; they can play in the next race",
        "De har siden fulgt en andens spil og kan ikke spille videre; de kan spille med i næste løb",
        "Sie sind seitdem einer anderen Partie gefolgt und können nicht weiterspielen; im nächsten Rennen "
        "können sie mitspielen",
    ),
    Why.NOT_PRESENT: Texts(
        "They have left the room; choose somebody who is in it",
        "De har forladt rummet; vælg en, der er i det",
        "Sie haben den Raum verlassen; wähle jemanden, der darin ist",
    ),
    Why.FOLLOWS_ONESELF: Texts(
        "This is your own game; choose another player to follow",
        "Det er dit eget spil; vælg en anden spiller at følge",
        "Das ist deine eigene Partie; wähle einen anderen Spieler, dem du folgst",
    ),
    Why.STILL_RACING: Texts(
        "Others' games can be followed once your own is over; finish it first, or forfeit",
        "Andres spil kan følges, når dit eget er slut; spil det først færdigt, eller giv op",
        "Anderen Partien kannst du folgen, sobald deine eigene zu Ende ist; spiele sie erst fertig, oder gib "
        "auf",
    ),
    Why.AFTER_THE_CLOSE: Texts(
        "In this room games can be followed once the race is closed; wait for that",
        "I dette rum kan spil følges, når løbet er lukket; vent på det",
        "In diesem Raum kann man Partien folgen, sobald das Rennen beendet ist; warte darauf",
    ),
    Why.BOARD_ONLY: Texts(
        "In this room spectators see the board only; games can be followed once the race is closed",
        "I dette rum ser tilskuere kun stillingen; spil kan følges, når løbet er lukket",
        "In diesem Raum sehen Zuschauer nur den Stand; Partien kann man folgen, sobald das Rennen beendet "
        "ist",
    ),
    Why.HOST_SEES_NO_GAMES: Texts(
        "As the host alone you are shown no games; enter the room as a spectator to follow one",
        "Alene som vært får du ingen spil at se; gå ind i rummet som tilskuer for at følge et",
        "Allein als Gastgeber siehst du keine Partien; betritt den Raum als Zuschauer, um einer zu folgen",
    ),
    Why.CHAT_IS_OFF: Texts(
        "The chat of this room is switched off; its host can switch it on",
        "Chatten i dette rum er slået fra; værten kan slå den til",
        "Der Chat dieses Raums ist abgeschaltet; der Gastgeber kann ihn einschalten",
    ),
    Why.EMPTY_TEXT: Texts(
        "There is nothing in this message; write 1 to 300 characters",
        "Der står intet i beskeden; skriv 1 til 300 tegn",
        "In dieser Nachricht steht nichts; schreibe 1 bis 300 Zeichen",
    ),
    Why.PLAYERS_REMATCH: Texts(
        "The host or one of those who played opens the next race; wait for them",
        "Værten eller en af dem, der spillede, åbner det næste løb; vent på dem",
        "Der Gastgeber oder einer der Mitspieler eröffnet das nächste Rennen; warte auf sie",
    ),
    Why.NOT_STARTED: Texts(
        "The race has not begun; wait for its start",
        "Løbet er ikke begyndt; vent på starten",
        "Das Rennen hat noch nicht begonnen; warte auf den Start",
    ),
    Why.OWN_START_MISSING: Texts(
        "You have not started your own game; it begins once you say that you are ready",
        "Du har ikke startet dit eget spil; det begynder, når du melder dig klar",
        "Du hast deine eigene Partie noch nicht begonnen; sie beginnt, sobald du dich bereit meldest",
    ),
    Why.FORFEITED: Texts(
        "You have forfeited; that can be taken back for 60 s, unless you follow another's game",
        "Du har givet op; det kan tages tilbage i 60 s, medmindre du følger en andens spil",
        "Du hast aufgegeben; das lässt sich 60 s lang zurücknehmen, außer nach dem Blick in eine andere "
        "Partie",
    ),
    Why.DISQUALIFIED: Texts(
        "You are disqualified; only the host or a referee can reinstate you",
        "Du er diskvalificeret; kun værten eller en dommer kan lade dig spille igen",
        "Du bist disqualifiziert; nur der Gastgeber oder ein Schiedsrichter kann dich wieder zulassen",
    ),
    Why.RACE_IS_CLOSED: Texts(
        "The race is over; look at its result, or play in the next one",
        "Løbet er slut; se resultatet, eller spil med i det næste",
        "Das Rennen ist beendet; sieh dir das Ergebnis an, oder spiele im nächsten mit",
    ),
    Why.TIME_IS_UP: Texts(
        "Time is up: this came in at the end or after it, and does not count",
        "Tiden er gået: det kom ved slutningen eller efter den og tæller ikke med",
        "Die Zeit ist um: das kam zum Ende oder danach und zählt nicht",
    ),
    # These name their option and a colon first, as the sentence of `bad_options` does.
    Why.UNKNOWN_OPTION: Texts(
        "Option {option}: there is no such option; there are {allowed}",
        "Indstillingen {option}: den findes ikke; der er {allowed}",
        "Option {option}: die gibt es nicht; es gibt {allowed}",
    ),
    Why.WRONG_TYPE: Texts(
        "Option {option}: it takes {more}; allowed is {allowed}",
        "Indstillingen {option}: den skal være {more}; tilladt er {allowed}",
        "Option {option}: nötig ist {more}; erlaubt ist {allowed}",
    ),
    Why.BAD_DEAL: Texts(
        "Option {option}: {more} Or choose random.",
        "Indstillingen {option}: {more} Eller vælg random.",
        "Option {option}: {more} Oder wähle random.",
    ),
    Why.VARIANT_OF_THE_DEAL: Texts(
        "Option {option}: the room's game code says that it is {allowed}; set another deal",
        "Indstillingen {option}: rummets spilkode siger, at den er {allowed}; sæt et andet spil (deal)",
        "Option {option}: der Spielcode des Raums sagt, dass sie {allowed} ist; setze ein anderes Spiel "
        "(deal)",
    ),
    Why.START_AT_MISSING: Texts(
        "Option {option}: a room whose start is at needs the moment; allowed is {allowed}",
        "Indstillingen {option}: et rum, hvis start er at, skal have et tidspunkt; tilladt er {allowed}",
        "Option {option}: ein Raum, dessen start at ist, braucht den Zeitpunkt; erlaubt ist {allowed}",
    ),
    Why.START_AT_UNUSED: Texts(
        "Option {option}: only a room whose start is at has one; set start to at as well, or leave it out",
        "Indstillingen {option}: kun et rum, hvis start er at, har den; sæt også start til at, eller udelad "
        "den",
        "Option {option}: nur ein Raum, dessen start at ist, hat sie; setze auch start auf at, oder lass sie "
        "weg",
    ),
    Why.TOO_FEW_SEATS: Texts(
        "Option {option}: there must be seats for min_players and for everybody who has one; allowed is "
        "{allowed}",
        "Indstillingen {option}: der skal være plads til min_players og til alle, der har en; tilladt er "
        "{allowed}",
        "Option {option}: es muss Plätze für min_players und für alle geben, die einen haben; erlaubt ist "
        "{allowed}",
    ),
    Why.NEWER_VERSION: Texts(
        "A newer version of the server has this room; connect again, and if that does not help, ask who runs "
        "the server to update it",
        "En nyere version af serveren har dette rum; forbind igen, og hvis det ikke hjælper, så bed den, der "
        "driver serveren, om at opdatere den",
        "Eine neuere Version des Servers hat diesen Raum; verbinde dich neu, und wenn das nicht hilft, bitte "
        "den Betreiber des Servers, ihn zu aktualisieren",
    ),
}
"""The sentences; `{option}`, `{allowed}` and `{more}` are the problem's, where it has them."""
