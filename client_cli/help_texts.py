"""What `--help` says, in the language of the environment."""

from client_cli.texts import environment_lang
from server.engine.texts import Texts


def help_text(key: str) -> str:
    """Return the help for a command or an option."""
    return HELP[key].text(environment_lang())


def with_default(key: str, value: object) -> str:
    """Return the help for an option, and what it is where it is not given."""
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return f"{help_text(key)} {help_text('default').format(value=value)}"


HELP: dict[str, Texts] = {
    "crescent": Texts(
        "Race your friends on the same deal of Crescent.",
        "Kæmp om kap med dine venner i det samme spil Crescent.",
        "Spiele mit Freunden um die Wette: dasselbe Spiel Crescent für alle.",
    ),
    "crescent_alone": Texts(
        "At a terminal, crescent alone opens the lobby, with the options of crescent lobby. Without one, "
        "begin with:  crescent rooms, or crescent play ROOM.",
        "Ved en terminal åbner crescent alene lobbyen, med samme valg som crescent lobby. Uden en begynder "
        "man med:  crescent rooms eller crescent play ROOM.",
        "An einem Terminal öffnet crescent allein die Lobby, mit den Optionen von crescent lobby. Ohne eines "
        "beginnt man mit:  crescent rooms oder crescent play ROOM.",
    ),
    "version": Texts("Say the version.", "Sig versionen.", "Die Version nennen."),
    "host": Texts(
        "Open a room, and play in it.", "Åbn et rum, og spil i det.", "Eröffne einen Raum und spiele darin."
    ),
    "lobby": Texts(
        "The public rooms on the screen: play in one, look on, or open your own. So does crescent alone.",
        "De offentlige rum på skærmen: spil i et, se på, eller åbn dit eget. Det gør crescent alene også.",
        "Die öffentlichen Räume am Bildschirm: mitspielen, zuschauen, öffnen. So auch crescent allein.",
    ),
    "play": Texts(
        "Enter a room and play, or go on where you were.",
        "Gå ind i et rum og spil, eller fortsæt, hvor du var.",
        "Betritt einen Raum und spiele, oder mach weiter, wo du warst.",
    ),
    "watch": Texts("Look on in a room.", "Se på i et rum.", "Schau in einem Raum zu."),
    "rooms": Texts("List the public rooms.", "Vis de offentlige rum.", "Liste die öffentlichen Räume auf."),
    "bot": Texts(
        "Let a bot play in a room.", "Lad en bot spille i et rum.", "Lass einen Bot in einem Raum spielen."
    ),
    "deal": Texts(
        "Print the 16 piles of a game code, without a server.",
        "Vis de 16 bunker af en spilkode, uden server.",
        "Zeige die 16 Stapel eines Spielcodes, ohne Server.",
    ),
    "solo": Texts(
        "Practise alone; without --server, on a server of its own that ends with it.",
        "Øv dig alene; uden --server på sin egen server, der lukker, når du stopper.",
        "Allein üben; ohne --server auf einem eigenen Server, der mit der Übung endet.",
    ),
    "solo_argument": Texts(
        "A game code such as CR1-N-AAAAAAB; without one, a random deal.",
        "En spilkode som CR1-N-AAAAAAB; uden den et tilfældigt spil.",
        "Ein Spielcode wie CR1-N-AAAAAAB; ohne ihn ein zufälliges Spiel.",
    ),
    "solo_server": Texts(
        "A server to practise on, in place of one of its own.",
        "En server at øve sig på i stedet for en egen.",
        "Ein Server zum Üben statt eines eigenen.",
    ),
    "verify": Texts(
        "Check the log of a closed race: replay every move and compute the board again.",
        "Efterprøv loggen af et lukket løb: spil hvert træk igen, og regn stillingen ud på ny.",
        "Prüfe das Protokoll eines beendeten Rennens: jeden Zug nachspielen, den Stand neu berechnen.",
    ),
    "verify_argument": Texts(
        "The log's file (- for standard input), its address, or the room's code.",
        "Loggens fil (- for standard input), dens adresse eller rummets kode.",
        "Datei des Protokolls (- für Standardeingabe), seine Adresse oder der Code des Raums.",
    ),
    "replay": Texts(
        "Look at a closed race again: every table at every moment, all players side by side.",
        "Se et lukket løb igen: hvert bord på hvert tidspunkt, alle spillere side om side.",
        "Sieh ein beendetes Rennen noch einmal: jeder Tisch zu jedem Moment, alle nebeneinander.",
    ),
    "replay_speed": Texts(
        "Run by itself, so many times as fast as the race was.",
        "Kør af sig selv, så mange gange så hurtigt som løbet var.",
        "Von selbst laufen, so viele Male so schnell wie das Rennen.",
    ),
    "replay_at": Texts(
        "The moment to begin with, such as 1:23.",
        "Tidspunktet at begynde med, for eksempel 1:23.",
        "Der Moment, mit dem es beginnt, etwa 1:23.",
    ),
    "replay_player": Texts(
        "Whose table is shown; without it, the winner's.",
        "Hvis bord der vises; ellers vinderens.",
        "Wessen Tisch zu sehen ist; sonst der des Siegers.",
    ),
    "room_argument": Texts(
        "The room's code, or the link to it.",
        "Rummets kode eller linket til det.",
        "Code des Raums oder Link dorthin.",
    ),
    "code_argument": Texts(
        "A game code such as CR1-N-AAAAAAB.",
        "En spilkode som CR1-N-AAAAAAB.",
        "Ein Spielcode wie CR1-N-AAAAAAB.",
    ),
    "server": Texts(
        "The server: ws://host:port/ws, http://host:port, host:port, or a link to a room.",
        "Serveren: ws://vært:port/ws, http://vært:port, vært:port eller et link til et rum.",
        "Der Server: ws://host:port/ws, http://host:port, host:port oder ein Link zu einem Raum.",
    ),
    "name": Texts("Your name in the room.", "Dit navn i rummet.", "Dein Name im Raum."),
    "lang": Texts("The language: en, da or de.", "Sproget: en, da eller de.", "Die Sprache: en, da oder de."),
    "json": Texts(
        "One JSON object a line, for programs.",
        "Ét JSON-objekt pr. linje, for programmer.",
        "Ein JSON-Objekt pro Zeile, für Programme.",
    ),
    "lines": Texts(
        "Lines of text in place of the screen.",
        "Tekstlinjer i stedet for skærmen.",
        "Textzeilen statt des Bildschirms.",
    ),
    "ascii": Texts(
        "Nothing but ASCII on the screen.", "Kun ASCII på skærmen.", "Nur ASCII auf dem Bildschirm."
    ),
    "theme": Texts(
        "The screen's colours: dark or light; by itself, the terminal's.",
        "Skærmens farver: dark eller light; ellers terminalens.",
        "Farben des Bildschirms: dark oder light; sonst die des Terminals.",
    ),
    "interactive_rules": Texts(
        "Say why a move is refused, or not.",
        "Sig, hvorfor et træk afvises, eller ej.",
        "Sagen, warum ein Zug abgelehnt wird, oder nicht.",
    ),
    "plain": Texts(
        "Sentences for a screen reader: cards in words, and of the table what has changed.",
        "Sætninger til en skærmlæser: kort i ord, og af bordet det, der er ændret.",
        "Sätze für einen Screenreader: Karten in Worten, vom Tisch nur, was sich geändert hat.",
    ),
    "identity": Texts(
        "Which of your identities to be; without it, the first that no other terminal uses.",
        "Hvilken af dine identiteter du er; ellers den første, ingen anden terminal bruger.",
        "Welche deiner Identitäten du bist; sonst die erste, die kein anderes Terminal benutzt.",
    ),
    "password": Texts("The room's password.", "Rummets adgangskode.", "Das Passwort des Raums."),
    "room_name": Texts("What the room is called.", "Hvad rummet hedder.", "Wie der Raum heißt."),
    "game": Texts("A game code, or random.", "En spilkode eller random.", "Ein Spielcode oder random."),
    "variant": Texts(
        "N (three redeals) or F (Crescent Four).",
        "N (tre omdelinger) eller F (Crescent Four).",
        "N (drei Neuverteilungen) oder F (Crescent Four).",
    ),
    "visibility": Texts(
        "top: only top cards are shown; open: every card.",
        "top: kun de øverste kort vises; open: alle kort.",
        "top: nur oberste Karten sind zu sehen; open: alle Karten.",
    ),
    "start": Texts(
        "Who starts: the host, everybody's readiness, each player alone (own), or a moment (at).",
        "Hvad der starter det: værten, at alle er klar, hver for sig (own) eller et tidspunkt (at).",
        "Wer startet: der Gastgeber, die Bereitschaft aller, jeder für sich (own) oder ein Zeitpunkt (at).",
    ),
    "start_at": Texts(
        "When it starts: +15 (minutes), 20:30, or 2030-01-31T20:30.",
        "Hvornår det starter: +15 (minutter), 20:30 eller 2030-01-31T20:30.",
        "Wann es startet: +15 (Minuten), 20:30 oder 2030-01-31T20:30.",
    ),
    "close_at": Texts(
        "When it closes, likewise.", "Hvornår det lukker, ligeledes.", "Wann es endet, ebenso."
    ),
    "min_players": Texts(
        "Players it takes; 1 to practise alone.",
        "Mindste antal spillere; 1 for at øve sig alene.",
        "Mindestens so viele; 1 zum Üben.",
    ),
    "max_players": Texts("Players at most.", "Største antal spillere.", "Höchstens so viele Spieler."),
    "countdown": Texts("Countdown, in seconds.", "Nedtælling, i sekunder.", "Countdown in Sekunden."),
    "limit": Texts(
        "Time limit, in minutes; 0: none.",
        "Tidsgrænse, i minutter; 0: ingen.",
        "Zeitgrenze in Minuten; 0: keine.",
    ),
    "after_win": Texts(
        "When it ends after the first win, in minutes; 0: not by that.",
        "Hvornår det slutter efter den første sejr, i minutter; 0: ikke derved.",
        "Wann es nach dem ersten Sieg endet, in Minuten; 0: nicht dadurch.",
    ),
    "delay": Texts(
        "How late delayed spectators see games, in seconds.",
        "Hvor sent tilskuere med delayed ser spil, i sekunder.",
        "Wie spät Zuschauer bei delayed Partien sehen, in Sekunden.",
    ),
    "chat": Texts("Let people talk.", "Lad folk snakke.", "Chatten erlauben."),
    "default": Texts("[default: {value}]", "[ellers: {value}]", "[sonst: {value}]"),
    "rank_by": Texts(
        "What decides: time or moves.", "Hvad der tæller: time eller moves.", "Was zählt: time oder moves."
    ),
    "undo": Texts(
        "Whether moves can be undone.", "Om træk kan fortrydes.", "Ob Züge zurückgenommen werden können."
    ),
    "listed": Texts("List the room publicly.", "Vis rummet offentligt.", "Den Raum öffentlich auflisten."),
    "late": Texts(
        "Let players in after the start.",
        "Luk spillere ind efter start.",
        "Spieler auch nach dem Start einlassen.",
    ),
    "sealed": Texts(
        "Keep the deal's code secret until the close.",
        "Hold spillets kode hemmelig til det lukker.",
        "Den Code des Spiels bis zum Ende geheim halten.",
    ),
    "spectators": Texts(
        "What spectators see: none, board, delayed or live.",
        "Hvad tilskuere ser: none, board, delayed eller live.",
        "Was Zuschauer sehen: none, board, delayed oder live.",
    ),
    "playing": Texts(
        "Play yourself, or only lead the race.",
        "Spil selv, eller led kun løbet.",
        "Selbst spielen oder nur leiten.",
    ),
    "referee": Texts("The same as --no-play.", "Det samme som --no-play.", "Dasselbe wie --no-play."),
    "strategy": Texts(
        "How it plays: random (anything legal), greedy (the next move), careful (some moves ahead).",
        "Hvordan den spiller: random (alt tilladt), greedy (næste træk), careful (nogle træk frem).",
        "Wie er spielt: random (alles Erlaubte), greedy (der nächste Zug), careful (einige Züge voraus).",
    ),
    "speed": Texts(
        "human: as a person does, seconds a move; quick: three times that; fast: as the server allows.",
        "human: som et menneske, sekunder pr. træk; quick: tre gange det; fast: som serveren tillader.",
        "human: wie ein Mensch, Sekunden pro Zug; quick: dreimal so schnell; fast: wie der Server erlaubt.",
    ),
    "seed": Texts(
        "Makes the bot's choices repeatable.", "Gør bottens valg gentagelige.", "Macht den Bot wiederholbar."
    ),
}
