"""Every sentence this client says by itself, in English, Danish and German."""

import os
from collections.abc import Mapping

from client_cli.move_texts import MOVES
from client_cli.plain_texts import PLAIN
from client_cli.replay_texts import REPLAY
from client_cli.safe_text import safe_text
from protocol.messages import Lang
from server.engine.texts import Texts

DEFAULT_LANG: Lang = "en"


def say(key: str, lang: Lang, **values: object) -> str:
    """Return the sentence `key` in `lang` with its values, which are made safe for a terminal."""
    safe = {name: safe_text(str(value)) for name, value in values.items()}
    return TEXTS[key].text(lang).format_map(safe).rstrip()


def status_text(status: str, lang: Lang, *, closed: bool = False) -> str:
    """Return a row's status as a word, in a race that is `closed` or not; an unknown one as it came."""
    if closed and f"status_{status}_closed" in TEXTS:
        return say(f"status_{status}_closed", lang)
    return say(f"status_{status}", lang) if f"status_{status}" in TEXTS else safe_text(status)


def environment_lang(environment: Mapping[str, str] | None = None) -> Lang:
    """Return the language of the environment, as `LC_ALL`, `LC_MESSAGES` and `LANG` have it in that order."""
    environment = os.environ if environment is None else environment
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(variable, "")
        if value:
            return _LANGS.get(value[:2].lower(), DEFAULT_LANG)
    return DEFAULT_LANG


_LANGS: dict[str, Lang] = {"en": "en", "da": "da", "de": "de"}

