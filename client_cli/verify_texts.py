"""What `crescent verify` says, in English, Danish and German."""

from client_cli.report import Finding, NotALogError, Value
from client_cli.safe_text import safe_text
from protocol.messages import Lang
from server.engine.texts import Texts

VALUE_CHARACTERS_MAX = 160


def finding_text(finding: Finding | NotALogError, lang: Lang) -> str:
    """Return the sentence for what was found, its values made safe for a terminal."""
    values = {name: _value_text(value, lang) for name, value in finding.values.items()}
    one = f"{finding.code}_one"
    code = one if finding.values.get("count") == 1 and one in SENTENCES else finding.code
    return SENTENCES[code].text(lang).format_map(values)


def _value_text(value: Value, lang: Lang) -> str:
    text = value.text(lang) if isinstance(value, Texts) else str(value)[: VALUE_CHARACTERS_MAX + 1]
    safe = safe_text(text)
    return safe if len(safe) <= VALUE_CHARACTERS_MAX else f"{safe[:VALUE_CHARACTERS_MAX]}…"


WHAT: dict[str, Texts] = {
    "close": Texts("the close", "afslutningen", "dem Ende"),
    "limit": Texts("the time limit", "tidsgrænsen", "der Zeitgrenze"),
    "forfeit": Texts("giving up", "at have givet op", "dem Aufgeben"),
    "disqualification": Texts("the disqualification", "diskvalifikationen", "der Disqualifikation"),
}

WHY: dict[str, Texts] = {
    "created_once": Texts(
        "a room begins by being created, once",
        "et rum begynder med at blive oprettet, én gang",
        "ein Raum beginnt damit, dass er eröffnet wird, und zwar einmal",
    ),
    "not_playing": Texts("they were not playing", "de spillede ikke", "sie spielten nicht"),
    "not_won": Texts(
        "by the log of the game it is not won",
        "efter spillets log er det ikke vundet",
        "nach dem Protokoll der Partie ist sie nicht gewonnen",
    ),
    "win": Texts(
        "its time, moves or actions are not those of the game's log",
        "tid, træk eller handlinger er ikke dem i spillets log",
        "Zeit, Züge oder Aktionen sind nicht die aus dem Protokoll der Partie",
    ),
    "no_ending": Texts(
        "no win has set this end", "ingen sejr har sat denne slutning", "kein Sieg hat dieses Ende gesetzt"
    ),
    "no_successor": Texts(
        "they could not become the host", "de kunne ikke blive vært", "sie konnten nicht Gastgeber werden"
    ),
    "not_due": Texts(
        "nothing that had happened led to it",
        "intet af det, der var sket, førte til det",
        "nichts, was geschehen war, führte dazu",
    ),
    "not_then": Texts("not at that moment", "ikke på det tidspunkt", "nicht zu diesem Zeitpunkt"),
    "overdue": Texts(
        "the room's start or end should have come before it",
        "rummets start eller slutning skulle være kommet før",
        "Start oder Ende des Raums hätten vorher kommen müssen",
    ),
    "not_so": Texts("the room says otherwise", "rummet siger noget andet", "der Raum sagt etwas anderes"),
    "wrong_state": Texts(
        "the race was not at that stage", "løbet var ikke nået dertil", "das Rennen war nicht so weit"
    ),
    "not_host": Texts(
        "only host and referees may do that",
        "det må kun vært og dommere",
        "das dürfen nur Gastgeber und Schiedsrichter",
    ),
    "not_allowed": Texts("it was not allowed", "det var ikke tilladt", "das war nicht erlaubt"),
    "room_full": Texts("there was no seat", "der var ingen plads", "es war kein Platz frei"),
    "name_taken": Texts("the name was taken", "navnet var optaget", "der Name war vergeben"),
    "bad_name": Texts("that is no name", "det er intet navn", "das ist kein Name"),
    "banned": Texts("they were banned", "de var udelukket", "sie waren ausgesperrt"),
    "unknown_player": Texts("they were not in the room", "de var ikke i rummet", "sie waren nicht im Raum"),
    "bad_options": Texts(
        "an option is unknown, unchanged or out of its range",
        "en indstilling er ukendt, uændret eller uden for sit område",
        "eine Option ist unbekannt, unverändert oder außerhalb ihres Bereichs",
    ),
}

