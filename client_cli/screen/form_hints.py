"""What each field of the room's form does to the race, in plain words; English, Danish, German."""

from server.engine.texts import Texts

HINTS: dict[str, Texts] = {
    "playing": Texts(
        "yes: you race too. no: you only lead the race, as its host.",
        "ja: du er med i løbet. nej: du leder kun løbet som vært.",
        "ja: du spielst mit. nein: du leitest das Rennen nur, als Gastgeber.",
    ),
    "name": Texts(
        "What the room is called in the lobby and on its screens.",
        "Hvad rummet hedder i lobbyen og på skærmene.",
        "Wie der Raum in der Lobby und auf den Bildschirmen heißt.",
    ),
    "deal": Texts(
        "Which cards everybody gets: random deals new ones; a game code deals the same cards again.",
        "Hvilke kort alle får: random giver nye; en spilkode giver de samme kort igen.",
        "Welche Karten alle bekommen: random gibt neue; ein Spielcode gibt dieselben noch einmal.",
    ),
    "variant": Texts(
        "N: the normal game, three redeals. F: Crescent Four, the same with four redeals, a little easier.",
        "N: det normale spil, tre omdelinger. F: Crescent Four, det samme med fire, altså lidt lettere.",
        "N: das normale Spiel, dreimal neu verteilen. F: Crescent Four, dasselbe mit viermal, also leichter.",
    ),
    "visibility": Texts(
        "top cards: one sees only the top card of each pile. open: all cards lie face up.",
        "øverste kort: man ser kun det øverste kort i hver bunke. åbne: alle kort ligger åbent.",
        "oberste Karte: man sieht nur die oberste jedes Stapels. offen: alle Karten liegen offen.",
    ),
    "sealed": Texts(
        "yes: the game's code stays secret till the race is closed, so that no program can work out the "
        "buried cards. It takes a random deal.",
        "ja: spillets kode er hemmelig, til løbet er lukket, så intet program kan regne de skjulte kort ud. "
        "Det kræver et tilfældigt spil.",
        "ja: der Code bleibt bis zum Ende geheim, damit kein Programm die verdeckten Karten ausrechnet. Es "
        "braucht ein zufälliges Spiel.",
    ),
    "rank_by": Texts(
        "time: the first to bring all cards home wins. moves: whoever needs the fewest moves wins.",
        "tid: den, der først får alle kort hjem, vinder. træk: den med færrest træk vinder.",
        "Zeit: wer zuerst alle Karten abgelegt hat, gewinnt. Züge: wer die wenigsten braucht.",
    ),
    "start": Texts(
        "host: you start it. all ready: it starts once all are. own: each starts when they like, on a clock "
        "of their own; results at the end. at a time: see the next field.",
        "vært: du starter. alle klar: når alle er det. egen: alle starter, når de vil, på deres eget ur; "
        "resultatet til sidst. tid: se næste felt.",
        "Gastgeber: du startest. bereit: wenn alle es sind. eigen: jeder, wann er will, mit eigener Uhr; "
        "Ergebnis am Ende. Zeit: siehe nächstes Feld.",
    ),
    "start_at": Texts(
        "The race starts by itself then: +15 is in 15 minutes, 20:30 the next time it is that.",
        "Løbet starter da af sig selv: +15 er om 15 minutter, 20:30 næste gang klokken er det.",
        "Dann startet das Rennen von selbst: +15 heißt in 15 Minuten, 20:30 das nächste Mal um diese Zeit.",
    ),
    "close_at": Texts(
        "The race ends for all then, finished or not: +60 is in an hour, 22:00 the next time it is that.",
        "Da slutter løbet for alle, færdige eller ej: +60 er om en time, 22:00 næste gang klokken er det.",
        "Dann endet das Rennen für alle, fertig oder nicht: +60 heißt in einer Stunde, 22:00 um diese Zeit.",
    ),
    "min_players": Texts(
        "The race does not start before so many players are here; with 1 you can start alone.",
        "Løbet starter ikke, før så mange spillere er her; med 1 kan du starte alene.",
        "Vorher startet das Rennen nicht; mit 1 kannst du allein starten.",
    ),
    "max_players": Texts(
        "Nobody more can come in to play once so many are here.",
        "Når så mange er her, kan ingen flere komme ind og spille.",
        "Sind so viele da, kann niemand mehr zum Spielen herein.",
    ),
    "countdown_ms": Texts(
        "How many seconds all see the countdown before the cards come; 0: they come at once.",
        "Hvor mange sekunder alle ser nedtællingen, før kortene kommer; 0: de kommer straks.",
        "So viele Sekunden sehen alle den Countdown, bevor die Karten kommen; 0: sofort.",
    ),
    "limit_ms": Texts(
        "So many minutes after the start the race ends for all; 0: it has no such limit.",
        "Så mange minutter efter starten slutter løbet for alle; 0: ingen grænse.",
        "So viele Minuten nach dem Start endet das Rennen für alle; 0: ohne Grenze.",
    ),
    "after_win_ms": Texts(
        "Once somebody has won, the others have so many minutes more to finish; 0: as long as they like.",
        "Når en har vundet, har de andre så mange minutter mere; 0: så længe de vil.",
        "Hat jemand gewonnen, haben die anderen noch so viele Minuten; 0: so lange sie wollen.",
    ),
    "late": Texts(
        "yes: one can still come in after the start; the clock of those runs from the start all the same.",
        "ja: man kan komme ind efter starten; ens ur går alligevel fra starten.",
        "ja: man kann nach dem Start noch herein; die Uhr läuft trotzdem ab dem Start.",
    ),
    "undo": Texts(
        "yes: moves can be taken back, and so one can try things out. no: what is played is played.",
        "ja: træk kan tages tilbage, så man kan prøve sig frem. nej: spillet er spillet.",
        "ja: Züge können zurückgenommen und so ausprobiert werden. nein: gespielt ist gespielt.",
    ),
    "spectators": Texts(
        "What who does not play may see. none: nobody looks on. board: the standings only. later: games too, "
        "after the delay. live: games as they are played.",
        "Hvad de, der ikke spiller, må se. ingen: ingen ser på. stilling: kun stillingen. senere: også spil, "
        "efter forsinkelsen. live: spil, mens de spilles.",
        "Was sieht, wer nicht spielt. keine: niemand schaut zu. Stand: nur den Stand. später: auch Partien, "
        "nach der Verzögerung. live: Partien sofort.",
    ),
    "delay_ms": Texts(
        "With spectators “later”: so many seconds after a move they see it.",
        "Med tilskuere “senere”: så mange sekunder efter et træk ser de det.",
        "Bei Zuschauern „später“: so viele Sekunden nach einem Zug sehen sie ihn.",
    ),
    "chat": Texts(
        "yes: people in the room can write to each other. no: they cannot.",
        "ja: folk i rummet kan skrive til hinanden. nej: det kan de ikke.",
        "ja: wer im Raum ist, kann den anderen schreiben. nein: niemand.",
    ),
    "listed": Texts(
        "yes: everybody sees the room in the lobby. no: only who has its code or link finds it.",
        "ja: alle ser rummet i lobbyen. nej: kun den, der har kode eller link, finder det.",
        "ja: alle sehen den Raum in der Lobby. nein: nur wer Code oder Link hat, findet ihn.",
    ),
    "password": Texts(
        "Whoever comes in must type it; left empty, there is none.",
        "Den, der vil ind, skal skrive den; er feltet tomt, er der ingen.",
        "Wer hereinwill, muss es eingeben; leer: keines.",
    ),
}