TEXTS: dict[str, Texts] = {
    # The line
    "no_connection": Texts(
        "No server answers at {url} ({reason}). Check the address (--server) and that the server is running.",
        "Ingen server svarer på {url} ({reason}). Tjek adressen (--server), og at serveren kører.",
        "Unter {url} antwortet kein Server ({reason}). Prüfe die Adresse (--server) und ob der Server läuft.",
    ),
    "away": Texts(
        "The server at {url} has been away too long ({reason}). Start again later; your game is kept.",
        "Serveren på {url} har været væk for længe ({reason}). Start igen senere; dit spil er gemt.",
        "Der Server unter {url} ist zu lange weg ({reason}). Starte später neu; deine Partie bleibt "
        "erhalten.",
    ),
    "lost": Texts(
        "The line is lost. Trying again{wait}; your game is kept.",
        "Forbindelsen er væk. Prøver igen{wait}; dit spil er gemt.",
        "Die Verbindung ist weg. Neuer Versuch{wait}; deine Partie bleibt erhalten.",
    ),
    "lost_wait": Texts(" in {seconds} s", " om {seconds} s", " in {seconds} s"),
    "resumed": Texts("The line is back.", "Forbindelsen er tilbage.", "Die Verbindung ist wieder da."),
    "back": Texts(
        "You are back: your game goes on, and its clock ran on meanwhile.",
        "Du er tilbage: dit spil går videre, og uret gik imens.",
        "Du bist zurück: deine Partie geht weiter, und die Uhr lief inzwischen.",
    ),
    "new_identity": Texts(
        "The server does not know this identity any more; from now on you are somebody new to it.",
        "Serveren kender ikke denne identitet længere; fra nu af er du en ny for den.",
        "Der Server kennt diese Identität nicht mehr; ab jetzt bist du für ihn jemand Neues.",
    ),
    "line_lost": Texts(
        "The line broke before the answer came: it may have been done or not. Look, and try again if needed.",
        "Forbindelsen røg, før svaret kom: måske blev det gjort, måske ikke. Se efter, og prøv igen om "
        "nødvendigt.",
        "Die Verbindung riss vor der Antwort: vielleicht geschah es, vielleicht nicht. Sieh nach und "
        "versuche es "
        "nötigenfalls noch einmal.",
    ),
    "ended_banned": Texts(
        "You were removed from this room.",
        "Du blev fjernet fra dette rum.",
        "Du wurdest aus diesem Raum entfernt.",
    ),
    "ended_replaced": Texts(
        "You are in this room on a newer connection; this one has ended.",
        "Du er i dette rum på en nyere forbindelse; denne er slut.",
        "Du bist mit einer neueren Verbindung in diesem Raum; diese hier ist beendet.",
    ),
    "ended_malformed": Texts(
        "This client and the server do not understand each other: {reason}. Is one of them out of date?",
        "Klienten og serveren forstår ikke hinanden: {reason}. Er en af dem forældet?",
        "Dieses Programm und der Server verstehen einander nicht: {reason}. Ist eines veraltet?",
    ),
    "ended_unknown_token": Texts(
        "The server refused two identities in a row. Try again later.",
        "Serveren afviste to identiteter i træk. Prøv igen senere.",
        "Der Server hat zwei Identitäten nacheinander abgelehnt. Versuche es später wieder.",
    ),
    "ended_denied": Texts("{reason}", "{reason}", "{reason}"),
    "ended_done": Texts(
        "The server closed the connection.",
        "Serveren lukkede forbindelsen.",
        "Der Server hat die Verbindung geschlossen.",
    ),
    # Before the line
    "bad_address": Texts(
        "“{text}” is no server's address. Type it like ws://127.0.0.1:8000/ws or http://127.0.0.1:8000.",
        "“{text}” er ingen serveradresse. Skriv den som ws://127.0.0.1:8000/ws eller http://127.0.0.1:8000.",
        "„{text}“ ist keine Serveradresse. Schreibe sie wie ws://127.0.0.1:8000/ws oder "
        "http://127.0.0.1:8000.",
    ),
    "bad_moment": Texts(
        "“{text}” is no moment. Type +15 (minutes from now), 20:30, or 2030-01-31T20:30.",
        "“{text}” er intet tidspunkt. Skriv +15 (minutter fra nu), 20:30 eller 2030-01-31T20:30.",
        "„{text}“ ist kein Zeitpunkt. Schreibe +15 (Minuten ab jetzt), 20:30 oder 2030-01-31T20:30.",
    ),
    "moment_past": Texts(
        "“{text}” is past. Type +15 (minutes from now), 20:30, or 2030-01-31T20:30.",
        "“{text}” er forbi. Skriv +15 (minutter fra nu), 20:30 eller 2030-01-31T20:30.",
        "„{text}“ ist vorbei. Schreibe +15 (Minuten ab jetzt), 20:30 oder 2030-01-31T20:30.",
    ),
    "moment_far": Texts(
        "“{text}” is too far ahead: at most 30 days.",
        "“{text}” er for langt ude i fremtiden: højst 30 dage.",
        "„{text}“ ist zu weit voraus: höchstens 30 Tage.",
    ),
    "out_of_range": Texts(
        "{text}: allowed is {allowed}.", "{text}: tilladt er {allowed}.", "{text}: erlaubt ist {allowed}."
    ),
    "usage_help": Texts(
        "“{command} --help” tells what there is.",
        "“{command} --help” viser mulighederne.",
        "„{command} --help“ zeigt, was es gibt.",
    ),
    "usage_meant": Texts("Similar: {names}.", "Ligner: {names}.", "Ähnlich: {names}."),
    "usage_no_command": Texts(
        "There is no command “{text}”. There are: {names}.",
        "Der er ingen kommando “{text}”. Der er: {names}.",
        "Es gibt keinen Befehl „{text}“. Es gibt: {names}.",
    ),
    "usage_no_option": Texts(
        "“{command}” has no option {option}. {more}",
        "“{command}” har intet tilvalg {option}. {more}",
        "„{command}“ hat keine Option {option}. {more}",
    ),
    "usage_missing": Texts("{name} is missing. {more}", "{name} mangler. {more}", "{name} fehlt. {more}"),
    "usage_needs_value": Texts(
        "{option} needs a value after it. {more}",
        "{option} kræver en værdi efter sig. {more}",
        "{option} braucht einen Wert. {more}",
    ),
    "usage_takes_no_value": Texts(
        "{option} takes no value. {more}",
        "{option} tager ingen værdi. {more}",
        "{option} nimmt keinen Wert. {more}",
    ),
    "usage_extra": Texts(
        "“{command}” has no use for “{text}”; words that belong together stand in quotes. {more}",
        "“{command}” kan ikke bruge “{text}”; ord, der hører sammen, står i anførselstegn. {more}",
        "„{command}“ kann mit „{text}“ nichts anfangen; Wörter, die zusammengehören, stehen in "
        "Anführungszeichen. {more}",
    ),
    "usage_other": Texts(
        "This cannot be used: {text} {more}",
        "Det kan ikke bruges: {text} {more}",
        "Das geht so nicht: {text} {more}",
    ),
    "bad_name": Texts(
        "“{text}” can be no player's name: 1 to 24 characters, none of them control characters. Choose "
        "another "
        "with --name.",
        "“{text}” kan ikke være en spillers navn: 1 til 24 tegn, ingen styretegn. Vælg et andet med --name.",
        "„{text}“ kann kein Spielername sein: 1 bis 24 Zeichen, keine Steuerzeichen. Wähle mit --name einen "
        "anderen.",
    ),
    "link_without_room": Texts(
        "This link names no room; type its code, or a link that ends in #CODE.",
        "Linket nævner intet rum; skriv rummets kode eller et link, der ender på #KODE.",
        "Dieser Link nennt keinen Raum; schreibe seinen Code oder einen Link, der auf #CODE endet.",
    ),
    "start_at_needed": Texts(
        "--start at needs its moment: --start-at +15, 20:30, or 2030-01-31T20:30.",
        "--start at kræver sit tidspunkt: --start-at +15, 20:30 eller 2030-01-31T20:30.",
        "--start at braucht seinen Zeitpunkt: --start-at +15, 20:30 oder 2030-01-31T20:30.",
    ),
    "identity_in_use": Texts(
        "The identity “{detail}” is in use in another terminal. Leave --identity out, or choose another.",
        "Identiteten “{detail}” er i brug i en anden terminal. Udelad --identity, eller vælg en anden.",
        "Die Identität „{detail}“ wird in einem anderen Terminal benutzt. Lass --identity weg oder wähle "
        "eine andere.",
    ),
    "identity_name": Texts(
        "“{detail}” cannot name an identity. Use 1 to 32 letters, digits, - and _.",
        "“{detail}” kan ikke være en identitets navn. Brug 1 til 32 bogstaver, cifre, - og _.",
        "„{detail}“ kann keine Identität heißen. Nimm 1 bis 32 Buchstaben, Ziffern, - und _.",
    ),
    "identity_storage": Texts(
        "The identity cannot be kept ({detail}). Set CRESCENT_CONFIG_DIR to a folder you may write to.",
        "Identiteten kan ikke gemmes ({detail}). Sæt CRESCENT_CONFIG_DIR til en mappe, du må skrive i.",
        "Die Identität kann nicht gespeichert werden ({detail}). Setze CRESCENT_CONFIG_DIR auf einen Ordner, "
        "in den du schreiben darfst.",
    ),
    "slot": Texts(
        "Another terminal plays here as “default”; this one plays as “{slot}”.",
        "En anden terminal spiller her som “default”; denne spiller som “{slot}”.",
        "Ein anderes Terminal spielt hier als „default“; dieses spielt als „{slot}“.",
    ),
    # The room
    "room": Texts(
        "Room {room} {name}· {state} · {players} of {max_players} players · deal {variant}, {visibility}",
        "Rum {room} {name}· {state} · {players} af {max_players} spillere · spil {variant}, {visibility}",
        "Raum {room} {name}· {state} · {players} von {max_players} Spielern · Spiel {variant}, {visibility}",
    ),
    "state_lobby": Texts("waiting to start", "venter på start", "wartet auf den Start"),
    "state_countdown": Texts("about to start", "starter snart", "startet gleich"),
    "state_running": Texts("running", "i gang", "läuft"),
    "state_closed": Texts("closed", "lukket", "geschlossen"),
    "invite": Texts(
        "A friend joins with:  crescent play {room} --server {url}{more}",
        "En ven er med ved at skrive:  crescent play {room} --server {url}{more}",
        "Mitspielen:  crescent play {room} --server {url}{more}",
    ),
    "invite_loopback": Texts(
        "From another machine: this machine's name or address in place of 127.0.0.1 or localhost (the server "
        "must run with --host 0.0.0.0).",
        "Fra en anden maskine: denne maskines navn eller adresse i stedet for 127.0.0.1 eller localhost "
        "(serveren skal køre med --host 0.0.0.0).",
        "Von einem anderen Rechner aus: statt 127.0.0.1 oder localhost Name oder Adresse dieses Rechners "
        "einsetzen (der Server muss mit --host 0.0.0.0 laufen).",
    ),
    "you_are": Texts(
        "You are “{name}” here; --name chooses another.",
        "Du er “{name}” her; --name vælger et andet navn.",
        "Du bist hier „{name}“; --name wählt einen anderen Namen.",
    ),
    "you_are_known": Texts(
        "You are “{name}” in this room.", "Du er “{name}” i dette rum.", "Du bist „{name}“ in diesem Raum."
    ),
    "not_renamed": Texts(
        "You are “{name}” in this room; --name is not used.",
        "Du er “{name}” i dette rum; --name bruges ikke.",
        "Du bist „{name}“ in diesem Raum; --name wird nicht verwendet.",
    ),
    "host_start": Texts(
        "Type “start” when everybody is here; “help” tells what else there is.",
        "Skriv “start”, når alle er her; “help” fortæller om resten.",
        "Tippe „start“, wenn alle da sind; „help“ nennt alles andere.",
    ),
    "get_ready_own": Texts(
        "Type “ready” to begin: your own clock starts at that moment, once. “help” tells what else there is.",
        "Skriv “ready” for at begynde: dit eget ur starter i det øjeblik, én gang. “help” fortæller om "
        "resten.",
        "Tippe „ready“, um zu beginnen: deine eigene Uhr startet in dem Moment, einmal. „help“ nennt alles "
        "andere.",
    ),
    "starts_by_itself": Texts(
        "It starts by itself at {clock}; “help” tells what you can type.",
        "Det starter af sig selv kl. {clock}; “help” fortæller, hvad du kan skrive.",
        "Es startet von selbst um {clock}; „help“ nennt, was du tippen kannst.",
    ),
    "help_hint": Texts(
        "“help” tells what you can type.",
        "“help” fortæller, hvad du kan skrive.",
        "„help“ nennt, was du tippen kannst.",
    ),
    # Its terms
    "hours": Texts("h", "t", "h"),
    "term_start_ready": Texts(
        "starts when all are ready", "starter, når alle er klar", "startet, wenn alle bereit sind"
    ),
    "term_start_own": Texts("everybody's own start", "hver sin egen start", "jeder mit eigenem Start"),
    "term_start_at": Texts(
        "starts {clock} (in {left})", "starter {clock} (om {left})", "startet {clock} (in {left})"
    ),
    "term_close_at": Texts(
        "closes {clock} (in {left})", "lukker {clock} (om {left})", "endet {clock} (in {left})"
    ),
    "term_min_players": Texts(
        "players needed: {count}", "spillere, der skal til: {count}", "nötige Spieler: {count}"
    ),
    "term_countdown_ms": Texts("countdown {time}", "nedtælling {time}", "Countdown {time}"),
    "term_limit_ms": Texts("limit {time}", "grænse {time}", "Grenze {time}"),
    "term_after_win_ms": Texts(
        "ends {time} after the first win",
        "slutter {time} efter første sejr",
        "endet {time} nach dem ersten Sieg",
    ),
    "term_moves": Texts("fewest moves win", "færrest træk vinder", "wenigste Züge gewinnen"),
    "term_sealed": Texts("sealed", "forseglet", "versiegelt"),
    "term_undo": Texts("no undo", "ingen fortrydelse", "ohne Zurücknehmen"),
    "term_late": Texts("late entry", "sen adgang", "später Einstieg"),
    "term_chat": Texts("no chat", "ingen chat", "kein Chat"),
    "term_listed": Texts("listed", "offentligt", "öffentlich"),
    "term_password": Texts("password", "adgangskode", "Passwort"),
    "term_spectators_none": Texts("no spectators", "ingen tilskuere", "keine Zuschauer"),
    "term_spectators_live": Texts(
        "spectators see games live", "tilskuere ser spil live", "Zuschauer sehen Partien live"
    ),
    "term_spectators_delayed": Texts(
        "spectators see games {time} later",
        "tilskuere ser spil {time} senere",
        "Zuschauer sehen Partien {time} später",
    ),
    "password_set": Texts("password set", "adgangskode sat", "Passwort gesetzt"),
    "password_gone": Texts("no password", "ingen adgangskode", "kein Passwort"),
    "ends_in": Texts("It ends in {left}.", "Det slutter om {left}.", "Ende in {left}."),
    # Why not, and what else
    "password_needed": Texts(
        "This room has a password: give it with --password.",
        "Dette rum har en adgangskode: angiv den med --password.",
        "Dieser Raum hat ein Passwort: gib es mit --password an.",
    ),
    "door_begun": Texts(
        "The race has begun or is over; look on with:  crescent watch {room} --server {url}{more}",
        "Løbet er begyndt eller slut; se på med:  crescent watch {room} --server {url}{more}",
        "Das Rennen hat begonnen oder ist beendet; zuschauen mit:  crescent watch {room} --server "
        "{url}{more}",
    ),
    "door_has_watched": Texts(
        "You have followed a game in this room, so you cannot play in it; look on with:  "
        "crescent watch {room} --server {url}{more}",
        "Du har fulgt et spil i dette rum og kan derfor ikke spille i det; se på med:  "
        "crescent watch {room} --server {url}{more}",
        "Du bist in diesem Raum einer Partie gefolgt und kannst darin nicht spielen; zuschauen mit:  "
        "crescent watch {room} --server {url}{more}",
    ),
    "door_put_out": Texts(
        "You were put out of this race; ask the host to reinstate you, or look on with:  "
        "crescent watch {room} --server {url}{more}",
        "Du er sat ud af dette løb; bed værten om at lade dig spille igen, eller se på med:  "
        "crescent watch {room} --server {url}{more}",
        "Du wurdest aus diesem Rennen genommen; bitte den Gastgeber, dich wieder zuzulassen, oder schau zu "
        "mit:  crescent watch {room} --server {url}{more}",
    ),
    "door_you_play": Texts(
        "You play in this race; go on with:  crescent play {room} --server {url}{more}",
        "Du spiller med i dette løb; fortsæt med:  crescent play {room} --server {url}{more}",
        "Du spielst in diesem Rennen; weiter mit:  crescent play {room} --server {url}{more}",
    ),
    "door_no_spectators": Texts(
        "This room lets nobody look on before it is closed.",
        "Ingen må se på i dette rum, før det er lukket.",
        "In diesem Raum darf vor dem Ende niemand zuschauen.",
    ),
    "too_few_alone": Texts(
        "{need} players are needed and {here} is here; “set min-players 1” (typed; on the screen at /) lets "
        "you race alone, or add a bot:  crescent bot {room} --server {url}",
        "Der skal {need} spillere til, og {here} er her; med “set min-players 1” (skrevet; på skærmen ved /) "
        "kan du spille alene, eller tag en bot med:  crescent bot {room} --server {url}",
        "Nötig sind {need} Spieler, {here} ist da; mit „set min-players 1“ (getippt; am Bildschirm bei /) "
        "kannst du allein spielen, oder hole einen Bot dazu:  crescent bot {room} --server {url}",
    ),
    "too_few": Texts(
        "{need} players are needed and {here} are here; “set min-players” (typed; on the screen at /) "
        "changes that, or add a bot:  crescent bot {room} --server {url}",
        "Der skal {need} spillere til, og {here} er her; “set min-players” (skrevet; på skærmen ved /) "
        "ændrer det, eller tag en bot med:  crescent bot {room} --server {url}",
        "Nötig sind {need} Spieler, {here} sind da; „set min-players“ (getippt; am Bildschirm bei /) ändert "
        "das, oder hole einen Bot dazu:  crescent bot {room} --server {url}",
    ),
    "start_is_ready": Texts(
        "This race starts by itself once all its players ({need} or more) have typed “ready”.",
        "Dette løb starter af sig selv, når alle spillere (mindst {need}) har skrevet “ready”.",
        "Dieses Rennen startet von selbst, sobald alle Spieler (mindestens {need}) „ready“ getippt haben.",
    ),
    "start_is_own": Texts(
        "In this room everybody starts their own game with “ready”.",
        "I dette rum starter hver især sit eget spil med “ready”.",
        "In diesem Raum startet jeder die eigene Partie mit „ready“.",
    ),
    "start_is_at": Texts(
        "This race starts by itself at its time; “set start-at” changes it.",
        "Dette løb starter af sig selv til tiden; “set start-at” ændrer den.",
        "Dieses Rennen startet von selbst zu seiner Zeit; „set start-at“ ändert sie.",
    ),
    "start_is_near": Texts(
        "It is about to start; “hold” calls the start off.",
        "Det starter snart; “hold” aflyser starten.",
        "Es startet gleich; „hold“ sagt den Start ab.",
    ),
    "race_is_on": Texts("The race is on already.", "Løbet er allerede i gang.", "Das Rennen läuft schon."),
    "race_is_over": Texts("The race is over.", "Løbet er slut.", "Das Rennen ist beendet."),
    "only_players": Texts(
        "That is for those who play; you look on here.",
        "Det er for dem, der spiller; du ser på her.",
        "Das ist für Mitspieler; du schaust hier zu.",
    ),
    "no_countdown": Texts(
        "There is no countdown to call off.",
        "Der er ingen nedtælling at aflyse.",
        "Es gibt keinen Countdown abzusagen.",
    ),
    "rematch_later": Texts(
        "A rematch can be opened once this race is closed.",
        "En omkamp kan åbnes, når dette løb er lukket.",
        "Eine Revanche gibt es, sobald dieses Rennen beendet ist.",
    ),
    "rematch_by_players": Texts(
        "The host or one of the players opens the rematch; “next” then takes you there.",
        "Værten eller en af spillerne åbner omkampen; så fører “next” dig derhen.",
        "Gastgeber oder Mitspieler eröffnen die Revanche; „next“ bringt dich dann hin.",
    ),
    "follow_no_game": Texts(
        "There is no game of theirs to follow now.",
        "Der er intet spil af dem at følge nu.",
        "Dort gibt es jetzt keine Partie, der du folgen könntest.",
    ),
    "follow_board_only": Texts(
        "In this room spectators see the board only, until the race is closed.",
        "I dette rum ser tilskuere kun stillingen, til løbet er lukket.",
        "In diesem Raum sehen Zuschauer bis zum Ende nur den Stand.",
    ),
    "follow_later": Texts(
        "Others' games can be followed once your own is over.",
        "Andres spil kan følges, når dit eget er slut.",
        "Anderen Partien kannst du folgen, sobald deine eigene zu Ende ist.",
    ),
    "follow_after_close": Texts(
        "In this room games can be followed once the race is closed.",
        "I dette rum kan spil følges, når løbet er lukket.",
        "In diesem Raum kann man Partien folgen, sobald das Rennen beendet ist.",
    ),
    "no_game_on": Texts(
        "You have no game for which that would mean anything now.",
        "Du har intet spil, som det ville betyde noget for nu.",
        "Du hast keine Partie, für die das jetzt etwas bedeutete.",
    ),
    "set_late": Texts(
        "Once it starts, only name, chat, listed and password can be changed.",
        "Når det starter, kan kun name, chat, listed og password ændres.",
        "Nach dem Start lassen sich nur name, chat, listed und password ändern.",
    ),
    "get_ready": Texts(
        "Type “ready” when you are; “help” tells what else there is.",
        "Skriv “ready”, når du er klar; “help” fortæller om resten.",
        "Tippe „ready“, wenn du bereit bist; „help“ nennt alles andere.",
    ),
    "starts_in": Texts("It starts in {seconds} s.", "Det starter om {seconds} s.", "Start in {seconds} s."),
    "deal_code": Texts("The deal is {code}.", "Spillet er {code}.", "Das Spiel ist {code}."),
    # What happens in it; {who} is a name
    "somebody": Texts("Somebody", "En eller anden", "Jemand"),
    "event_joined": Texts("{who} is here.", "{who} er her.", "{who} ist da."),
    "event_watching_role": Texts("{who} looks on.", "{who} ser på.", "{who} schaut zu."),
    "event_left": Texts("{who} has left.", "{who} er gået.", "{who} ist gegangen."),
    "event_left_game": Texts(
        "{who} is away; their game is kept.",
        "{who} er væk; spillet er gemt.",
        "{who} ist weg; die Partie bleibt.",
    ),
    "event_ready": Texts("{who} is ready.", "{who} er klar.", "{who} ist bereit."),
    "event_unready": Texts(
        "{who} is no longer ready.", "{who} er ikke længere klar.", "{who} ist nicht mehr bereit."
    ),
    "event_options": Texts(
        "The room's options are changed: {options}.",
        "Rummets indstillinger er ændret: {options}.",
        "Die Optionen des Raums sind geändert: {options}.",
    ),
    "event_host": Texts("{who} is the host now.", "{who} er nu vært.", "{who} ist jetzt Gastgeber."),
    "event_referee": Texts("{who} is a referee.", "{who} er dommer.", "{who} ist Schiedsrichter."),
    "event_no_referee": Texts(
        "{who} is no longer a referee.",
        "{who} er ikke længere dommer.",
        "{who} ist nicht mehr Schiedsrichter.",
    ),
    "event_kicked": Texts("{who} was removed.", "{who} blev fjernet.", "{who} wurde entfernt."),
    "event_banned": Texts("{who} was banned.", "{who} blev udelukket.", "{who} wurde ausgesperrt."),
    "event_held": Texts(
        "The start is called off; everybody says “ready” anew.",
        "Starten er aflyst; alle skriver “ready” igen.",
        "Der Start ist abgesagt; alle tippen „ready“ neu.",
    ),
    "event_started": Texts("The race is on!", "Løbet er i gang!", "Das Rennen läuft!"),
    "event_started_one": Texts("{who} has started.", "{who} er begyndt.", "{who} hat begonnen."),
    "event_won": Texts(
        "{who} has won: {time}, {moves} moves!",
        "{who} har vundet: {time}, {moves} træk!",
        "{who} hat gewonnen: {time}, {moves} Züge!",
    ),
    "event_won_plain": Texts("{who} has finished.", "{who} er færdig.", "{who} ist fertig."),
    "event_forfeited": Texts("{who} gives up.", "{who} giver op.", "{who} gibt auf."),
    "event_unforfeited": Texts("{who} plays on.", "{who} spiller videre.", "{who} spielt weiter."),
    "event_disqualified": Texts(
        "{who} is disqualified. {reason}",
        "{who} er diskvalificeret. {reason}",
        "{who} ist disqualifiziert. {reason}",
    ),
    "event_reinstated": Texts(
        "{who} is back in the race.", "{who} er med igen.", "{who} ist wieder im Rennen."
    ),
    "event_watching": Texts(
        "{who} follows another's game now.",
        "{who} følger nu en andens spil.",
        "{who} folgt jetzt einer Partie.",
    ),
    "muted": Texts(
        "You are muted here; the host or a referee can let you speak again.",
        "Du er gjort tavs her; værten eller en dommer kan lade dig tale igen.",
        "Du bist hier stummgeschaltet; Gastgeber oder Schiedsrichter heben es auf.",
    ),
    "event_muted": Texts("{who} is muted.", "{who} er gjort tavs.", "{who} ist stummgeschaltet."),
    "event_unmuted": Texts("{who} may speak again.", "{who} må tale igen.", "{who} darf wieder reden."),
    "event_ending": Texts(
        "The race ends in {seconds} s.", "Løbet slutter om {seconds} s.", "Das Rennen endet in {seconds} s."
    ),
    "event_closed": Texts(
        "The race is closed: {reason}.", "Løbet er lukket: {reason}.", "Das Rennen ist beendet: {reason}."
    ),
    "reason_finished": Texts("everybody is done", "alle er færdige", "alle sind fertig"),
    "reason_limit": Texts("the time is up", "tiden er gået", "die Zeit ist um"),
    "reason_host": Texts("the host closed it", "værten lukkede det", "der Gastgeber hat es beendet"),
    "reason_cancelled": Texts("cancelled before the start", "aflyst før start", "vor dem Start abgesagt"),
    "reason_nobody_finished": Texts("nobody finished", "ingen blev færdig", "niemand wurde fertig"),
    "event_rematch": Texts(
        "{who} has opened the rematch: type “next”, or run  crescent play {room}",
        "{who} har åbnet omkampen: skriv “next”, eller kør  crescent play {room}",
        "{who} hat die Revanche eröffnet: tippe „next“ oder starte  crescent play {room}",
    ),
    "after_close": Texts(
        "“rematch” opens the next race, “quit” leaves. Check this one with:\n"
        "  crescent verify {room} --server {url}",
        "“rematch” åbner næste løb, “quit” går. Efterprøv dette med:\n"
        "  crescent verify {room} --server {url}",
        "„rematch“ eröffnet das nächste Rennen, „quit“ geht. Dieses prüfen mit:\n"
        "  crescent verify {room} --server {url}",
    ),
    "after_close_watching": Texts(
        "“quit” leaves. Check the race with:\n  crescent verify {room} --server {url}",
        "“quit” går. Efterprøv løbet med:\n  crescent verify {room} --server {url}",
        "„quit“ geht. Das Rennen prüfen mit:\n  crescent verify {room} --server {url}",
    ),
    "forfeited_own": Texts(
        "You gave up; “unforfeit” within 60 s takes it back, unless you “follow” a game meanwhile. The race "
        "closes then, if nobody plays on.",
        "Du gav op; “unforfeit” inden 60 s fortryder det, medmindre du imens følger et spil (“follow”). "
        "Derefter lukker løbet, hvis ingen spiller videre.",
        "Du hast aufgegeben; „unforfeit“ nimmt es innerhalb von 60 s zurück, außer du folgst inzwischen "
        "einer Partie („follow“). Dann endet das Rennen, wenn niemand weiterspielt.",
    ),
    "online": Texts("{who} is back online.", "{who} er online igen.", "{who} ist wieder online."),
    "offline": Texts("{who} is offline.", "{who} er offline.", "{who} ist offline."),
    # Game and board
    "table_head": Texts(
        "moves {moves} · redeals {redeals} · home {home}/104 · {time}",
        "træk {moves} · omdelinger {redeals} · hjemme {home}/104 · {time}",
        "Züge {moves} · Neuverteilungen {redeals} · abgelegt {home}/104 · {time}",
    ),
    "played": Texts("{action} played.", "{action} spillet.", "{action} gespielt."),
    "game_won": Texts("You have won!", "Du har vundet!", "Du hast gewonnen!"),
    "game_blocked": Texts(
        "Your game is blocked. Undo with U, or give up with “forfeit”.",
        "Dit spil er låst. Fortryd med U, eller giv op med “forfeit”.",
        "Deine Partie ist blockiert. Nimm mit U zurück oder gib mit „forfeit“ auf.",
    ),
    "game_blocked_for_good": Texts(
        "Your game is blocked and nothing can be undone. Give up with “forfeit”.",
        "Dit spil er låst, og intet kan fortrydes. Giv op med “forfeit”.",
        "Deine Partie ist blockiert und nichts kann zurückgenommen werden. Gib mit „forfeit“ auf.",
    ),
    "no_game": Texts(
        "There is no game to show yet.", "Der er intet spil at vise endnu.", "Noch keine Partie zu sehen."
    ),
    "no_board": Texts(
        "There are no standings yet.", "Der er ingen stilling endnu.", "Es gibt noch keinen Stand."
    ),
    "board_by_time": Texts("By time, then moves", "Efter tid, så træk", "Nach Zeit, dann Zügen"),
    "board_by_moves": Texts(
        "By moves, then undone", "Efter træk, så fortrudte", "Nach Zügen, dann Rücknahmen"
    ),
    "board_by_time_and_home": Texts(
        "Who won by time, then moves; the others by cards home, moves, time",
        "Vindere efter tid, så træk; de andre efter kort hjemme, træk, tid",
        "Sieger nach Zeit, dann Zügen; die anderen nach abgelegten Karten, Zügen, Zeit",
    ),
    "board_by_moves_and_home": Texts(
        "Who won by moves, then undone; the others by cards home, moves, time",
        "Vindere efter træk, så fortrudte; de andre efter kort hjemme, træk, tid",
        "Sieger nach Zügen, dann Rücknahmen; die anderen nach abgelegten Karten, Zügen, Zeit",
    ),
    "board_by_home": Texts(
        "Nobody has won: by cards home, moves, time; who gave up comes last",
        "Ingen har vundet: efter kort hjemme, træk, tid; sidst dem, der gav op",
        "Niemand hat gewonnen: nach abgelegten Karten, Zügen, Zeit; wer aufgab, zuletzt",
    ),
    "board_by_home_yet": Texts(
        "Nobody has won yet: by cards home, moves, time; who gave up comes last",
        "Ingen har vundet endnu: efter kort hjemme, træk, tid; sidst dem, der gav op",
        "Noch kein Sieger: nach abgelegten Karten, Zügen, Zeit; wer aufgab, zuletzt",
    ),
    "column_name": Texts("Name", "Navn", "Name"),
    "column_status": Texts("Status", "Status", "Stand"),
    "column_moves": Texts("Moves", "Træk", "Züge"),
    "column_undone": Texts("Undone", "Fortr.", "Zurück"),
    "column_home": Texts("Home", "Hjem", "Abgel."),
    "column_time": Texts("Time", "Tid", "Zeit"),
    "status_waiting": Texts("waiting", "venter", "wartet"),
    "status_playing": Texts("playing", "spiller", "spielt"),
    "status_waiting_closed": Texts("not started", "ikke startet", "nicht begonnen"),
    "status_playing_closed": Texts("not finished", "ikke færdig", "nicht fertig"),
    "status_won": Texts("won", "vundet", "gewonnen"),
    "status_blocked": Texts("blocked", "låst", "blockiert"),
    "status_forfeited": Texts("gave up", "gav op", "aufgegeben"),
    "status_disqualified": Texts("disqualified", "diskvalificeret", "disqualifiziert"),
    "mark_offline": Texts("offline", "offline", "offline"),
    # Commands
    "help": Texts(
        "Moves: 10>14 pile to pile · 3>F or home 3: home · 3>A 3>K to its ace's or king's foundation · "
        "3>* the only place · AS>K from foundation to foundation · R or redeal · U or undo\n"
        "Race: ready unready · forfeit unforfeit · table board clock rooms · "
        "look 5 · places 5: where its card may go · say TEXT · follow NAME unfollow · "
        "rematch, then everybody: next\n"
        "Going: leave gives up the seat · quit keeps it · forget deletes you on this server",
        "Træk: 10>14 bunke til bunke · 3>F eller home 3: hjem · 3>A 3>K til essets eller kongens "
        "grundbunke · 3>* det eneste sted · AS>K fra grundbunke til grundbunke · R eller redeal: omdel · "
        "U eller undo: fortryd\n"
        "Løb: ready unready · forfeit unforfeit · table board clock rooms · "
        "look 5 · places 5: hvor kortet kan lægges · say TEKST · follow NAVN unfollow · "
        "rematch, så alle: next\n"
        "Gå: leave opgiver pladsen · quit beholder den · forget sletter dig på denne server",
        "Züge: 10>14 Stapel auf Stapel · 3>F oder home 3: nach Hause · 3>A 3>K auf den Grundstapel des Asses "
        "oder Königs · 3>* die einzige Stelle · AS>K von Grundstapel zu Grundstapel · "
        "R oder redeal: neu verteilen · U oder undo: zurück\n"
        "Rennen: ready unready · forfeit unforfeit · table board clock rooms · "
        "look 5 · places 5: wohin die Karte kann · say TEXT · follow NAME unfollow · "
        "rematch, dann alle: next\n"
        "Gehen: leave gibt den Platz auf · quit behält ihn · forget löscht dich auf diesem Server",
    ),
    "help_host": Texts(
        "Host: start · hold: call the start off · host NAME",
        "Vært: start · hold: aflys starten · host NAVN",
        "Gastgeber: start · hold: den Start absagen · host NAME",
    ),
    "help_managers": Texts(
        "Host and referees: set OPTION VALUE (“help set” names them) · close · "
        "kick ban mute unmute referee unreferee NAME · disqualify reinstate NAME REASON",
        "Vært og dommere: set INDSTILLING VÆRDI (“help set” nævner dem) · close · "
        "kick ban mute unmute referee unreferee NAVN · disqualify reinstate NAVN GRUND",
        "Gastgeber und Schiedsrichter: set OPTION WERT („help set“ nennt sie) · close · "
        "kick ban mute unmute referee unreferee NAME · disqualify reinstate NAME GRUND",
    ),
    "help_set": Texts(
        "set OPTION VALUE, as “set limit 15”:",
        "set INDSTILLING VÆRDI, som “set limit 15”:",
        "set OPTION WERT, wie „set limit 15“:",
    ),
    "or_none": Texts("or none", "eller none", "oder none"),
    "help_option": Texts("  {option}: {words}", "  {option}: {words}", "  {option}: {words}"),
    "unknown_command": Texts(
        "“{text}” is neither a move nor a command. Type “help”.",
        "“{text}” er hverken et træk eller en kommando. Skriv “help”.",
        "„{text}“ ist weder ein Zug noch ein Befehl. Tippe „help“.",
    ),
    "needs_argument": Texts(
        "“{command}” needs something after it.",
        "“{command}” kræver noget efter sig.",
        "„{command}“ braucht eine Angabe.",
    ),
    "takes_no_argument": Texts(
        "“{command}” stands alone.", "“{command}” står alene.", "„{command}“ steht allein."
    ),
    "too_long": Texts(
        "This is too long: at most {most} characters.",
        "Det er for langt: højst {most} tegn.",
        "Das ist zu lang: höchstens {most} Zeichen.",
    ),
    "home_which": Texts(
        "Which card? “home 5” (or 5>F) sends pile 5's home.",
        "Hvilket kort? “home 5” (eller 5>F) sender bunke 5's hjem.",
        "Welche Karte? „home 5“ (oder 5>F) legt die von Stapel 5 ab.",
    ),
    "unknown_name": Texts(
        "Nobody here is called “{text}”.", "Ingen her hedder “{text}”.", "Hier heißt niemand „{text}“."
    ),
    "unknown_option": Texts(
        "There is no option “{text}”. There are: {options}.",
        "Der er ingen indstilling “{text}”. Der er: {options}.",
        "Es gibt keine Option „{text}“. Es gibt: {options}.",
    ),
    "no_value": Texts(
        "“set {text}” needs a value after it.",
        "“set {text}” kræver en værdi efter sig.",
        "„set {text}“ braucht einen Wert.",
    ),
    "start_at_set": Texts(
        "To start at a moment, type it: “set start-at 20:30”, or “set start-at +15”.",
        "For at starte på et tidspunkt skrives det: “set start-at 20:30” eller “set start-at +15”.",
        "Für einen Start zu einem Zeitpunkt tippe ihn: „set start-at 20:30“ oder „set start-at +15“.",
    ),
    "no_flag": Texts(
        "“{text}” must be yes or no.", "“{text}” skal være yes eller no.", "„{text}“ muss yes oder no sein."
    ),
    "no_number": Texts(
        "“{text}” must be a number.", "“{text}” skal være et tal.", "„{text}“ muss eine Zahl sein."
    ),
    "following": Texts("You follow {who}.", "Du følger {who}.", "Du folgst {who}."),
    "forget_sure": Texts(
        "This deletes who you are on this server, for good. Type “forget {word}” if you mean it.",
        "Det sletter, hvem du er på denne server, for altid. Skriv “forget {word}”, hvis du mener det.",
        "Das löscht dich auf diesem Server, für immer. Tippe „forget {word}“, wenn du es willst.",
    ),
    "forgotten": Texts(
        "The server has forgotten you.", "Serveren har glemt dig.", "Der Server hat dich vergessen."
    ),
    "no_next": Texts(
        "There is no rematch yet.", "Der er ingen omkamp endnu.", "Es gibt noch keine Revanche."
    ),
    # verify
    "unreadable": Texts(
        "{name} cannot be read ({reason}). Name a log's file, its address, or a room.",
        "{name} kan ikke læses ({reason}). Nævn en logs fil, dens adresse eller et rum.",
        "{name} kann nicht gelesen werden ({reason}). Nenne die Datei eines Protokolls, seine Adresse oder "
        "einen Raum.",
    ),
    "no_log": Texts(
        "The server gives no log: {reason}",
        "Serveren giver ingen log: {reason}",
        "Der Server gibt kein Protokoll: {reason}",
    ),
    "log_is_built": Texts(
        "The server is still putting the log together; asking again.",
        "Serveren er stadig ved at samle loggen; spørger igen.",
        "Der Server stellt das Protokoll noch zusammen; frage noch einmal.",
    ),
    "log_busy": Texts(
        "The server is busy; asking again.",
        "Serveren har travlt; spørger igen.",
        "Der Server ist beschäftigt; frage noch einmal.",
    ),
    "verified_room": Texts(
        "The log of room {room}:", "Loggen for rum {room}:", "Das Protokoll von Raum {room}:"
    ),
    "verified": Texts("All of it agrees.", "Det hele stemmer.", "Alles stimmt überein."),
    "verified_not_one": Texts(
        "It does not agree: 1 difference.", "Det stemmer ikke: 1 afvigelse.", "Es stimmt nicht: 1 Abweichung."
    ),
    "no_source": Texts(
        "Name a log's file, its address, or a room.",
        "Nævn en logs fil, dens adresse eller et rum.",
        "Nenne die Datei eines Protokolls, seine Adresse oder einen Raum.",
    ),
    "quoted": Texts("“{text}”", "“{text}”", "„{text}“"),
    "verified_not": Texts(
        "It does not agree: {count} differences.",
        "Det stemmer ikke: {count} afvigelser.",
        "Es stimmt nicht: {count} Abweichungen.",
    ),
    # solo
    "solo_ready": Texts(
        "Practice, alone: “help” tells what to type, “quit” ends it.",
        "Øvelse, alene: “help” fortæller, hvad man skriver; “quit” slutter.",
        "Üben, allein: „help“ sagt, was man tippt, „quit“ beendet es.",
    ),
    "solo_log": Texts(
        "The log: {log}\nCheck it with:  crescent verify {what}",
        "Loggen: {log}\nEfterprøv den med:  crescent verify {what}",
        "Das Protokoll: {log}\nPrüfen mit:  crescent verify {what}",
    ),
    "solo_server": Texts(
        "The server for practice does not run ({reason}). Try again, or name a server with --server.",
        "Øvelsesserveren kører ikke ({reason}). Prøv igen, eller nævn en server med --server.",
        "Der Server zum Üben läuft nicht ({reason}). Versuche es noch einmal oder nenne einen mit --server.",
    ),
    # lobby, rooms, bot
    "connecting": Texts("Connecting to {url} ...", "Forbinder til {url} ...", "Verbinde mit {url} ..."),
    "in_background": Texts(
        "The screen needs the foreground of its terminal: start it without “&” (with timeout: “timeout "
        "--foreground”).",
        "Skærmen skal have terminalens forgrund: start den uden “&” (med timeout: “timeout --foreground”).",
        "Der Bildschirm braucht den Vordergrund des Terminals: starte ihn ohne „&“ (mit timeout: „timeout "
        "--foreground“).",
    ),
    "lobby_needs_terminal": Texts(
        "The lobby needs a terminal. Without one: crescent rooms lists rooms, crescent play ROOM enters one.",
        "Lobbyen kræver en terminal. Uden: crescent rooms viser rummene, crescent play RUM går ind i et.",
        "Die Lobby braucht ein Terminal. Ohne: crescent rooms listet Räume, crescent play RAUM geht hinein.",
    ),
    "no_rooms": Texts(
        "There are no public rooms.", "Der er ingen offentlige rum.", "Keine öffentlichen Räume."
    ),
    "needs_password": Texts("password", "adgangskode", "Passwort"),
    "bot_waits": Texts(
        "The bot is ready and waits for the start.",
        "Botten er klar og venter på starten.",
        "Der Bot ist bereit und wartet auf den Start.",
    ),
    "bot_gives_up": Texts(
        "The bot sees no way on and gives up.",
        "Botten ser ingen vej frem og giver op.",
        "Der Bot sieht keinen Weg mehr und gibt auf.",
    ),
}

TEXTS |= PLAIN | REPLAY | MOVES
