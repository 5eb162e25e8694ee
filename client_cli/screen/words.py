"""What the screen says by itself, in English, Danish and German."""

from client_cli.safe_text import safe_text
from client_cli.screen.around_words import AROUND
from protocol.messages import Lang
from server.engine.texts import Texts


def word(key: str, lang: Lang, **values: object) -> str:
    """Return the words `key` in `lang` with their values, which are made safe for a terminal."""
    safe = {name: safe_text(str(value)) for name, value in values.items()}
    return WORDS[key].text(lang).format_map(safe)


WORDS: dict[str, Texts] = {
    # The top
    "clock_before": Texts("start in {time}", "start om {time}", "Start in {time}"),
    "moves": Texts("moves {count}", "træk {count}", "Züge {count}"),
    "home": Texts("home {count}/104", "hjemme {count}/104", "abgelegt {count}/104"),
    "redeals": Texts("redeals {count}", "omdelinger {count}", "Neuverteilungen {count}"),
    "ends_in": Texts("ends in {time}", "slut om {time}", "Ende in {time}"),
    "follows": Texts("you follow {who}", "du følger {who}", "du folgst {who}"),
    # The line
    "line_online": Texts("online", "online", "online"),
    "line_online_ms": Texts("online {ms} ms", "online {ms} ms", "online {ms} ms"),
    "line_slow": Texts("slow line {seconds} s", "langsom linje {seconds} s", "langsame Leitung {seconds} s"),
    "line_lost": Texts("no line", "ingen linje", "keine Leitung"),
    "line_lost_in": Texts(
        "no line, again in {seconds} s",
        "ingen linje, igen om {seconds} s",
        "keine Leitung, neu in {seconds} s",
    ),
    "unconfirmed": Texts("{count} unconfirmed", "{count} ubekræftet", "{count} unbestätigt"),
    # The table before there is one
    "waiting_title": Texts("Room {room}", "Rum {room}", "Raum {room}"),
    "waiting_host": Texts(
        "s starts the race. Everybody gets the same cards at the same moment.",
        "s starter løbet. Alle får de samme kort i samme øjeblik.",
        "s startet das Rennen. Alle bekommen dieselben Karten im selben Moment.",
    ),
    "waiting_player": Texts(
        "y says that you are ready; the host starts the race.",
        "y siger, at du er klar; værten starter løbet.",
        "y sagt, dass du bereit bist; der Gastgeber startet das Rennen.",
    ),
    "waiting_ready": Texts(
        "y says that you are ready; the race starts when all are.",
        "y siger, at du er klar; løbet starter, når alle er det.",
        "y sagt, dass du bereit bist; das Rennen startet, wenn alle es sind.",
    ),
    "waiting_own": Texts(
        "y begins: your own clock starts at that moment, once.",
        "y begynder: dit eget ur starter i det øjeblik, én gang.",
        "y beginnt: deine eigene Uhr startet in dem Moment, einmal.",
    ),
    "waiting_at": Texts(
        "The race starts by itself.", "Løbet starter af sig selv.", "Das Rennen startet von selbst."
    ),
    "waiting_look": Texts(
        "You look on. When the race is on, its standings are here.",
        "Du ser på. Når løbet er i gang, står stillingen her.",
        "Du schaust zu. Wenn das Rennen läuft, steht hier der Stand.",
    ),
    "ready": Texts("ready", "klar", "bereit"),
    "not_ready": Texts("not ready yet", "ikke klar endnu", "noch nicht bereit"),
    "looks_on": Texts("looks on", "ser på", "schaut zu"),
    "too_small": Texts(
        "This terminal is too small for the table: make it 80×24 or larger, or run with --lines.",
        "Terminalen er for lille til bordet: gør den 80×24 eller større, eller kør med --lines.",
        "Dieses Terminal ist zu klein für den Tisch: mach es 80×24 oder größer, oder starte mit --lines.",
    ),
    # The sentence under the table
    "hold": Texts(
        "{card} may go to {places}.", "{card} kan lægges på {places}.", "{card} darf auf {places}."
    ),
    "pile": Texts("Pile {number}: {cards}", "Bunke {number}: {cards}", "Stapel {number}: {cards}"),
    "number_begun": Texts(
        "1, or another digit for 10 to 16; Enter takes pile 1.",
        "1, eller et ciffer til for 10 til 16; Enter tager bunke 1.",
        "1, oder noch eine Ziffer für 10 bis 16; Enter nimmt Stapel 1.",
    ),
    "no_game": Texts(
        "There is no game of yours on now.",
        "Der er intet spil i gang for dig nu.",
        "Du hast jetzt keine Partie.",
    ),
    "not_yet": Texts(
        "The server has yet to tell this card.",
        "Serveren skal lige fortælle, hvilket kort det er.",
        "Der Server muss diese Karte noch nennen.",
    ),
    "no_undo": Texts(
        "In this room nothing can be undone.",
        "I dette rum kan intet fortrydes.",
        "In diesem Raum lässt sich nichts zurücknehmen.",
    ),
    "explains_on": Texts("Refusals say why.", "Afvisninger siger hvorfor.", "Ablehnungen sagen, warum."),
    "explains_off": Texts(
        "Refusals say nothing more.", "Afvisninger siger ikke mere.", "Ablehnungen sagen nichts mehr."
    ),
    "sure_forfeit": Texts(
        "Give up? Press g once more; any other key plays on.",
        "Giv op? Tryk g en gang til; enhver anden tast spiller videre.",
        "Aufgeben? Drücke noch einmal g; jede andere Taste spielt weiter.",
    ),
    "sure_quit": Texts(
        "Leave the race? Press q once more; your game is kept, and the clock runs on.",
        "Forlad løbet? Tryk q en gang til; dit spil er gemt, og uret går.",
        "Das Rennen verlassen? Noch einmal q; deine Partie bleibt, die Uhr läuft.",
    ),
    "sure_again": Texts(
        "Give this game up for a new room? Press n once more.",
        "Giv dette spil op for et nyt rum? Tryk n en gang til.",
        "Diese Partie für einen neuen Raum aufgeben? Drücke noch einmal n.",
    ),
    "blocked": Texts(
        "Blocked: no card can move, no redeal is left.  u undo · g give up · n new game",
        "Låst: intet kort kan flyttes eller omdeles.  u fortryd · g giv op · n nyt spil",
        "Blockiert: keine Karte kann ziehen.  u zurück · g aufgeben · n neue Partie",
    ),
    "blocked_for_good": Texts(
        "Blocked, and nothing can be undone.  g give up · n new game",
        "Låst, og intet kan fortrydes.  g giv op · n nyt spil",
        "Blockiert, und nichts ist zurückzunehmen.  g aufgeben · n neue Partie",
    ),
    "won": Texts(
        "You have won: {time}, {moves} moves, rank {rank}!",
        "Du har vundet: {time}, {moves} træk, plads {rank}!",
        "Du hast gewonnen: {time}, {moves} Züge, Platz {rank}!",
    ),
    "won_wait": Texts(
        "Once all are done: n rematch",
        "Når alle er færdige: n omkamp",
        "Sind alle fertig: n Revanche",
    ),
    "forfeited": Texts(
        "You gave up; g takes it back within 60 s.",
        "Du gav op; g fortryder det inden for 60 s.",
        "Du hast aufgegeben; g nimmt es innerhalb von 60 s zurück.",
    ),
    "closed": Texts(
        "The race is over.  n rematch · q leave",
        "Løbet er slut.  n omkamp · q gå",
        "Das Rennen ist beendet.  n Revanche · q gehen",
    ),
    "closed_watching": Texts(
        "The race is over.  q leave", "Løbet er slut.  q gå", "Das Rennen ist beendet.  q gehen"
    ),
    "rematch_open": Texts(
        "A rematch is open; n takes you there.",
        "Der er omkamp; n fører dig derhen.",
        "Eine Revanche steht bereit; n bringt dich hin.",
    ),
    "talk_prompt": Texts("Say something", "Sig noget", "Etwas sagen"),
    "command_prompt": Texts(
        "A command or a move; help lists them",
        "En kommando eller et træk; help viser dem",
        "Ein Befehl oder ein Zug; help zählt sie auf",
    ),
    # Standings
    "standings": Texts("Standings", "Stilling", "Stand"),
    "column_moves": Texts("Mv", "Tr", "Zg"),
    "column_home": Texts("Hm", "Hj", "Ab"),
    "column_time": Texts("Time", "Tid", "Zeit"),
    "column_name": Texts("Name", "Navn", "Name"),
    "more": Texts("and {count} more", "og {count} til", "und {count} weitere"),
    # Help
    "help_title": Texts("Keys and mouse", "Taster og mus", "Tasten und Maus"),
    "help_close": Texts("Esc closes this", "Esc lukker dette", "Esc schließt dies"),
    "help_aim": Texts(
        "Bring all cards home: each suit rises from its ace and falls from its king, in the middle. Only a "
        "pile's top card moves: home, or onto a pile whose top is the same suit and one rank off (king and "
        "ace are neighbours). An emptied pile stays empty. A redeal puts every pile's bottom card on top.",
        "Få alle kort hjem: hver kulør stiger fra sit es og falder fra sin konge, i midten. Kun en bunkes "
        "øverste kort flyttes: hjem, eller til en bunke med samme kulør og naborang øverst (konge og es er "
        "naboer). En tom bunke forbliver tom. En omdeling lægger hver bunkes nederste kort øverst.",
        "Bring alle Karten nach Hause: jede Farbe steigt ab ihrem Ass und fällt ab ihrem König, in der "
        "Mitte. Nur die oberste Karte geht: nach Hause oder auf einen Stapel gleicher Farbe mit Nachbarrang "
        "(König und Ass sind Nachbarn). Ein leerer Stapel bleibt leer. Neu verteilen legt jeweils die "
        "unterste Karte nach oben.",
    ),
    "group_playing": Texts("Playing", "Spil", "Spielen"),
    "group_mouse": Texts("With the mouse", "Med musen", "Mit der Maus"),
    "group_race": Texts("The race", "Løbet", "Das Rennen"),
    "group_screen": Texts("The screen", "Skærmen", "Der Bildschirm"),
    "key_arrow": Texts(
        "go from place to place; with a card held, to its legal places only",
        "gå fra sted til sted; med et kort i hånden kun til de lovlige",
        "von Ort zu Ort; mit gehaltener Karte nur zu den erlaubten",
    ),
    "key_choose": Texts(
        "take the card: with one place to go it goes there, else its places light up",
        "tag kortet: er der ét sted til det, går det dertil, ellers lyser stederne op",
        "die Karte nehmen: passt nur ein Ort, geht sie hin, sonst leuchten die Orte auf",
    ),
    "key_digit": Texts(
        "choose a pile by its number (pile 1: 1 and Enter)",
        "vælg en bunke ved dens nummer (bunke 1: 1 og Enter)",
        "einen Stapel nach Nummer wählen (Stapel 1: 1 und Enter)",
    ),
    "key_home": Texts("send the card home", "send kortet hjem", "die Karte ablegen"),
    "key_show": Texts(
        "show where the held card may go", "vis, hvor kortet kan lægges", "zeigen, wohin die Karte darf"
    ),
    "key_release": Texts("let the card go", "slip kortet", "die Karte loslassen"),
    "key_undo": Texts("undo the latest move", "fortryd det sidste træk", "den letzten Zug zurücknehmen"),
    "key_redeal": Texts(
        "redeal; moves before it cannot be undone",
        "omdel; tidligere træk kan ikke fortrydes",
        "neu verteilen; Züge davor sind endgültig",
    ),
    "key_click": Texts("click: like Enter on that place", "klik: som Enter dér", "Klick: wie Enter dort"),
    "key_double_click": Texts("double click: send home", "dobbeltklik: send hjem", "Doppelklick: ablegen"),
    "key_drag": Texts(
        "drag: drop on a pile, or anywhere on the foundations",
        "træk: slip på en bunke eller hvor som helst på grundbunkerne",
        "ziehen: auf einen Stapel oder irgendwo auf die Grundstapel",
    ),
    "key_start": Texts(
        "host: start the race, or call the start off",
        "vært: start løbet, eller aflys starten",
        "Gastgeber: starten oder den Start absagen",
    ),
    "key_ready": Texts(
        "be ready, or not after all", "vær klar, eller alligevel ikke", "bereit, oder doch nicht"
    ),
    "key_forfeit": Texts(
        "give up; within 60 s, take that back", "giv op; fortryd det inden 60 s", "aufgeben; 60 s lang zurück"
    ),
    "key_again": Texts(
        "a new game: the rematch once the race is over",
        "et nyt spil: omkampen, når løbet er slut",
        "eine neue Partie: nach dem Rennen die Revanche",
    ),
    "key_talk": Texts("talk to everybody", "snak med alle", "mit allen reden"),
    "key_command": Texts(
        "type a command or a move, as 10>14; help lists them",
        "skriv en kommando eller et træk som 10>14; help viser dem",
        "einen Befehl oder Zug wie 10>14 tippen; help zählt sie auf",
    ),
    "key_explains": Texts(
        "interactive rules: say why a move is refused, or not",
        "interaktive regler: sig, hvorfor et træk afvises, eller ej",
        "interaktive Regeln: sagen, warum ein Zug nicht geht, oder nicht",
    ),
    "key_theme": Texts("dark or light", "mørk eller lys", "dunkel oder hell"),
    "key_help": Texts("this help", "denne hjælp", "diese Hilfe"),
    "key_quit": Texts(
        "leave; your game is kept, “crescent play” goes on with it",
        "gå; dit spil er gemt, “crescent play” fortsætter",
        "gehen; deine Partie bleibt, „crescent play“ setzt sie fort",
    ),
    # The bottom line
    "short_home": Texts("home", "hjem", "ablegen"),
    "short_show": Texts("where", "hvor", "wohin"),
    "short_undo": Texts("undo", "fortryd", "zurück"),
    "short_redeal": Texts("redeal ({count})", "omdel ({count})", "neu ({count})"),
    "short_start": Texts("start", "start", "Start"),
    "short_hold": Texts("call off", "aflys", "absagen"),
    "short_ready": Texts("ready", "klar", "bereit"),
    "short_unready": Texts("not ready", "ikke klar", "nicht bereit"),
    "short_forfeit": Texts("give up", "giv op", "aufgeben"),
    "short_unforfeit": Texts("play on", "spil videre", "weiter"),
    "short_again": Texts("new game", "nyt spil", "neue Partie"),
    "short_rematch": Texts("rematch", "omkamp", "Revanche"),
    "short_talk": Texts("talk", "snak", "reden"),
    "short_help": Texts("help", "hjælp", "Hilfe"),
    "short_quit": Texts("leave", "gå", "gehen"),
}

WORDS |= AROUND