SENTENCES: dict[str, Texts] = {
    # No log
    "empty": Texts(
        "The file is empty; a log begins with a line that names its room.",
        "Filen er tom; en log begynder med en linje, der nævner sit rum.",
        "Die Datei ist leer; ein Protokoll beginnt mit einer Zeile, die seinen Raum nennt.",
    ),
    "not_a_log": Texts(
        "This is no log of a race: {detail}",
        "Dette er ingen log af et løb: {detail}",
        "Das ist kein Protokoll eines Rennens: {detail}",
    ),
    "too_long": Texts(
        "This is no log of a race: it is longer than any.",
        "Dette er ingen log af et løb: den er længere end nogen.",
        "Das ist kein Protokoll eines Rennens: es ist länger als jedes.",
    ),
    # What holds
    "deal": Texts(
        "The deal is {code}, not sealed.",
        "Spillet er {code}, ikke forseglet.",
        "Das Spiel ist {code}, nicht versiegelt.",
    ),
    "commit": Texts(
        "The sealed deal {code} is the one that was promised at the start.",
        "Det forseglede spil {code} er det, der blev lovet ved starten.",
        "Das versiegelte Spiel {code} ist das am Start zugesagte.",
    ),
    "actions": Texts(
        "{name}: {count} actions, all by the rules.",
        "{name}: {count} handlinger, alle efter reglerne.",
        "{name}: {count} Aktionen, alle nach den Regeln.",
    ),
    "actions_one": Texts(
        "{name}: {count} action, by the rules.",
        "{name}: {count} handling, efter reglerne.",
        "{name}: {count} Aktion, nach den Regeln.",
    ),
    "events": Texts(
        "{count} events, each possible where it stands.",
        "{count} hændelser, hver mulig, hvor den står.",
        "{count} Ereignisse, jedes möglich, wo es steht.",
    ),
    "board": Texts(
        "The board of {count} is what the log says.",
        "Stillingen for {count} er, hvad loggen siger.",
        "Der Stand von {count} ist der des Protokolls.",
    ),
    # What differs: the deal
    "no_commit": Texts(
        "The deal {code} is not the one that was promised at the start.",
        "Spillet {code} er ikke det, der blev lovet ved starten.",
        "Das Spiel {code} ist nicht das am Start zugesagte.",
    ),
    "commit_unsealed": Texts(
        "The log seals a deal that its room does not seal.",
        "Loggen forsegler et spil, som rummet ikke forsegler.",
        "Das Protokoll versiegelt ein Spiel, das der Raum nicht versiegelt.",
    ),
    "deal_not_of_options": Texts(
        "The deal {code} is not one of the room's options.",
        "Spillet {code} passer ikke til rummets indstillinger.",
        "Das Spiel {code} passt nicht zu den Optionen des Raums.",
    ),
    "option_differs": Texts(
        "The option {option} is not what the events make it.",
        "Indstillingen {option} er ikke, hvad hændelserne gør den til.",
        "Die Option {option} ist nicht, was die Ereignisse ergeben.",
    ),
    # The events
    "event_number": Texts(
        "Event {number} ({kind}): it bears the number {told}.",
        "Hændelse {number} ({kind}): den bærer nummer {told}.",
        "Ereignis {number} ({kind}): es trägt die Nummer {told}.",
    ),
    "event_malformed": Texts(
        "Event {number} ({kind}): it is malformed ({detail}).",
        "Hændelse {number} ({kind}): den er forkert skrevet ({detail}).",
        "Ereignis {number} ({kind}): es ist falsch geschrieben ({detail}).",
    ),
    "event_before": Texts(
        "Event {number} ({kind}): it is older than the one before it.",
        "Hændelse {number} ({kind}): den er ældre end den før.",
        "Ereignis {number} ({kind}): es ist älter als das davor.",
    ),
    "event_impossible": Texts(
        "Event {number} ({kind}) cannot have happened: {why}.",
        "Hændelse {number} ({kind}) kan ikke være sket: {why}.",
        "Ereignis {number} ({kind}) kann nicht geschehen sein: {why}.",
    ),
    "event_deal": Texts(
        "Event {number} ({kind}): it tells another {what} than the log ({told}).",
        "Hændelse {number} ({kind}): den fortæller en anden {what} end loggen ({told}).",
        "Ereignis {number} ({kind}): es nennt als {what} etwas anderes als das Protokoll ({told}).",
    ),
    "event_name": Texts(
        "Event {number} ({kind}): nobody it could be about is called {told}.",
        "Hændelse {number} ({kind}): ingen, den kan handle om, hedder {told}.",
        "Ereignis {number} ({kind}): niemand, um den es gehen kann, heißt {told}.",
    ),
    "not_closed": Texts(
        "The events do not come to a close.",
        "Hændelserne ender ikke med en afslutning.",
        "Die Ereignisse kommen zu keinem Ende.",
    ),
    "win_untold": Texts(
        "{name}: the game is won, and no event tells it.",
        "{name}: spillet er vundet, og ingen hændelse fortæller det.",
        "{name}: die Partie ist gewonnen, und kein Ereignis sagt es.",
    ),
    # The players
    "player_missing": Texts(
        "{name}: no log of the game.", "{name}: ingen log af spillet.", "{name}: kein Protokoll der Partie."
    ),
    "player_unknown": Texts(
        "{name}: a log, and no game in the events.",
        "{name}: en log, og intet spil i hændelserne.",
        "{name}: ein Protokoll, und keine Partie in den Ereignissen.",
    ),
    "player_twice": Texts(
        "{name}: two logs of one player.",
        "{name}: to logge for én spiller.",
        "{name}: zwei Protokolle für einen Spieler.",
    ),
    "player_name": Texts(
        "{name}: in the events the name is {told}.",
        "{name}: i hændelserne er navnet {told}.",
        "{name}: in den Ereignissen lautet der Name {told}.",
    ),
    "illegal": Texts(
        "{name}: action {number} ({action}) is against the rules: {why}",
        "{name}: handling {number} ({action}) er imod reglerne: {why}",
        "{name}: Aktion {number} ({action}) ist gegen die Regeln: {why}",
    ),
    "times_back": Texts(
        "{name}: action {number} is older than the one before it.",
        "{name}: handling {number} er ældre end den før.",
        "{name}: Aktion {number} ist älter als die davor.",
    ),
    "undo": Texts(
        "{name}: action {number} is an undo, in a room without.",
        "{name}: handling {number} er en fortrydelse, i et rum uden.",
        "{name}: Aktion {number} ist eine Rücknahme, in einem Raum ohne.",
    ),
    "before_start": Texts(
        "{name}: action {number} is from before they were in the race.",
        "{name}: handling {number} er fra før, de var med i løbet.",
        "{name}: Aktion {number} liegt vor der Teilnahme am Rennen.",
    ),
    "after": Texts(
        "{name}: action {number} is from after {what}.",
        "{name}: handling {number} er fra efter {what}.",
        "{name}: Aktion {number} liegt nach {what}.",
    ),
    "forfeit_n": Texts(
        "{name}: gave up after {number} actions, which is not what the log has.",
        "{name}: gav op efter {number} handlinger, men loggen siger noget andet.",
        "{name}: gab nach {number} Aktionen auf, doch das Protokoll sagt etwas anderes.",
    ),
    # The board
    "board_rows": Texts(
        "The board has {told} rows; computed, {computed}.",
        "Stillingen har {told} rækker; udregnet {computed}.",
        "Der Stand hat {told} Zeilen; berechnet {computed}.",
    ),
    "board_cell": Texts(
        "Board, {name}: {column} is {told}; computed, {computed}.",
        "Stilling, {name}: {column} er {told}; udregnet {computed}.",
        "Stand, {name}: {column} ist {told}; berechnet {computed}.",
    ),
    "other_room": Texts(
        "This is the log of room {told}, not of {room}.",
        "Dette er loggen for rum {told}, ikke {room}.",
        "Das ist das Protokoll von Raum {told}, nicht von {room}.",
    ),
    "too_many": Texts(
        "… and more; it is not looked at any further.",
        "… og mere; der ses ikke videre efter.",
        "… und mehr; weiter wird nicht geprüft.",
    ),
}
