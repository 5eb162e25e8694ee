"""What the screen says by itself, in English, Danish and German."""

from client_cli.safe_text import safe_text
from client_cli.screen.around_words import AROUND
from protocol.messages import Lang
from server.engine.texts import Texts


def word(key: str, lang: Lang, **values: object) -> str:
    """Return the words `key` in `lang` with their values, which are made safe for a terminal."""
    safe = {name: safe_text(str(value)) for name, value in values.items()}
    return WORDS[key].text(lang).format_map(safe)


def seat_word(key: str, lang: Lang, *, practice: bool, **values: object) -> str:
    """Return the words `key`, or those that practice has in their place."""
    own = f"{key}_practice"
    return word(own if practice and own in WORDS else key, lang, **values)


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
    "line_slow": Texts(
        "slow line {seconds} s", "langsom forbindelse {seconds} s", "langsame Verbindung {seconds} s"
    ),
    "line_lost": Texts("no line", "ingen forbindelse", "keine Verbindung"),
    "line_lost_in": Texts(
        "no line, again in {seconds} s",
        "ingen forbindelse, igen om {seconds} s",
        "keine Verbindung, neu in {seconds} s",
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
    "pile": Texts("Pile {number}: {cards}", "Bunke {number}: {cards}", "Stapel {number}: {cards}"),
    "hint": Texts(
        "A pile's number takes its card; one with only one place goes there at once.",
        "En bunkes nummer tager dens kort; har det kun ét sted, går det straks derhen.",
        "Die Nummer eines Stapels nimmt seine Karte; mit nur einem Ort geht sie sofort hin.",
    ),
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
    "explains_on": Texts(
        "Explanations are on: what is refused says why (i turns them off).",
        "Forklaringer er slået til: afvisninger siger hvorfor (i slår dem fra).",
        "Erklärungen sind an: jede Ablehnung nennt ihren Grund (i schaltet sie aus).",
    ),
    "explains_off": Texts(
        "Explanations are off: what is refused only beeps (i turns them on).",
        "Forklaringer er slået fra: afvisninger bipper kun (i slår dem til).",
        "Erklärungen sind aus: bei einer Ablehnung piept es nur (i schaltet sie an).",
    ),
    "still_held": Texts(
        "{card} is still held: once more plays it, Esc lets it go.",
        "{card} er stadig i hånden: tryk igen for at spille det, Esc slipper det.",
        "{card} ist noch in der Hand: noch einmal drücken spielt sie, Esc lässt sie los.",
    ),
    "sure_redeal": Texts(
        "Redeal ({count} left)? Cards can still move, and it is final: r once more.",
        "Omdele ({count} tilbage)? Kort kan stadig flyttes, og det er endeligt: r igen.",
        "Neu verteilen (noch {count})? Es gibt noch Züge, und es ist endgültig: noch einmal r.",
    ),
    "sure_follow": Texts(
        "Look into another's game? That makes giving up final: v once more.",
        "Se i en andens spil? Så kan du ikke fortryde, at du gav op: v igen.",
        "In eine andere Partie schauen? Dann ist das Aufgeben endgültig: noch einmal v.",
    ),
    "sure_forfeit": Texts(
        "Give up, and come last? Press g once more; any other key plays on.",
        "Giv op og bliv sidst? Tryk g en gang til; enhver anden tast spiller videre.",
        "Aufgeben und Letzter sein? Noch einmal g; jede andere Taste spielt weiter.",
    ),
    "sure_quit": Texts(
        "Leave the race? Press q once more; your game is kept, and the clock runs on.",
        "Forlad løbet? Tryk q en gang til; dit spil er gemt, og uret går.",
        "Das Rennen verlassen? Noch einmal q; deine Partie bleibt, die Uhr läuft.",
    ),
    "sure_quit_practice": Texts(
        "End the practice? Press q once more; its log is kept.",
        "Slut øvelsen? Tryk q en gang til; dens log bliver gemt.",
        "Das Üben beenden? Noch einmal q; das Protokoll bleibt.",
    ),
    "sure_again_practice": Texts(
        "Give this deal up for another? Press n once more.",
        "Giv dette spil op for et andet? Tryk n en gang til.",
        "Diese Partie für eine andere aufgeben? Drücke noch einmal n.",
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
    "won_wait_practice": Texts("n another deal", "n et nyt spil", "n neues Spiel"),
    "won_closes": Texts(
        "It closes in {seconds} s; then n: rematch",
        "Det lukker om {seconds} s; så n: omkamp",
        "Ende in {seconds} s; dann n: Revanche",
    ),
    "forfeited": Texts(
        "You gave up; g takes it back within 60 s.",
        "Du gav op; g fortryder det inden for 60 s.",
        "Du hast aufgegeben; g nimmt es innerhalb von 60 s zurück.",
    ),
    "forfeited_left": Texts(
        "You gave up; for {seconds} s more, g takes it back.",
        "Du gav op; i {seconds} s endnu kan g fortryde det.",
        "Du hast aufgegeben; noch {seconds} s lang nimmt g es zurück.",
    ),
    "forfeited_closes": Texts(
        "You gave up; g takes it back. Nobody plays on: the race closes in {seconds} s.",
        "Du gav op; g fortryder det. Ingen spiller videre: løbet lukker om {seconds} s.",
        "Du hast aufgegeben; g nimmt es zurück. Niemand spielt weiter: Ende in {seconds} s.",
    ),
    "forfeited_final": Texts(
        "You gave up, and it is final.",
        "Du gav op, og det er endeligt.",
        "Du hast aufgegeben, und das ist endgültig.",
    ),
    "forfeited_final_closes": Texts(
        "You gave up. Nobody plays on: the race closes in {seconds} s.",
        "Du gav op. Ingen spiller videre: løbet lukker om {seconds} s.",
        "Du hast aufgegeben. Niemand spielt weiter: Ende in {seconds} s.",
    ),
    "closes_in": Texts(
        "Nobody plays on: the race closes in {seconds} s.",
        "Ingen spiller videre: løbet lukker om {seconds} s.",
        "Niemand spielt weiter: Ende in {seconds} s.",
    ),
    "closed": Texts(
        "The race is over.  n rematch · q leave",
        "Løbet er slut.  n omkamp · q gå",
        "Das Rennen ist beendet.  n Revanche · q gehen",
    ),
    "closed_practice": Texts(
        "The game is over.  n another deal · q end",
        "Spillet er slut.  n et nyt spil · q slut",
        "Die Partie ist beendet.  n neues Spiel · q Ende",
    ),
    "closed_watching": Texts(
        "The race is over.  q leave", "Løbet er slut.  q gå", "Das Rennen ist beendet.  q gehen"
    ),
    "rematch_open": Texts(
        "{who} has opened the rematch: n takes you there.",
        "{who} har åbnet omkampen: n fører dig derhen.",
        "{who} hat die Revanche eröffnet: n bringt dich hin.",
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
        "Bring all 104 cards home, to the foundations in the middle: each suit rises there from its ace to "
        "the king, and falls from its king to the ace. One card moves at a time, the top one of its place. "
        "The first to do it wins, in some rooms the one of fewest moves; then cards home count.",
        "Få alle 104 kort hjem til grundbunkerne i midten: dér stiger hver kulør fra sit es til kongen og "
        "falder fra sin konge til esset. Ét kort flyttes ad gangen, det øverste på sin plads. Den første "
        "vinder, i nogle rum den med færrest træk; derefter tæller kort hjemme.",
        "Bring alle 104 Karten nach Hause auf die Grundstapel in der Mitte: dort steigt jede Farbe vom Ass "
        "zum König und fällt vom König zum Ass. Es zieht immer nur eine Karte, die oberste ihres Orts. Wer "
        "zuerst fertig ist, siegt, in manchen Räumen mit den wenigsten Zügen; dann zählen abgelegte Karten.",
    ),
    "rule_home": Texts(
        "home: 2 on the ace, 3 on the 2 … or queen on the king, jack on the queen … of its suit; a full "
        "foundation takes no more. 3>F is typed for it, or 3>A, 3>K: onto the ace's or the king's. "
        "f; double click; or drag it anywhere onto the foundations",
        "hjem: 2 på esset, 3 på 2'eren … eller dame på kongen, knægt på damen … i samme kulør; en fuld "
        "grundbunke tager ikke flere. Det skrives 3>F, eller 3>A, 3>K: på essets eller kongens. "
        "f; dobbeltklik; eller træk det et sted hen på grundbunkerne",
        "nach Hause: 2 aufs Ass, 3 auf die 2 … oder Dame auf den König, Bube auf die Dame … derselben Farbe; "
        "ein voller Grundstapel nimmt nichts mehr. Getippt 3>F, oder 3>A, 3>K: auf den des Asses oder des "
        "Königs. f; Doppelklick; oder irgendwo auf die Grundstapel ziehen",
    ),
    "rule_pile": Texts(
        "pile to pile: onto a card of the same suit, one rank higher or lower; here king and ace are "
        "neighbours. 13 cards are a pile's most, and an emptied pile stays empty. Take it (its number, "
        "Enter, a click), then choose where: arrows and Enter, a number, a click; or drag",
        "bunke til bunke: på et kort i samme kulør, én rang højere eller lavere; her er konge og es naboer. "
        "En bunke har højst 13 kort, og en tømt bunke forbliver tom. Tag det (nummer, Enter, klik), og vælg "
        "hvor: pile og Enter, et nummer, et klik; eller træk",
        "Stapel auf Stapel: auf eine Karte derselben Farbe, einen Rang höher oder tiefer; hier sind König "
        "und Ass Nachbarn. Ein Stapel hat höchstens 13 Karten, ein leerer bleibt leer. Nimm sie (Nummer, "
        "Enter, Klick) und wähle, wohin: Pfeile und Enter, Nummer, Klick; oder ziehen",
    ),
    "rule_across": Texts(
        "from one foundation of a suit to the other, where its top card comes next there; not the ace or "
        "king at the bottom, and never back onto a pile. Arrows to it and f, or Enter twice; double click; "
        "or drag it onto the other (KS>A: back)",
        "fra en kulørs ene grundbunke til den anden, hvor dens øverste kort er det næste; ikke esset eller "
        "kongen nederst, og aldrig tilbage på en bunke. Pile hen til den og f, eller Enter to gange; "
        "dobbeltklik; eller træk det over på den anden (KS>A: tilbage)",
        "von einem Grundstapel einer Farbe auf den anderen, wo seine oberste Karte die nächste ist; nicht "
        "Ass oder König ganz unten, und nie zurück auf einen Stapel. Pfeile dorthin und f, oder zweimal "
        "Enter; Doppelklick; oder auf den anderen ziehen (KS>A: zurück)",
    ),
    "rule_only": Texts(
        "the only place there is: what taking a pile's card does by itself",
        "det eneste sted, der er: det sker af sig selv, når en bunkes kort tages",
        "der einzige Ort: das geschieht von selbst, wenn man die Karte eines Stapels nimmt",
    ),
    "rule_redeal": Texts(
        "redeal: every pile's bottom card goes on top; three times a game (four in variant F), it is no "
        "move, and what was before it cannot be undone",
        "omdeling: hver bunkes nederste kort lægges øverst; tre gange i et spil (fire i variant F), det er "
        "intet træk, og det, der var før, kan ikke fortrydes",
        "neu verteilen: die unterste Karte jedes Stapels kommt nach oben; dreimal je Partie (viermal in "
        "Variante F), es ist kein Zug, und was davor war, bleibt",
    ),
    "rule_undo": Texts(
        "undo the latest move, and the one before it, up to 100, but not past a redeal; some rooms have none",
        "fortryd det sidste træk, og det før, op til 100, men ikke forbi en omdeling; nogle rum har det ikke",
        "den letzten Zug zurücknehmen, und den davor, bis zu 100, aber nicht über ein Neuverteilen hinweg; "
        "in manchen Räumen nicht",
    ),
    "rule_columns": Texts(
        "in the standings: moves played, cards home (of 104), and when the latest action was",
        "i stillingen: spillede træk, kort hjemme (af 104), og hvornår den seneste handling var",
        "im Stand: gespielte Züge, abgelegte Karten (von 104) und wann die letzte Aktion war",
    ),
    "group_rules": Texts(
        "What may be moved, and how it is written: at /, and in replays",
        "Hvad der må flyttes, og hvordan det skrives: ved / og i genspil",
        "Was ziehen darf, und wie man es schreibt: bei / und in Wiedergaben",
    ),
    "help_typed": Texts("What can be typed at /", "Hvad der kan skrives ved /", "Was man bei / tippen kann"),
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
        "take that pile's card: one with only one place goes there (pile 1: 1 and Enter)",
        "tag den bunkes kort: har det kun ét sted, går det derhen (bunke 1: 1 og Enter)",
        "die Karte dieses Stapels nehmen: mit nur einem Ort geht sie hin (Stapel 1: 1 und Enter)",
    ),
    "key_home": Texts(
        "send the held card home, or the one under the cursor",
        "send kortet i hånden hjem, eller det under markøren",
        "die gehaltene Karte ablegen, oder die unter dem Zeiger",
    ),
    "key_show": Texts(
        "show where the held card may go", "vis, hvor kortet kan lægges", "zeigen, wohin die Karte darf"
    ),
    "key_release": Texts("let the card go", "slip kortet", "die Karte loslassen"),
    "key_undo": Texts("undo the latest move", "fortryd det sidste træk", "den letzten Zug zurücknehmen"),
    "key_redeal": Texts(
        "redeal; moves before it cannot be undone (twice, where cards can still move)",
        "omdel; tidligere træk kan ikke fortrydes (to gange, hvor kort stadig kan flyttes)",
        "neu verteilen; Züge davor sind endgültig (zweimal, wo noch Karten ziehen können)",
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
    "key_forfeit_practice": Texts("give up", "giv op", "aufgeben"),
    "key_again_practice": Texts("another deal", "et nyt spil", "ein neues Spiel"),
    "key_rematch_practice": Texts("another deal", "et nyt spil", "ein neues Spiel"),
    "key_talk": Texts("talk to everybody", "snak med alle", "mit allen reden"),
    "key_command": Texts(
        "type a command or a move, as 10>14; help lists them",
        "skriv en kommando eller et træk som 10>14; help viser dem",
        "einen Befehl oder Zug wie 10>14 tippen; help zählt sie auf",
    ),
    "key_explains": Texts(
        "explanations (on at first): say why a move is refused, or only beep",
        "forklaringer (slået til først): sig, hvorfor et træk afvises, eller bip kun",
        "Erklärungen (anfangs an): sagen, warum ein Zug nicht geht, oder nur piepen",
    ),
    "key_theme": Texts("dark or light", "mørk eller lys", "dunkel oder hell"),
    "key_help": Texts("this help", "denne hjælp", "diese Hilfe"),
    "key_quit": Texts(
        "leave; your game is kept, “crescent play” goes on with it",
        "gå; dit spil er gemt, “crescent play” fortsætter",
        "gehen; deine Partie bleibt, „crescent play“ setzt sie fort",
    ),
    "key_quit_practice": Texts(
        "end the practice; its log is kept",
        "slut øvelsen; dens log bliver gemt",
        "das Üben beenden; das Protokoll bleibt",
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
    "short_rematch_practice": Texts("another deal", "nyt spil", "neues Spiel"),
    "short_talk": Texts("talk", "snak", "reden"),
    "short_send": Texts("sends", "sender", "sendet"),
    "short_run": Texts("does it", "udfører", "führt aus"),
    "short_unsay": Texts("does not", "lader være", "lässt es"),
    "short_help": Texts("help", "hjælp", "Hilfe"),
    "short_quit": Texts("leave", "gå", "gehen"),
    "short_quit_practice": Texts("end", "slut", "Ende"),
}

WORDS |= AROUND
