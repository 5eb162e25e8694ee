"""What `crescent replay` says, in English, Danish and German."""

from server.engine.texts import Texts

REPLAY: dict[str, Texts] = {
    "replay_head": Texts(
        "The race of room {room}, deal {code}, {time} long. “help” tells what you can type.",
        "Løbet i rum {room}, spil {code}, {time} langt. “help” fortæller, hvad du kan skrive.",
        "Das Rennen in Raum {room}, Spiel {code}, {time} lang. „help“ nennt, was du tippen kannst.",
    ),
    "replay_help": Texts(
        "next (or an empty line), back: one action on, or back · +10, -10: seconds · 1:23: that moment · "
        "start, end · play, play 10: run, ten times as fast; an empty line pauses · "
        "show NAME: another's table · piles: every card, or top cards only · quit",
        "next (eller en tom linje), back: én handling frem eller tilbage · +10, -10: sekunder · 1:23: det "
        "tidspunkt · start, end · play, play 10: kør, ti gange så hurtigt; en tom linje holder pause · "
        "show NAVN: en andens bord · piles: alle kort eller kun de øverste · quit",
        "next (oder eine leere Zeile), back: eine Aktion vor oder zurück · +10, -10: Sekunden · 1:23: dieser "
        "Moment · start, end · play, play 10: laufen, zehnmal so schnell; eine leere Zeile hält an · "
        "show NAME: der Tisch eines anderen · piles: alle Karten oder nur die obersten · quit",
    ),
    "replay_unknown": Texts(
        "“{text}” means nothing here. Type “help”.",
        "“{text}” betyder intet her. Skriv “help”.",
        "„{text}“ bedeutet hier nichts. Tippe „help“.",
    ),
    "replay_empty": Texts(
        "Nobody has a game in this log: there is nothing to show.",
        "Ingen har et spil i denne log: der er intet at vise.",
        "Niemand hat in diesem Protokoll eine Partie: es gibt nichts zu zeigen.",
    ),
    "replay_moment": Texts("At {time}:", "Ved {time}:", "Bei {time}:"),
    "replay_table": Texts(
        "{who}'s table at {time}:", "{who}s bord ved {time}:", "Tisch von {who} bei {time}:"
    ),
    "bad_time": Texts(
        "“{text}” is no time of a race. Type it like 1:23, 83 or 1:02:03.",
        "“{text}” er ingen tid i et løb. Skriv den som 1:23, 83 eller 1:02:03.",
        "„{text}“ ist keine Zeit in einem Rennen. Schreibe sie wie 1:23, 83 oder 1:02:03.",
    ),
    "bad_speed": Texts(
        "“{text}” is no speed. Type a number from {least} to {most}: 10 is ten times as fast.",
        "“{text}” er ingen hastighed. Skriv et tal fra {least} til {most}: 10 er ti gange så hurtigt.",
        "„{text}“ ist kein Tempo. Schreibe eine Zahl von {least} bis {most}: 10 ist zehnmal so schnell.",
    ),
}
