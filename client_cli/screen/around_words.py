"""What the screens around the race say: lobby, form, people, result and replay; English, Danish, German."""

from server.engine.texts import Texts

AROUND: dict[str, Texts] = {
    # The lobby
    "lobby_title": Texts("Crescent · {url}", "Crescent · {url}", "Crescent · {url}"),
    "lobby_you": Texts("You are “{name}”.", "Du er “{name}”.", "Du bist „{name}“."),
    "lobby_last": Texts(
        "g goes on in room {room}, which waits for you.",
        "g fortsætter i rum {room}, som venter på dig.",
        "g macht in Raum {room} weiter, der auf dich wartet.",
    ),
    "lobby_lasts": Texts(
        "g goes on in one of the rooms that wait for you: {room}",
        "g fortsætter i et af de rum, der venter på dig: {room}",
        "g macht in einem der Räume weiter, die auf dich warten: {room}",
    ),
    "lobby_draft": Texts(
        "What you typed in the form is kept; o goes on with it.",
        "Det, du skrev i formularen, er gemt; o fortsætter.",
        "Was du im Formular eingegeben hast, bleibt; o macht damit weiter.",
    ),
    "lobby_asking": Texts("Asking the server …", "Spørger serveren …", "Frage den Server …"),
    "lobby_none": Texts(
        "There are no public rooms now. o opens one; j joins a friend's by its code or link.",
        "Der er ingen offentlige rum nu. o åbner et; j går ind i en vens med kode eller link.",
        "Es gibt jetzt keine öffentlichen Räume. o öffnet einen; j betritt den eines Freundes mit Code oder "
        "Link.",
    ),
    "short_lobby": Texts("open", "åbent", "offen"),
    "short_countdown": Texts("starting", "starter", "startet"),
    "short_running": Texts("running", "i gang", "läuft"),
    "short_closed": Texts("closed", "lukket", "beendet"),
    "column_room": Texts("Room", "Rum", "Raum"),
    "column_players": Texts("Players", "Spillere", "Spieler"),
    "column_state": Texts("State", "Tilstand", "Zustand"),
    "column_start": Texts("Start", "Start", "Start"),
    "column_title": Texts("Name", "Navn", "Name"),
    "column_host": Texts("Host", "Vært", "Gastgeber"),
    "ask_room": Texts(
        "The room's code, or the link you were sent",
        "Rummets kode eller det link, du fik",
        "Der Code des Raums oder der Link, den du bekommen hast",
    ),
    "ask_unfinished": Texts(
        "Which of your rooms? {rooms}", "Hvilket af dine rum? {rooms}", "Welcher deiner Räume? {rooms}"
    ),
    "ask_password": Texts(
        "Room {room} has a password", "Rum {room} har en adgangskode", "Raum {room} hat ein Passwort"
    ),
    "ask_name": Texts(
        "Your name, 1 to 24 characters", "Dit navn, 1 til 24 tegn", "Dein Name, 1 bis 24 Zeichen"
    ),
    "ask_keys": Texts("Enter: yes · Esc: no", "Enter: ja · Esc: nej", "Enter: ja · Esc: nein"),
    "other_server": Texts(
        "This link leads to another server; leave, and run:  crescent play {link}",
        "Linket fører til en anden server; gå ud, og kør:  crescent play {link}",
        "Dieser Link führt zu einem anderen Server; geh hinaus und starte:  crescent play {link}",
    ),
    "lobby_begun": Texts(
        "That race has begun or is over; w looks on.",
        "Det løb er begyndt eller slut; w ser på.",
        "Dieses Rennen hat begonnen oder ist beendet; w schaut zu.",
    ),
    "lobby_has_watched": Texts(
        "You have followed a game in that room, so you cannot play in it; w looks on.",
        "Du har fulgt et spil i det rum og kan derfor ikke spille i det; w ser på.",
        "Du bist dort einer Partie gefolgt und kannst deshalb nicht mitspielen; w schaut zu.",
    ),
    "lobby_put_out": Texts(
        "You were put out of that race; ask its host to reinstate you. w looks on.",
        "Du er sat ud af det løb; bed værten om at lade dig spille igen. w ser på.",
        "Du wurdest aus dem Rennen genommen; nur der Gastgeber lässt dich wieder zu. w schaut zu.",
    ),
    "lobby_you_play": Texts(
        "You play in that race: Enter goes on with it.",
        "Du spiller med i det løb: Enter fortsætter.",
        "Du spielst in diesem Rennen: Enter macht weiter.",
    ),
    "lobby_bad_name": Texts(
        "“{text}” can be no player's name: 1 to 24 characters, none of them control characters.",
        "“{text}” kan ikke være en spillers navn: 1 til 24 tegn, ingen styretegn.",
        "„{text}“ kann kein Spielername sein: 1 bis 24 Zeichen, keine Steuerzeichen.",
    ),
    "lobby_no_password": Texts(
        "That room has a password; ask its host for it.",
        "Det rum har en adgangskode; spørg værten om den.",
        "Dieser Raum hat ein Passwort; frage den Gastgeber danach.",
    ),
    # The form
    "form_title": Texts("Open a room", "Åbn et rum", "Einen Raum öffnen"),
    "form_title_set": Texts(
        "Change the options of room {room}",
        "Ændr indstillingerne for rum {room}",
        "Die Optionen von Raum {room} ändern",
    ),
    "form_yes": Texts("yes", "ja", "ja"),
    "form_no": Texts("no", "nej", "nein"),
    "form_moment": Texts(
        "+15, 20:30, or nothing",
        "+15, 20:30 eller intet",
        "+15, 20:30 oder nichts",
    ),
    "form_deal": Texts("random, or CR1-N-AAAAAAB", "random eller CR1-N-AAAAAAB", "random oder CR1-N-AAAAAAB"),
    "form_text": Texts("up to {count} characters", "højst {count} tegn", "bis {count} Zeichen"),
    "form_password": Texts(
        "1-60 characters, or nothing", "1-60 tegn eller intet", "1-60 Zeichen oder nichts"
    ),
    "form_password_kept": Texts(
        "empty: as it is; none: without", "tom: som nu; none: uden", "leer: wie jetzt; none: ohne"
    ),
    "form_start_at_needed": Texts(
        "Type the moment: +15 (minutes from now), 20:30, or 2030-01-31T20:30.",
        "Skriv tidspunktet: +15 (minutter fra nu), 20:30 eller 2030-01-31T20:30.",
        "Schreibe den Zeitpunkt: +15 (Minuten ab jetzt), 20:30 oder 2030-01-31T20:30.",
    ),
    "form_start_at_alone": Texts(
        "Only a race that starts at a moment has one; empty this field.",
        "Kun et løb, der starter på et tidspunkt, har et; tøm feltet.",
        "Das hat nur ein Rennen, das zu einem Zeitpunkt startet; leere das Feld.",
    ),
    "form_no_deal": Texts(
        "This is no game code; type random, or one such as CR1-N-AAAAAAB.",
        "Det er ingen spilkode; skriv random eller en som CR1-N-AAAAAAB.",
        "Das ist kein Spielcode; schreibe random oder einen wie CR1-N-AAAAAAB.",
    ),
    "form_sealed": Texts(
        "A sealed deal is drawn by the server: type random.",
        "Et forseglet spil trækkes af serveren: skriv random.",
        "Ein versiegeltes Spiel zieht der Server: schreibe random.",
    ),
    "form_order": Texts(
        "It must be after the start.", "Det skal være efter starten.", "Das muss nach dem Start liegen."
    ),
    "label_playing": Texts("I play too", "Jeg spiller med", "Ich spiele mit"),
    "label_name": Texts("Name", "Navn", "Name"),
    "label_deal": Texts("Deal", "Spil", "Spiel"),
    "label_variant": Texts("Variant", "Variant", "Variante"),
    "label_visibility": Texts("Piles", "Bunker", "Stapel"),
    "label_sealed": Texts("Sealed", "Forseglet", "Versiegelt"),
    "label_rank_by": Texts("Rank by", "Rang efter", "Rang nach"),
    "label_start": Texts("Start", "Start", "Start"),
    "label_start_at": Texts("Starts at", "Starter kl.", "Startet um"),
    "label_close_at": Texts("Closes at", "Lukker kl.", "Endet um"),
    "label_min_players": Texts("Players needed", "Spillere mindst", "Spieler (min.)"),
    "label_max_players": Texts("Players at most", "Spillere højst", "Spieler (max.)"),
    "label_countdown_ms": Texts("Countdown, s", "Nedtælling, s", "Countdown, s"),
    "label_limit_ms": Texts("Limit, min", "Grænse, min", "Grenze, min"),
    "label_after_win_ms": Texts("After a win, min", "Efter sejr, min", "Nach Sieg, min"),
    "label_late": Texts("Late entry", "Sen adgang", "Später Einstieg"),
    "label_undo": Texts("Undo", "Fortryd", "Zurücknehmen"),
    "label_spectators": Texts("Spectators", "Tilskuere", "Zuschauer"),
    "label_delay_ms": Texts("Delay, s", "Forsinkelse, s", "Verzögerung, s"),
    "label_chat": Texts("Chat", "Chat", "Chat"),
    "label_listed": Texts("Public", "Offentligt", "Öffentlich"),
    "label_password": Texts("Password", "Adgangskode", "Passwort"),
    "choice_variant_N": Texts("N", "N", "N"),
    "choice_variant_F": Texts("F", "F", "F"),
    "choice_visibility_top": Texts("top cards", "øverste kort", "oberste Karte"),
    "choice_visibility_open": Texts("open", "åbne", "offen"),
    "choice_rank_by_time": Texts("time", "tid", "Zeit"),
    "choice_rank_by_moves": Texts("moves", "træk", "Züge"),
    "choice_start_host": Texts("host", "vært", "Gastgeber"),
    "choice_start_ready": Texts("all ready", "alle klar", "bereit"),
    "choice_start_own": Texts("own", "egen", "eigen"),
    "choice_start_at": Texts("at a time", "tid", "Zeit"),
    "choice_spectators_none": Texts("none", "ingen", "keine"),
    "choice_spectators_board": Texts("board", "stilling", "Stand"),
    "choice_spectators_delayed": Texts("later", "senere", "später"),
    "choice_spectators_live": Texts("live", "live", "live"),
    # Before the start
    "waiting_code": Texts(
        "Code {room} · link {link}", "Kode {room} · link {link}", "Code {room} · Link {link}"
    ),
    "waiting_start_in": Texts("Start in", "Start om", "Start in"),
    "waiting_count": Texts(
        "{ready} of {players} ready, {need} needed",
        "{ready} af {players} klar, {need} skal til",
        "{ready} von {players} bereit, {need} nötig",
    ),
    "waiting_host_mark": Texts("host", "vært", "Gastgeber"),
    "waiting_referee_mark": Texts("referee", "dommer", "Schiedsrichter"),
    "muted_mark": Texts("muted", "gjort tavs", "stumm"),
    "waiting_countdown": Texts(
        "Get ready: the cards come to all at the same moment.",
        "Gør dig klar: kortene kommer til alle i samme øjeblik.",
        "Mach dich bereit: die Karten kommen zu allen im selben Moment.",
    ),
    "waiting_countdown_host": Texts("s calls the start off.", "s aflyser starten.", "s sagt den Start ab."),
    # People: what hosts and referees do, and whom one follows
    "manage_title": Texts("The room and its people", "Rummet og folkene", "Der Raum und die Leute"),
    "manage_whom": Texts("The room or a person", "Rummet eller en person", "Der Raum oder eine Person"),
    "manage_nothing_self": Texts(
        "Nothing can be done about yourself now.",
        "Der er intet at gøre ved dig selv nu.",
        "An dir selbst ist jetzt nichts zu tun.",
    ),
    "manage_nothing_with": Texts(
        "Nothing can be done about {who} now.",
        "Der er intet at gøre ved {who} nu.",
        "An {who} ist jetzt nichts zu tun.",
    ),
    "manage_room": Texts("The room", "Rummet", "Der Raum"),
    "manage_nothing": Texts("Nothing can be done here.", "Her er intet at gøre.", "Hier ist nichts zu tun."),
    "manage_options": Texts("change options …", "ændr indstillinger …", "Optionen ändern …"),
    "manage_close": Texts("close the race …", "luk løbet …", "das Rennen beenden …"),
    "manage_kick": Texts("remove …", "fjern …", "entfernen …"),
    "manage_ban": Texts("ban …", "udeluk …", "aussperren …"),
    "manage_disqualify": Texts("disqualify …", "diskvalificer …", "disqualifizieren …"),
    "manage_reinstate": Texts("reinstate …", "tag med igen …", "wieder zulassen …"),
    "manage_referee": Texts("make referee", "gør til dommer", "zum Schiedsrichter machen"),
    "manage_unreferee": Texts("referee no more", "ikke dommer mere", "nicht mehr Schiedsrichter"),
    "manage_mute": Texts("mute …", "gør tavs …", "stummschalten …"),
    "manage_unmute": Texts("let speak again", "lad tale igen", "wieder reden lassen"),
    "manage_host": Texts("make host …", "gør til vært …", "zum Gastgeber machen …"),
    "sure_kick": Texts(
        "Remove {who} from the room?", "Fjern {who} fra rummet?", "{who} aus dem Raum entfernen?"
    ),
    "sure_ban": Texts("Ban {who}, for good?", "Udeluk {who} for altid?", "{who} für immer aussperren?"),
    "sure_mute": Texts(
        "Mute {who}, until you let them speak again?",
        "Gør {who} tavs, til du lader dem tale igen?",
        "{who} stummschalten, bis du es wieder aufhebst?",
    ),
    "sure_host": Texts("Hand the room to {who}?", "Giv rummet til {who}?", "Den Raum an {who} übergeben?"),
    "sure_disqualify": Texts(
        "Disqualify {who}: the reason, or nothing",
        "Diskvalificer {who}: grunden, eller intet",
        "{who} disqualifizieren: der Grund, oder nichts",
    ),
    "sure_reinstate": Texts(
        "Reinstate {who}: the reason, or nothing",
        "Tag {who} med igen: grunden, eller intet",
        "{who} wieder zulassen: der Grund, oder nichts",
    ),
    "sure_close": Texts(
        "Close the race for all: a word to them, or nothing",
        "Luk løbet for alle: et ord til dem, eller intet",
        "Das Rennen für alle beenden: ein Wort dazu, oder nichts",
    ),
    "not_yours": Texts(
        "That is for the host and the referees.",
        "Det er for værten og dommerne.",
        "Das ist für Gastgeber und Schiedsrichter.",
    ),
    "follow_title": Texts("Whose game?", "Hvis spil?", "Wessen Partie?"),
    "follow_stop": Texts(
        "nobody's: back to the room", "ingens: tilbage til rummet", "keine: zurück zum Raum"
    ),
    "follow_none": Texts(
        "There is no other's game yet.", "Der er intet andet spil endnu.", "Noch gibt es keine andere Partie."
    ),
    "follow_final": Texts(
        "Who looks into another's game cannot play on in this room.",
        "Den, der ser i en andens spil, kan ikke spille videre i dette rum.",
        "Wer in eine andere Partie schaut, kann in diesem Raum nicht weiterspielen.",
    ),
    # The result
    "result_title": Texts("Room {room}: {state}", "Rum {room}: {state}", "Raum {room}: {state}"),
    "result_history": Texts("What happened", "Hvad der skete", "Was geschah"),
    "result_later": Texts(
        "The history is here once the race is closed.",
        "Forløbet står her, når løbet er lukket.",
        "Der Verlauf steht hier, sobald das Rennen beendet ist.",
    ),
    "result_reading": Texts("Reading the log …", "Læser loggen …", "Lese das Protokoll …"),
    "result_verify": Texts(
        "Anyone can check it:  crescent verify {room} --server {url}",
        "Enhver kan efterprøve det:  crescent verify {room} --server {url}",
        "Jeder kann es prüfen:  crescent verify {room} --server {url}",
    ),
    "result_agrees": Texts(
        "The log agrees with the board: every move was legal, and the ranks follow from them.",
        "Loggen stemmer med stillingen: hvert træk var lovligt, og pladserne følger af dem.",
        "Protokoll und Stand stimmen überein: jeder Zug war erlaubt, die Plätze folgen daraus.",
    ),
    "result_saved": Texts(
        "Saved as {file} in {folder}. Check it with:  crescent verify {file}",
        "Gemt som {file} i {folder}. Efterprøv den med:  crescent verify {file}",
        "Gesichert als {file} in {folder}. Prüfen mit:  crescent verify {file}",
    ),
    "result_unsaved": Texts(
        "{file} cannot be written ({reason}); start crescent in a folder you may write to.",
        "{file} kan ikke skrives ({reason}); start crescent i en mappe, du må skrive i.",
        "{file} kann nicht geschrieben werden ({reason}); starte crescent in einem Ordner, in den du "
        "schreiben darfst.",
    ),
    # The replay
    "replay_title": Texts(
        "Replay of room {room} · {code}",
        "Genspil af rum {room} · {code}",
        "Wiedergabe von Raum {room} · {code}",
    ),
    "replay_clock": Texts("{time} of {end}", "{time} af {end}", "{time} von {end}"),
    "replay_runs": Texts("{speed}×, running", "{speed}×, kører", "{speed}×, läuft"),
    "replay_stands": Texts("{speed}×, paused", "{speed}×, pause", "{speed}×, steht"),
    "replay_whose": Texts("{who}'s table", "{who}s bord", "Tisch von {who}"),
    "replay_latest": Texts("latest {action}", "sidst {action}", "zuletzt {action}"),
    "replay_top": Texts(
        "     bottom → top, which may move",
        "     nederst → øverst, som kan flyttes",
        "     unten → oben, die ziehen darf",
    ),
    "ask_moment": Texts(
        "Which moment? 1:23, 83, or 1:02:03",
        "Hvilket tidspunkt? 1:23, 83 eller 1:02:03",
        "Welcher Moment? 1:23, 83 oder 1:02:03",
    ),
    # Keys
    "group_people": Texts("People", "Folk", "Leute"),
    "group_lobby": Texts("The lobby", "Lobbyen", "Die Lobby"),
    "group_fields": Texts("What the fields do", "Hvad felterne gør", "Was die Felder bewirken"),
    "group_form": Texts("The form", "Formularen", "Das Formular"),
    "group_result": Texts("The result", "Resultatet", "Das Ergebnis"),
    "group_replay": Texts("The replay", "Genspillet", "Die Wiedergabe"),
    "key_follow": Texts("look into another's game", "se i en andens spil", "in eine andere Partie schauen"),
    "key_manage": Texts(
        "host and referees: people, options, close",
        "vært og dommere: folk, indstillinger, luk",
        "Gastgeber und Schiedsrichter: Leute, Optionen, Ende",
    ),
    "key_result": Texts(
        "the whole board; after the race its history, log and replay",
        "hele stillingen; efter løbet også forløb, log og genspil",
        "der ganze Stand; nach dem Rennen Verlauf, Protokoll, Wiedergabe",
    ),
    "key_pick": Texts("choose somebody", "vælg nogen", "jemanden wählen"),
    "key_pick_action": Texts("to what can be done", "til det, der kan gøres", "zu dem, was geht"),
    "key_do_it": Texts("do it (or click)", "gør det (eller klik)", "tun (oder Klick)"),
    "key_pick_room": Texts("choose a room", "vælg et rum", "einen Raum wählen"),
    "key_enter_room": Texts(
        "play in the chosen room (or click)",
        "spil i det valgte rum (eller klik)",
        "im Raum spielen (oder Klick)",
    ),
    "key_watch": Texts("look on in it", "se på i det", "dort zuschauen"),
    "key_join": Texts(
        "join by a code or a link", "gå ind med kode eller link", "mit Code oder Link eintreten"
    ),
    "key_open": Texts("open a room of your own", "åbn dit eget rum", "einen eigenen Raum öffnen"),
    "key_resume": Texts(
        "go on in the room that waits for you",
        "fortsæt i det rum, der venter på dig",
        "in dem Raum weitermachen, der auf dich wartet",
    ),
    "key_name": Texts("change your name", "skift navn", "deinen Namen ändern"),
    "key_field": Texts("go from field to field", "gå fra felt til felt", "von Feld zu Feld"),
    "key_value": Texts(
        "change a choice (or click it)", "skift valget (eller klik)", "die Wahl ändern (oder Klick)"
    ),
    "key_submit": Texts(
        "open the room, or change it", "åbn rummet, eller ændr det", "den Raum öffnen oder ändern"
    ),
    "key_rematch": Texts(
        "the rematch: the same options, a new deal",
        "omkamp: samme indstillinger, nyt spil",
        "Revanche: gleiche Optionen, neues Spiel",
    ),
    "key_replay": Texts("see the race again", "se løbet igen", "das Rennen noch einmal sehen"),
    "key_check": Texts(
        "check the log against the board",
        "efterprøv loggen mod stillingen",
        "das Protokoll mit dem Stand vergleichen",
    ),
    "key_save": Texts("save the log here", "gem loggen her", "das Protokoll hier sichern"),
    "key_scroll": Texts("scroll", "rul", "blättern"),
    "key_play": Texts("run, or pause", "kør, eller pause", "laufen, oder anhalten"),
    "key_step": Texts(
        "one action back, or on", "én handling tilbage eller frem", "eine Aktion zurück oder vor"
    ),
    "key_speed": Texts("faster, slower", "hurtigere, langsommere", "schneller, langsamer"),
    "key_tenth": Texts(
        "jump: 0 the start, 5 the middle", "hop: 0 starten, 5 midten", "springen: 0 der Start, 5 die Mitte"
    ),
    "key_ends": Texts("the start; End: the end", "starten; End: slutningen", "der Start; End: das Ende"),
    "key_jump": Texts("jump to a moment", "hop til et tidspunkt", "zu einem Moment springen"),
    "key_whose": Texts("whose table", "hvis bord", "wessen Tisch"),
    "key_bar": Texts(
        "click a bar: that table", "klik på en bjælke: det bord", "Klick auf einen Balken: der Tisch"
    ),
    "key_piles": Texts(
        "all cards of the piles, top card last, or the table",
        "alle kort i bunkerne, det øverste sidst, eller bordet",
        "alle Karten der Stapel, die oberste zuletzt, oder der Tisch",
    ),
    "key_suspend": Texts(
        "back to the shell; fg goes on here",
        "tilbage til kommandolinjen; fg fortsætter her",
        "zurück zur Shell; fg macht hier weiter",
    ),
    "key_field_help": Texts("this help", "denne hjælp", "diese Hilfe"),
    "key_back": Texts("back", "tilbage", "zurück"),
    "key_leave": Texts("leave", "gå", "gehen"),
    "short_follow": Texts("view", "se spil", "zusehen"),
    "short_manage": Texts("manage", "styr", "leiten"),
    "short_result": Texts("board", "stilling", "Stand"),
    "short_pick_action": Texts("what", "hvad", "was"),
    "short_do_it": Texts("choose", "vælg", "wählen"),
    "short_enter_room": Texts("play", "spil", "spielen"),
    "short_watch": Texts("look on", "se på", "zusehen"),
    "short_join": Texts("code", "kode", "Code"),
    "short_open": Texts("open", "åbn", "öffnen"),
    "short_resume": Texts("go on", "fortsæt", "weiter"),
    "short_name": Texts("name", "navn", "Name"),
    "short_submit": Texts("do it", "udfør", "los"),
    "short_replay": Texts("replay", "genspil", "Wiedergabe"),
    "short_check": Texts("check", "efterprøv", "prüfen"),
    "short_save": Texts("save log", "gem log", "sichern"),
    "short_play": Texts("run", "kør", "laufen"),
    "short_pause": Texts("pause", "pause", "anhalten"),
    "short_jump": Texts("jump", "hop", "springen"),
    "short_piles": Texts("all cards", "alle kort", "alle Karten"),
    "short_field_help": Texts("help", "hjælp", "Hilfe"),
    "short_back": Texts("back", "tilbage", "zurück"),
    "short_leave": Texts("leave", "gå", "gehen"),
}
